"""A simulator for each file of tests, and an authority for those that order certificates."""

from __future__ import annotations

from tests.support.panels import authority, panel, simulator

__all__ = ["authority", "panel", "simulator"]

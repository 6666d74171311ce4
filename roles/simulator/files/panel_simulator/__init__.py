"""A stateful simulator of the panel's REST API v2, for trying the collection and for tests."""

from __future__ import annotations

API_PATH = "/api/v2"
API_VERSION = "2.15"
CONTROL_PATH = "/_simulator"

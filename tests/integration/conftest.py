"""A simulator for each file of tests, and both ways of running a task for each test that names
one."""

from __future__ import annotations

import pytest

from tests.support.panels import simulator
from tests.support.playbook import WAYS

__all__ = ["simulator", "way"]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    """Return how a test runs tasks: in process, or as modules."""
    return str(request.param)

"""A simulator for each file of tests, and both ways of running a task for each test that names one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.playbook import WAYS
from tests.support.simulator import Simulator


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    """A simulator whose objects are applied at once."""
    with Simulator.start(settings={"status_delay": 0.0}) as running:
        yield running


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    """In process, and as a module."""
    return str(request.param)

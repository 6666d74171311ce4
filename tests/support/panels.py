"""Fixtures of running panels, which the conftest of each directory that needs them takes from
here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.pebble import Pebble, run_pebble
from tests.support.simulator import Simulator


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    """Yield a simulator whose objects are applied at once."""
    with Simulator.start(settings={"status_delay": 0.0}) as running:
        yield running


@pytest.fixture(scope="module")
def panel() -> Iterator[Simulator]:
    """Yield a simulator with a name server, whose objects are applied at once."""
    with Simulator.start(settings={"status_delay": 0.0}, dns=True) as running:
        yield running


@pytest.fixture(scope="module")
def authority(panel: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pebble]:
    """Yield an authority that asks the name server of the panel.

    It refuses every twentieth good nonce, as it does by default.
    """
    with run_pebble(panel.dns_port, tmp_path_factory.mktemp("pebble"), 90) as running:
        yield running

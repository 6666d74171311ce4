"""One simulator for all tests of this folder, back at its start before each of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from panel_simulator.self_signed import make
from tests.support.simulator import Simulator


@pytest.fixture(scope="session")
def running_simulator() -> Iterator[Simulator]:
    """Yield a process that serves all tests."""
    with Simulator.start(dns=True) as simulator:
        yield simulator


@pytest.fixture
def simulator(running_simulator: Simulator) -> Iterator[Simulator]:
    """Yield a freshly reset simulator; a test that makes it fail inside fails too."""
    running_simulator.reset()
    yield running_simulator
    assert running_simulator.read_errors() == ""


@pytest.fixture
def acme(simulator: Simulator) -> int:
    """Return the id of a client ``acme`` with the domain ``acme.example``."""
    simulator.seed(
        {
            "clients": [{"username": "acme"}],
            "domains": [{"domain": "acme.example", "client": "acme"}],
        }
    )
    return int(simulator.request("GET", "/clients/name/acme").json()["id"])


@pytest.fixture(scope="session")
def certificate() -> dict[str, str]:
    """Return a certificate for acme.example and its key, as ``components`` have them."""
    text, key = make("acme.example")
    return {"certificate": text, "private_key": key}

"""An operator with an empty panel."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.integration.roles.operators import Operator
from tests.support.simulator import Simulator


@pytest.fixture(scope="module")
def make_operator(tmp_path_factory: pytest.TempPathFactory, simulator: Simulator) -> Callable[[str], Operator]:
    """Makes an operator with an empty folder, whose name holds spaces, and an empty panel."""

    def make(name: str) -> Operator:
        simulator.reset()
        return Operator(tmp_path_factory.mktemp("roles") / f"folder of {name}", simulator)

    return make

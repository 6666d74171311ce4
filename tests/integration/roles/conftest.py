"""An operator with an empty panel, and an authority for those that order certificates."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.integration.roles.operators import Operator
from tests.support.panels import authority, panel
from tests.support.simulator import Simulator

__all__ = ["authority", "make_operator", "panel"]


@pytest.fixture(scope="module")
def make_operator(
    tmp_path_factory: pytest.TempPathFactory, simulator: Simulator
) -> Callable[[str], Operator]:
    """Make an operator with an empty folder, whose name holds spaces, and an empty panel."""

    def make(name: str) -> Operator:
        simulator.reset()
        return Operator(tmp_path_factory.mktemp("roles") / f"folder of {name}", simulator)

    return make

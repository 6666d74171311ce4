# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every behaviour of every kind × {check, real, again}: the operations themselves, against the simulator's panel in memory."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.support.grid import Behaviour, behaviours, details
from tests.support.grid_checks import BehaviourChecks, Resolve
from tests.support.place import Place
from tests.support.playbook import Recording

Steps = Mapping[str, Recording]


@pytest.fixture(scope="module")
def last() -> dict[str, Steps]:
    """The steps of the behaviour that was run last, by its name."""
    return {}


@pytest.fixture
def resolve(place: Place) -> Resolve:
    return place.resolve


@pytest.fixture
def steps(place: Place, behaviour: Behaviour, last: dict[str, Steps]) -> Steps:
    """What the three steps of a behaviour did."""
    if behaviour.name not in last:
        last.clear()
        last[behaviour.name] = place.steps(behaviour)
    return last[behaviour.name]


# By class, so that all tests of a behaviour follow one another.
@pytest.mark.parametrize("behaviour", [*behaviours(), *details()], ids=lambda behaviour: behaviour.name, scope="class")
class TestBehaviour(BehaviourChecks):
    """Each behaviour of the grid."""

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every behaviour of every kind × {check, real, again}: the operations themselves, against the simulator's panel in memory."""

from __future__ import annotations

import pytest

from tests.support.grid import Behaviour, behaviours, details
from tests.support.grid_checks import CHECKS
from tests.support.place import Place


@pytest.mark.parametrize("behaviour", [*behaviours(), *details()], ids=lambda behaviour: behaviour.name)
def test_a_behaviour(place: Place, behaviour: Behaviour) -> None:
    steps = place.steps(behaviour)
    for check in CHECKS:
        check(behaviour, steps, place.resolve)

"""Every behaviour of every kind × {check, real, again}, alone and in bulk: the operations themselves, against the panel in memory."""

from __future__ import annotations

import pytest

from tests.support.grid import CHECK, REAL, Behaviour, behaviours, details, selection
from tests.support.grid_checks import CHECKS, assert_body
from tests.support.place import Place


@pytest.mark.parametrize("behaviour", [*behaviours(), *details()], ids=lambda behaviour: behaviour.name)
def test_a_behaviour(place: Place, behaviour: Behaviour) -> None:
    steps = place.steps(behaviour)
    for check in CHECKS:
        check(behaviour, steps, place.resolve)


@pytest.mark.parametrize("behaviour", selection(behaviours()), ids=lambda behaviour: behaviour.name)
def test_a_task_with_many_objects_does_the_same(place: Place, behaviour: Behaviour) -> None:
    steps = place.in_bulk(behaviour)
    for step in (CHECK, REAL):
        assert steps[step].outcome == ("failed" if behaviour.refused else "ok"), steps[step].msg
        assert steps[step].changed == (behaviour.write is not None)
    assert steps[CHECK].writes == []
    assert_body(behaviour, steps[REAL], place.resolve)
    assert bool(steps[REAL].result.get("generated_passwords")) == behaviour.generates

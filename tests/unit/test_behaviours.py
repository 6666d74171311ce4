# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every behaviour of every kind × {check, real, again}: the operations themselves, against the simulator's panel in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from panel_simulator.seed import plant
from panel_simulator.state import dump
from tests.integration import pem
from tests.support.grid import CHECK, STEPS, STRICT, Behaviour, behaviours
from tests.support.grid_checks import BehaviourChecks, Resolve, resolver
from tests.support.playbook import Recording
from tests.support.samples import samples
from tools.reliability.memory import MemoryPlace


class Place(MemoryPlace):
    """A panel that starts anew."""

    def state(self) -> dict[str, Any]:
        # Ten times as fast as copying it.
        copied: dict[str, Any] = json.loads(json.dumps(dump(self.panel)))
        return copied

    def begin(self) -> None:
        """Objects and settings as after the installation."""
        self.panel.settings.reset()
        self.panel.settings.merge({"status_delay": 0.0, **STRICT})
        self.panel.reset_objects()

    def seed(self, objects: Mapping[str, Any]) -> None:
        """Puts these objects on it."""
        plant(self.panel, objects)

    def objects(self, kind: str) -> list[dict[str, Any]]:
        """The members of each object of a kind, and its id."""
        return [{"id": entry.id, **entry.data} for entry in self.panel.store.all(kind)]


@pytest.fixture(scope="module")
def place() -> Place:
    return Place({}, {})


@pytest.fixture(scope="module")
def resolve(place: Place) -> Resolve:
    return resolver(place.begin, place.seed, place.objects, pem.texts())


@pytest.fixture(scope="module")
def last() -> dict[str, Mapping[str, Recording]]:
    """The steps of the behaviour that was run last, by its name."""
    return {}


@pytest.fixture
def steps(
    place: Place, resolve: Resolve, behaviour: Behaviour, last: dict[str, Mapping[str, Recording]]
) -> Mapping[str, Recording]:
    """What the three steps of a behaviour did."""
    if behaviour.name not in last:
        last.clear()
        place.begin()
        place.panel.settings.merge(dict(behaviour.settings))
        place.seed(resolve(samples()["world"]))
        if behaviour.existing is not None:
            place.seed({behaviour.kind.plural: [resolve(behaviour.existing)]})
        options, module = resolve(behaviour.options), f"panel_{behaviour.kind.singular}"
        last[behaviour.name] = {step: place.run(step, module, options, check_mode=step == CHECK) for step in STEPS}
    return last[behaviour.name]


@pytest.mark.parametrize("behaviour", behaviours(), ids=lambda behaviour: behaviour.name, scope="class")
class TestBehaviour(BehaviourChecks):
    """Each behaviour of the grid."""

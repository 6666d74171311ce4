"""A behaviour for each verb and type of value, and the life of an object of every kind, × {check, real, again} × {in process, as a module}.

All behaviours are in tests/unit/test_behaviours.py; here they go from the options of a task to a panel that listens.
"""

from __future__ import annotations

import pytest

from tests.support import pem
from tests.support.grid import STEPS, Behaviour, behaviours, normalised, selection
from tests.support.grid_checks import CHECKS, Resolve, Steps, resolver
from tests.support.playbook import WAYS, BothWays
from tests.support.simulator import Simulator
from tests.support.worker import work

SELECTED = selection(behaviours())
EACH = pytest.mark.parametrize("behaviour", SELECTED, ids=lambda behaviour: behaviour.name)
# Made by the panel, so another in every run.
CHANGING = frozenset({"created_at", "dkim_record", "generated_password", "valid_till"})


@pytest.fixture(scope="module")
def resolve(simulator: Simulator) -> Resolve:
    return resolver(simulator.reset, simulator.seed, simulator.objects, pem.texts())


@pytest.fixture(scope="module")
def runs(simulator: Simulator, resolve: Resolve, tmp_path_factory: pytest.TempPathFactory) -> BothWays:
    tasks = [task for behaviour in SELECTED for task in behaviour.tasks(resolve)]
    return BothWays(tasks, simulator, tmp_path_factory.mktemp("grid"), work)


def steps_of(runs: BothWays, way: str, behaviour: Behaviour) -> Steps:
    """What the three tasks of a behaviour did."""
    return {step: runs[way][f"{behaviour.name} / {step}"] for step in STEPS}


@EACH
def test_a_behaviour(behaviour: Behaviour, way: str, runs: BothWays, resolve: Resolve) -> None:
    for check in CHECKS:
        check(behaviour, steps_of(runs, way, behaviour), resolve)


@EACH
def test_both_ways_of_execution_give_the_same(behaviour: Behaviour, runs: BothWays) -> None:
    here, there = (steps_of(runs, way, behaviour) for way in WAYS)
    for step in STEPS:
        assert here[step].outcome == there[step].outcome
        assert here[step].calls == there[step].calls
        assert normalised(here[step].result, CHANGING) == normalised(there[step].result, CHANGING)

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every behaviour of every kind × {check, real, again} × {in process, as a module}, with the exact requests."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from tests.support import pem
from tests.support.grid import STEPS, Behaviour, behaviours, normalised, paths_of, selection
from tests.support.grid_checks import CHECKS, Check, Resolve, Steps, resolver
from tests.support.playbook import IN_PROCESS, MODULE, PRELOADED, WAYS, Run, play
from tests.support.samples import key_wire, kinds, members_of
from tests.support.simulator import Simulator

EVERY = behaviours()
SELECTED = selection(EVERY)
BY_WAY = {IN_PROCESS: EVERY, MODULE: SELECTED}
GRID = [pytest.param(way, behaviour, id=f"{behaviour.name}, {way}") for way in WAYS for behaviour in BY_WAY[way]]
# Made by the panel, so another in every run.
CHANGING = frozenset({"created_at", "dkim_record", "generated_password", "valid_till"})


@pytest.fixture(scope="module")
def resolve(simulator: Simulator) -> Resolve:
    return resolver(simulator.reset, simulator.seed, simulator.objects, pem.texts())


@pytest.fixture(scope="module")
def recorded(simulator: Simulator, resolve: Resolve, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    """The run of all behaviours in one way, which takes place on first use."""

    @functools.cache
    def run(way: str) -> Run:
        tasks = [task for behaviour in BY_WAY[way] for task in behaviour.tasks(resolve)]
        return play(tasks, simulator, tmp_path_factory.mktemp("grid"), way, variables=PRELOADED)

    return run


@pytest.fixture
def steps(recorded: Callable[[str], Run], way: str, behaviour: Behaviour) -> Steps:
    """What the three tasks of a behaviour did."""
    return _steps(recorded(way), behaviour)


def _steps(run: Run, behaviour: Behaviour) -> Steps:
    return {step: run[f"{behaviour.name} / {step}"] for step in STEPS}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(("way", "behaviour"), GRID)
def test_a_behaviour(check: Check, behaviour: Behaviour, steps: Steps, resolve: Resolve) -> None:
    check(behaviour, steps, resolve)


@pytest.mark.parametrize("behaviour", SELECTED, ids=lambda behaviour: behaviour.name)
def test_both_ways_of_execution_give_the_same(behaviour: Behaviour, recorded: Callable[[str], Run]) -> None:
    here, there = (_steps(recorded(way), behaviour) for way in WAYS)
    for step in STEPS:
        assert here[step].outcome == there[step].outcome
        assert here[step].calls == there[step].calls
        assert normalised(here[step].result, CHANGING) == normalised(there[step].result, CHANGING)


@pytest.mark.parametrize("kind", kinds().values(), ids=lambda kind: kind.singular)
def test_every_member_of_a_kind_reaches_the_wire(kind: Kind, recorded: Callable[[str], Run]) -> None:
    sent: set[str] = set()
    for recording in recorded(IN_PROCESS).recordings:
        if recording.name.startswith(f"{kind.singular}: "):
            sent |= {path for request in recording.writes for path in paths_of(request["body"] or {})}
    assert {member.wire_path for member in members_of(kind)} | set(key_wire(kind)) <= sent

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every behaviour of every kind × {check, real, again} × {in process, as a module}, with the exact requests."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._rows.tables import Kind
from tests.integration import pem
from tests.support.grid import (
    AGAIN,
    CHECK,
    REAL,
    SIMULATOR_KINDS,
    STEPS,
    Behaviour,
    behaviours,
    body_differences,
    changed_paths,
    existing_label,
    full_body,
    normalised,
    paths_of,
    selection,
)
from tests.support.playbook import IN_PROCESS, MODULE, PRELOADED, WAYS, Recording, Run, play
from tests.support.samples import key_wire, kinds, members_of, resolved, samples
from tests.support.simulator import Simulator

EVERY = behaviours()
SELECTED = selection(EVERY)
BY_WAY = {IN_PROCESS: EVERY, MODULE: SELECTED}
GRID = [pytest.param(way, behaviour, id=f"{behaviour.name}, {way}") for way in WAYS for behaviour in BY_WAY[way]]
# What the panel itself makes of a change: copies of a plan's features, facts of a certificate, other spellings.
ADJUSTED = re.compile(
    r"client: (resource_limits|permissions|php|php_fpm)\..*|certificate: (valid_till|secured_domains|issuer)"
    r"|domain: (dkim_record|target\.is_forwarding)|email: .*_utf8"
)
# Made by the panel, so another in every run.
CHANGING = frozenset({"created_at", "dkim_record", "generated_password", "valid_till"})


@pytest.fixture(scope="module")
def resolve(simulator: Simulator) -> Callable[[Any], Any]:
    """Fills in ids and certificates. The panel starts anew before every behaviour, so ids are always the same."""
    numbers: dict[str, int] = {}

    def fill(value: Any) -> Any:
        return resolved(value, numbers.__getitem__, pem.texts())

    simulator.reset()
    simulator.seed(fill(samples()["world"]))
    for kind, name in (("plans", "name"), ("clients", "username"), ("certificates", "name"), ("domains", "domain")):
        objects = simulator.objects({"plans": "hosting_plans"}.get(kind, kind))
        numbers.update({f"{kind}/{item[name]}": item["id"] for item in objects})
    for kind in kinds().values():
        simulator.reset()
        simulator.seed(fill(samples()["world"]))
        simulator.seed({kind.plural: [fill(full_body(kind))]})
        items = simulator.objects({"plans": "hosting_plans"}.get(kind.plural, kind.plural))
        key = fill(key_wire(kind))
        numbers[existing_label(kind)] = next(
            item["id"] for item in items if all(item[name] == value for name, value in key.items())
        )
    return fill


@pytest.fixture(scope="module")
def recorded(
    simulator: Simulator, resolve: Callable[[Any], Any], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Run]:
    """The run of all behaviours in one way, which takes place on first use."""

    @functools.cache
    def run(way: str) -> Run:
        tasks = [task for behaviour in BY_WAY[way] for task in behaviour.tasks(resolve)]
        return play(tasks, simulator, tmp_path_factory.mktemp("grid"), way, variables=PRELOADED)

    return run


@pytest.fixture
def steps(recorded: Callable[[str], Run], way: str, behaviour: Behaviour) -> dict[str, Recording]:
    """What the three tasks of a behaviour did."""
    return _steps(recorded(way), behaviour)


def _steps(run: Run, behaviour: Behaviour) -> dict[str, Recording]:
    return {step: run[f"{behaviour.name} / {step}"] for step in STEPS}


def _object(step: Recording, behaviour: Behaviour, identifier: int) -> dict[str, Any]:
    kind = SIMULATOR_KINDS.get(behaviour.kind.plural, behaviour.kind.plural)
    data: dict[str, Any] = next(item["data"] for item in step.observed[0]["objects"][kind] if item["id"] == identifier)
    return data


def _assert_writes(behaviour: Behaviour, step: Recording, resolve: Callable[[Any], Any]) -> None:
    write = behaviour.write
    if write is None:
        assert step.writes == []
        return
    assert len(step.writes) == 1, step.calls
    sent = step.writes[0]
    path = behaviour.kind.path
    if write.on:
        path += f"/{resolve({'id_of': write.on})}"
    assert (sent["method"], sent["path"]) == (write.method, path)
    assert body_differences(resolve(write.body), sent["body"], resolve(write.unchanged)) == []


@pytest.mark.parametrize(("way", "behaviour"), GRID)
class TestBehaviour:
    """Each behaviour of the grid."""

    def test_the_real_run_sends_exactly_what_changes(
        self, behaviour: Behaviour, steps: Mapping[str, Recording], resolve: Callable[[Any], Any]
    ) -> None:
        real = steps[REAL]
        if behaviour.refused:
            assert real.outcome == "failed"
            assert all(word in real.msg for word in behaviour.refused), real.msg
        else:
            assert real.outcome == "ok", real.msg
        assert real.changed == (behaviour.write is not None)
        _assert_writes(behaviour, real, resolve)

    def test_check_mode_writes_nothing_and_predicts_the_real_run(
        self, behaviour: Behaviour, steps: Mapping[str, Recording]
    ) -> None:
        check, real = steps[CHECK], steps[REAL]
        assert check.writes == []
        assert check.outcome == real.outcome, check.msg
        assert check.changed == real.changed
        assert check.msg == real.msg
        assert check.result.get("diff") == real.result.get("diff")
        assert set(check.result) == set(real.result) - {"generated_password"}
        name = behaviour.kind.singular
        if not behaviour.refused:
            assert _keys(check.result[name]) == _keys(real.result[name])

    def test_a_second_run_sends_no_write(
        self, behaviour: Behaviour, steps: Mapping[str, Recording], resolve: Callable[[Any], Any]
    ) -> None:
        again = steps[AGAIN]
        if behaviour.repeats:
            _assert_writes(behaviour, again, resolve)
            return
        assert again.writes == []
        assert not again.changed
        assert again.outcome == steps[REAL].outcome
        assert "generated_password" not in again.result
        if not behaviour.refused:
            assert again.result["diff"]["before"] == again.result["diff"]["after"]

    def test_nothing_else_changes_on_the_panel(
        self, behaviour: Behaviour, steps: Mapping[str, Recording], resolve: Callable[[Any], Any]
    ) -> None:
        if behaviour.write is None or behaviour.write.body is None or behaviour.existing is None:
            return
        identifier = resolve({"id_of": existing_label(behaviour.kind)})
        before, after = (_object(steps[step], behaviour, identifier) for step in (CHECK, REAL))
        others = changed_paths(before, after) - paths_of(resolve(behaviour.write.body))
        named = {f"{behaviour.kind.singular}: {path}" for path in others}
        assert {path for path in named if not ADJUSTED.fullmatch(path)} == set()

    def test_a_generated_password_is_returned_once(self, behaviour: Behaviour, steps: Mapping[str, Recording]) -> None:
        assert "generated_password" not in steps[CHECK].result
        password = steps[REAL].result.get("generated_password")
        assert bool(password) == behaviour.generates
        if password:
            assert str(steps[REAL].result).count(password) == 1

    def test_it_reads_each_object_once(self, behaviour: Behaviour, steps: Mapping[str, Recording]) -> None:
        for step in steps.values():
            reads = [call for call in step.calls if call.startswith("GET")]
            if not behaviour.kind.is_unique and f"POST {behaviour.kind.path}" in step.calls:
                # What the panel would make twice is looked for just before its creation, and looked at after it.
                for _look in range(2):
                    reads.remove(f"GET {behaviour.kind.path}")
            assert len(reads) <= behaviour.reads, reads
            assert len(set(reads)) == len(reads)


@pytest.mark.parametrize("behaviour", SELECTED, ids=lambda behaviour: behaviour.name)
def test_both_ways_of_execution_give_the_same(behaviour: Behaviour, recorded: Callable[[str], Run]) -> None:
    here, there = (_steps(recorded(way), behaviour) for way in WAYS)
    for step in STEPS:
        assert here[step].outcome == there[step].outcome
        assert here[step].calls == there[step].calls
        assert normalised(here[step].result, CHANGING) == normalised(there[step].result, CHANGING)


def _keys(value: Any) -> Any:
    return {name: _keys(member) for name, member in value.items()} if isinstance(value, dict) else None


@pytest.mark.parametrize("kind", kinds().values(), ids=lambda kind: kind.singular)
def test_every_member_of_a_kind_reaches_the_wire(kind: Kind, recorded: Callable[[str], Run]) -> None:
    sent: set[str] = set()
    for recording in recorded(IN_PROCESS).recordings:
        if recording.name.startswith(f"{kind.singular}: "):
            sent |= {path for request in recording.writes for path in paths_of(request["body"] or {})}
    assert {member.wire_path for member in members_of(kind)} | set(key_wire(kind)) <= sent

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""On every panel that the table of what is open describes, tasks converge, or fail in its words: a slice that has every value once."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from panel_simulator.open_points import POINTS
from tests.support import zoo
from tests.support.grid import behaviours, selection
from tests.support.zoo import Profile, alone, once, pairs, profiles, refusals
from tools.reliability import zoo as experiment
from tools.reliability.figures import Size
from tools.reliability.open_points import PANELS
from tools.reliability.play_operations import play_operations


def values_of(profiles: dict[str, Profile]) -> set[tuple[str, str]]:
    return {(name, str(value)) for profile in profiles.values() for name, value in profile.items()}


EVERY = {(name, str(value)) for name, point in POINTS.items() for value in point.tried}


def test_every_task_converges_or_fails_in_the_words_of_the_table() -> None:
    rows = experiment.run(Size.SLICE)
    assert [line for row in rows for line in row.wrong] == []
    assert [row.panel for row in rows] == list(once())
    assert all(row.is_good and row.survived > row.tried / 2 for row in rows)


def test_every_value_is_met_alone_in_the_slice_and_in_pairs() -> None:
    assert values_of(alone()) == values_of(once()) == values_of(pairs()) == EVERY
    assert all(len(profile) == 1 for profile in alone().values())


def test_each_two_values_meet_unless_neither_works() -> None:
    met = {
        pair
        for profile in (*alone().values(), *pairs().values())
        for pair in combinations([(name, str(profile.get(name, one.default))) for name, one in POINTS.items()], 2)
    }
    for first, second in combinations(POINTS.values(), 2):
        for one, other in product((first.default, *first.tried), (second.default, *second.tried)):
            if not (first.refusal(one) and second.refusal(other)):
                assert ((first.name, str(one)), (second.name, str(other))) in met


def test_each_value_on_which_everything_works_meets_every_operation_in_plays() -> None:
    names = [*alone(), *pairs()]
    turns = list(zip(names, experiment.operations_of(names, play_operations()), strict=True))
    met = {value: {one.name for name, one in turns if value in values_of({name: profiles()[name]})} for value in EVERY}
    for name, point in POINTS.items():
        for value in point.tried:
            found = met[(name, str(value))]
            assert len(found) >= 5 if point.refusal(value) else found == {one.name for one in play_operations()}


def test_the_other_experiments_have_every_panel_on_which_everything_works() -> None:
    assert {*alone()} - {*PANELS} == {name for name, one in alone().items() if refusals(one)} | {"list_lag: 2"}


def test_the_tasks_of_a_turn_are_those_of_all_in_one_of_the_ways() -> None:
    every = {task.name for task in zoo.tasks_of(selection(behaviours()))}
    turns = [{task.name for task in zoo.tasks_of(selection(behaviours()), turn)} for turn in (0, 1)]
    assert turns[0] | turns[1] == every
    assert {name.partition(", bulk")[0] for name in turns[0]} == {name.partition(", bulk")[0] for name in turns[1]}
    assert {task.module for task in zoo.tasks_of(selection(behaviours()))} > {kind.module for kind in TABLES.values()}


ACME = ("clients", 1)


@pytest.mark.parametrize(
    ("after", "usually", "kind"),
    [
        ({}, {ACME: {"notes": "old"}}, "lost"),
        ({ACME: {"notes": "old"}, ("clients", 2): {}}, {ACME: {"notes": "old"}}, "doubled"),
        ({ACME: {"notes": "another"}}, {ACME: {"notes": "old"}}, "lost"),
        ({ACME: {"notes": "old"}}, {ACME: {"notes": "new"}}, "lost"),
        ({ACME: {"notes": "new", "email": ""}}, {ACME: {"notes": "new"}}, "lost"),
        ({ACME: {"notes": "old"}}, {}, "lost"),
        ({ACME: {"notes": "old"}, ("zones", 3): {}}, {ACME: {"notes": "old"}, ("zones", 3): {"other": []}}, "lost"),
    ],
)
def test_a_broken_promise_is_seen(after: dict[Any, Any], usually: dict[Any, Any], kind: str) -> None:
    cage = zoo.Cage({})
    task = zoo.Task("a ping", "panel_ping", {})
    usual = replace(cage.tried(task), before={ACME: {"notes": "old"}}, after=usually)
    assert list(zoo.problems(task, usual, usual, {})) == []
    assert kind in [found for found, _text in zoo.problems(task, replace(usual, after=after), usual, {})]


def test_a_zone_that_is_written_is_among_what_is_there_in_the_end() -> None:
    records = [{"host": "www", "type": "A", "ttl": 60, "value": "192.0.2.77"}]
    run = zoo.Cage({}).tried(zoo.Task("records", "panel_dns", {"domain": "acme.example", "records": records}))
    assert [kind for kind, _id in run.after.keys() - run.before.keys()] == ["zones"]

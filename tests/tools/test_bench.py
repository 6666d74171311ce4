# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark: that its arithmetic is right, that it counts, and that it notices work that was not done. No time is judged here."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tools.bench import ways
from tools.bench.experiments import experiments
from tools.bench.goals import GOALS, MEMORY, Goal, Side
from tools.bench.judging import judge
from tools.bench.mailboxes import Start, differences, outdated, wanted
from tools.bench.process import run
from tools.bench.report import Outcome, goals_table, page, significant
from tools.bench.rounds import measure
from tools.bench.rows import Experiment, Measured, Row, Sample
from tools.bench.run import chosen
from tools.bench.workshop import Workshop
from tools.layout import link_collection

ALLOCATING = "memory = bytearray(50_000_000); import time; time.sleep(0.3)"
BUSY_CHILD = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'sum(range(10_000_000))'], check=True)"
# Too long to be measured in a quick run.
ONLY_IN_A_WHOLE_RUN = {"`uri` list and filters, by 5,000 in process"}


def _measured(name: str, *seconds: float, count: int = 10, mistake: str = "") -> Measured:
    samples = {number: Sample(wall, wall / 2, 1) for number, wall in enumerate(seconds, start=1)}
    return Measured(Row(name, ways.BULK, count), samples, mistake=mistake)


def _rows(*measured: Measured) -> dict[str, Measured]:
    return {one.row.name: one for one in measured}


def test_a_ratio_is_computed_in_each_round_for_itself() -> None:
    rows = _rows(_measured("slow", 4.0, 9.0), _measured("fast", 2.0, 3.0))

    verdict = judge(Goal("", "", Side("slow"), Side("fast"), least=2.4), rows)

    assert verdict.values == [2.0, 3.0]
    assert verdict.is_met is True


def test_what_is_net_is_less_the_empty_play_of_the_same_round() -> None:
    rows = _rows(_measured("bulk", 1.0, 2.0), _measured("empty", 0.5, 1.75), _measured("script", 0.25, 0.25))

    assert judge(Goal("", "", Side("bulk", net_of="empty"), Side("script")), rows).values == [2.0, 1.0]


def test_an_item_is_what_a_mailbox_takes() -> None:
    rows = _rows(_measured("few", 3.0, count=2), _measured("many", 6.0, count=10), _measured("empty", 1.0))

    goal = Goal("", "", Side("few", "empty", per_item=True), Side("many", "empty", per_item=True))

    assert judge(goal, rows).values == [2.0]


def test_a_get_for_each_is_computed_from_a_few() -> None:
    rows = _rows(_measured("ten", 4.0), _measured("empty, 10", 1.0), _measured("empty", 2.0), _measured("bulk", 4.0))

    goal = Goal("", "", Side("ten", net_of="empty, 10", times=100, plus="empty"), Side("bulk"))

    assert judge(goal, rows).values == [302 / 4]


def test_only_rounds_that_have_both_rows_count() -> None:
    rows = _rows(_measured("slow", 4.0), _measured("fast", 2.0, 1.0, 1.0))

    assert judge(Goal("", "", Side("slow"), Side("fast")), rows).values == [2.0]


@pytest.mark.parametrize("rows", [_rows(_measured("slow", 4.0, mistake="sent too much"), _measured("fast", 1.0)), {}])
def test_a_goal_with_an_invalid_or_missing_row_is_not_judged(rows: dict[str, Measured]) -> None:
    verdict = judge(Goal("", "", Side("slow"), Side("fast"), most=9), rows)

    assert (verdict.values, verdict.is_met) == ([], None)


def test_the_median_is_compared_with_the_goal() -> None:
    rows = _rows(_measured("slow", 1.0, 2.0, 9.0))

    assert judge(Goal("", "", Side("slow"), most=2.0), rows).is_met is True
    assert judge(Goal("", "", Side("slow"), most=1.9), rows).is_met is False


def test_the_table_of_goals_shows_median_range_processor_time_and_whether_it_is_met() -> None:
    rows = _rows(_measured("slow", 2.0, 8.0, 4.0), _measured("fast", 1.0, 1.0, 1.0))

    verdict = judge(Goal("Slow by fast", "", Side("slow"), Side("fast"), most=3), rows)

    line = goals_table([verdict]).splitlines()[2]
    assert line == "| Slow by fast | ≤ 3.00 × | 4.00 × | 2.00 × – 8.00 × | 4.00 × | **no** |"


@pytest.mark.parametrize(("value", "text"), [(1234.5, "1,234"), (12.34, "12.3"), (0.123, "0.12")])
def test_numbers_have_the_digits_that_matter(value: float, text: str) -> None:
    assert significant(value) == text


@pytest.mark.parametrize("quick", [False, True])
def test_every_goal_is_computed_from_rows_that_are_measured_in_the_same_rounds(quick: bool) -> None:
    rows = {one.name: {row.name: row for row in one.rows} for one in experiments(quick=quick)}
    for goal in GOALS:
        if quick and goal.what in ONLY_IN_A_WHOLE_RUN:
            continue
        for side in filter(None, (goal.over, goal.under)):
            names = {side.row, side.net_of, side.plus} - {""}
            assert names <= set(rows[goal.experiment]), goal.what


@pytest.mark.parametrize("quick", [False, True])
def test_names_of_rows_are_unique(quick: bool) -> None:
    for experiment in experiments(quick=quick):
        names = [row.name for row in experiment.rows]
        assert len(set(names)) == len(names)


def test_a_goal_about_memory_is_measured_with_memory_watched_in_every_round() -> None:
    watching = {one.name for one in experiments() if one.watches_memory}

    assert {goal.experiment for goal in GOALS if goal.metric == MEMORY} <= watching


def test_an_unknown_experiment_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(ValueError, match="no experiment lop; there are loop, tasks"):
        chosen(experiments(), ["lop"])


@pytest.mark.parametrize(
    ("start", "way", "requests"),
    [
        (Start.UNCHANGED, ways.BULK, {"GET": 1}),
        (Start.CHANGED, ways.BULK, {"GET": 1, "PUT": 5}),
        (Start.NEW, ways.SCRIPT, {"GET": 2, "POST": 100}),
        (Start.NEW, ways.LOOP, {"GET": 300, "POST": 100}),
        (Start.NEW, ways.URI_LOOP, {"GET": 100, "POST": 100}),
        (Start.ALL_CHANGED, ways.TASK, {"GET": 100, "PUT": 100}),
        (Start.UNCHANGED, ways.EMPTY, {}),
    ],
)
def test_the_requests_of_a_way_follow_from_the_work(start: Start, way: ways.Way, requests: dict[str, int]) -> None:
    assert Row("", way, 100, start).expected() == requests


def test_each_of_several_panels_gets_its_requests() -> None:
    assert Row("", ways.BULK, 100, panels=20).expected() == {"GET": 20}


def test_five_percent_differ_before_a_change() -> None:
    mailboxes = wanted(100)
    old = outdated(mailboxes, Start.CHANGED)

    assert len(old) == 5
    assert differences(mailboxes, [*old, *mailboxes[1:20]])[0] == mailboxes[0]["email"]
    assert differences(mailboxes, mailboxes) == []
    assert differences(mailboxes, mailboxes[1:]) == [mailboxes[0]["email"]]


def test_the_processor_time_of_children_counts(tmp_path: Path) -> None:
    ended = run([sys.executable, "-c", BUSY_CHILD], os.environ, tmp_path, tmp_path / "output", watch_memory=False)

    assert ended.code == 0
    assert 0.05 < ended.cpu < 30
    assert ended.memory is None


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="the system does not tell")
def test_the_memory_of_children_counts(tmp_path: Path) -> None:
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {ALLOCATING!r}], check=True)"

    ended = run([sys.executable, "-c", parent], os.environ, tmp_path, tmp_path / "output", watch_memory=True)

    assert ended.memory is not None
    assert 50_000_000 < ended.memory < 200_000_000


def test_a_few_rows_are_measured_and_a_row_that_does_other_work_is_invalid(tmp_path: Path) -> None:
    rows = (
        Row("empty", ways.EMPTY, 5),
        Row("in process, new", ways.BULK, 5, Start.NEW),
        Row("module, 5 %", ways.BULK_MODULE, 5, Start.CHANGED),
        Row("loop", ways.LOOP, 5, owners=True),
        Row("loop, defaults", ways.LOOP_DEFAULTS, 5, owners=True),
        Row("task, new", ways.TASK_MODULE_CREATE, 2, Start.NEW, owners=True),
        Row("script, new", ways.SCRIPT, 5, Start.NEW, concurrency=2),
        Row("too many requests", replace(ways.SCRIPT, requests=ways.EMPTY.requests), 5),
        Row("nothing done", replace(ways.EMPTY, title="nothing"), 5, Start.NEW),
        Row("failing", replace(ways.EMPTY, play="missing.yml"), 5),
    )
    experiment = Experiment("few", "A few objects", tuple(replace(row, is_in_first_round=False) for row in rows), 1)

    measured = _rows(*measure(experiment, Workshop(tmp_path, link_collection())))

    assert {
        name: one.mistake for name, one in measured.items() if name in [row.name for row in rows[:7]]
    } == dict.fromkeys([row.name for row in rows[:7]], "")
    assert measured["in process, new"].requests == {"GET": 2, "POST": 5}
    assert measured["module, 5 %"].requests == {"GET": 1, "PUT": 1}
    assert measured["loop"].samples[1].connections == 1
    assert measured["too many requests"].mistake == "sent {'GET': 1} instead of {}"
    assert measured["nothing done"].mistake.startswith("5 mailboxes are not as wanted")
    assert "missing.yml" in measured["failing"].mistake
    text = page([Outcome(experiment, list(measured.values()))], [])
    assert "| script with `requests`, concurrency 2 | 5 | all are missing |" in text
    assert "Invalid: nothing done: 5 mailboxes are not as wanted" in text

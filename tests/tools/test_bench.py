"""The benchmark: that its arithmetic is right, that it counts, and that it notices work that was
not done. No time is judged here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.bench.rows import COMPARISONS, RUNS, Comparison, Run, compute_value
from tools.bench.run import Bench, Failed, make_page, make_rows, read_instructions
from tools.layout import link_collection


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Yield a benchmark, and stop its panels afterwards."""
    bench = Bench(tmp_path_factory.mktemp("bench"), link_collection())
    yield bench
    bench.panels.stop()


def test_every_comparison_names_runs_that_there_are() -> None:
    named = {
        name
        for comparison in COMPARISONS
        for name in (comparison.over, comparison.under, comparison.less, comparison.less_under)
        if name
    }
    assert named == set(RUNS)


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        (Comparison("", "wall", "bulk 1,000", "script 1,000", "empty 1,000"), 3.0),
        (Comparison("", "wall", "loop", "uri loop", "empty", "empty", per_item=True), 0.1),
        (Comparison("", "wall", "bulk 1,000"), 4.0),
        (Comparison("", "wall", "missing", "loop"), None),
        (Comparison("", "wall", "loop", "empty", "", "empty"), None),
    ],
)
def test_a_ratio_is_taken_net_and_for_each_item(
    comparison: Comparison, expected: float | None
) -> None:
    times = {
        "bulk 1,000": 4.0,
        "script 1,000": 1.0,
        "empty 1,000": 1.0,
        "loop": 3.0,
        "uri loop": 5.0,
        "empty": 1.0,
    }

    assert compute_value(comparison, times) == (
        None if expected is None else pytest.approx(expected)
    )


def test_the_worker_is_counted_however_long_the_command_waits_for_it(tmp_path: Path) -> None:
    for end, command, total in (
        (1, "sh", 1),
        (2, "python AnsiballZ_x.py", 2),
        (3, "python x", 3),
        (4, "python x", 9),
    ):
        file = tmp_path / str(9 - end)
        file.write_text(f"cmd: {command}\nsummary: {total}\n", encoding="utf-8")
        os.utime(file, (end, end))

    assert read_instructions(tmp_path, "python") == {"module": 2.0, "instructions": 3.0}


def test_the_page_shows_the_median_of_the_rounds_and_a_missed_goal() -> None:
    comparison = Comparison("Much, by little", "wall", "loop", "uri", goal=2.0)
    measured = make_rows([comparison], {"wall": {"loop": [4.0, 9.0, 6.0], "uri": [2.0, 3.0, 2.0]}})
    text = make_page(measured, {"module": "sent nothing"})

    assert "| Much, by little | time | 3 (missed) | 2 | 3 | ≤ 2 |" in text
    assert "Invalid: module: sent nothing" in text


@pytest.mark.parametrize(
    "run",
    [
        Run("empty", 2),
        Run("loop", 2),
        Run("loop", 1, in_process=False),
        Run("bulk", 2, new=True),
        Run("script", 2, new=True),
        Run("report", 1),
        Run("report script", 1),
    ],
    ids=lambda run: f"{run.play} {run.new} {run.in_process}",
)
@pytest.mark.release
def test_each_kind_of_run_does_its_work_with_the_requests_that_it_needs(
    bench: Bench, run: Run
) -> None:
    figures = bench.measure_run(run, count=False)
    assert figures["wall"] > 0
    assert 5_000_000 < figures["memory"] < 1_000_000_000


def test_a_run_that_does_other_work_is_invalid(bench: Bench) -> None:
    with pytest.raises(Failed, match=r"sent {'GET': 2, 'POST': 1} in place of"):
        bench.measure_run(Run("loop", 1, new=True), count=False)

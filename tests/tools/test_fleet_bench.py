# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark of a fleet: what it measures, and what its page makes of that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tools.bench.fleet import Measured, Run, measure
from tools.bench.fleet_page import memory_of_fork, page, ratio_to_script
from tools.layout import link_collection


def run(operation: str, panels: int, wall: float, forks: int | None = None, memory: int = 10**8) -> Run:
    return Run(operation, panels, forks, wall, 2 * wall, memory, 10 * panels, "")


RUNS = [
    run("report script", 1, 2.0),
    run("report", 1, 5.0),
    run("plan", 1, 1.0, 5),
    run("report script", 100, 100.0),
    run("report", 100, 120.0),
    run("drift", 100, 99.0, 50, 1_300_000_000),
    run("plan", 100, 90.0, 5, 200_000_000),
    run("plan", 100, 80.0, 50, 1_100_000_000),
]


def test_the_report_is_compared_with_the_script_on_as_many_panels() -> None:
    assert ratio_to_script(RUNS) == {1: 2.5, 100: 1.2}


def test_a_fork_takes_what_more_forks_take_more() -> None:
    assert memory_of_fork(RUNS, "plan") == 20_000_000
    assert memory_of_fork(RUNS[:-1], "plan") is None


def test_the_page_shows_the_growth_and_what_many_panels_would_take() -> None:
    text = page(Measured(200, RUNS, 1.25))
    assert "200 clients on each panel. The panels and other programs kept 1.2 of" in text
    assert "| plan | 100 | 50 | 80.0 | 160.0 | 1,000 | 1,100 |" in text
    assert "| report | 10,000 ms, 10 | 2,400 ms, 10 |" in text
    assert "| 100 | 1.20 × |" in text
    assert "Each fork more takes 20 MB in plan." in text
    # 2.4 s for each of 10,000 panels, in 4 hours of cores of which 80 % are used.
    assert "| report | 6.7 | 3 | 100,000 |" in text
    assert "`job_slice_count: 20`" in text
    assert "A job with 50 forks took 1.3 GB at its peak here." in text


def test_an_invalid_run_is_told() -> None:
    broken = replace(RUNS[0], mistake="it ended with 2")
    assert "Invalid: report script of 1: it ended with 2" in page(Measured(200, [*RUNS, broken], None))


def test_a_small_fleet_is_measured_without_a_write_and_the_report_asks_what_the_script_asks(tmp_path: Path) -> None:
    found = {one.operation: one for one in measure(tmp_path, link_collection(), [2], 2).runs}
    assert {name: one.mistake for name, one in found.items()} == dict.fromkeys(found, "")
    assert list(found) == ["ping", "inventory", "report script", "report", "report again", "export", "plan", "drift"]
    assert found["report"].requests == found["report script"].requests == 2 * (1 + 9 + 2 * (1 + 6) + 2)
    # Only the current month is asked for again.
    assert found["report again"].requests == found["report"].requests - 2 * 2 * 5

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page with the results."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from statistics import median

from tools.bench.goals import CONNECTIONS, RESULT, WALL
from tools.bench.judging import Verdict
from tools.bench.rows import Experiment, Measured

HEADER = """<!-- Copyright: (c) 2026, the hosting.panel contributors -->
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<!-- Written by `make bench`; do not edit. -->
"""
INTRODUCTION = """# Performance

How long the collection takes, beside other ways of doing the same work, all measured in one run: `make bench` makes this page
anew. The panel is the collection's [simulator](../../roles/simulator/README.md) on the same machine, over HTTPS. What a real
panel takes for an answer is not in these numbers, but for the rows with a latency.
"""
METHOD = """## How it is measured

- An **object** is a mailbox with an address, a description and a size. 100 of them share a domain and its client. Variables are
  a JSON file (`-e @file`).
- **Empty play**: the same variables, no task. **Net** is less the empty play of the same round.
- **Script**: plain Python with `requests` (`tools/bench/floor.py`): the same list, comparison and writes, the start of the
  interpreter included.
- **`uri`** playbooks are in `tools/bench/plays`: GET each, then POST or PUT, as most are written; one list and the difference
  with filters; and the quickest that we could write, with a tuned template. Like the script they know this one kind of object
  only, and neither check what they are given nor repeat what fails.
- Rows of a table run in turns, A B C A B C. The first round is thrown away; only it watches the memory, which disturbs times.
- A goal's value is computed in each round for itself. The median is compared with the goal; the lowest and the highest are
  beside it. "CPU" is the same with the processor time of all processes.
- Every run starts from an empty environment and Ansible's own defaults, with one CA instead of a system's many, which favours
  whatever starts modules. The collection is built and installed as users have it. Pipelining, which the collection switches on
  by itself for a module on the controller's own machine, is off by default; rows with it on say so.
- "A module that only imports `requests`" is the least that any module for a panel takes which uses that library.
- After every run the panel's objects must be exactly the wanted ones, and the requests, by method, exactly as many as that way
  needs. Otherwise the row is invalid.
- Memory is the peak of the sum of all processes' proportional set sizes, in units of 1,000,000 bytes.
- "`uri` GET each" with 1,000 and 5,000 objects is computed from ten: doing it takes half an hour.
"""
NOT_MEASURED = "–"


@dataclass(frozen=True)
class Outcome:
    """An experiment with what its rows took; `foreign` is how many processors others kept busy."""

    experiment: Experiment
    rows: list[Measured]
    foreign: float | None = None


def page(outcomes: Sequence[Outcome], verdicts: Sequence[Verdict], plot: str = "") -> str:
    """Return the page as Markdown; `plot` is the name of the picture beside it."""
    parts = [HEADER + INTRODUCTION, machine(), "## Goals\n\n" + goals_table(verdicts)]
    if plot:
        parts.append(f"## Many objects\n\n![Time over number of objects, unchanged and new]({plot})\n")
    parts.append("## Measurements\n")
    parts += [_section(outcome) for outcome in outcomes]
    parts.append(METHOD)
    return "\n".join(parts)


def machine() -> str:
    """Return a line about what was measured on."""
    day = datetime.datetime.now(tz=datetime.UTC).date()
    return (
        f"Measured on {day} with ansible-core {version('ansible-core')}, Python {platform.python_version()} and requests"
        f" {version('requests')} on {os.cpu_count()} cores ({platform.system()}, {platform.machine()}).\n"
    )


def goals_table(verdicts: Sequence[Verdict]) -> str:
    """Return a table with a line for each goal."""
    lines = ["| what | goal | median | lowest – highest | CPU | met |", "| --- | --- | --- | --- | --- | --- |"]
    for verdict in verdicts:
        met = {True: "yes", False: "**no**", None: NOT_MEASURED}[verdict.is_met]
        lines.append(
            f"| {verdict.goal.what} | {_goal(verdict)} | {_middle(verdict, verdict.values)} | {_range(verdict)}"
            f" | {_middle(verdict, verdict.cpu)} | {met} |"
        )
    return "\n".join(lines) + "\n"


def _goal(verdict: Verdict) -> str:
    goal = verdict.goal
    if goal.most is not None:
        return f"≤ {_value(verdict, goal.most)}"
    return f"≥ {_value(verdict, goal.least)}" if goal.least is not None else NOT_MEASURED


def _middle(verdict: Verdict, values: list[float]) -> str:
    return _value(verdict, median(values)) if values else NOT_MEASURED


def _range(verdict: Verdict) -> str:
    values = verdict.values
    return f"{_value(verdict, min(values))} – {_value(verdict, max(values))}" if values else NOT_MEASURED


def _value(verdict: Verdict, value: float) -> str:
    metric = verdict.goal.metric
    if metric == RESULT:
        return f"{value:,.0f} bytes"
    return f"{value:.0f}" if metric == CONNECTIONS else f"{significant(value)} ×"


def significant(value: float) -> str:
    """Return a number with two or three digits that matter."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _section(outcome: Outcome) -> str:
    rows = outcome.rows
    lines = [f"### {outcome.experiment.title}\n"]
    if outcome.foreign is not None and outcome.foreign >= 0.1:
        lines.append(f"Other programs kept {outcome.foreign:.1f} of {os.cpu_count()} cores busy meanwhile.\n")
    lines.append("| way | objects | start | wall s | lowest – highest | CPU s | requests | connections | peak MB |")
    lines.append("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    lines += [_row(measured) for measured in rows]
    lines += [f"\nInvalid: {one.row.name}: {_first_line(one.mistake)}" for one in rows if one.mistake]
    return "\n".join(lines) + "\n"


def _row(measured: Measured) -> str:
    row, wall, cpu = measured.row, measured.values(WALL), measured.values("cpu")
    connections, memory = measured.values("connections"), measured.memory()
    cells = [
        _way(measured),
        f"{row.count:,}" + (f" × {row.panels}" if row.panels > 1 else ""),
        row.start.value if row.way.requests(1, row.start) else NOT_MEASURED,
        f"{median(wall.values()):.2f}" if wall else "invalid",
        f"{min(wall.values()):.2f} – {max(wall.values()):.2f}" if wall else NOT_MEASURED,
        f"{median(cpu.values()):.2f}" if cpu else NOT_MEASURED,
        ", ".join(f"{count:,} {name}" for name, count in measured.requests.items()) or NOT_MEASURED,
        f"{max(connections.values()):.0f}" if connections else NOT_MEASURED,
        f"{memory / 1e6:.0f}" if memory else NOT_MEASURED,
    ]
    return "| " + " | ".join(cells) + " |"


def _way(measured: Measured) -> str:
    row = measured.row
    details = []
    if row.panels > 1:
        details.append(f"{row.forks} forks")
    if row.concurrency != 4:
        details.append(f"concurrency {row.concurrency}")
    if row.pipelining:
        details.append("pipelining on")
    if row.passwords:
        details.append("with passwords")
    if row.return_unchanged:
        details.append("all shown")
    return ", ".join([row.way.title, *details])


def _first_line(text: str) -> str:
    return " ".join(text.split())[:300]

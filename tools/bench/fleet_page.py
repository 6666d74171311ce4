# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page about fleets: what was measured, how it grows, and what follows for 10,000 panels."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

from tools.bench.fleet import PANELS_AT_ONCE, Measured, Run
from tools.bench.report import HEADER, NOT_MEASURED, machine

MOST_OF_SCRIPT = 1.5
MANY = 10_000
# Hosts of one job, and seconds in which a fleet is to be looked at once.
SLICE, NIGHT = 500, 4 * 3600
_SHARE_OF_CORE = 0.8
INTRODUCTION = """# Many panels

What an operator does every day with a fleet: `make bench` makes this page anew, with one [simulated](../../roles/simulator/README.md) panel
for each, over HTTPS, all of them on the machine that measures. So the panels take processors from what is measured; the column "CPU s" is
that of the controller alone.
"""
METHOD = """## How it is measured

- **Ping** is the playbook `hosting.panel.ping`, the least that a playbook takes. **Inventory** is `ansible-inventory --list` with the
  inventory plugin, **report** the playbook `hosting.panel.report` with six months and
  mail DNS, **report again** the same with the JSON file of the first one, **plan** and **drift** the playbooks of these names on folders
  that `hosting.panel.export` has written, with nothing to do.
- The **script** (`tools/bench/report_script.py`) is plain Python with threads: the same requests as the report, as many at once, and
  nothing made of them.
- Each row is run once. Its memory is the peak of the sum of all processes' proportional set sizes, looked at twice a second, in units of
  1,000,000 bytes. A row that writes to a panel, or fails, is invalid.
"""
ADVICE = """
- **Slices.** `job_slice_count: {slices}` makes jobs of {hosts} hosts of `drift`, `export` and `ping`, each a job of its own that may fail
  and be started again by itself. `plan` [is never sliced](../awx.md#6-many-panels); groups of {hosts} panels get a workflow each, by its limit.
  A job with {forks} forks took {memory:.1f} GB at its peak here.
- **Instance groups.** One for each data centre, with execution nodes near its panels, so that no request crosses the world.
- **Forks.** As many as a node has cores, and more only where panels are far away: a fork that waits for its panel needs no processor.
- **Report.** One task reads {at_once} panels at a time. A report for each instance group is what scales, each with a JSON file of its own,
  which is why no panel is asked twice for a month that is over.
- **Inventory.** `update_cache_timeout` of the inventory source lets all jobs of an hour share one reading.
"""


def page(measured: Measured) -> str:
    """The page as Markdown."""
    parts = [HEADER + INTRODUCTION, machine(), _foreign(measured), _table(measured), _growth(measured.runs)]
    return "\n".join([*parts, _on_paper(measured), METHOD])


def ratio_to_script(runs: Sequence[Run]) -> dict[int, float]:
    """By number of panels the time of the report in that of the script."""
    times = {(run.operation, run.panels): run.wall for run in runs}
    return {
        panels: wall / times["report script", panels]
        for (operation, panels), wall in times.items()
        if operation == "report" and ("report script", panels) in times
    }


def memory_of_fork(runs: Sequence[Run], operation: str) -> float | None:
    """Bytes that each fork more takes, of the runs with the most panels; None where one number of forks was measured."""
    most = max(run.panels for run in runs)
    found = {
        run.forks: run.memory
        for run in runs
        if run.operation == operation and run.panels == most and run.memory and run.forks
    }
    if len(found) < 2:
        return None
    return (found[max(found)] - found[min(found)]) / (max(found) - min(found))


def _foreign(measured: Measured) -> str:
    clients = f"{measured.clients} clients on each panel."
    if measured.foreign is None:
        return f"{clients}\n"
    return f"{clients} The panels and other programs kept {measured.foreign:.1f} of {os.cpu_count()} cores busy meanwhile.\n"


def _table(measured: Measured) -> str:
    lines = ["## Measurements\n", "| what | panels | forks | wall s | CPU s | requests | peak MB |", "| --- " * 7 + "|"]
    for run in measured.runs:
        memory = f"{run.memory / 1e6:,.0f}" if run.memory else NOT_MEASURED
        lines.append(
            f"| {run.operation} | {run.panels} | {run.forks or NOT_MEASURED} | {run.wall:.1f} | {run.cpu:.1f} | {run.requests:,} | {memory} |"
        )
    lines += [f"\nInvalid: {run.operation} of {run.panels}: {run.mistake}" for run in measured.runs if run.mistake]
    return "\n".join(lines) + "\n"


def _growth(runs: Sequence[Run]) -> str:
    sizes = sorted({run.panels for run in runs})
    lines = ["## How it grows\n", "Milliseconds of the controller's processors for each panel, and requests:\n"]
    lines += ["| what | " + " | ".join(f"{size} panels" for size in sizes) + " |", "| --- " * (len(sizes) + 1) + "|"]
    for operation in dict.fromkeys(run.operation for run in runs):
        cells = []
        for size in sizes:
            run = next((one for one in runs if one.operation == operation and one.panels == size), None)
            cells.append(f"{1000 * run.cpu / size:,.0f} ms, {run.requests / size:,.0f}" if run else NOT_MEASURED)
        lines.append(f"| {operation} | " + " | ".join(cells) + " |")
    lines.append(
        "\nThe report takes, in the time of the script (the goal is at most 1.5; of one panel, what a playbook takes at least is a part of it):\n"
    )
    lines += ["| panels | report in script |", "| --- | --- |"]
    lines += [f"| {panels} | {ratio:.2f} × |" for panels, ratio in ratio_to_script(runs).items()]
    for operation in ("plan", "drift"):
        fork = memory_of_fork(runs, operation)
        if fork is not None:
            lines.append(f"\nEach fork more takes {fork / 1e6:.0f} MB in {operation}.")
    return "\n".join(lines) + "\n"


def _on_paper(measured: Measured) -> str:
    """What 10,000 panels need, from the rows with the most panels."""
    most = max(run.panels for run in measured.runs)
    largest = {run.operation: run for run in measured.runs if run.panels == most}
    lines = [
        f"## {MANY:,} panels, on paper\n",
        f"Nobody has measured this: it is what a panel costs in the rows of {most} panels, times {MANY:,}, with {_SHARE_OF_CORE:.0%} of each core",
        "in use.\n",
        f"| what | CPU hours | cores for a night of {NIGHT // 3600} hours | requests |",
        "| --- " * 4 + "|",
    ]
    for operation in ("ping", "inventory", "report", "report again", "export", "plan", "drift"):
        if run := largest.get(operation):
            seconds = run.cpu / most * MANY
            cores = math.ceil(seconds / NIGHT / _SHARE_OF_CORE)
            lines.append(f"| {operation} | {seconds / 3600:.1f} | {cores} | {run.requests / most * MANY:,.0f} |")
    hungry = max((largest[name] for name in ("plan", "drift")), key=lambda run: run.memory or 0)
    advice = ADVICE.format(
        slices=MANY // SLICE, hosts=SLICE, forks=hungry.forks, memory=(hungry.memory or 0) / 1e9, at_once=PANELS_AT_ONCE
    )
    return "\n".join(lines) + "\n" + advice

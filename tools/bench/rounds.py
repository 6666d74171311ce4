# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure the rows of an experiment in turns, and look after each run whether the work was done."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from tools.bench.certificate import Certificate
from tools.bench.panels import BenchPanel
from tools.bench.process import run
from tools.bench.rows import Experiment, Measured, Row, Sample
from tools.bench.workshop import Workshop

LINES_OF_A_FAILURE = 12


class Panels:
    """The panels of an experiment, by the number of their mailboxes, started when they are first needed."""

    def __init__(self, certificate: Certificate, latency: float, stack: contextlib.ExitStack) -> None:
        """Take their certificate, the milliseconds of each answer, and what stops the panels at the end."""
        self._certificate, self._latency, self._stack = certificate, latency, stack
        self._panels: dict[int, list[BenchPanel]] = {}

    def of(self, row: Row) -> list[BenchPanel]:
        """Return the panels of a row."""
        found = self._panels.setdefault(row.count, [])
        while len(found) < row.panels:
            found.append(BenchPanel(row.count, self._certificate, self._latency))
            self._stack.callback(found[-1].stop)
        return found[: row.panels]


def _say(line: str) -> None:
    print(line, flush=True)


def measure(experiment: Experiment, workshop: Workshop, tell: Callable[[str], None] = _say) -> list[Measured]:
    """Return what every row of the experiment took. A row that did not do its work is invalid and not run again."""
    measured = [Measured(row) for row in experiment.rows]
    with contextlib.ExitStack() as stack:
        panels = Panels(workshop.certificate, experiment.latency, stack)
        for number in range(experiment.rounds + 1):
            for one in measured:
                if _takes_part(one, number):
                    _measure_once(one, number, experiment, panels.of(one.row), workshop)
                    tell(_line(experiment, one, number))
    return measured


def _takes_part(measured: Measured, number: int) -> bool:
    row = measured.row
    if measured.mistake:
        return False
    return row.is_in_first_round if number == 0 else row.rounds is None or number <= row.rounds


def _measure_once(
    measured: Measured, number: int, experiment: Experiment, panels: list[BenchPanel], workshop: Workshop
) -> None:
    row = measured.row
    words = workshop.words(row, panels)
    for panel in panels:
        panel.prepare(row.start)
    workshop.result.unlink(missing_ok=True)
    watch_memory = number == 0 or experiment.watches_memory
    ended = run(words, workshop.variables(row, panels), workshop.folder, workshop.output, watch_memory=watch_memory)
    traffic = [panel.traffic() for panel in panels]
    measured.requests = _sum([one.requests for one in traffic])
    sample = Sample(
        wall=ended.wall,
        cpu=ended.cpu,
        connections=sum(one.connections for one in traffic),
        memory=ended.memory,
        result=workshop.result.stat().st_size if workshop.result.exists() else None,
    )
    measured.mistake = _mistake(measured, ended.code, panels, workshop)
    if number == 0:
        measured.first = sample
    else:
        measured.samples[number] = sample


def _mistake(measured: Measured, code: int, panels: list[BenchPanel], workshop: Workshop) -> str:
    if code:
        lines = workshop.output.read_text(encoding="utf-8", errors="replace").splitlines()
        return f"ended with {code}: " + "\n".join(lines[-LINES_OF_A_FAILURE:])
    if measured.requests != measured.row.expected():
        return f"sent {measured.requests} instead of {measured.row.expected()}"
    return next(filter(None, (panel.mistake() for panel in panels)), "")


def _sum(counts: list[dict[str, int]]) -> dict[str, int]:
    return {name: sum(one.get(name, 0) for one in counts) for name in sorted({name for one in counts for name in one})}


def _line(experiment: Experiment, measured: Measured, number: int) -> str:
    sample = measured.samples[number] if number else measured.first
    assert sample is not None
    took = f"{sample.wall:8.3f} s  {sample.cpu:8.3f} s CPU"
    ended = f"  INVALID: {measured.mistake}" if measured.mistake else ""
    return f"{experiment.name:<12} round {number}  {took}  {measured.row.name}{ended}"

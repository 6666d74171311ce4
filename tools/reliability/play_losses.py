# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles and playbooks whose requests fail, and whose writes have their effect when nobody waits for the answer any more.

Late effects: the connection ends at a write that has its effect three seconds later, or a page with 503 answers one that has it two seconds
later, at `retry_time` 1, 10 and 60. Each write is struck, and for each operation each loss at each `retry_time`. Failing requests: every read of
a run, or every write, is answered once with 503 or once with a connection that ends, and has no effect. A run that ends well has done what an
undisturbed one does; one that fails says what is not known and what to do, and shows no secret; and when the panel is through, the next runs
complete it, as after a kill. The panels' answers to what the interface leaves open change from one case to the next.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.support.playbook import IN_PROCESS, MODULE
from tests.support.simulator import WRITES
from tools.reliability.figures import WRONG, Problem, Row, Size, Tried, row_of
from tools.reliability.kills import completed, in_places, known_of
from tools.reliability.matrix import FAULTS, LATE
from tools.reliability.open_points import USUAL, panel_of, settings_of
from tools.reliability.places import Ended, Picture, Place, differences, places
from tools.reliability.play_operations import PlayOperation, play_operations

LANES = {Size.SLICE: 4, Size.FULL: 4}
RETRY_TIMES = (1, 10, 60)
FIRST_PANEL = 17
_RESET, _PAGE = {"kind": "reset"}, {"kind": "status", "status": 503}
LOSSES: Mapping[str, Mapping[str, Any]] = {
    "reset, effect after 3 s": {**_RESET, "late": 3.0},
    "503, effect after 2 s": {**_PAGE, "late": 2.0},
}
FAILURES: Mapping[str, Mapping[str, Any]] = {"reset": _RESET, "503": _PAGE}
STRUCK = {"read": ("GET",), "write": WRITES}
# The slice takes these of all cases; one of them has to fail.
SLICE = (
    "role rotate, in process, write 1: 503, effect after 2 s, retry_time 1, panel as usual",
    "role move, copy, in process, write 15: reset, effect after 3 s, retry_time 1, panel as usual",
    "role suspend, in process, every read: reset, retry_time 60, panel as usual",
)
# As module, one of so many: it is the same code, and takes three times as long.
MODULE_ONE_OF = 8
_MOST_REQUESTS = 150
# What a run says that fails here: what may be, and what comes next.
_OPEN = re.compile(r"not known|may (have|still)|nobody knows")
_ADVICE = re.compile(r"[Rr]un (it |the task )?again|[Ll]ook on")


@dataclass(frozen=True)
class Case:
    """One operation with what happens to its requests. seconds: until the last effect."""

    operation: PlayOperation
    what: str
    faults: Sequence[Mapping[str, Any]]
    retry_time: int
    way: str
    panel: str
    seconds: float = 0.0

    @property
    def promise(self) -> str:
        return LATE if self.seconds else FAULTS

    @property
    def name(self) -> str:
        return f"{self.operation.name}, {self.way}, {self.what}, retry_time {self.retry_time}, panel {self.panel}"


def run(size: Size) -> list[Row]:
    """A row for each of the two promises."""
    begin = time.monotonic()
    with places(LANES[size]) as lanes:
        chosen = _chosen(size)
        counted = in_places(lanes, chosen, lambda place, operation: known_of(place, operation, USUAL).writes)
        cases = list(itertools.chain.from_iterable(map(_cases, chosen, counted)))
        if size is Size.SLICE:
            every = (replace(case, panel=USUAL) for case in cases)
            cases = [case for case in every if case.name in SLICE]
        tried = list(in_places(lanes, cases, _tried))
    seconds = (time.monotonic() - begin) / 2
    number = len(chosen)
    rows = (
        ("plays, late effects", f"{number} roles and playbooks × {len(LOSSES)} losses × retry_time 1, 10, 60", LATE),
        ("plays, failing requests", f"{number} roles and playbooks × {', '.join(FAILURES)} at each request", FAULTS),
    )
    return [
        row_of(
            name,
            what,
            promise,
            [one for case, one in zip(cases, tried, strict=True) if case.promise == promise],
            seconds,
        )
        for name, what, promise in rows
    ]


def _chosen(size: Size) -> list[PlayOperation]:
    """What is more than one module: those are struck in `faults` and `late_commits`."""
    every = [one for one in play_operations() if not one.covers[0].startswith("module ")]
    return [one for one in every if size is Size.FULL or any(name.startswith(f"{one.name}, in") for name in SLICE)]


def _cases(operation: PlayOperation, writes: int) -> Iterator[Case]:
    place = _chosen(Size.FULL).index(operation)
    pairs = list(itertools.product(LOSSES, RETRY_TIMES))
    # Every write, and every pair: for another operation, other pairs at the same write.
    for number in range(place, place + max(writes, len(pairs)) if writes else place):
        how, retry_time = pairs[(number - place) % len(pairs)]
        fault = {**LOSSES[how], "method": WRITES, "skip": number % writes}
        what = f"write {number % writes + 1}: {how}"
        yield Case(
            operation,
            what,
            [fault],
            retry_time,
            _way(number),
            panel_of(place, number, first=FIRST_PANEL),
            fault["late"],
        )
    for number, ((what, methods), how) in enumerate(itertools.product(STRUCK.items(), FAILURES), place):
        if writes or what == "read":
            # What one fault strikes, the others do not count: each lets so many repeats through as there are before it.
            faults = [{**FAILURES[how], "method": methods, "skip": skip} for skip in range(_MOST_REQUESTS)]
            yield Case(
                operation,
                f"every {what}: {how}",
                faults,
                RETRY_TIMES[-1],
                _way(number),
                panel_of(place, number, first=FIRST_PANEL),
            )


def _way(number: int) -> str:
    return IN_PROCESS if number % MODULE_ONE_OF else MODULE


def _tried(place: Place, case: Case) -> Tried:
    wanted = known_of(place, case.operation, case.panel).picture
    place.lay_out(case.operation, settings_of(case.panel))
    for panel in place.panels:
        panel.fault([dict(fault) for fault in case.faults])
    usual, place.retry_time = place.retry_time, case.retry_time
    ended = place.run(case.operation, case.way)
    place.retry_time = usual
    problems = list(_of_the_end(place, case, wanted, ended))
    for panel in place.panels:
        panel.clear_faults()
    time.sleep(case.seconds)
    problems += completed(place, case.operation, case.way, wanted)
    return Tried(case.name, case.operation.covers, not ended.code, problems)


def _of_the_end(place: Place, case: Case, wanted: Picture, ended: Ended) -> Iterator[Problem]:
    yield from place.of_secrets(ended.text)
    if "Traceback" in ended.text:
        yield WRONG, "printed a traceback"
    text = " ".join(ended.text.split())
    if not ended.code:
        yield from differences(wanted, place.picture(case.operation))
    elif not (_OPEN.search(text) and _ADVICE.search(text)):
        yield WRONG, f"does not say what is not known and what to do: {ended.said}"

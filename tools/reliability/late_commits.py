"""Answers lost, and the write takes effect at once, later, or as late as a write can, at every `retry_time` from 1 to 60.

Every operation of the single modules and of `panel_resources` that writes an object or a zone runs against the simulator's panel in memory, on a
clock that only goes on when somebody waits. The connection ends, or no answer comes within the timeout, for one write or two in a row. In the
end there may never be two objects; who ended well has done it, and told the password that the panel has; who failed says what is known, and
how to get a password that nobody has; and the next run completes it. The panels' answers to what the interface leaves open change from one
case to the next. A creation and a request for a new password are also answered with 500 or 503, as a page or in the panel's own words, while
they have their effect later.
"""

from __future__ import annotations

import functools
import multiprocessing
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import DNS
from tools.reliability.fault_judging import Baseline, baseline, canonical, judged
from tools.reliability.fault_kinds import Strike
from tools.reliability.fault_operations import (
    CREATE,
    CREATE_WITH_PASSWORD,
    REBOOT,
    REGENERATE,
    UNCHANGED,
    Operation,
    operations,
    world,
)
from tools.reliability.figures import LOST, WRONG, Row, Size, Tried, row_of
from tools.reliability.lanes import simulator_with
from tools.reliability.memory import ANSWERS, RESET, TIMED_OUT, TIMEOUT, Loss, MemoryPlace
from tools.reliability.open_points import PANELS, settings_of

RETRY_TIMES = range(1, 61)
LANES = {Size.SLICE: 2, Size.FULL: 4}
# The slice takes one case of so many, spread so that every operation and every retry_time is among them.
ONE_OF = 37
BULK = "panel_resources"
# A lost write takes effect within this time or never.
_LATEST = 20.0
# Besides at once, never, and as late as can be.
_DELAYS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 9.0, 12.0, 14.0)
# After an answer a panel is through with a request, or nearly so. None: it has no effect.
_DELAYS_AFTER_AN_ANSWER = (None, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)


@dataclass(frozen=True)
class LateStrike(Strike):
    """A loss as the judge of faults knows it."""

    patience: int = 60

    @property
    def retry_time(self) -> int:
        """For the task."""
        return self.patience


@dataclass(frozen=True)
class Case:
    """One operation with one loss."""

    operation: Operation
    is_bulk: bool
    loss: Loss
    retry_time: int
    panel: str

    @property
    def name(self) -> str:
        when = "never" if self.loss.after is None else f"after {self.loss.after} s"
        way = BULK if self.is_bulk else "single"
        return (
            f"{way}: {self.operation.name}, {self.loss.how} {self.loss.writes}x, effect {when}, retry_time {self.retry_time}, "
            f"panel {self.panel}"
        )

    @property
    def task(self) -> tuple[str, dict[str, Any]]:
        """The module, and its options."""
        options = dict(self.operation.options)
        if not self.is_bulk:
            return self.operation.module, options
        return BULK, {"resources": {self.operation.kind: [options]}, "max_deletes": 50}


def run(size: Size) -> list[Row]:
    """One row for the single modules, one for `panel_resources`."""
    begin = time.monotonic()
    cases = list(_cases(operations_that_write()))[:: ONE_OF if size is Size.SLICE else 1]
    with ProcessPoolExecutor(LANES[size], multiprocessing.get_context("fork")) as pool:
        verdicts = list(pool.map(tried, cases, chunksize=50))
    seconds = (time.monotonic() - begin) / 2
    what = f"{len({case.operation.name for case in cases})} operations × retry_time 1 to 60 × effects at once to never"
    ways = (("single", False), (BULK, True))
    found = {
        name: [one for one, case in zip(verdicts, cases, strict=True) if case.is_bulk == is_bulk]
        for name, is_bulk in ways
    }
    return [row_of(f"late commits, {name}", what, tried, seconds) for name, tried in found.items()]


@functools.cache
def operations_that_write() -> list[Operation]:
    """All of objects and zones."""
    with simulator_with({"status_delay": 0.0}, world()) as simulator:
        every = operations(simulator)
    return [operation for operation in every if operation.verb not in (UNCHANGED, REBOOT)]


def _cases(every: Sequence[Operation]) -> Iterator[Case]:
    panels = list(PANELS)
    number = 0
    for retry_time in RETRY_TIMES:
        for operation in every:
            for is_bulk in (False, True):
                for loss in _losses(number, retry_time, operation):
                    number += 1
                    yield Case(operation, is_bulk, loss, retry_time, panels[number // 7 % len(panels)])


def _losses(number: int, retry_time: int, operation: Operation) -> Iterator[Loss]:
    """At once, never or beyond the end by turns, one of the delays between, and all answers where a second effect would do harm."""
    how = (RESET, TIMED_OUT)[number // 2 % 2]
    yield Loss(how, (0.0, None, _LATEST - TIMEOUT)[number % 3], 1 + number // 3 % 2)
    yield Loss(RESET, _DELAYS[number // 2 % len(_DELAYS)])
    yield Loss(TIMED_OUT, TIMEOUT + _DELAYS[(number // 2 + 3) % len(_DELAYS)], 1 + number // 5 % 2)
    if operation.verb in (CREATE, CREATE_WITH_PASSWORD, REGENERATE) and operation.kind != DNS:
        for place, how in enumerate(ANSWERS):
            delay = _DELAYS_AFTER_AN_ANSWER[(retry_time + place) % len(_DELAYS_AFTER_AN_ANSWER)]
            yield Loss(how, delay, 1 + (number + place) % 2)


_places: dict[str, tuple[MemoryPlace, Mapping[str, Any]]] = {}
_baselines: dict[tuple[str, str, bool], Baseline] = {}


def _place(panel: str) -> tuple[MemoryPlace, Mapping[str, Any]]:
    """A panel of the table in this process, and its state at the beginning."""
    if panel not in _places:
        place = MemoryPlace(world(), {"status_delay": 0.0, **settings_of(panel)})
        _places[panel] = (place, place.state())
    return _places[panel]


def _undisturbed(case: Case) -> Baseline:
    key = (case.panel, case.operation.name, case.is_bulk)
    if key not in _baselines:
        place, first = _place(case.panel)
        place.put(first, case.operation.existing)
        check, real = (place.run(case.operation.name, *case.task, check_mode=mode) for mode in (True, False))
        _baselines[key] = baseline(check, real)
    return _baselines[key]


def tried(case: Case) -> Tried:
    """One case."""
    known = _undisturbed(case)
    place, first = _place(case.panel)
    place.put(first, case.operation.existing)
    struck = place.run(case.name, *case.task, loss=case.loss, retry_time=case.retry_time)
    at_the_end, late = struck.observed
    struck.observed[:] = [late]
    # Until lists show it too.
    place.pass_time(60.0)
    again = place.run(case.name, *case.task)
    again.observed.pop()
    # pylint does not see the members of the class that it is made of.
    strike = LateStrike(case.name, (), timeout=TIMEOUT, patience=case.retry_time)  # pylint: disable=redundant-keyword-arg
    problems = judged(case.operation, strike, known, struck, again)
    if struck.outcome == "ok" and case.operation.verb != REGENERATE and canonical(at_the_end) != known.after:
        problems.append((WRONG, "ended well before it was done"))
    if struck.outcome != "ok" and case.operation.verb == REGENERATE and "regenerate_password" not in struck.msg:
        problems.append((LOST, f"nobody may know the password, and nothing says so: {struck.msg}"))
    return Tried(case.name, [f"module {case.task[0]}"], struck.outcome == "ok", problems)

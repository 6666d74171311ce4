"""Every operation that writes × everything that can go wrong with a request × every way of execution.

Operations: creating (with a generated password, and with a given one), changing and deleting an object of every kind, a new password,
changing, disabling and resetting a zone, a reboot; and, for reads, a task with nothing to do. Faults: see `fault_kinds.py`; at the write, at
each read before and after it, at the looks that settle a lost write, once and for ever. Ways: the single module in process, `panel_resources`,
and the single module in a process of its own, which is the same code: there each fault strikes a fifth of the operations. A part of all is
tried once more in real plays. What is asserted is in `fault_judging.py`.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.grid import STRICT
from tests.support.playbook import IN_PROCESS, MODULE, PRELOADED, Recording, play, task
from tools.reliability.executing import execute, prepare, when_back
from tools.reliability.fault_judging import Baseline, baseline, judged
from tools.reliability.fault_kinds import (
    Strike,
    lasting_strikes,
    strikes_at_looks,
    strikes_at_read,
    strikes_at_regeneration,
    strikes_at_writes,
)
from tools.reliability.fault_operations import CREATE, SETTINGS, UNCHANGED, Operation, operations, world
from tools.reliability.figures import Problem, Row, Size, Tried, row_of
from tools.reliability.lanes import Lane, in_lanes, simulator_with

BULK = "panel_resources"
WAYS = (IN_PROCESS, MODULE, BULK)
LANES = {Size.SLICE: 8, Size.FULL: 32}
PANEL = {**SETTINGS, **STRICT}
# The slice takes one case of so many, spread so that every operation and every fault is among them.
ONE_OF = 97
# In a process of its own, a whole run takes one of so many too: it is the same code, and only the way to the result is another one.
MODULE_ONE_OF = 5
# Real plays take one of so many of a way, at either size.
PLAYS = {Size.SLICE: 1, Size.FULL: 4}
"""Of each of the two ways of execution, side by side."""
PLAYED = {Size.SLICE: {IN_PROCESS: 397, MODULE: 499, BULK: 797}, Size.FULL: {IN_PROCESS: 53, MODULE: 53, BULK: 53}}
_STATE = [["GET", "/state", None]]


@dataclass(frozen=True)
class Case:
    """One operation struck in one way of execution."""

    way: str
    operation: Operation
    strike: Strike

    @property
    def name(self) -> str:
        return f"{self.way}: {self.operation.name}, {self.strike.name}"

    @property
    def task(self) -> tuple[str, dict[str, Any]]:
        """The module, and its options."""
        return _task(self.way, self.operation)


@dataclass(frozen=True)
class Verdict:
    """What became of a case."""

    case: Case
    outcome: str
    problems: Sequence[Problem]


Known = Mapping[tuple[bool, str], Baseline]


def run(size: Size) -> list[Row]:
    """One row for each way, and one for the real plays."""
    with simulator_with(PANEL, world()) as simulator:
        every = operations(simulator)
        known = _undisturbed(Lane(simulator), every)
    cases = [case for way in WAYS for case in _cases(way, every, known)]
    chosen = cases[::ONE_OF] if size is Size.SLICE else list(_without_repeated(cases))
    return [*_in_the_core(chosen, known, LANES[size]), _in_real_plays(cases, known, PLAYED[size], PLAYS[size])]


def _without_repeated(cases: Sequence[Case]) -> Iterator[Case]:
    """All of them, but as module each fault only with the first operation that it can strike, and with some more, others for each fault."""
    numbers: dict[str, int] = {}
    met: Counter[str] = Counter()
    for case in cases:
        if case.way != MODULE:
            yield case
            continue
        fault = case.strike.name
        numbers.setdefault(fault, len(numbers))
        met[fault] += 1
        if met[fault] == 1 or (met[fault] + numbers[fault]) % MODULE_ONE_OF == 0:
            yield case


def _undisturbed(lane: Lane, every: Sequence[Operation]) -> dict[tuple[bool, str], Baseline]:
    """Every operation without a fault, by whether it is done by panel_resources, and its name."""
    found: dict[tuple[bool, str], Baseline] = {}
    for operation in every:
        for way in (IN_PROCESS, BULK):
            if way == BULK and not operation.kind:
                continue
            prepare(lane.simulator, [dict(operation.existing)], [])
            steps = [execute(lane, operation.name, *_task(way, operation), check_mode=check) for check in (True, False)]
            found[way == BULK, operation.name] = baseline(*steps)
    return found


def _task(way: str, operation: Operation) -> tuple[str, dict[str, Any]]:
    if way != BULK:
        return operation.module, dict(operation.options)
    return BULK, {"resources": {operation.kind: [dict(operation.options)]}, "max_deletes": 50}


def _cases(way: str, every: Sequence[Operation], known: Known) -> Iterator[Case]:
    for operation in every:
        undisturbed = known.get((way == BULK, operation.name))
        if undisturbed is not None:
            yield from (Case(way, operation, strike) for strike in _strikes(operation, undisturbed))


def _strikes(operation: Operation, undisturbed: Baseline) -> Iterator[Strike]:
    if operation.verb != UNCHANGED:
        for strikes in (strikes_at_writes(), lasting_strikes()):
            # Where nothing is read first, there is no answer after which the panel could go away.
            yield from (strike for strike in strikes if undisturbed.reads or "before it is sent" not in strike.name)
        yield from strikes_at_looks()
        if operation.generates and operation.verb == CREATE:
            yield from strikes_at_regeneration()
    for number in range(undisturbed.all_reads):
        yield from strikes_at_read(number)


# In the core


def _in_the_core(cases: Sequence[Case], known: Known, lanes: int) -> Iterator[Row]:
    begin = time.monotonic()

    def tried(lane: Lane, number: int) -> Verdict:
        return _tried(lane, cases[number], known)

    _tried_in_lane[:] = [tried]
    verdicts = list(in_lanes(_try_in_lane, len(cases), lanes, PANEL, world()))
    seconds = (time.monotonic() - begin) / len(WAYS)
    for way in WAYS:
        yield _row(f"faults, {way}", [verdict for verdict in verdicts if verdict.case.way == way], seconds)


# Where a copy of this process finds what its numbers stand for.
_tried_in_lane: list[Any] = []


def _try_in_lane(lane: Lane, number: int) -> Verdict:
    verdict: Verdict = _tried_in_lane[0](lane, number)
    return verdict


def _tried(lane: Lane, case: Case, known: Known) -> Verdict:
    undisturbed = known[case.way == BULK, case.operation.name]
    module, options = case.task
    prepare(lane.simulator, [dict(case.operation.existing)], case.strike.aimed(undisturbed.reads))
    as_module = case.way == MODULE
    struck = execute(lane, case.name, module, {**options, **_patience(case.strike)}, as_module)
    when_back(lane.simulator.clear_faults)
    again = execute(lane, case.name, module, options)
    problems = judged(case.operation, case.strike, undisturbed, struck, again)
    return Verdict(case, struck.outcome, problems)


def _patience(strike: Strike) -> dict[str, int]:
    return {"timeout": strike.timeout, "retry_time": strike.retry_time}


# In real plays


def _in_real_plays(cases: Sequence[Case], known: Known, one_of: Mapping[str, int], plays: int) -> Row:
    begin = time.monotonic()
    chosen = [case for way in WAYS for case in [case for case in cases if case.way == way][:: one_of[way]]]
    by_execution = [[case for case in chosen if (case.way == MODULE) == is_module] for is_module in (False, True)]
    together = [cases[number::plays] for cases in by_execution for number in range(plays)]
    with ThreadPoolExecutor(2 * plays) as pool:
        played = pool.map(lambda cases: _played(cases, known), together)
        verdicts = [verdict for verdicts in played for verdict in verdicts]
    return _row("faults, real plays", verdicts, time.monotonic() - begin)


def _played(cases: Sequence[Case], known: Known) -> list[Verdict]:
    """Cases of one way of execution in one play."""
    tasks = [made for case in cases for made in _tasks(case, known[case.way == BULK, case.operation.name])]
    execution = MODULE if cases[0].way == MODULE else IN_PROCESS
    with simulator_with(PANEL, world()) as simulator, tempfile.TemporaryDirectory() as folder:
        recordings = play(tasks, simulator, Path(folder), execution, variables=PRELOADED).recordings
    if len(recordings) != len(tasks):
        raise RuntimeError(f"only {len(recordings)} of {len(tasks)} tasks were recorded")
    pairs = zip(recordings[::2], recordings[1::2], strict=True)
    return [_verdict(case, known, *pair) for case, pair in zip(cases, pairs, strict=True)]


def _verdict(case: Case, known: Known, struck: Recording, again: Recording) -> Verdict:
    undisturbed = known[case.way == BULK, case.operation.name]
    return Verdict(case, struck.outcome, judged(case.operation, case.strike, undisturbed, struck, again))


def _tasks(case: Case, undisturbed: Baseline) -> list[dict[str, Any]]:
    module, options = case.task
    seed = [["POST", "/seed", case.operation.existing]] if case.operation.existing else []
    before = [["POST", "/reset", None], *seed, ["POST", "/faults", case.strike.aimed(undisturbed.reads)]]
    struck = task(case.name, module, {**options, **_patience(case.strike)}, before, _STATE)
    again = task(f"{case.name}, again", module, options, [["DELETE", "/faults", None]], _STATE)
    return [struck, again]


# The figures


def _row(name: str, verdicts: Sequence[Verdict], seconds: float) -> Row:
    operated = len({verdict.case.operation.name for verdict in verdicts})
    what = f"{operated} operations × {len({verdict.case.strike.name for verdict in verdicts})} faults"
    cases = [
        Tried(one.case.name, [f"module {one.case.task[0]}"], one.outcome == "ok", one.problems) for one in verdicts
    ]
    return row_of(name, what, cases, seconds)

"""Two and forty hosts of one play at once, on one controller: the same objects, one zone, one file of passwords. And two runs at once.

The same hosts one after the other show what has to be there in the end. Every host has to end well; where all of them set up one customer with
role sites, it may also say that the panel changed while it planned and that nothing was written. Panel and files have to be the same, every
password that was made has to be in the file as the panel has it, and one more run has nothing to write. Every role and playbook also runs twice
at the same time for the same customer, folder or file: a run that fails there says to run again, or that nothing is left to do, and the next run
completes it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.support.playbook import IN_PROCESS, MODULE
from tools.reliability.figures import WRONG, Problem, Row, Size, Tried, row_of
from tools.reliability.kills import completed, in_places, known_of
from tools.reliability.places import Ended, Picture, Place, differences, places
from tools.reliability.play_operations import PlayOperation, play_operations, shared_operations

LANES = {Size.SLICE: 2, Size.FULL: 2}
FEW, MANY = 2, 40
LATENCY = 50.0
# Plans of a whole that another host has begun to apply: refused before the first write.
MAY_HAVE_TO_RUN_AGAIN = ("role sites, one customer",)
_RUN_AGAIN = "The panel changed while this was planned. Nothing was written to it; run again."
# Or that the other run has done all of it: between its plan and its first write a run sees that nothing is left.
_SAYS_SO = re.compile(
    r"[Rr]un (it |the task )?again|[Ll]ook on|Plan again|Make and approve a new plan|there is nothing left to do"
)
# The slice: what was lost or doubled before.
SLICE = ("one client", "one zone", "tasks and protections both ways", "role site, one file")
TWICE = ("role move, prepare",)


@dataclass(frozen=True)
class Case:
    """One operation on so many hosts, or without any, in two runs."""

    operation: PlayOperation
    hosts: int
    way: str

    @property
    def name(self) -> str:
        return f"{self.operation.name}, {f'{self.hosts} hosts' if self.hosts else 'two runs'}, {self.way}"


def run(size: Size) -> list[Row]:
    """One row."""
    begin = time.monotonic()
    cases = list(_cases(size))
    with places(LANES[size]) as lanes:
        tried = list(in_places(lanes, cases, _tried))
    what = f"{len({case.operation.name for case in cases})} operations on {FEW} and {MANY} hosts of one play, or in two runs"
    return [row_of("writers at once", what, tried, time.monotonic() - begin)]


def _cases(size: Size) -> Iterator[Case]:
    if size is Size.SLICE:
        yield from (Case(operation, 8, IN_PROCESS) for operation in shared_operations() if operation.name in SLICE)
        yield from (Case(operation, 0, IN_PROCESS) for operation in play_operations() if operation.name in TWICE)
        return
    for operation in shared_operations():
        yield from (
            Case(operation, hosts, way) for hosts, way in ((FEW, IN_PROCESS), (FEW, MODULE), (MANY, IN_PROCESS))
        )
    for operation in play_operations():
        if not operation.covers[0].startswith("module "):
            yield from (Case(operation, 0, way) for way in (IN_PROCESS, MODULE))


def _tried(place: Place, case: Case) -> Tried:
    return _on_hosts(place, case) if case.hosts else _in_two_runs(place, case)


def _in_two_runs(place: Place, case: Case) -> Tried:
    wanted = known_of(place, case.operation).picture
    place.lay_out(case.operation, latency=LATENCY)
    runs = place.run_twice_at_once(case.operation, case.way)
    problems: list[Problem] = []
    for ended in runs:
        problems += place.of_secrets(ended.text)
        if "Traceback" in ended.text or (ended.code and not _SAYS_SO.search(" ".join(ended.text.split()))):
            problems.append((WRONG, f"does not say to run again: {ended.said}"))
    if not any(ended.code for ended in runs):
        problems += differences(wanted, place.picture(case.operation))
    problems += completed(place, case.operation, IN_PROCESS, wanted)
    return Tried(case.name, case.operation.covers, not any(ended.code for ended in runs), problems)


def _on_hosts(place: Place, case: Case) -> Tried:
    hosts = [f"customer-{number:02}" for number in range(case.hosts)]
    place.lay_out(case.operation)
    alone = place.run(case.operation, IN_PROCESS, hosts=hosts, forks=1)
    if alone.code:
        problem = (WRONG, f"one after the other, it fails: {alone.said}")
        return Tried(case.name, case.operation.covers, False, [problem])
    wanted = place.picture(case.operation)
    place.lay_out(case.operation, latency=LATENCY)
    ended = place.run(case.operation, case.way, hosts=hosts, forks=case.hosts)
    problems = [*_of_failures(case.operation, ended), *_of_what_is_there(place, case, hosts, wanted)]
    return Tried(case.name, case.operation.covers, not ended.code, problems)


def _of_failures(operation: PlayOperation, ended: Ended) -> Iterator[Problem]:
    """Every host that failed has to say that it may run again, where that may be."""
    text = " ".join(ended.text.split())
    has_said_so = text.count(_RUN_AGAIN) >= text.count("fatal: [") > 0
    if ended.code and not (operation.name in MAY_HAVE_TO_RUN_AGAIN and has_said_so):
        yield WRONG, f"fails: {ended.said}"


def _of_what_is_there(place: Place, case: Case, hosts: Sequence[str], wanted: Picture) -> Iterator[Problem]:
    yield from differences(wanted, place.picture(case.operation))
    yield from place.of_passwords(case.operation)
    again = place.run(case.operation, IN_PROCESS, hosts=hosts, forks=case.hosts)
    if again.code or again.writes:
        yield WRONG, f"one more run writes {again.writes} times{f' and fails: {again.said}' if again.code else ''}"

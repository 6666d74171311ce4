"""Runs of ansible-playbook that a kill, a full disk or other runs disturb: what is there then has to be as an undisturbed run leaves it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.playbook import IN_PROCESS, MODULE, WAYS
from tools.reliability.figures import LOST, WRONG, Problem, Row, Size, Tried, row_of
from tools.reliability.places import LONGEST_RUN, Place, Undisturbed, differences, in_places, known_of, places
from tools.reliability.play_operations import PlayOperation, host_names, play_operations, shared_operations

# Kills

COMMITS, FILES = "write", "file"
# By operation, which of its points of a kind the slice takes; of what is not named, none.
KILLED: Mapping[str, Mapping[str, Sequence[int]]] = {
    "single modules, create": {COMMITS: (3,)},
    "panel_resources": {COMMITS: (7,)},
    "role site": {COMMITS: (8,), FILES: (2,)},
    "role sites": {COMMITS: (5,)},
    "role rotate": {COMMITS: (2,), FILES: (3,)},
    "role suspend": {COMMITS: (2,)},
    "role move, copy": {COMMITS: (9,)},
    "role offboard, delete": {COMMITS: (1,)},
    "playbook apply": {COMMITS: (5,)},
    "playbook export": {FILES: (3,)},
    "playbook onboard": {COMMITS: (6,)},
}
# As module, one of so many points: what happens is the same, and it takes three times as long.
MODULE_ONE_OF = 8
# Where one file is written again and again in the same four steps, each of the first ones, and then one of so many.
FIRST_FILES, FILES_ONE_OF = 12, 3


@dataclass(frozen=True)
class Point:
    """Where a run is killed: after its so manieth write, or before its so manieth file."""

    operation: PlayOperation
    way: str
    what: str
    number: int
    is_late: bool

    @property
    def name(self) -> str:
        return f"{self.operation.name}, {self.way}, {self.what} {self.number}{', late' * self.is_late}"


def kills(size: Size) -> list[Row]:
    """ansible-playbook killed after each single write that took effect, and before each file that it writes, and run again until it is complete.

    Every operation of `play_operations.py` runs once undisturbed, which counts its writes and files. Then, for each of them: the panel stands
    still right after that write, or the process before that file; everything that ansible-playbook has started gets SIGKILL, as when a machine
    loses its power; the panel goes on, with the requests that it had received already or, every other time, without them; and the operation is
    run again until it ends well. Where one run opens or renames files more than twelve times, a third of those beyond are tried. Panels and files
    then have to be as the undisturbed run leaves them, up to ids, times and passwords; every password that was made has to be in the file as the
    panel has it; and one more run has nothing to write.
    """
    begin = time.monotonic()
    chosen = [operation for operation in play_operations() if size is Size.FULL or operation.name in KILLED]
    with places(4) as lanes:
        points = list(_points(size, chosen, in_places(lanes, chosen, known_of)))
        cases = in_places(lanes, points, _killed)
    what = "killed after each write and before each file, and run again"
    ways = {way: [case for case, point in zip(cases, points, strict=True) if point.way == way] for way in WAYS}
    return [row_of(f"kills, {way}", what, found, begin) for way, found in ways.items() if found]


def _points(size: Size, chosen: Sequence[PlayOperation], known: Sequence[Undisturbed]) -> Iterator[Point]:
    number = 0
    for operation, one in zip(chosen, known, strict=True):
        files = len(one.touched) if operation.has_own_files else 0
        for what, at in [(COMMITS, at + 1) for at in range(one.writes)] + [(FILES, at + 1) for at in range(files)]:
            if size is Size.SLICE:
                is_chosen = at in KILLED[operation.name].get(what, ())
            else:
                is_chosen = what == COMMITS or at <= FIRST_FILES or at % FILES_ONE_OF == 0 or at == files
            if is_chosen:
                number += 1
                yield Point(operation, IN_PROCESS, what, at, number % 2 == 0)
                if number % MODULE_ONE_OF == 0 and size is Size.FULL:
                    yield Point(operation, MODULE, what, at, number % 2 == 0)


def _killed(place: Place, point: Point) -> Tried:
    known = known_of(place, point.operation)
    place.lay_out(point.operation)
    if point.what == COMMITS:
        stall = {
            "kind": "stall",
            "method": ["POST", "PUT", "DELETE"],
            "skip": point.number - 1,
            "drops": not point.is_late,
        }
        for panel in place.panels:
            # The writes of an operation all go to one panel, whichever it is.
            panel.fault(stall)
    hook = {"PROOF_STALL_AT": str(point.number)} if point.what == FILES else {}
    process = place.start(point.operation, point.way, place.hooked(**hook))
    try:
        is_there = _wait_for_stall(place, process.poll)
    finally:
        place.end(process)
        for panel in place.panels:
            panel.clear_faults()
    problems = list(known.problems)
    if is_there:
        place.a_day_passes()
        problems += place.completed(point.operation, point.way, known.picture)
    else:
        problems.append((WRONG, "the run ended before that"))
    return Tried(point.name, True, problems)


def _wait_for_stall(place: Place, ended: Callable[[], int | None]) -> bool:
    deadline = time.monotonic() + LONGEST_RUN
    while ended() is None and time.monotonic() < deadline:
        if (place.aside / "stalled").exists() or any(panel.counters()["stalled"] for panel in place.panels):
            return True
        time.sleep(0.02)
    return False


# A full disk

# In the order of their sizes.
LEVELS: Mapping[str, Callable[[int], int]] = {
    "no room": lambda _number: 0,
    "half": lambda number: number // 2,
    "one byte short": lambda number: number - 1,
}
# By operation, the files that the slice takes.
FULL: Mapping[str, Sequence[str]] = {"role sites": ("acme.yml",), "role offboard, suspend": ("rebuild.yml",)}
# Files about what was done, which can only be written when it is done, and be written again by the next run.
AFTERWARDS = "hand-over"


@dataclass(frozen=True)
class Disk:
    """One file of one operation without room, by its path in the folder."""

    operation: PlayOperation
    file: Path
    level: str
    size: int


def full_disk(size: Size) -> list[Row]:
    """A disk that is full at each file that a role or playbook writes: empty of room, half full, and one byte short.

    The process that opens the file for writing may write so many bytes and gets an error then, as RLIMIT_FSIZE gives it. The run has to fail and
    name the file, and leaves nothing half written. Nothing is written to the panel before there is room for the whole file, unless the file is
    about what was done. What the panel made or got is in the file, or can be known in another way; and with room again, the next run completes
    it, as after a kill.
    """
    begin = time.monotonic()
    chosen = [operation for operation in play_operations() if size is Size.FULL or operation.name in FULL]
    with places(2 if size is Size.SLICE else 4) as lanes:
        cases = [
            Disk(operation, file, level, size_of(number))
            for operation, known in zip(chosen, in_places(lanes, chosen, known_of), strict=True)
            for file, number in known.sizes.items()
            if size is Size.FULL or file.name in FULL[operation.name]
            for level, size_of in LEVELS.items()
        ]
        tried = in_places(lanes, cases, _filled)
    return [row_of("full disk", f"{len(cases) // len(LEVELS)} files × {', '.join(LEVELS)}", tried, begin)]


def _filled(place: Place, case: Disk) -> Tried:
    known = known_of(place, case.operation)
    place.lay_out(case.operation)
    hook = place.hooked(PROOF_FULL=case.file.name, PROOF_BYTES=str(case.size))
    ended = place.run(case.operation, variables=hook)
    # An archive is written as a whole folder, whose name has the port of its panel.
    named = "archives/" if case.file.parts[0] == "archives" else case.file.name
    problems: list[Problem] = []
    if not ended.code:
        problems.append((WRONG, "ended well without the file"))
    elif named not in " ".join(ended.text.split()):
        problems.append((WRONG, f"the message does not name the file: {ended.said}"))
    if "Traceback" in ended.text:
        problems.append((WRONG, "printed a traceback"))
    if ended.writes and AFTERWARDS not in case.file.name:
        problems.append((WRONG, f"wrote to the panel {ended.writes} times first"))
    problems += (problem for problem in place.of_passwords(case.operation) if problem[0] == LOST)
    problems += ((WRONG, f"left {path.name}") for path in place.files() if path.name.startswith("."))
    problems += place.completed(case.operation, IN_PROCESS, known.picture)
    return Tried(f"{case.operation.name}, {case.file.name}, {case.level}", False, problems)


# Writers at once

FEW, MANY = 2, 40
LATENCY = 50.0
# A plan of a whole that another host has begun to apply is refused before the first write.
MAY_HAVE_TO_RUN_AGAIN = ("role sites, one customer",)
_RUN_AGAIN = "The panel changed while this was planned. Nothing was written to it; run again."
# Or that the other run has done all of it: between its plan and its first write a run sees that nothing is left.
_SAYS_SO = re.compile(
    r"[Rr]un (it |the task )?again|[Ll]ook on|Plan again|Make and approve a new plan|there is nothing left to do"
)
# The slice: what was lost or doubled before.
SHARED = ("one client", "one zone", "tasks and protections both ways", "role site, one file")
TWICE = ("role move, prepare",)


@dataclass(frozen=True)
class Writers:
    """One operation on so many hosts, or without any, in two runs."""

    operation: PlayOperation
    hosts: int
    way: str

    @property
    def name(self) -> str:
        return f"{self.operation.name}, {f'{self.hosts} hosts' if self.hosts else 'two runs'}, {self.way}"


def writers(size: Size) -> list[Row]:
    """Two and forty hosts of one play at once, on one controller: the same objects, one zone, one file of passwords. And two runs at once.

    The same hosts one after the other show what has to be there in the end. Every host has to end well; where all of them set up one customer
    with role sites, it may also say that the panel changed while it planned and that nothing was written. Panel and files have to be the same,
    every password that was made has to be in the file as the panel has it, and one more run has nothing to write. Every role and playbook also
    runs twice at the same time for the same customer, folder or file: a run that fails there says to run again, or that nothing is left to do,
    and the next run completes it.
    """
    begin = time.monotonic()
    cases = list(_writers(size))
    with places(2) as lanes:
        tried = in_places(lanes, cases, lambda place, case: (_on_hosts if case.hosts else _in_two_runs)(place, case))
    number = len({case.operation.name for case in cases})
    return [
        row_of(
            "writers at once",
            f"{number} operations on {FEW} and {MANY} hosts of one play, or in two runs",
            tried,
            begin,
        )
    ]


def _writers(size: Size) -> Iterator[Writers]:
    if size is Size.SLICE:
        yield from (Writers(operation, 8, IN_PROCESS) for operation in shared_operations() if operation.name in SHARED)
        yield from (Writers(operation, 0, IN_PROCESS) for operation in play_operations() if operation.name in TWICE)
        return
    for operation in shared_operations():
        for hosts, way in ((FEW, IN_PROCESS), (FEW, MODULE), (MANY, IN_PROCESS)):
            yield Writers(operation, hosts, way)
    for operation in play_operations():
        if operation.name.startswith(("role ", "playbook ")):
            yield from (Writers(operation, 0, way) for way in WAYS)


def _in_two_runs(place: Place, case: Writers) -> Tried:
    wanted = known_of(place, case.operation).picture
    place.lay_out(case.operation, latency=LATENCY)
    runs = place.run_at_once(case.operation, case.way, 2)
    problems: list[Problem] = []
    for ended in runs:
        problems += place.of_secrets(ended.text)
        if "Traceback" in ended.text or (ended.code and not _SAYS_SO.search(" ".join(ended.text.split()))):
            problems.append((WRONG, f"does not say to run again: {ended.said}"))
    is_well = not any(ended.code for ended in runs)
    if is_well:
        problems += differences(wanted, place.picture(case.operation))
    problems += place.completed(case.operation, IN_PROCESS, wanted)
    return Tried(case.name, is_well, problems)


def _on_hosts(place: Place, case: Writers) -> Tried:
    hosts = host_names(case.hosts)
    place.lay_out(case.operation)
    alone = place.run(case.operation, hosts=hosts, forks=1)
    if alone.code:
        return Tried(case.name, False, [(WRONG, f"one after the other, it fails: {alone.said}")])
    wanted = place.picture(case.operation)
    place.lay_out(case.operation, latency=LATENCY)
    ended = place.run(case.operation, case.way, hosts=hosts, forks=case.hosts)
    problems: list[Problem] = []
    text = " ".join(ended.text.split())
    # Every host that failed has to say that it may run again, where that may be.
    has_said_so = text.count(_RUN_AGAIN) >= text.count("fatal: [") > 0
    if ended.code and not (case.operation.name in MAY_HAVE_TO_RUN_AGAIN and has_said_so):
        problems.append((WRONG, f"fails: {ended.said}"))
    problems += place.as_wanted(case.operation, wanted, IN_PROCESS, hosts=hosts, forks=case.hosts)
    return Tried(case.name, not ended.code, problems)

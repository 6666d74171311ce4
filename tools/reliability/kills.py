"""ansible-playbook killed after each single write that took effect, and before each file that it writes, and run again until it is complete.

Every operation of `play_operations.py` runs once undisturbed, which counts its writes and files. Then, for each of them: the panel stands
still right after that write, or the process before that file; everything that ansible-playbook has started gets SIGKILL, as when a machine
loses its power; the panel goes on, with the requests that it had received already or, every other time, without them; and the operation is
run again until it ends well. Where one run opens or renames files more than twelve times, a third of those beyond are tried. Panels and files
then have to be as the undisturbed run leaves them, up to ids, times and passwords; every password that was made has to be in the file as the
panel has it; and one more run has nothing to write.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from tests.support.playbook import IN_PROCESS, MODULE, WAYS
from tools.reliability.figures import LOST, WRONG, Problem, Row, Size, Tried, row_of
from tools.reliability.places import LONGEST_RUN, MOST_REPEATS, Picture, Place, differences, places
from tools.reliability.play_operations import PlayOperation, play_operations

LANES = {Size.SLICE: 4, Size.FULL: 4}
Where = TypeVar("Where")
One = TypeVar("One")
Other = TypeVar("Other")
COMMITS, FILES = "write", "file"
# By operation, which of its points of a kind the slice takes; of what is not named, none.
SLICE: Mapping[str, Mapping[str, Sequence[int]]] = {
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


@dataclass
class Undisturbed:
    """What an operation does, found out when it is first asked for."""

    writes: int
    files: int
    picture: Picture
    problems: list[Problem] = field(default_factory=list)


def run(size: Size) -> list[Row]:
    """One row for each way of execution."""
    begin = time.monotonic()
    with places(LANES[size]) as lanes:
        points = list(_points(size, _counted(lanes, _chosen(size))))
        cases = list(in_places(lanes, points, killed))
    ways = {way: [case for case, point in zip(cases, points, strict=True) if point.way == way] for way in WAYS}
    what = "killed after each write and before each file, and run again"
    seconds = (time.monotonic() - begin) / len(ways)
    return [row_of(f"kills, {way}", what, found, seconds) for way, found in ways.items() if found]


def _chosen(size: Size) -> list[PlayOperation]:
    return [operation for operation in play_operations() if size is Size.FULL or operation.name in SLICE]


def _counted(lanes: Sequence[Place], chosen: Sequence[PlayOperation]) -> Iterator[tuple[PlayOperation, Undisturbed]]:
    found = in_places(lanes, chosen, known_of)
    return zip(chosen, found, strict=True)


def _points(size: Size, counted: Iterator[tuple[PlayOperation, Undisturbed]]) -> Iterator[Point]:
    number = 0
    for operation, known in counted:
        for what, count in ((COMMITS, known.writes), (FILES, known.files if operation.has_own_files else 0)):
            for at in range(1, count + 1):
                if size is Size.SLICE and at not in SLICE[operation.name].get(what, ()):
                    continue
                if size is Size.FULL and what == FILES and at > FIRST_FILES and at % FILES_ONE_OF and at != count:
                    continue
                number += 1
                yield Point(operation, IN_PROCESS, what, at, number % 2 == 0)
                if number % MODULE_ONE_OF == 0 and size is Size.FULL:
                    yield Point(operation, MODULE, what, at, number % 2 == 0)


def undisturbed(place: Place, operation: PlayOperation) -> Undisturbed:
    """One run without a fault; raises RuntimeError where that does not end well."""
    place.lay_out(operation)
    ended = place.run(operation, IN_PROCESS, place.hooked())
    if ended.code:
        raise RuntimeError(f"{operation.name} fails without any fault: {ended.said}")
    found = Undisturbed(ended.writes, len(place.touched()), place.picture(operation))
    found.problems += place.of_passwords(operation)
    return found


_known: dict[str, Undisturbed] = {}


def known_of(place: Place, operation: PlayOperation) -> Undisturbed:
    """What the operation does when nothing disturbs it."""
    if operation.name not in _known:
        _known[operation.name] = undisturbed(place, operation)
    return _known[operation.name]


def killed(place: Place, point: Point) -> Tried:
    """One point, tried."""
    return Tried(point.name, point.operation.covers, True, list(_problems(place, point)))


def _problems(place: Place, point: Point) -> Iterator[Problem]:
    try:
        known = known_of(place, point.operation)
    except RuntimeError as error:
        yield WRONG, str(error)
        return
    yield from known.problems
    place.lay_out(point.operation)
    hook = {"PROOF_STALL_AT": str(point.number)} if point.what == FILES else {}
    if point.what == COMMITS:
        for panel in place.panels:
            # The writes of an operation all go to one panel, whichever it is.
            panel.fault(
                {
                    "kind": "stall",
                    "method": ["POST", "PUT", "DELETE"],
                    "skip": point.number - 1,
                    "drops": not point.is_late,
                }
            )
    process = place.start(point.operation, point.way, place.hooked(**hook))
    try:
        is_there = _wait_for_stall(place, process.poll)
    finally:
        place.end(process)
        for panel in place.panels:
            panel.clear_faults()
    if is_there:
        place.a_day_passes()
        yield from completed(place, point.operation, point.way, known.picture)
    else:
        yield WRONG, "the run ended before that"


def _wait_for_stall(place: Place, ended: Callable[[], int | None]) -> bool:
    deadline = time.monotonic() + LONGEST_RUN
    while ended() is None and time.monotonic() < deadline:
        if (place.aside / "stalled").exists() or any(panel.counters()["stalled"] for panel in place.panels):
            return True
        time.sleep(0.02)
    return False


def completed(place: Place, operation: PlayOperation, way: str, wanted: Picture) -> Iterator[Problem]:
    """What is wrong after so many repeats as it takes to end well, and one more run."""
    for _repeat in range(MOST_REPEATS):
        ended = place.run(operation, way)
        if not ended.code:
            break
    else:
        yield LOST, f"the next {MOST_REPEATS} runs fail: {ended.said}"
        return
    yield from differences(wanted, place.picture(operation))
    yield from place.of_passwords(operation)
    again = place.run(operation, way)
    if again.code:
        yield WRONG, f"one more run fails: {again.said}"
    elif again.writes:
        yield WRONG, f"one more run writes {again.writes} times"


def in_places(lanes: Sequence[Where], items: Sequence[One], function: Callable[[Where, One], Other]) -> Iterator[Other]:
    """What the function returns for each item, in their order, with as many at once as there are places."""
    free: queue.SimpleQueue[Where] = queue.SimpleQueue()
    for place in lanes:
        free.put(place)

    def call(item: One) -> Other:
        place = free.get()
        try:
            return function(place, item)
        finally:
            free.put(place)

    with ThreadPoolExecutor(len(lanes)) as pool:
        yield from pool.map(call, items)

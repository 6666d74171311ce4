"""A disk that is full at each file that a role or playbook writes: empty of room, half full, and one byte short.

The process that opens the file for writing may write so many bytes and gets an error then, as RLIMIT_FSIZE gives it. The run has to fail and name
the file, and leaves nothing half written. Nothing is written to the panel before there is room for the whole file, unless the file is about what
was done. What the panel made or got is in the file, or can be known in another way; and with room again, the next run completes it, as after a
kill.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.playbook import IN_PROCESS
from tools.reliability.figures import LOST, WRONG, Problem, Row, Size, Tried, row_of
from tools.reliability.kills import completed, in_places, known_of
from tools.reliability.places import Ended, Place, places
from tools.reliability.play_operations import PlayOperation, play_operations

LANES = {Size.SLICE: 2, Size.FULL: 4}
# In the order of their sizes: no room, half of what is needed, one byte less.
LEVELS: Mapping[str, Callable[[int], int]] = {
    "no room": lambda _number: 0,
    "half": lambda number: number // 2,
    "one byte short": lambda number: number - 1,
}
# By operation, the files that the slice takes.
SLICE: Mapping[str, Sequence[str]] = {
    "role sites": ("acme.yml",),
    "role offboard, suspend": ("rebuild.yml",),
}
# Files about what was done, which can only be written when it is done, and be written again by the next run.
AFTERWARDS = ("hand-over",)


@dataclass(frozen=True)
class Case:
    """One file of one operation without room."""

    operation: PlayOperation
    path: Path
    level: str
    size: int

    @property
    def file(self) -> str:
        return self.path.name

    @property
    def named(self) -> str:
        """What a message has to name: the file, or the folder that is written as a whole, whose name has the port of its panel."""
        return "archives/" if self.path.parts[0] == "archives" else self.file

    @property
    def name(self) -> str:
        return f"{self.operation.name}, {self.file}, {self.level}"


def run(size: Size) -> list[Row]:
    """One row."""
    begin = time.monotonic()
    chosen = [operation for operation in play_operations() if size is Size.FULL or operation.name in SLICE]
    with places(LANES[size]) as lanes:
        found = in_places(lanes, chosen, _files_of)
        cases = [
            Case(operation, file, level, size_of(number))
            for operation, files in zip(chosen, found, strict=True)
            for file, number in files.items()
            if size is Size.FULL or file.name in SLICE[operation.name]
            for level, size_of in LEVELS.items()
        ]
        tried = list(in_places(lanes, cases, _tried))
    files = {(case.operation.name, case.file) for case in cases}
    what = f"{len(files)} files × {', '.join(LEVELS)}"
    return [row_of("full disk", what, tried, time.monotonic() - begin)]


def _files_of(place: Place, operation: PlayOperation) -> dict[Path, int]:
    """The files that the collection itself writes by their paths in the folder, with their sizes."""
    place.lay_out(operation)
    place.run(operation, IN_PROCESS, place.hooked())
    opened = [line for line in place.touched() if line.startswith("open ")]
    return {
        path.relative_to(place.folder): path.stat().st_size
        for path in place.files()
        if any(path.name in line for line in opened)
    }


def _tried(place: Place, case: Case) -> Tried:
    known = known_of(place, case.operation)
    place.lay_out(case.operation)
    ended = place.run(case.operation, IN_PROCESS, place.hooked(PROOF_FULL=case.file, PROOF_BYTES=str(case.size)))
    problems = [*_of_the_failure(place, case, ended)]
    problems += completed(place, case.operation, IN_PROCESS, known.picture)
    return Tried(case.name, case.operation.covers, False, problems)


def _of_the_failure(place: Place, case: Case, ended: Ended) -> Iterator[Problem]:
    if not ended.code:
        yield WRONG, "ended well without the file"
    elif case.named not in " ".join(ended.text.split()):
        yield WRONG, f"the message does not name the file: {ended.said}"
    if "Traceback" in ended.text:
        yield WRONG, "printed a traceback"
    if ended.writes and not any(part in case.file for part in AFTERWARDS):
        yield WRONG, f"wrote to the panel {ended.writes} times first"
    yield from (problem for problem in place.of_passwords(case.operation) if problem[0] == LOST)
    for path in place.files():
        if path.name.startswith("."):
            yield WRONG, f"left {path.name}"

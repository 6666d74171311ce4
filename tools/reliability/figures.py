"""What an experiment reports: its cases, judged one by one, and the row of the table that they come to."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum


class Size(Enum):
    """How much of an experiment is done: what the tests have time for, which meets everything at least once, or all of it."""

    SLICE = "slice"
    FULL = "full"


LOST, DOUBLED, LEAKED, WRONG = "lost", "doubled", "leaked", "wrong"
Problem = tuple[str, str]
"""One of these, and what was wrong: an object or a write that vanished or is there twice, a secret that was shown, another broken promise."""


@dataclass(frozen=True)
class Tried:
    """One case. ended_well: whether the task itself did, in spite of what was done to it."""

    name: str
    ended_well: bool
    problems: Sequence[Problem] = ()


@dataclass(frozen=True)
class Row:
    """One line of the table, where tried = survived + failed_loudly + len(wrong). wrong: a line for each case that broke a promise."""

    experiment: str
    what: str
    tried: int
    survived: int
    failed_loudly: int
    lost: int
    doubled: int
    leaked: int
    seconds: float
    remark: str
    wrong: Sequence[str]


def row_of(experiment: str, what: str, cases: Sequence[Tried], begin: float, remark: str = "") -> Row:
    """The row of an experiment that began at that time of the monotonic clock."""
    well = [case.ended_well for case in cases if not case.problems]
    broken = [case for case in cases if case.problems]
    lost, doubled, leaked = (sum(kind in dict(case.problems) for case in broken) for kind in (LOST, DOUBLED, LEAKED))
    wrong = [f"{case.name}: {'; '.join(text for _kind, text in case.problems)}" for case in broken]
    seconds = time.monotonic() - begin
    counts = (len(cases), sum(well), well.count(False), lost, doubled, leaked)
    return Row(experiment, what, *counts, seconds, remark, wrong)


_TEXTS = ("Experiment", "What was tried")
_NUMBERS = ("Tried", "Survived", "Failed and said so", "Lost", "Doubled", "Leaked", "Wrong in any way", "Seconds")


def table(rows: Iterable[Row]) -> str:
    """The rows as a table of Markdown; then what is to be said of single rows."""
    rows = list(rows)
    lines = [[*_TEXTS, *_NUMBERS], [*["---"] * len(_TEXTS), *["---:"] * len(_NUMBERS)], *map(_cells, rows)]
    body = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    remarks = "".join(f"- *{row.experiment}*: {row.remark}.\n" for row in rows if row.remark)
    return f"{body}\n{remarks}" if remarks else body


def _cells(row: Row) -> list[str]:
    numbers = (row.tried, row.survived, row.failed_loudly, row.lost, row.doubled, row.leaked, len(row.wrong))
    return [row.experiment, row.what, *(f"{number:,}" for number in numbers), f"{row.seconds:.0f}"]

"""What an experiment reports, and the table of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum


class Size(Enum):
    """How much of an experiment is done."""

    SLICE = "slice"
    """What `make test` has time for: a sample that meets everything at least once."""
    FULL = "full"
    """Everything, for `make reliability`."""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    tried = survived + failed_loudly + len(wrong): a case ended well in spite of what was done to it, or failed and said so, or broke a
    promise. lost, doubled, leaked: how many of the broken promises cost an object or a write, made two of one, or showed a secret.
    """

    experiment: str
    what: str
    """What was done to the collection, in a few words."""
    tried: int
    survived: int
    failed_loudly: int = 0
    lost: int = 0
    doubled: int = 0
    leaked: int = 0
    seconds: float = 0.0
    remark: str = ""
    wrong: Sequence[str] = field(default_factory=tuple)
    """A line for each case that broke a promise: its name, and what was wrong."""

    @property
    def is_good(self) -> bool:
        """Whether every promise was kept."""
        return not (self.lost or self.doubled or self.leaked or self.wrong)


LOST, DOUBLED, WRONG = "lost", "doubled", "wrong"
Problem = tuple[str, str]
"""One of these, and what was wrong."""


@dataclass(frozen=True)
class Tried:
    """One case. covers: the operations that it is about; ended_well: whether the task itself did; problems: the broken promises."""

    name: str
    covers: Sequence[str]
    ended_well: bool
    problems: Sequence[Problem]


def row_of(experiment: str, what: str, cases: Sequence[Tried], seconds: float, remark: str = "") -> Row:
    """The row of an experiment whose cases were judged one by one."""
    broken = [case for case in cases if case.problems]
    kinds = [{kind for kind, _text in case.problems} for case in broken]
    return Row(
        experiment=experiment,
        what=what,
        tried=len(cases),
        survived=sum(case.ended_well for case in cases if not case.problems),
        failed_loudly=sum(not case.ended_well for case in cases if not case.problems),
        lost=sum(LOST in found for found in kinds),
        doubled=sum(DOUBLED in found for found in kinds),
        seconds=seconds,
        remark=remark,
        wrong=[f"{case.name}: {'; '.join(text for _kind, text in case.problems)}" for case in broken],
    )


HEADINGS = (
    "Experiment",
    "What was tried",
    "Tried",
    "Survived",
    "Failed and said so",
    "Lost",
    "Doubled",
    "Leaked",
    "Wrong in any way",
    "Seconds",
)
_FIRST_NUMBER, _LAST_NUMBER = 2, 9


def table(rows: Iterable[Row]) -> str:
    """The rows as a table of Markdown, aligned so that it can also be read as it is."""
    lines = [HEADINGS, *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = [f"{'-' * (width - 1)}{':' if _is_number(column) else '-'}" for column, width in enumerate(widths)]
    heading, *body = [_aligned(line, widths) for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in (heading, rule, *body))


def remarks(rows: Iterable[Row]) -> str:
    """What is to be said of single rows, as a list of Markdown."""
    return "".join(f"- *{row.experiment}*: {row.remark}.\n" for row in rows if row.remark)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        cell.rjust(width) if _is_number(column) else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]


def _is_number(column: int) -> bool:
    return _FIRST_NUMBER <= column <= _LAST_NUMBER


def _cells(row: Row) -> tuple[str, ...]:
    numbers = (row.tried, row.survived, row.failed_loudly, row.lost, row.doubled, row.leaked, len(row.wrong))
    texts = (row.experiment, row.what, *(f"{number:,}" for number in numbers), f"{row.seconds:.0f}")
    return tuple(text.replace("|", "\\|") for text in texts)

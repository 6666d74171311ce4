# SPDX-License-Identifier: GPL-3.0-or-later
"""The columns of a cron table."""

from __future__ import annotations

import re
from typing import Any

from .value_types import Word

# A step goes through a range; behind a single number no cron takes one.
_OF_ANOTHER_CRON = re.compile(r"(?!\w+$)[\w*/,@#?~-]+", re.ASCII)
_ELEMENT = re.compile(r"(?:\*|(\w+)-(\w+))(?:/[1-9]\d*)?|(\w+)", re.ASCII)
_LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


class CronField(Word):
    """Takes one column of a cron table, as cron takes it. Zeros in front and upper case have no
    meaning.
    """

    is_text = False

    def __init__(self, least: int, most: int, names: tuple[str, ...] = ()) -> None:
        """Prepare to read.

        Args:
            least: The smallest number.
            most: The greatest one.
            names: The names of the numbers from the smallest one.
        """
        form = f"a field of a cron table with numbers from {least} to {most}"
        if names:
            form += f" or {names[0]} to {names[-1]}"
        form += f", such as {most}, */2, 2-4 or *"
        super().__init__(form, self._read_column, _normalize_column)
        self._numbers = {str(number): number for number in range(least, most + 1)}
        self._numbers.update({name: number for number, name in enumerate(names, least)})

    def may_be_stored(self, value: Any) -> bool:
        """Tell whether another cron takes a column, with other steps and names; left out of an
        export, the task would be made to run at other times.
        """
        return isinstance(value, str) and bool(_OF_ANOTHER_CRON.fullmatch(value))

    def _read_column(self, text: str) -> str:
        for element in _normalize_column(text).split(","):
            self._check(element)
        return _strip_parts(text)

    def _check(self, element: str) -> None:
        """Raise ValueError for an element of a column that cron does not take."""
        match = _ELEMENT.fullmatch(element)
        if match is None:
            raise ValueError

        names = [name for name in match.groups() if name is not None]
        if not all(name in self._numbers for name in names):
            raise ValueError
        numbers = [self._numbers[name] for name in names]
        if numbers != sorted(numbers):
            raise ValueError


def _normalize_column(text: str) -> str:
    return _LEADING_ZEROS.sub("", _strip_parts(text.strip())).lower()


def _strip_parts(text: str) -> str:
    """Return a column without the blanks around its commas."""
    if "," not in text:
        return text
    first, *middle, last = text.split(",")
    return ",".join([first.rstrip(), *(element.strip() for element in middle), last.lstrip()])

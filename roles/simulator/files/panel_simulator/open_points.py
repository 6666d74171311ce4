# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the interface leaves open: the table ``open_points.yml`` and its values."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import yaml

from panel_simulator.errors import Invalid

# Not by the path of this file, which may be in an archive.
TABLE = files("panel_simulator").joinpath("open_points.yml")
CONFIDENCES = ("documented", "public", "inferred", "unknown")
SEEN = ("read", "write", "asked", "never")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def _is_pattern(text: Any) -> bool:
    try:
        re.compile(text)
    except (re.error, TypeError):
        return False
    return True


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _by_kind(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Mapping) and all(fits(item) for item in value.values())


# How a value is written that is not one of a few words.
FORMS: Mapping[str, Callable[[Any], bool]] = {
    "patterns": lambda value: isinstance(value, list) and all(map(_is_pattern, value)),
    "names": _are_texts,
    "members": _by_kind(_are_texts),
    "defaults": _by_kind(lambda members: isinstance(members, Mapping)),
    "names by member": _by_kind(
        lambda names: isinstance(names, Mapping) and all(isinstance(name, str) for name in names.values())
    ),
    "seconds": _is_number,
    # 401 is always about the key.
    "status": lambda value: isinstance(value, int) and 400 <= value <= 599 and value != 401,
    "number": lambda value: _is_number(value) and isinstance(value, int),
}


@dataclass(frozen=True)
class OpenPoint:
    """One row of the table. ``tried`` are the values that tests try beside the default; ``words`` all that there are, empty where there is a form.

    says: by value, or by the number of the example, words of what a task that cannot work there says.
    """

    name: str
    about: str
    default: Any
    tried: tuple[Any, ...]
    words: tuple[str, ...] = ()
    form: str = ""
    choices: tuple[str, ...] = ()
    source: str = ""
    confidence: str = ""
    seen: str = ""
    depends: tuple[str, ...] = ()
    means: Mapping[str, str] | str = ""
    says: Mapping[Any, str] = field(default_factory=dict)

    def check(self, value: Any) -> None:
        """Raises Invalid for what is no value of it; ``profiles`` knows the names of kinds and members."""
        if self.words:
            self._check_word(value, self.words, "")
            return
        if not FORMS[self.form](value):
            example = self.tried[0]
            raise Invalid(f"{self.name}: must have the form of its default {self.default!r}, for example {example!r}.")
        for item in value if self.choices else ():
            self._check_word(item, self.choices, "the items ")

    def _check_word(self, value: Any, words: Iterable[str], what: str) -> None:
        if value not in words:
            raise Invalid(with_nearest(f"{self.name}: {what}must be one of {', '.join(words)}", value, words))

    def meaning(self, value: Any) -> str:
        """What a value that is not the default means for whoever uses the collection."""
        return self.means if isinstance(self.means, str) else self.means.get(str(value), "")

    def refusal(self, value: Any) -> str:
        """Words of what a task says that cannot work with this value; empty where everything works."""
        if value == self.default:
            return ""
        return self.says.get(value if self.words else self.tried.index(value) + 1, "")


def with_nearest(words: str, given: Any, known: Iterable[str]) -> str:
    """A sentence about something unknown, with the known name that is nearest to it."""
    nearest = difflib.get_close_matches(str(given), list(known), 1)
    return f"{words}; did you mean {nearest[0]}?" if nearest else f"{words}."


def _read(name: str, row: Mapping[str, Any]) -> OpenPoint:
    """A row of the table; raises ValueError where it is not whole."""
    rest = {one: row[one] for one in ("about", "source", "confidence", "seen")}
    rest |= {"depends": tuple(row["depends"]), "says": row.get("says", {})}
    if rest["confidence"] not in CONFIDENCES or rest["seen"] not in SEEN:
        raise ValueError(f"{name}: its confidence or seen is unknown")
    if "values" not in row:
        tried, choices = tuple(row["examples"]), tuple(row.get("choices", ()))
        point = OpenPoint(
            name, default=row["default"], tried=tried, form=row["form"], choices=choices, means=row["means"], **rest
        )
    else:
        words = tuple(row["values"])
        means = {word: row["values"][word]["means"] for word in words[1:]}
        point = OpenPoint(name, default=words[0], tried=words[1:], words=words, means=means, **rest)
    for value in (point.default, *point.tried):
        point.check(value)
    known = point.tried if point.words else range(1, len(point.tried) + 1)
    if unknown := [value for value in point.says if value not in known]:
        raise ValueError(f"{name}: says has no value {unknown[0]}")
    return point


def read_table(text: str) -> dict[str, OpenPoint]:
    """All rows by their names; raises ValueError naming the first that is not whole."""
    points = {}
    for name, row in yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)).items():
        try:
            points[name] = _read(name, row)
        except (Invalid, KeyError, TypeError) as error:
            raise ValueError(f"{name}: {error}") from error
    return points


POINTS: Mapping[str, OpenPoint] = read_table(TABLE.read_text(encoding="utf-8"))

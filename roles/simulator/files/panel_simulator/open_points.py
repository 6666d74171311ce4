# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the interface leaves open: the table ``open_points.yml`` and its values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import yaml

from panel_simulator.errors import Invalid
from panel_simulator.forms import FORMS, Known, nearest, told

# Not by the path of this file, which may be in an archive.
TABLE = files("panel_simulator").joinpath("open_points.yml")
CONFIDENCES = ("documented", "public", "inferred", "unknown")
SETTING = "setting"
SEEN = ("read", "write", "asked", "never", SETTING)


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
    unverified: tuple[str, ...] = ()

    def check(self, value: Any, known: Known | None) -> None:
        """Raises Invalid for what is no value of it. known: None where nothing is known of a panel yet."""
        if self.words:
            self._check_word(value, self.words, "must be")
            return
        if problem := FORMS[self.form].problem(value, known):
            raise Invalid(f"{self.name}: {problem}")
        for item in value if self.choices else ():
            self._check_word(item, self.choices, "each item must be")

    def _check_word(self, value: Any, words: Iterable[str], what: str) -> None:
        if value not in words:
            one = f"{self.name}: {what} one of {', '.join(words)}, and is {told(value)}"
            raise Invalid(one + nearest(value, words))

    def normal(self, value: Any) -> Any:
        """The value in alphabetical order where it has none of its own."""
        return FORMS[self.form].normal(value) if self.form else value

    def meaning(self, value: Any) -> str:
        """What a value that is not the default means for whoever uses the collection."""
        return self.means if isinstance(self.means, str) else self.means.get(str(value), "")

    def refusal(self, value: Any) -> str:
        """Words of what a task says that cannot work with this value; empty where everything works."""
        if value == self.default:
            return ""
        return self.says.get(value if self.words else self.tried.index(value) + 1, "")

    def is_verified(self, value: Any) -> bool:
        """Whether a verify can find it, and so a profile have it."""
        return self.seen != SETTING and value not in self.unverified


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
        unverified = tuple(word for word, said in row["values"].items() if not said.get("verified", True))
        point = OpenPoint(
            name, default=words[0], tried=words[1:], words=words, means=means, unverified=unverified, **rest
        )
    for value in (point.default, *point.tried):
        point.check(value, None)
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


def normal(profile: Mapping[str, Any]) -> dict[str, Any]:
    """The one form of all profiles of a panel: in alphabetical order, and without the defaults."""
    ordered = {name: POINTS[name].normal(profile[name]) for name in sorted(profile)}
    return {name: value for name, value in ordered.items() if value != POINTS[name].default}


def check_together(values: Mapping[str, Any]) -> None:
    """Raises Invalid where points exclude each other. values: of all points, each right by itself."""
    for kind, names in values["renamed_members"].items():
        for name, other in names.items():
            if other in values["extra_members"].get(kind, ()):
                words = f"{kind} have {other} as a member of its own in extra_members"
                raise Invalid(f"renamed_members: {words}; {name} needs a name that no other has.")

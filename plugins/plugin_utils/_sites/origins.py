# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where somebody wrote a customer, as mistakes name it. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._files.places import MemberPath, Place, nearest

# With what a sentence about an option begins: emails[1]: max_size: … or resources.disk_space: …
_OPTION = re.compile(r"(\w+)((?:\.\w+|\[\d+\])*):? ")
_LINE = re.compile(r"(?P<file>.+?): line (?P<line>\d+)(?:, column (?P<column>\d+))?")
_STEP = re.compile(r"\w+")


def in_order(mistakes: Iterable[str]) -> list[str]:
    """The mistakes in the order of a file's lines, those of one file together; what has no line comes last."""
    found = [(_LINE.match(mistake), mistake) for mistake in mistakes]
    files = list(dict.fromkeys(match["file"] for match, _mistake in found if match))

    def place(one: tuple[re.Match[str] | None, str]) -> tuple[int, int, int]:
        match = one[0]
        if match is None:
            return len(files), 0, 0
        return files.index(match["file"]), int(match["line"]), int(match["column"] or 0)

    return [mistake for _match, mistake in sorted(found, key=place)]


class Origin:
    """A place of its own for each part of a customer. ``path``: the part, ("emails", 1, "max_size") for example."""

    def at(self, path: MemberPath = ()) -> str:
        raise NotImplementedError


@dataclass(frozen=True)
class InVariable(Origin):
    """index: of the customer in the variable ``sites``."""

    index: int

    def at(self, path: MemberPath = ()) -> str:
        del path  # which part it is, the sentence says
        return f"sites[{self.index}]"


@dataclass(frozen=True)
class InYaml(Origin):
    """file: its name. root: the path of the customer in it. places: of everything in the file."""

    file: str
    root: MemberPath
    places: Mapping[MemberPath, Place] = field(repr=False)

    def at(self, path: MemberPath = ()) -> str:
        place = nearest(self.places, (*self.root, *path))
        return self.file if place is None else f"{self.file}: {place}"


@dataclass(frozen=True)
class InTable(Origin):
    """line: of the row. columns: by path the name of the column that the part is from."""

    file: str
    line: int
    columns: Mapping[MemberPath, str] = field(repr=False)

    def at(self, path: MemberPath = ()) -> str:
        column = nearest(self.columns, path)
        return f"{self.file}: line {self.line}{'' if column is None else f', column {column}'}"


def path_in(sentence: str) -> MemberPath:
    """The options that a sentence begins with, as a path."""
    steps: list[Any] = []
    while match := _OPTION.match(sentence):
        if not match[0].endswith(": ") and steps:
            break
        steps += [int(step) if step.isdigit() else step for step in _STEP.findall(match[1] + match[2])]
        if not match[0].endswith(": "):
            break
        sentence = sentence[match.end() :]
    return tuple(steps)

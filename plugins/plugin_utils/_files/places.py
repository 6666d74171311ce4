# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the parts of a file are that somebody wrote, as mistakes name them. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

MemberPath = tuple[Any, ...]
"""Which part, ("emails", 0, "max_size") for example."""
T = TypeVar("T")


class Place(NamedTuple):
    """Where something is in a file, counted from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


def nearest(found: Mapping[MemberPath, T], path: MemberPath, least: int = 0) -> T | None:
    """What is found at a path, or at the nearest part around it whose path has so many steps at least; None where there is none."""
    return next((found[path[:end]] for end in range(len(path), least - 1, -1) if path[:end] in found), None)

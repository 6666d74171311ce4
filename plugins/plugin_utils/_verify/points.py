# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of what the interface leaves open. Private to the collection.

It is the simulator's, so that whatever a panel is found to do, the simulator can do too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .evidence import Evidence

TABLE = Path(__file__).parents[3] / "roles" / "simulator" / "files" / "panel_simulator" / "open_points.yml"


@dataclass(frozen=True)
class Point:
    """One point. default: what everything takes for granted. means: by value what another one means for the user; by "" for any other.

    values: the words that it may have; empty where it has a form of its own.
    """

    name: str
    about: str
    default: Any
    values: tuple[Any, ...]
    form: str
    examples: tuple[Any, ...]
    means: Mapping[Any, str]
    confidence: str
    seen: str
    depends: tuple[str, ...]

    def fits(self, found: Any) -> bool:
        """Whether it is one of the values, or has the form of the default, as a profile has to have it."""
        if self.values:
            return found in self.values
        # The one form that has bounds; 401 is always about the key.
        return isinstance(found, type(self.default)) and (
            self.form != "status" or (400 <= found <= 599 and found != 401)
        )

    def meaning(self, found: Any) -> str:
        """What it means for the user that a panel does this."""
        return self.means.get(found if self.values else "", "") or self.means.get("", "")


def read_points() -> dict[str, Point]:
    """By name, in the order of the table."""
    table: dict[str, dict[str, Any]] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return {name: _point(name, row) for name, row in table.items()}


def _point(name: str, row: Mapping[str, Any]) -> Point:
    values: Mapping[Any, Any] = row.get("values") or {}
    means = {value: said["means"] for value, said in values.items() if said and "means" in said}
    if row.get("means"):
        means[""] = row["means"]
    return Point(
        name=name,
        about=row["about"],
        default=next(iter(values), row.get("default")),
        values=tuple(values),
        form=row.get("form", ""),
        examples=tuple(row.get("examples") or ()),
        means=means,
        confidence=row["confidence"],
        seen=row["seen"],
        depends=tuple(row["depends"]),
    )


def evidence_for(points: Mapping[str, Point]) -> Evidence:
    """Nothing yet, with what the table knows of panels: what is taken for granted, and by kind and member other names that some have for it."""
    found: dict[str, dict[str, list[str]]] = {}
    for example in points["renamed_members"].examples:
        for kind, names in example.items():
            for member, other in names.items():
                found.setdefault(kind, {}).setdefault(member, []).append(other)
    return Evidence(found, {name: point.default for name, point in points.items()})

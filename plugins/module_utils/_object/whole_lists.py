# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists with what a panel leaves out of them and shows of single objects (facts.md section 4.1). Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._schema.difference import Path, has
from .._schema.kind import Kind
from .objects import Objects


def whole_list(
    objects: Objects, kind: Kind, sought: Sequence[Path], items: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The items of a list; where it leaves out members that are sought and that the panel shows of single objects, each is fetched by its id.

    Which members these are is told by comparing one object with its item in the list.
    """
    missing = [_missing(kind, item, sought) if item.get("id") is not None else frozenset() for item in items]
    most = max(missing, key=len, default=frozenset())
    if not most:
        return items
    probed = missing.index(most)
    probe = objects.by_id(items[probed]["id"])
    hidden = frozenset() if probe is None else frozenset(path for path in most if has(probe, path))
    if not hidden:
        return items
    complete: list[dict[str, Any]] = []
    for index, item in enumerate(items):
        found: dict[str, Any] | None = item
        if index == probed:
            found = probe
        elif missing[index] & hidden:
            found = objects.by_id(item["id"])
        if found is not None:
            complete.append(found)
    return complete


def _missing(kind: Kind, item: Mapping[str, Any], sought: Sequence[Path]) -> frozenset[Path]:
    """What an item of the list leaves out of that, and of what tells a reference whose id it does not show."""
    telling = [
        (own,) for row in kind.references if (row.name,) in sought and item.get(row.name) is None for own in row.telling
    ]
    return frozenset(path for path in (*sought, *telling) if not has(item, path))

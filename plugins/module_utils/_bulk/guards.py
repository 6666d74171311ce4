# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses plans that delete more than was allowed. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from ansible_collections.hosting.panel.plugins.module_utils._bulk.actions import DELETE, Action, Name
from ansible_collections.hosting.panel.plugins.module_utils._bulk.kinds import ORDER
from ansible_collections.hosting.panel.plugins.module_utils._errors import Conflict

_MOST_NAMED = 20

Protection = Mapping[str, Sequence[str]]


def is_protected(protect: Protection, kind: str, key: str) -> bool:
    """Whether an object may never be deleted; case has no meaning in names."""
    return any(fnmatchcase(key.lower(), str(pattern).lower()) for pattern in protect.get(kind, ()))


def check_protection(actions: Iterable[Action], protect: Protection) -> None:
    """Raises Conflict where a deletion would take a protected object."""
    hit = [
        f"{kind} {key}" + (f" (with {action.kind} {action.key})" if (kind, key) != action.name else "")
        for action in actions
        for kind, key in _deleted_by(action)
        if is_protected(protect, kind, key)
    ]
    if hit:
        raise Conflict(
            f"protect: {len(hit)} protected object{'s' if len(hit) > 1 else ''} would be deleted: {_listed(hit)}. Nothing was written. "
            "Take them out of the deletions, or out of protect.",
            option="protect",
            objects=hit[:_MOST_NAMED],
        )


def check_deletions(actions: Sequence[Action], max_deletes: int | None) -> None:
    """Raises Conflict where more would be deleted than ``max_deletes`` allows, everything that goes along counted.

    None: no limit for objects that were named one by one and take nothing else with them, and 0 for all others.
    """
    deletions = [action for action in actions if action.action == DELETE]
    deleted = {name for action in deletions for name in _deleted_by(action)}
    named = {action.name for action in deletions if action.item is not None}
    counted = deleted if max_deletes is not None else deleted - named
    limit = max_deletes or 0
    if len(counted) <= limit:
        return
    total = len(deleted)
    by_kind = [
        f"{sum(1 for kind, _key in deleted if kind == plural)} {plural}"
        for plural in ORDER
        if any(kind == plural for kind, _key in deleted)
    ]
    explanation = (
        f"the limit is {max_deletes}"
        if max_deletes is not None
        else f"{len(counted)} of them {'was' if len(counted) == 1 else 'were'} not named one by one with state: absent, and without "
        "max_deletes the limit for those is 0"
    )
    raise Conflict(
        f"max_deletes: {total} object{'s' if total > 1 else ''} would be deleted ({', '.join(by_kind)}), and {explanation}. Nothing was "
        f"written. If that is meant, set max_deletes: {total}; otherwise name what shall stay, or protect it. "
        f"Would go: {_listed(_lines(deletions))}.",
        option="max_deletes",
        deletes=total,
        limit=limit,
        objects=[{"kind": kind, "key": key} for kind, key in sorted(counted)[:_MOST_NAMED]],
    )


def _deleted_by(action: Action) -> list[Name]:
    if action.action != DELETE:
        return []
    return [action.name, *((kind, key) for kind, keys in action.also_deleted.items() for key in keys)]


def _lines(deletions: Iterable[Action]) -> list[str]:
    lines = []
    for action in deletions:
        along = [f"{len(keys)} {kind}" for kind, keys in action.also_deleted.items()]
        lines.append(f"{action.kind} {action.key}" + (f" with {', '.join(along)}" if along else ""))
    return lines


def _listed(lines: Sequence[str]) -> str:
    more = len(lines) - _MOST_NAMED
    return "; ".join(lines[:_MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")

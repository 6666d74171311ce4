# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses plans that delete more than was allowed. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .._errors import Conflict
from .._kinds.registry import KINDS
from .._task.mistakes import first_of
from .actions import DELETE, Action, Name
from .protection import Protection

_MOST_NAMED = 20

Identity = tuple[str, Any]  # (plural kind, id)


def check_protection(actions: Iterable[Action], protect: Protection) -> None:
    """Raises Conflict where a deletion would take a protected object."""
    hit = [
        f"{kind} {key}" + (f" (with {action.kind} {action.key})" if (kind, key) != action.name else "")
        for action in actions
        for kind, key in _deleted_by(action).values()
        if protect.covers(kind, key)
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
    deleted = {identity: name for action in deletions for identity, name in _deleted_by(action).items()}
    named = {(action.kind, action.identifier) for action in deletions if action.item is not None}
    counted = [name for identity, name in deleted.items() if max_deletes is not None or identity not in named]
    limit = max_deletes or 0
    if len(counted) <= limit:
        return
    total = len(deleted)
    by_kind = [
        f"{sum(1 for kind, _identifier in deleted if kind == plural)} {plural}"
        for plural in KINDS
        if any(kind == plural for kind, _identifier in deleted)
    ]
    which = (
        f"{len(counted)} of them {'was' if len(counted) == 1 else 'were'} not named"
        if len(counted) < total
        else "none is named"
    )
    explanation = (
        f"the limit is {max_deletes}"
        if max_deletes is not None
        else f"{which} one by one with state: absent; without max_deletes the limit for those is 0"
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


def _deleted_by(action: Action) -> dict[Identity, Name]:
    """The names of all that goes, by what tells one from the other, since several scheduled tasks may have one name."""
    if action.action != DELETE:
        return {}
    along = {
        (kind, f"{action.name} {number}" if identifier is None else identifier): (kind, key)
        for kind, keys in action.also_deleted.items()
        for number, (identifier, key) in enumerate(zip(action.also_ids[kind], keys))
    }
    return {(action.kind, action.identifier): action.name, **along}


def _lines(deletions: Iterable[Action]) -> list[str]:
    lines = []
    for action in deletions:
        along = [f"{len(keys)} {kind}" for kind, keys in action.also_deleted.items()]
        lines.append(f"{action.kind} {action.key}" + (f" with {', '.join(along)}" if along else ""))
    return lines


def _listed(lines: Sequence[str]) -> str:
    return first_of(lines, _MOST_NAMED, "; ")

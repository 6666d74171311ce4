# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan does not delete: what is protected, what no item could keep, and more than was allowed. Private to the collection."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from .._errors import Conflict
from .._kinds.registry import KINDS
from .._object.planning import DELETE
from .._task.mistakes import first_of
from .actions import Action, Name
from .plan_lines import titled

_PUNYCODE = re.compile(r"\bxn--[a-z0-9-]+")


class Protection:
    """What the option ``protect`` says. given: by plural kind names and shell patterns."""

    def __init__(self, given: Mapping[str, Sequence[str]]) -> None:
        self._given = {kind: {text: _plain(text) for text in texts} for kind, texts in given.items()}

    def covers(self, kind: str, key: str) -> bool:
        """Whether the object with this natural key may never be deleted."""
        names = self._given.get(kind)
        shown = _plain(key) if names else ""
        return any(_fits(name, shown) for name in (names or {}).values())

    def fitting_nothing(self, kind: str, keys: Iterable[str]) -> list[str]:
        """What is given for this kind and fits none of these keys."""
        left = dict(self._given.get(kind, {}))
        for key in keys if left else ():
            shown = _plain(key)
            left = {text: name for text, name in left.items() if not _fits(name, shown)}
        return list(left)


def is_name_or_pattern(given: str, name: str) -> bool:
    """Whether it is a name in any spelling, or a pattern for it; of a client, a mailbox or a database."""
    return _fits(_plain(given), _plain(name))


def _fits(pattern: str, name: str) -> bool:
    # A name may have brackets in it.
    return name == pattern or fnmatchcase(name, pattern)


def _plain(text: str) -> str:
    """Without what has no meaning in a name: case, other forms of letters, blanks around it, a dot at its end. Domains in letters."""
    written = unicodedata.normalize("NFKC", text).strip().rstrip(".").lower()
    return unicodedata.normalize("NFC", _PUNYCODE.sub(_decoded, written))


def _decoded(label: re.Match[str]) -> str:
    try:
        return label[0][4:].encode().decode("punycode")
    except UnicodeError:
        return label[0]


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
    total, by_kind = len(deleted), Counter(kind for kind, _identifier in deleted)
    counts = ", ".join(titled(kind, by_kind[kind]) for kind in KINDS if kind in by_kind)
    raise Conflict(
        f"max_deletes: {total} object{'s' if total > 1 else ''} would be deleted ({counts}; the limit is {limit}): "
        f"{_listed(_lines(deletions))}. Nothing was written. Set max_deletes: {total} to allow this.",
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
        along = [titled(kind, len(keys)) for kind, keys in action.also_deleted.items()]
        lines.append(f"{KINDS[action.kind].title} {action.key}" + (f" with {', '.join(along)}" if along else ""))
    return lines


def _listed(lines: Sequence[str]) -> str:
    return first_of(lines, _MOST_NAMED, "; ")

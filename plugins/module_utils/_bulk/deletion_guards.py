# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan does not delete: what is protected, what no item could keep, and more than was allowed. Private to the collection."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from .._errors import Conflict
from .._kinds.registry import KINDS, TABLES
from .._object.planning import DELETE
from .._schema.kind import Kind
from .._task.mistakes import first_of
from .actions import Action, Name

_PUNYCODE = re.compile(r"\bxn--[a-z0-9-]+")
_DOTS = re.compile("[\u3002\uff0e\uff61]")  # what stands for a dot in domains of other scripts


class _Name(NamedTuple):
    """A name, or a pattern for names, in the forms in which it is compared.

    parts: as the options of an item of the kind read them. spellings: in lower case as it is written, and in the letters of its language.
    """

    parts: tuple[Any, ...]
    spellings: tuple[str, ...]

    def fits(self, key: _Name) -> bool:
        """Whether it is the object's name, which may have brackets in it, or a pattern for it."""
        return self.parts == key.parts or _fits(self.spellings, key.spellings)


class Protection:
    """What the option ``protect`` says. given: by plural kind names and shell patterns."""

    def __init__(self, given: Mapping[str, Sequence[str]]) -> None:
        self._given = {kind: {text: _name(kind, text) for text in texts} for kind, texts in given.items()}

    def covers(self, kind: str, key: str) -> bool:
        """Whether the object with this natural key may never be deleted."""
        names = self._given.get(kind)
        if not names:
            return False
        shown = _name(kind, key)
        return any(name.fits(shown) for name in names.values())

    def fitting_nothing(self, kind: str, keys: Iterable[str]) -> list[str]:
        """What is given for this kind and fits none of these keys."""
        left = dict(self._given.get(kind, {}))
        for key in keys if left else ():
            shown = _name(kind, key)
            left = {text: name for text, name in left.items() if not name.fits(shown)}
        return list(left)


def is_name_or_pattern(given: str, name: str) -> bool:
    """The same for a name of any kind, of a client, a mailbox or a database."""
    return _fits(_spellings([given]), _spellings([name]))


def _name(kind: str, text: str) -> _Name:
    parts = _split(TABLES[kind], text)
    return _Name(tuple(_read(row.type, part) for row, part in zip(TABLES[kind].key, parts)), _spellings(parts))


def _fits(given: Sequence[str], shown: Sequence[str]) -> bool:
    return any(name == pattern or fnmatchcase(name, pattern) for pattern, name in zip(given, shown))


def _spellings(parts: Iterable[str]) -> tuple[str, str]:
    written = ":".join(_written(part) for part in parts)
    return written, unicodedata.normalize("NFC", _PUNYCODE.sub(_decoded, written))


def _split(kind: Kind, text: str) -> list[str]:
    """The parts of a natural key: the first and the last have no colon in them, the one between them may."""
    first, *rest = text.split(":", 1 if len(kind.key) > 1 else 0)
    return [first, *(rest[0].rsplit(":", len(kind.key) - 2) if rest and len(kind.key) > 2 else rest)]


def _read(value_type: Any, part: str) -> Any:
    """As an item reads it; what no item may be named by stays as it is."""
    try:
        return value_type.comparable(value_type.parse(part.strip()))
    except (ValueError, TypeError):
        return part


def _written(part: str) -> str:
    """Without what has no meaning in a name: blanks around it, case, other widths of letters, a dot at its end."""
    return unicodedata.normalize("NFKC", _DOTS.sub(".", part)).strip().rstrip(".").lower()


def _decoded(label: re.Match[str]) -> str:
    """A label of a domain in letters. Patterns are compared so, since they could not be turned into punycode."""
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
    total = len(deleted)
    by_kind = [
        found.numbered(sum(1 for kind, _identifier in deleted if kind == plural))
        for plural, found in KINDS.items()
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
        along = [KINDS[kind].numbered(len(keys)) for kind, keys in action.also_deleted.items()]
        lines.append(f"{action.kind} {action.key}" + (f" with {', '.join(along)}" if along else ""))
    return lines


def _listed(lines: Sequence[str]) -> str:
    return first_of(lines, _MOST_NAMED, "; ")

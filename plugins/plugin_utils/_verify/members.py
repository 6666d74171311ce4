# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which members objects of a panel have, as far as is known: those of the collection's tables, and those that panels only show. Pure.

Kinds are called as their paths are. Private to the collection.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.fields import Change, Field
from ...module_utils._schema.kind import Kind
from ...module_utils._values.value_types import Boolean
from .evidence import number

# Points of their own, secrets among them.
ELSEWHERE = frozenset({"password", "password_hash", "password_hash_os"})
# What may be told of a name that only the panel knows, and what stands for those that are not.
_USUAL = re.compile(r"[a-z][a-z0-9_]{0,40}")
_UNTOLD = {dict: "(an object)", list: "(a list)"}


def called(kind: Kind) -> str:
    """The kind's name in profiles and reports."""
    return kind.path.strip("/").replace("-", "_")


BY_NAME: Mapping[str, Kind] = {called(kind): kind for kind in KINDS.values()}
# Those whose paths by id are known by analogy only.
INFERRED = frozenset({"databases", *(name for name, kind in BY_NAME.items() if kind.is_inferred)})


def expected(kind: str) -> list[str]:
    """The members that an answer about one object is expected to have, in the order of the tables."""
    table = BY_NAME[kind]
    if table.plural == DNS:
        return list(table.shown)
    rows = [row.name for row in (*table.key, *table.rows) if row.change is not Change.AT_CREATION]
    return list(dict.fromkeys(["id", *(["status"] if table.has_status else []), *rows, *table.shown]))


def switches(kind: str) -> list[str]:
    """The members that are on or off."""
    return [row.name for row in BY_NAME[kind].rows if isinstance(row, Field) and isinstance(row.type, Boolean)]


def missing(kind: str, shown: Mapping[str, Any]) -> list[str]:
    """The expected members that the object does not have."""
    return [name for name in expected(kind) if name not in shown]


def known(kind: str) -> set[str]:
    """The members that objects of this kind may have."""
    return {
        *expected(kind),
        *ELSEWHERE,
        *_flags(kind),
        "id",
        "status",
        *({"domain", "id_domain"} if kind == "dns" else ()),
    }


def may_be(kind: str, shown: Mapping[str, Any], number_of_it: int | None) -> bool:
    """Whether this can be the object of that id, and is not something else, such as a message."""
    return number(shown.get("id", number_of_it)) == number_of_it and not shown.keys().isdisjoint(known(kind))


def unknown(kind: str, shown: Mapping[str, Any]) -> list[str]:
    """The members that the object has and nobody knows."""
    return [name for name in shown if name not in known(kind)]


def _flags(kind: str) -> Iterable[str]:
    return BY_NAME[kind].flags_of_creation


def may_be_told(name: Any, words: str = "") -> bool:
    """Whether a member's name can be no more than that: it has the usual form, and is not among the words of the panel, as of ``words_in``."""
    return isinstance(name, str) and bool(_USUAL.fullmatch(name)) and _plain(name) not in words


def words_in(values: Iterable[Any]) -> str:
    """All texts in answers, without what names may be written with or without."""
    return "\n".join(map(_plain, _texts(values)))


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def told_members(
    groups: Iterable[Sequence[Mapping[str, Any]]], own: Mapping[str, Any], known: Container[str], words: str
) -> dict[str, Any]:
    """The members that nobody knows, without their values. groups: objects that have to have the same members. own: the throw-away one.

    The keys of a map may be names of customers. So a member whose value is no scalar is not named, and neither is one that other objects of a group
    do not have, or that was seen on one object of others alone.
    """
    found: dict[str, Any] = {}
    groups = [group for group in groups if group]
    for name in dict.fromkeys(name for group in groups for shown in group for name in shown if name not in known):
        having = [[shown[name] for shown in group if name in shown] for group in groups]
        values = [value for some in having for value in some]
        is_everywhere = all(len(some) in (0, len(group)) for some, group in zip(having, groups))
        for type_, what in _UNTOLD.items():
            if any(isinstance(value, type_) for value in values):
                found[what] = type_()
                break
        else:
            if is_everywhere and (name in own or len(values) > 1) and may_be_told(name, words):
                found[name] = _empty(values[0])
    return found


def _empty(value: Any) -> Any:
    """A scalar of the same kind."""
    return next(
        (empty for type_, empty in ((bool, False), (int, 0), (float, 0), (str, "")) if isinstance(value, type_)), None
    )


def _texts(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            yield from _texts(value.values())
        elif isinstance(value, list):
            yield from _texts(value)

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which members objects of a panel have, as far as is known: those of the collection's tables, and those that panels only show. Pure.

Kinds are called as their paths are. Private to the collection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.fields import Change, Field
from ...module_utils._schema.kind import Kind
from ...module_utils._values.value_types import Boolean

# Points of their own, secrets among them.
ELSEWHERE = frozenset({"password", "password_hash", "password_hash_os"})
# What may be told of a name that only the panel knows.
_USUAL = re.compile(r"[a-z][a-z0-9_]{0,40}")


def called(kind: Kind) -> str:
    """The kind's name in profiles and reports."""
    return kind.path.strip("/").replace("-", "_")


BY_NAME: Mapping[str, Kind] = {called(kind): kind for kind in KINDS.values()}


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


def unknown(kind: str, shown: Mapping[str, Any]) -> list[str]:
    """The members that the object has and nobody knows."""
    known = {*expected(kind), *ELSEWHERE, *_flags(kind), "id", "status"}
    if kind == "dns":
        known |= {"domain", "id_domain"}
    return [name for name in shown if name not in known]


def _flags(kind: str) -> Iterable[str]:
    return BY_NAME[kind].flags_of_creation


def may_be_told(name: Any, beside: Iterable[Any]) -> bool:
    """Whether a member's name can be no more than that: it has the usual form, and is not among the values beside it."""
    return isinstance(name, str) and bool(_USUAL.fullmatch(name)) and not any(name in text for text in _texts(beside))


def _texts(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            yield from _texts(value.values())
        elif isinstance(value, list):
            yield from _texts(value)

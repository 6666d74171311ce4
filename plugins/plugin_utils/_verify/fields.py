# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fields objects of a panel have, and how their values are written. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.fields import Change
from ...module_utils._schema.kind import Kind
from .points import OTHERWISE

# By the names of their paths, as profiles have them.
BY_NAME: Mapping[str, Kind] = {kind.path.strip("/").replace("-", "_"): kind for kind in KINDS.values()}
# Those whose paths of single objects are known by analogy only.
INFERRED = frozenset({"databases", *(name for name, kind in BY_NAME.items() if kind.is_inferred)})
# All that a test client has, with its plan and its zone.
MADE = BY_NAME.keys() - {"admins"}
PASSWORDS = frozenset({"password", "password_hash", "password_hash_os"})
_USUAL = re.compile(r"[a-z][a-z0-9_]{0,40}")


class Shown(NamedTuple):
    """One object of the test client, alone and as an item of its list; empty where the panel does not show it so."""

    single: Mapping[str, Any]
    item: Mapping[str, Any]


def number(value: Any) -> int | None:
    """A whole number, also where a panel writes it as a text."""
    try:
        return None if isinstance(value, bool) else int(value)
    except (TypeError, ValueError):
        return None


def is_on(value: Any) -> bool:
    """Whether a switch is on, however a panel writes it."""
    return value is True or number(value) == 1 or str(value).lower() == "true"


def as_list(value: Any) -> Any:
    """A list, also where a panel writes it as an object with "0", "1" and so on."""
    is_numbered = isinstance(value, Mapping) and value and all(str(name).isdigit() for name in value)
    return list(value.values()) if is_numbered else value


def expected(kind: str) -> list[str]:
    """The fields that an answer about one object should have."""
    table = BY_NAME[kind]
    if table.plural == DNS:
        return list(table.shown)
    rows = [row.name for row in (*table.key, *table.rows) if row.change is not Change.AT_CREATION]
    return list(dict.fromkeys(["id", *(["status"] if table.has_status else []), *rows, *table.shown]))


def known(kind: str) -> set[str]:
    """The fields that an object may have."""
    table = BY_NAME[kind]
    of_zone = {"domain", "id_domain"} if table.plural == DNS else set()
    return {*expected(kind), *table.flags_of_creation, *PASSWORDS, "id", "status", *of_zone}


def observed(
    own: Mapping[str, Shown], read: Mapping[str, Shown], others: Iterable[Mapping[str, Any]], names: Mapping[str, Any]
) -> dict[str, Any]:
    """By point what the fields show. own: by kind. read, others: objects that the panel had. names: as ``other_names`` has them."""
    every = [*others, *(one for shown in own.values() for one in shown)]
    own_kinds, own = own.keys(), {**read, **own}
    renamed = _renamed(own, names)
    hidden: dict[str, list[str]] = {}
    short: dict[str, list[str]] = {}
    extra: dict[str, dict[str, Any]] = {}
    for kind, shown in own.items():
        single = shown.single or shown.item
        others_of = renamed.get(kind, {})
        hidden[kind] = [name for name in expected(kind) if name not in single and name not in others_of]
        # Its values are the panel's, so that only empty ones of the same type are kept.
        extra[kind] = {
            name: type(value)() if value is not None else None
            for name, value in single.items()
            if kind in own_kinds
            and name not in known(kind)
            and name not in others_of.values()
            and _USUAL.fullmatch(name)
            and (value is None or isinstance(value, (bool, int, float, str)))
        }
        if shown.single and shown.item:
            short[kind] = [
                name
                for name in expected(kind)
                if (seen := others_of.get(name, name)) in shown.single and seen not in shown.item
            ]
    by_kind: dict[str, Mapping[str, Any]] = {
        "hidden_members": hidden,
        "short_lists": short,
        "extra_members": extra,
        "renamed_members": renamed,
    }
    differs = {point: {kind: one for kind, one in found.items() if one} for point, found in by_kind.items()}
    return {
        "numbers": _one_of({"numbers": int, "texts": str}, [one.get("id") for one in every]),
        "switches": _one_of(
            {"booleans": bool, "numbers": int, "texts": str},
            [one[name] for one in every for name in one if name.startswith("is_")],
        ),
        "lists": _one_of({"arrays": list, "objects": Mapping}, map(_list_in, own.values())),
        # That nothing differs is known only where objects of all kinds were seen.
        **{point: found for point, found in differs.items() if found or own_kinds >= MADE},
    }


def _renamed(own: Mapping[str, Shown], names: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Fields that are missing, with one of their other names in their place."""
    found: dict[str, dict[str, str]] = {}
    for kind, shown in own.items():
        single = shown.single or shown.item
        for name, others in names.get(kind, {}).items():
            other = next((one for one in others if one in single and one not in known(kind)), None)
            if name not in single and other is not None:
                found.setdefault(kind, {})[name] = other
    return found


def _list_in(shown: Shown) -> Any:
    """A field that is a list, of those that a new object has with something in it."""
    records = shown.single.get("records")
    return records.get("other") if isinstance(records, Mapping) else shown.single.get("secured_domains")


def _one_of(forms: Mapping[str, Any], values: Iterable[Any]) -> str | None:
    """The one form that all values have."""
    found = {
        next((name for name, type_ in forms.items() if isinstance(value, type_)), OTHERWISE)
        for value in values
        if value not in (None, [], {})
    }
    return None if not found else found.pop() if len(found) == 1 else OTHERWISE

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kind of resource declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from panel_simulator.fields import Field
from panel_simulator.panel import Panel
from panel_simulator.store import Entry

CREATE, UPDATE, DELETE = "create", "update", "delete"


@dataclass
class Change:
    """A create (``entry`` is None) or an update on its way.

    ``data`` are the members as they will be, ``given`` the write-only members, ``body`` the request as sent, ``hidden`` what the object
    keeps and never shows; ``is_internal`` is true when the panel itself creates the object.
    """

    entry: Entry | None
    data: dict[str, Any]
    given: dict[str, Any]
    body: Mapping[str, Any]
    is_internal: bool = False
    hidden: dict[str, Any] = field(default_factory=dict)

    def old(self, name: str) -> Any:
        """The member's value before the change, None on create."""
        return self.entry.data.get(name) if self.entry else None


def _nothing(*_arguments: Any) -> None:
    return None


def _no_claims(_data: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    return ()


def _as_it_is(name: str) -> str:
    return name


@dataclass(frozen=True)
class Kind:
    """One kind of resource; the functions are the few things that a table cannot say.

    ``path`` is the collection's path segment, ``sorts`` the values of the query parameter ``sort``, ``claims`` what must be unique,
    ``sequence`` the name of the id sequence, ``documented`` the paths ("list", "create", "id", "name") that the interface document has.
    """

    name: str
    path: str
    noun: str
    fields: tuple[Field, ...]
    sorts: tuple[str, ...]
    documented: frozenset[str]
    sequence: str = ""
    key: str = ""
    key_scope: str = ""
    by_name: bool = True
    has_status: bool = False
    has_password: bool = False
    needs_hash_system: bool = False
    name_form: Callable[[str], str] = _as_it_is
    claims: Callable[[Mapping[str, Any]], Iterable[tuple[str, str]]] = _no_claims
    prepare: Callable[[Panel, Change], None] = _nothing
    created: Callable[[Panel, Entry, Change], None] = _nothing
    updated: Callable[[Panel, Entry, Change], None] = _nothing
    deleting: Callable[[Panel, Entry], None] = _nothing
    show: Callable[[Panel, Entry, dict[str, Any]], None] = _nothing
    notes: Mapping[str, str] = field(default_factory=dict)

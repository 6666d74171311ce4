# SPDX-License-Identifier: GPL-3.0-or-later
"""What the simulated panel holds: objects, and what a kind of them declares; zones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from panel_simulator.fields import Field

OKAY = 1
ERROR = 2
CONFIG_NEW = 3
CONFIG_UPDATE = 4
FORMS = frozenset({"list", "create", "id", "name"})
Claim = tuple[str, str]


@dataclass(slots=True)
class Entry:
    """One object.

    ``data`` are the fields that answers show, ``hidden`` those that they never show (passwords).
    ``status`` is the one after the change has settled; before ``settles_at`` (seconds since the
    epoch) it is ``unsettled``.
    """

    kind: str
    id: int
    data: dict[str, Any]
    hidden: dict[str, Any] = field(default_factory=dict)
    status: int = OKAY
    unsettled: int = OKAY
    settles_at: float = 0.0
    claims: tuple[Claim, ...] = ()


class Store:
    """Entries by kind and id.

    ``claims`` maps (scope, value) of everything that must be unique to its holder. ``changes``
    counts the changes, so that a reader knows whether there was one since.
    """

    def __init__(self, changes: int = 0) -> None:
        self.objects: dict[str, dict[int, Entry]] = {}
        self.claims: dict[Claim, Entry] = {}
        self.sequences: dict[str, int] = {}
        self.changes = changes

    def take_next_id(self, sequence: str) -> int:
        """Return the next number of a sequence of ids, and count it as used."""
        self.sequences[sequence] = self.sequences.get(sequence, 0) + 1
        return self.sequences[sequence]

    def reserve(self, sequence: str, number: int) -> None:
        """Make sure that a number given from outside is not used again."""
        self.sequences[sequence] = max(self.sequences.get(sequence, 0), number)

    def list_all(self, kind: str) -> Iterator[Entry]:
        """Return the objects of a kind, in the order of their creation."""
        return iter(self.objects.get(kind, {}).values())

    def get(self, kind: str, number: int) -> Entry | None:
        """Return the object of a kind with an id, or None."""
        return self.objects.get(kind, {}).get(number)

    def select_of_user(self, kind: str, user: int) -> list[Entry]:
        """Return the objects of a kind that belong to a client."""
        return [entry for entry in self.list_all(kind) if entry.data.get("id_user") == user]

    def insert(self, entry: Entry, claims: Iterable[Claim]) -> None:
        """Add an object; ``claims`` are its unique names, which must be free."""
        self.objects.setdefault(entry.kind, {})[entry.id] = entry
        self._link(entry, claims)

    def update(self, entry: Entry, data: dict[str, Any], claims: Iterable[Claim]) -> None:
        """Give an object other fields, and the unique names that go with them."""
        self._unlink(entry)
        entry.data = data
        self._link(entry, claims)

    def remove(self, entry: Entry) -> None:
        """Delete an object and free its unique names."""
        self._unlink(entry)
        del self.objects[entry.kind][entry.id]
        self.changes += 1

    def touch(self) -> None:
        """Count a change of an entry that was made in place."""
        self.changes += 1

    def _link(self, entry: Entry, claims: Iterable[Claim]) -> None:
        entry.claims = tuple(claims)
        self.claims.update(dict.fromkeys(entry.claims, entry))
        self.touch()

    def _unlink(self, entry: Entry) -> None:
        for claim in entry.claims:
            self.claims.pop(claim, None)


@dataclass
class Zone:
    """A zone that is not the default one: its own records, or none because DNS is disabled."""

    is_disabled: bool = False
    soa: dict[str, Any] = field(default_factory=dict)
    other: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Change:
    """A create (``entry`` is None) or an update on its way.

    ``data`` are the fields as they will be, ``flags`` the write-only ones, ``body`` the request as
    sent, ``hidden`` what the object keeps and never shows; ``is_internal`` is true when the panel
    itself creates the object.
    """

    entry: Entry | None
    data: dict[str, Any]
    flags: dict[str, Any]
    body: Mapping[str, Any]
    is_internal: bool = False
    hidden: dict[str, Any] = field(default_factory=dict)

    def get_old(self, name: str) -> Any:
        """Return the value of a field before the change, None on create."""
        if self.entry is None:
            return None
        return self.entry.data.get(name)


def _do_nothing(*_arguments: Any) -> None:
    return None


@dataclass(frozen=True)
class Kind:
    """One kind of objects; the functions, which get the panel first, are what a table cannot say.

    ``sorts`` are the values of the query parameter ``sort`` (docs/panel_api.md#sorting),
    ``documented`` the paths that the description of the API has; ``sequence`` is that of the ids
    where kinds share one. ``key`` must be unique among all that share ``key_scope``, and so must
    the texts in the list ``further_keys``. ``check_deletion`` refuses a deletion that a request
    asks for; ``deleting`` does what goes with any deletion.
    """

    name: str
    noun: str
    fields: tuple[Field, ...]
    sorts: tuple[str, ...]
    documented: frozenset[str] = FORMS
    sequence: str = ""
    key: str = ""
    key_scope: str = ""
    further_keys: str = ""
    by_name: bool = True
    has_status: bool = False
    has_password: bool = False
    needs_hash_system: bool = False
    name_form: Callable[[str], str] = str
    prepare: Callable[[Any, Change], None] = _do_nothing
    created: Callable[[Any, Entry, Change], None] = _do_nothing
    updated: Callable[[Any, Entry, Change], None] = _do_nothing
    check_deletion: Callable[[Any, Entry], None] = _do_nothing
    deleting: Callable[[Any, Entry], None] = _do_nothing
    show: Callable[[Any, dict[str, Any]], None] = _do_nothing
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The name of the kind in paths of the API."""
        return self.name.replace("_", "-")

    def list_claims(self, data: Mapping[str, Any]) -> list[Claim]:
        """Return the names of an object that must be unique, each with its scope."""
        if not self.key:
            return []

        names = [data[self.key], *data.get(self.further_keys, ())]
        return [(self.key_scope, name) for name in names]

    def find_holder(self, store: Store, name: Any) -> Entry | None:
        """Return the object of this kind with a name, in any spelling."""
        try:
            name = self.name_form(name)
            entry = store.claims.get((self.key_scope, name))
        except (AttributeError, TypeError, ValueError):
            return None

        if entry is None:
            return None

        # Admins and clients share a name space, and so do accounts and aliases.
        is_asked_for = entry.kind == self.name and entry.data[self.key] == name
        return entry if is_asked_for else None

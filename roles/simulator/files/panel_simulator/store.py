"""The objects of the panel: identities, owners, unique names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

OKAY, ERROR, CONFIG_NEW, CONFIG_UPDATE = 1, 2, 3, 4

Claim = tuple[str, str]


@dataclass(slots=True)
class Entry:
    """One object. ``data`` are the members that answers show, ``hidden`` those that they never show (passwords).

    ``status`` is the one after the change has settled; before ``settles_at`` (seconds since the epoch) it is ``unsettled``.
    """

    kind: str
    id: int
    data: dict[str, Any]
    hidden: dict[str, Any] = field(default_factory=dict)
    status: int = OKAY
    unsettled: int = OKAY
    settles_at: float = 0.0
    claims: tuple[Claim, ...] = ()
    text: str | None = None
    text_revision: int = -1


class Store:
    """Entries by kind and id. ``claims`` maps (scope, value) of everything that must be unique to its holder."""

    def __init__(self) -> None:
        self.objects: dict[str, dict[int, Entry]] = {}
        self.owned: dict[str, dict[int, dict[int, Entry]]] = {}
        self.claims: dict[Claim, Entry] = {}
        self.sequences: dict[str, int] = {}
        self.changes = 0

    def next_id(self, sequence: str) -> int:
        """The next number of a sequence, from 1."""
        self.sequences[sequence] = self.sequences.get(sequence, 0) + 1
        return self.sequences[sequence]

    def reserve(self, sequence: str, number: int) -> None:
        """Makes sure that a number given from outside is not used again."""
        self.sequences[sequence] = max(self.sequences.get(sequence, 0), number)

    def all(self, kind: str) -> Iterator[Entry]:
        """Every entry of a kind."""
        return iter(self.objects.get(kind, {}).values())

    def get(self, kind: str, number: int) -> Entry | None:
        """The entry with an id."""
        return self.objects.get(kind, {}).get(number)

    def of_user(self, kind: str, user: int) -> list[Entry]:
        """The entries of a kind that belong to a user."""
        return list(self.owned.get(kind, {}).get(user, {}).values())

    def holder(self, scope: str, value: str) -> Entry | None:
        """The entry that holds a unique value."""
        return self.claims.get((scope, value))

    def insert(self, entry: Entry, claims: Iterable[Claim]) -> None:
        """Adds an entry."""
        self.objects.setdefault(entry.kind, {})[entry.id] = entry
        self._link(entry, claims)

    def update(self, entry: Entry, data: dict[str, Any], claims: Iterable[Claim]) -> None:
        """Gives an entry its new members."""
        self._unlink(entry)
        entry.data = data
        self._link(entry, claims)

    def remove(self, entry: Entry) -> None:
        """Deletes an entry."""
        self._unlink(entry)
        del self.objects[entry.kind][entry.id]
        self.changes += 1

    def touch(self, entry: Entry) -> None:
        """Says that members of an entry were changed in place."""
        entry.text = None
        self.changes += 1

    def _link(self, entry: Entry, claims: Iterable[Claim]) -> None:
        entry.claims = tuple(claims)
        for claim in entry.claims:
            self.claims[claim] = entry
        if "id_user" in entry.data:
            self.owned.setdefault(entry.kind, {}).setdefault(entry.data["id_user"], {})[entry.id] = entry
        self.touch(entry)

    def _unlink(self, entry: Entry) -> None:
        for claim in entry.claims:
            self.claims.pop(claim, None)
        if "id_user" in entry.data:
            self.owned[entry.kind][entry.data["id_user"]].pop(entry.id, None)


@dataclass
class Zone:
    """A zone that is not the default one: records of its own, or none because DNS is disabled."""

    is_disabled: bool = False
    soa: dict[str, Any] = field(default_factory=dict)
    other: list[dict[str, Any]] = field(default_factory=list)

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads from the panel what has to be known before anything can be decided. Private to the collection."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, TypeVar

from .._errors import PanelError, Refused, RequestError, UnexpectedAnswer
from .._http.answers import unexpected_answer
from .._http.panel_client import PanelClient
from .._items.wanted_items import Item
from .._kinds.domain import DOMAIN, system_domains_beside
from .._kinds.registry import BY_PATH, DNS, KINDS, OWNED, TABLES
from .._object.managing import ObjectRun, shows_everything
from .._object.objects import Objects, owned_by
from .._schema.kind import OWNER, Kind
from .._task.mistakes import mistake, without_ending
from .cascades import DEPENDENTS, PARENT
from .progress import Progress
from .snapshot import Snapshot, SnapshotPanel, Store

if TYPE_CHECKING:
    from .zones import ReadZone

T = TypeVar("T")


class Reader:
    """Reads into a snapshot what items and a purge need. concurrency: how many requests at once."""

    def __init__(
        self,
        client: PanelClient,
        snapshot: Snapshot,
        items: Mapping[str, list[Item]],
        purge: Sequence[str],
        concurrency: int,
        progress: Progress,
    ) -> None:
        self._client, self._snapshot, self._items, self._purge = client, snapshot, items, purge
        self._concurrency, self._progress = concurrency, progress
        self._panel = SnapshotPanel(lambda: client, snapshot)

    def read_lists(self) -> None:
        """One list request a kind, and one for each short item of a list that lacks what is needed of it."""
        plurals = self._needed_kinds()
        self._at_once(lambda plural: self._snapshot.store(TABLES[plural]), plurals, "lists read")
        self._read_system_domains()
        self._complete((plural, identifier) for plural in plurals for identifier in self._short_items(plural))
        self._complete(self._short_references())
        self._read_owners()
        self._prove_parents()

    def _read_system_domains(self) -> None:
        """Asks for the domains that go with a client."""
        store = self._snapshot.store(DOMAIN) if self._deletes("clients") and self._going_clients() else None
        if store is not None:
            store.list_also(system_domains_beside(store.all(), Objects(self._client, DOMAIN).list))

    def _read_owners(self) -> None:
        """Asks for what the clients have that may go, where neither lists nor objects say whose something is (facts.md section 4.4)."""
        unknown = [kind for kind in OWNED if self._deletes("clients") and self._lacking(kind, OWNER)]
        self._at_once(
            lambda client: self._read_owned(client, unknown), self._going_clients() if unknown else [], "clients read"
        )

    def _lacking(self, plural: str, member: str) -> list[dict[str, Any]]:
        return [found for found in self._snapshot.store(TABLES[plural]).all() if found.get(member) is None]

    def _going_clients(self) -> list[Any]:
        """The ids of the clients that may be deleted."""
        store = self._snapshot.store(TABLES["clients"])
        items, is_purged = self._items.get("clients", ()), "clients" in self._purge
        # Of a purge those that no item keeps.
        given = [item.wanted for item in items if item.is_absent is not is_purged]
        named = [found for one in given if one.id is None for found in store.find(one.key)]
        ids = [one.id for one in given if one.id is not None] + [found["id"] for found in named if "id" in found]
        return [one for one in store.by_id if one not in ids] if is_purged else ids

    def _read_owned(self, client: Any, plurals: Iterable[str]) -> None:
        def read(path: str) -> Any:
            found = self._client.get_or_none(path)
            return {plural: [] for plural in plurals} if found is None else found  # a client that is gone has nothing

        why = "no other answer says whose they are, so what goes with a client cannot be told."
        for plural, owned in owned_by(read, client, plurals, why).items():
            by_id = self._snapshot.store(TABLES[plural]).by_id
            for one in owned:
                if one.get("id") in by_id:
                    by_id[one["id"]][OWNER] = client

    def _prove_parents(self) -> None:
        """Raises UnexpectedAnswer where it cannot be told which subdomains go with a domain."""
        for found in self._lacking("domains", PARENT) if self._deletes("domains") else ():
            raise unexpected_answer(
                TABLES["domains"].path,
                f"does not show what the domain with id {found.get('id')!r} is below of ({PARENT}), so what goes with a domain "
                "cannot be told.",
                "Delete the domain with panel_domain, or in the panel.",
            )

    def _complete(self, places: Iterable[tuple[str, int]]) -> None:
        """Fetches the whole objects with these kinds and ids."""
        short = list(dict.fromkeys(places))
        for plural in {plural for plural, _identifier in short}:
            self._panel.objects(TABLES[plural])
        self._at_once(lambda place: self._panel.objects(TABLES[place[0]]).complete(place[1]), short, "objects read")

    def _needed_kinds(self) -> list[str]:
        """The plural kinds that are certainly needed; others are read when it turns out that they are."""
        needed = {kind for kind, items in self._items.items() if items and kind in TABLES}
        needed |= set(self._purge)
        for items in self._items.values():
            for item in items:
                needed |= {
                    BY_PATH[reference.row.collection].plural
                    for reference in item.wanted.references
                    if reference.name is not None or reference.row.alike is not None
                }
                if item.zone is not None and item.zone.id is not None:
                    needed.add("domains")
        for kind, dependents in DEPENDENTS.items():
            if self._deletes(kind):
                needed |= dependents.keys()
        return [kind for kind in KINDS if kind in needed]

    def _deletes(self, kind: str) -> bool:
        return kind in self._purge or any(item.is_absent for item in self._items.get(kind, ()))

    def _short_items(self, plural: str) -> Iterable[int]:
        """The ids of listed objects that lack a member that decides something."""
        kind = TABLES[plural]
        store = self._snapshot.store(kind)
        always = self._always_needed(kind)
        yield from [number for number, found in store.by_id.items() if not always <= found.keys()]
        wanted = [item.wanted for item in self._items.get(plural, ())]
        if shows_everything(kind, _shown_by_all(store)):
            # Then only what is no member of the table can be lacking.
            again = {one.label() for one in wanted if any(reference.reapply for reference in one.references)}
            wanted = [
                one for one in wanted if one.extra or one.password.password_hash is not None or one.label() in again
            ]
        for one in wanted:
            run = ObjectRun(kind, one, self._panel, is_lenient=True)
            found = run.found() if one.is_present else None
            if found is not None and run.is_short(found) and found.get("id") is not None:
                yield found["id"]

    def _short_references(self) -> Iterable[tuple[str, int]]:
        """The kinds and ids of objects that others are compared with, where the list leaves out what they are compared by."""
        for plural, kind in TABLES.items():
            if not any(row.alike for row in kind.references):
                continue
            for item in self._items.get(plural, ()):
                yield from self._short_references_of(ObjectRun(kind, item.wanted, self._panel, is_lenient=True))

    def _short_references_of(self, run: ObjectRun) -> Iterable[tuple[str, int]]:
        current = run.found()
        for reference in run.wanted.references if current is not None else ():
            row = reference.row
            if row.alike is None or ((current or {}).get(row.name) is not None and not reference.reapply):
                continue
            identifier = reference.id if reference.is_given else (current or {}).get(row.name)
            found = run.panel.look_up(row.collection, reference.name, identifier)
            if found is not None and not {other for other, _own in row.alike_by} <= found.keys():
                yield BY_PATH[row.collection].plural, found["id"]

    def _always_needed(self, kind: Kind) -> frozenset[str]:
        """The members without which it cannot be told what goes with an object, or what a purge leaves."""
        names: set[str] = set()
        for deleted, dependents in DEPENDENTS.items():
            if self._deletes(deleted):
                names |= dependents.get(kind.plural, frozenset())
        if kind.plural in self._purge:
            names |= {"is_system_domain"} if kind.plural == "domains" else set()
        if kind.keep_last is not None and self._deletes(kind.plural):
            names.add(kind.keep_last)
        return frozenset(names)

    def read_zones(self) -> tuple[dict[str, ReadZone], list[str]]:
        """The zones that items name, by the place of the item, and what is wrong with those that could not be read."""
        items = self._items.get(DNS, [])
        if not items:
            return {}, []
        # The other way into the room of the zones; see _items/wanted_items.py.
        from .zones import new_domains, read_item  # noqa: PLC0415

        new = new_domains(self._items, self._snapshot)
        zones: dict[str, ReadZone] = {}
        mistakes: dict[str, str] = {}

        def read(item: Item) -> None:
            try:
                zones[item.place] = read_item(self._client, item, self._snapshot, new)
            except PanelError as error:
                if isinstance(error, RequestError) and not isinstance(error, (Refused, UnexpectedAnswer)):
                    # No fault of the item, and the other zones would only be asked for in vain.
                    raise
                mistakes[item.place] = mistake(item.place, without_ending(error.message))

        self._at_once(read, items, "zones read")
        return zones, [mistakes[item.place] for item in items if item.place in mistakes]

    def _at_once(self, read: Callable[[T], Any], wanted: Sequence[T], words: str) -> None:
        """Reads the first alone, since a panel that does not accept the key shall be asked once, and then several at once."""
        self._progress.begin(words, len(wanted))
        first, rest = wanted[:1], wanted[1:]
        for one in first:
            read(one)
            self._progress.step()
        if not rest:
            return

        has_failed = threading.Event()

        def read_one(one: T) -> None:
            if has_failed.is_set():
                return
            try:
                read(one)
            except BaseException:
                has_failed.set()
                raise
            self._progress.step()

        with ThreadPoolExecutor(min(self._concurrency, len(rest))) as pool:
            list(pool.map(read_one, rest))


def _shown_by_all(store: Store) -> frozenset[str]:
    """The members that every listed object has."""
    shown: set[str] | None = None
    for found in store.by_id.values():
        if shown is None:
            shown = set(found)
        else:
            shown &= found.keys()
    return frozenset(shown or ())

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads ahead what is certainly needed to decide about many objects, several requests at once. Private to the collection."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, TypeVar

from .._items.wanted_items import Item
from .._kinds.domain import DOMAIN
from .._kinds.registry import BY_PATH, KINDS, TABLES
from .._object.deciding import lacks_any, short_item
from .._object.objects import Object, Panel, Store
from .._schema.kind import Kind
from .cascades import IN_DOMAIN, PARENT
from .progress import Progress

Items = Mapping[str, list[Item]]
T = TypeVar("T")


class Reader:
    """concurrency: how many requests at once."""

    def __init__(self, panel: Panel, items: Items, purge: Sequence[str], concurrency: int, progress: Progress) -> None:
        self._panel, self._items, self._purge = panel, items, purge
        self._concurrency, self._progress = concurrency, progress

    def read_lists(self) -> None:
        """One list request a kind, and one for each item of a list that leaves out what is looked at."""
        stores = [self._panel.store(TABLES[plural]) for plural in self._needed_kinds()]
        self.at_once(Store.known, stores, "lists read")
        short = dict.fromkeys((store, identifier) for store in stores for identifier in self._short_items(store))
        self.at_once(lambda one: one[0].complete(one[1]), list(short), "objects read")

    def _needed_kinds(self) -> list[str]:
        """The kinds that are certainly needed; others are read when it turns out that they are."""
        needed = {plural for plural, items in self._items.items() if items and plural in TABLES} | set(self._purge)
        for item in (item for items in self._items.values() for item in items):
            for one in item.wanted.references:
                if one.name is not None or one.row.alike is not None:
                    needed.add(BY_PATH[one.row.collection].plural)
            if item.zone is not None and item.zone.id is not None:
                needed.add(DOMAIN.plural)
        if self._deletes(DOMAIN):
            needed |= {DOMAIN.plural, *IN_DOMAIN}
        return [plural for plural in KINDS if plural in needed]

    def _deletes(self, kind: Kind) -> bool:
        return kind.plural in self._purge or any(item.is_absent for item in self._items.get(kind.plural, ()))

    def _short_items(self, store: Store) -> Iterator[int]:
        kind, known = store.kind, store.known()
        always = self._always_needed(kind)
        if always:
            yield from (found["id"] for found in known if found.get("id") is not None and not always <= found.keys())
        shown = _shown_by_all(known)
        for item in self._items.get(kind.plural, ()):
            if not item.is_absent and lacks_any(kind, item.wanted, shown):
                identifier = short_item(self._panel, kind, item.wanted)
                if identifier is not None:
                    yield identifier

    def _always_needed(self, kind: Kind) -> frozenset[str]:
        """The members without which it cannot be told what goes with an object, or what a purge leaves."""
        names: set[str] = set()
        if kind is DOMAIN and self._deletes(DOMAIN):
            names.add(PARENT)
        if kind is DOMAIN and kind.plural in self._purge:
            names.add("is_system_domain")
        if kind.keep_last is not None and self._deletes(kind):
            names.add(kind.keep_last)
        return frozenset(names)

    def owned(self, clients: Sequence[int]) -> dict[int, dict[str, list[Object]]]:
        """What the clients with these ids have, by kind."""
        from .._object.info import owned_by  # noqa: PLC0415 - few tasks delete clients

        found: dict[int, dict[str, list[Object]]] = {}

        def read(identifier: int) -> None:
            found[identifier] = owned_by(self._panel.client, identifier)

        self.at_once(read, clients, "clients read")
        return found

    def at_once(self, read: Callable[[T], Any], wanted: Sequence[T], words: str) -> None:
        """Reads the first alone, since a panel that does not accept the key shall be asked once, and then several at once."""
        self._progress.begin(words, len(wanted))
        for one in wanted[:1]:
            read(one)
            self._progress.step()
        rest = wanted[1:]
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


def _shown_by_all(known: Iterable[Object]) -> frozenset[str]:
    """The members that every listed object has."""
    shown: set[str] | None = None
    for found in known:
        if shown is None:
            shown = set(found)
        else:
            shown &= found.keys()
    return frozenset(shown or ())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads ahead what is certainly needed to decide about many objects, several requests at once. Private to the collection."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Callable

from .._errors import PanelError, Refused, RequestError, UnexpectedAnswer
from .._items.wanted_items import Item
from .._kinds.domain import DOMAIN, PARENT
from .._kinds.registry import BY_PATH, DNS, IN_DOMAINS, KINDS, TABLES
from .._object.objects import Object, Panel, Store, needed_members
from .._schema.kind import Kind

if TYPE_CHECKING:
    from .._dns.managing import ReadZone

Items = Mapping[str, list[Item]]
_SAID_EVERY = 5.0


class Progress:
    """Says how far long work has come, at most once in five seconds. Safe to use from several threads."""

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._say, self._clock = say, clock
        self._lock = threading.Lock()
        self._last = clock()
        self._words, self._total, self._done = "", 0, 0

    def begin(self, words: str, total: int) -> None:
        """Starts to count steps. words: what one of them is, such as "changes written"."""
        with self._lock:
            self._words, self._total, self._done = words, total, 0

    def step(self) -> None:
        with self._lock:
            self._done += 1
            now = self._clock()
            if now - self._last < _SAID_EVERY:
                return
            self._last = now
            text = f"{self._done} of {self._total} {self._words}"
        self._say(text)


class Reader:
    def __init__(self, panel: Panel, items: Items, purge: Sequence[str], progress: Progress) -> None:
        self._panel, self._items, self._purge, self._progress = panel, items, purge, progress

    def read_lists(self) -> None:
        """One list request a kind that is certainly needed, and one for each item of a list that leaves out what is looked at."""
        needed = {plural for plural, items in self._items.items() if items and plural in TABLES} | set(self._purge)
        for item in (item for items in self._items.values() for item in items):
            referred = (one for one in item.wanted.references if one.name is not None or one.row.copies)
            needed.update(BY_PATH[one.row.collection].plural for one in referred)
            needed |= {DOMAIN.plural} if item.zone is not None and item.zone.id is not None else set()
        if self._deletes(DOMAIN):
            needed |= {DOMAIN.plural, *IN_DOMAINS}
        stores = [self._panel.store(TABLES[plural]) for plural in KINDS if plural in needed]
        self._at_once(Store.known, stores, "lists read")
        for store in stores:
            self._complete(store)

    def _deletes(self, kind: Kind) -> bool:
        return kind.plural in self._purge or any(item.is_absent for item in self._items.get(kind.plural, ()))

    def _complete(self, store: Store) -> None:
        """Reads each object of which the list leaves out what is looked at."""
        kind, row = store.kind, store.kind.key[-1]
        # By id or name: what is looked at, each with what has to be hidden or null for it to count.
        sought: dict[Any, set[tuple[str, str]]] = {}
        for item in self._items.get(kind.plural, ()):
            if not item.is_absent:
                name = item.wanted.id or row.comparable(item.wanted.key.get(row.name))
                pairs = sought.setdefault(name, set())
                pairs.update((member, "") for member in needed_members(kind, item.wanted))
                # What an object got from another one tells which it is where its id is not shown.
                pairs.update(
                    (member, one.row.name) for one in item.wanted.references for member in one.row.copies.values()
                )
        short: list[tuple[Object, set[str]]] = []
        for one in store.known():
            pairs = {*sought.get(one.get("id"), ()), *sought.get(row.comparable(one.get(row.name)), ())}
            needed = {member for member, hidden in pairs if one.get(hidden) is None}
            if not needed <= one.keys():
                short.append((one, needed))
        self._at_once(lambda entry: store.whole(*entry), short)
        # Without it it cannot be told what goes with an object, or whether it is the last one.
        member = PARENT if kind is DOMAIN else kind.keep_last
        if member is not None and self._deletes(kind):
            self.whole(kind, store.known(), {member})

    def whole(self, kind: Kind, objects: Sequence[Object], needed: Set[str]) -> list[Object]:
        """The objects with these members. Each one that lacks any is read, since a panel may show a flag only where it is set."""
        store = self._panel.store(kind)
        short = [one for one in objects if not needed <= one.keys()]
        read = dict(zip(map(id, short), self._at_once(lambda one: store.whole(one, needed), short)))
        return [read.get(id(one)) or one for one in objects]

    def zones(self) -> dict[str, ReadZone | PanelError]:
        """By the places of their items; in place of one that is not to be had, why not."""
        named = self._items.get(DNS, [])
        if not named:
            return {}
        from .._dns.managing import observed  # noqa: PLC0415 - most lists have no zones, and their room is large

        # The domains that the same task creates, whose zones cannot be read yet.
        wanted = [item.key for item in self._items.get(DOMAIN.plural, ()) if not item.is_absent]
        new = frozenset(key for key in wanted if not self._panel.store(DOMAIN).having({"domain": key}))

        def read(item: Item) -> ReadZone | PanelError:
            zone: Any = item.zone
            try:
                return observed(self._panel, zone, new)
            except PanelError as error:
                if isinstance(error, RequestError) and not isinstance(error, (Refused, UnexpectedAnswer)):
                    # No fault of the item, and the other zones would only be asked for in vain.
                    raise
                return error

        return dict(zip([item.place for item in named], self._at_once(read, named, "zones read")))

    def owned(self, clients: Sequence[int]) -> dict[int, dict[str, list[Object]]]:
        from .._object.info import owned_by  # noqa: PLC0415 - few tasks delete clients

        return dict(zip(clients, self._at_once(partial(owned_by, self._panel.client), clients, "clients read")))

    def _at_once(self, read: Callable[[Any], Any], wanted: Sequence[Any], words: str = "objects read") -> list[Any]:
        """Reads the first alone, since a panel that does not accept the key shall be asked once, and then several at once."""
        self._progress.begin(words, len(wanted))
        has_failed = threading.Event()

        def read_one(one: Any) -> Any:
            if has_failed.is_set():
                return None
            try:
                found = read(one)
            except BaseException:
                has_failed.set()
                raise
            self._progress.step()
            return found

        first, rest = list(map(read_one, wanted[:1])), wanted[1:]
        if not rest:
            return first
        with ThreadPoolExecutor(self._panel.client.limiter.most) as pool:
            return first + list(pool.map(read_one, rest))

# SPDX-License-Identifier: GPL-3.0-or-later
"""The source of a task about many objects. It reads each list once, and answers from it.

Objects that the task plans to create are in the same lists, with planned ids, so that later objects
can refer to them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .._http.panel_session import PanelSession
from .._kinds.tables import CLIENT
from .._schema.field_paths import Path
from .._schema.kind import Kind
from .checked_answers import PanelObject, require_distinct_ids
from .kind_objects import Key, KeySearch, KindObjects, is_planned
from .object_source import ObjectSource


class SnapshotObjects(KindObjects):
    """The objects of one kind as the panel showed them once, with what is planned. Safe to use from
    several threads.
    """

    def __init__(self, get_session: Callable[[], PanelSession], kind: Kind) -> None:
        """Keep the kind; the list is read on first use."""
        super().__init__(get_session, kind)
        self._lock = threading.RLock()
        self._items_by_id: dict[int, PanelObject] = {}
        self._items_by_key: dict[Key, list[PanelObject]] = {}
        self._ids_read: frozenset[Any] = frozenset()
        self._fetched_alone: set[int] = set()

    def list_all(self) -> list[PanelObject]:
        """Return all objects."""
        with self._lock:
            self._read_list()
            return [item for items in self._items_by_key.values() for item in items]

    def _list_items_read(self) -> list[PanelObject]:
        """Return all objects that the panel has, or that the task plans, if the list was read."""
        return self.list_all() if self.has_list else []

    def find_by_id(
        self, identifier: int | None, needed_fields: Iterable[Path] = ()
    ) -> PanelObject | None:
        """Return the object with this id, with these fields."""
        if identifier is None:
            return None
        with self._lock:
            self._read_list()
            item = self._items_by_id.get(identifier)
        return item and self.with_fields(item, needed_fields)

    def find_by_key(
        self, key: Mapping[str, Any], needed_fields: Iterable[Path] = ()
    ) -> PanelObject | None:
        """Return the object with this natural key, with these fields."""
        return self._complete_only(self.list_candidates(key), key, needed_fields)

    def search_list(self, key: Mapping[str, Any], needed_fields: Iterable[Path]) -> KeySearch:
        """Return the object with this natural key, and the ids of what the panel had when the list
        was read.
        """
        item = self.find_by_key(key, needed_fields)
        return KeySearch(item, self._ids_read)

    def list_candidates(self, key: Mapping[str, Any]) -> tuple[PanelObject, ...]:
        """Return the objects that have this natural key now, of which there may be several."""
        with self._lock:
            self._read_list()
            return tuple(self._items_by_key.get(self.normalize_key(key), ()))

    def with_fields(self, item: PanelObject, needed_fields: Iterable[Path]) -> PanelObject | None:
        """Return the object with these fields, and keep what was read; None where it is gone by
        now.
        """
        if not self.has_list:
            return super().with_fields(item, needed_fields)
        if self._is_sufficient(item, needed_fields) or item["id"] in self._fetched_alone:
            return item
        fetched = self.fetch(item["id"])
        self._fetched_alone.add(item["id"])
        if fetched is None:
            self.remove(item["id"])
            return None
        complete = {**item, **fetched}
        self.put(complete)
        return complete

    def has_in_list(self, item: Mapping[str, Any]) -> bool:
        """Tell whether the list that the source keeps has an object with the natural key of this
        one.
        """
        return self.has_list and bool(self.list_candidates(item))

    def put(self, item: PanelObject) -> None:
        """Add an object to the list, or replace the one with its id."""
        if not self.has_list:
            return
        with self._lock:
            self.remove(item.get("id"))
            if item.get("id") is not None:
                self._items_by_id[item["id"]] = item
            self._items_by_key.setdefault(self.normalize_key(item), []).append(item)

    def remove(self, identifier: Any) -> None:
        """Take an object out of the list."""
        with self._lock:
            item = self._items_by_id.pop(identifier, None)
            if item is not None:
                self._items_by_key[self.normalize_key(item)].remove(item)

    def _read_list(self) -> None:
        with self._lock:
            if self.has_list:
                return
            listed = self.fetch_all()
            items = list(self._complete_keys(listed, self._key_fields))
            # Before anything is kept: what is refused once must not answer the next question.
            require_distinct_ids(items, self.kind)

            self._items_by_key = self._group_by_key(items)
            self._items_by_id = {item["id"]: item for item in items if item.get("id") is not None}
            self._ids_read = frozenset([item.get("id") for item in listed])
            self.has_list = True


class SnapshotSource(ObjectSource[SnapshotObjects]):
    """Keeps the lists of a panel. real_ids: by their planned ids those of the objects that the task
    has created.
    """

    def __init__(self, connect: Callable[[], PanelSession]) -> None:
        """Prepare to read. connect: as of ``ObjectSource``."""
        super().__init__(connect)
        self.real_ids: dict[int, int] = {}

    def _make_objects(self, kind: Kind) -> SnapshotObjects:
        return SnapshotObjects(lambda: self.session, kind)

    def is_assumed(self, identifier: Any) -> bool:
        """Return False, since everything planned will be there."""
        del identifier
        return False

    def find_real_id(self, planned_id: int) -> int | None:
        """Return the id that a planned object has got."""
        return self.real_ids[planned_id]

    def find_expected_owner(self, domain: str) -> int | None:
        """Return the planned client whose system domain has this name, which begins with the
        client's name (docs/panel_api.md#system-domain-of-a-client)."""
        for client in self.get_objects(CLIENT).list_all():
            is_new = is_planned(client.get("id")) and client.get("create_system_domain")
            if is_new and domain.startswith(f"{client[CLIENT.name_field]}."):
                identifier: int = client["id"]
                return identifier
        return None

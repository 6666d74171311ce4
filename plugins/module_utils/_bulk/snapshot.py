# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A panel as it was when a run began: one list request a kind, kept up to date by what the run writes. Private to the collection."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Callable

from .._http.answers import unexpected_answer
from .._http.panel_client import PanelClient
from .._kinds.client import CLIENT
from .._kinds.domain import DOMAIN
from .._kinds.registry import BY_PATH
from .._object.creation import Finder, Written
from .._object.objects import Objects, Panel, system_domain
from .._object.planning import merged
from .._schema.kind import Field, Kind, Needed, Reference, Taken
from .._values.json_values import read_id

Key = tuple[Any, ...]


class Store:
    """The objects of one kind by their id and by their natural key. Objects in it are never changed, only replaced."""

    def __init__(self, kind: Kind, objects: Iterable[dict[str, Any]] = ()) -> None:
        self.kind = kind
        self.by_id: dict[Any, dict[str, Any]] = {}
        self.by_key: dict[Key, list[dict[str, Any]]] = {}
        # The widest of the places in which names of this kind may be taken; the others are parts of it.
        self._taken = max((one for one in kind.takes if one.among), key=lambda one: len(one.among), default=None)
        self._holders: dict[tuple[str, Any], list[dict[str, Any]]] = {}
        self.list_also(objects)

    def list_also(self, objects: Iterable[dict[str, Any]]) -> None:
        """Adds what the panel lists, before the run writes."""
        for item in objects:
            self.put(item)
        self.listed = frozenset(self.by_id)  # what was there before the run wrote

    def copy(self) -> Store:
        """A store of the same objects that can go its own way."""
        other = Store(self.kind)
        other.by_id = dict(self.by_id)
        other.by_key = {key: list(found) for key, found in self.by_key.items()}
        other._holders = {place: list(found) for place, found in self._holders.items()}
        return other

    def key_of(self, item: Mapping[str, Any]) -> Key:
        """The natural key in its normal form; references by id."""
        return tuple(_hashable(row.comparable(item.get(row.name))) for row in self.kind.key)

    def with_id(self, identifier: Any) -> dict[str, Any] | None:
        """The object that another one refers to by this id; a panel may write it as a text there."""
        return self.by_id.get(read_id(identifier))

    def put(self, item: dict[str, Any]) -> None:
        """Adds an object, or replaces the one with its id."""
        identifier = item.get("id")
        if identifier is not None:
            self.remove(identifier)
            self.by_id[identifier] = item
        self.by_key.setdefault(self.key_of(item), []).append(item)
        for place in self._places(item):
            self._holders.setdefault(place, []).append(item)

    def remove(self, identifier: Any) -> None:
        """Takes the object with this id out."""
        old = self.by_id.pop(identifier, None)
        if old is not None:
            key = self.key_of(old)
            self.by_key[key] = [item for item in self.by_key[key] if item is not old]
            for place in self._places(old):
                self._holders[place] = [item for item in self._holders[place] if item is not old]

    def _places(self, item: Mapping[str, Any]) -> set[tuple[str, Any]]:
        return set() if self._taken is None else set(self._taken.names_of(item))

    def having(self, taken: Taken, name: str) -> list[dict[str, Any]]:
        """The objects that have this name in one of these members."""
        wanted = taken.type.comparable(name)
        return [item for member in taken.among for item in self._holders.get((member, wanted), ())]

    def find(self, key: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The objects with this natural key."""
        return self.by_key.get(self.key_of(key), [])

    def all(self) -> list[dict[str, Any]]:
        """Every object, also those without an id."""
        return [item for found in self.by_key.values() for item in found]


def _hashable(value: Any) -> Any:
    """A value that a panel shows where a name should be is nobody's name, and no reason to fail."""
    return str(value) if isinstance(value, (list, dict)) else value


def _check_ids(items: Iterable[Mapping[str, Any]], path: str) -> None:
    """Raises UnexpectedAnswer where ids do not tell the objects from each other, since a deletion would take another one."""
    known: set[Any] = set()
    for identifier in (item["id"] for item in items if item.get("id") is not None):
        if identifier in known:
            problem = f"shows an id twice ({identifier!r}), so its objects cannot be told from each other."
            raise unexpected_answer(path, problem)
        known.add(identifier)


def _without_nulls(items: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The same; an id that is null is none."""
    for item in items:
        if item.get("id", 0) is None:
            del item["id"]
        yield item


class Snapshot:
    """The stores of all kinds, each filled by one list request when it is first needed. Safe to use from several threads."""

    def __init__(self, connect: Callable[[], PanelClient]) -> None:
        self._connect = connect
        self._stores: dict[str, Store] = {}
        self.lock = threading.RLock()
        # One for each kind, so that several lists can be read at once.
        self._filling = {path: threading.Lock() for path in BY_PATH}

    def store(self, kind: Kind) -> Store:
        found = self._stores.get(kind.path)
        if found is None:
            with self._filling[kind.path]:
                found = self._stores.get(kind.path)
                if found is None:
                    found = self._stores[kind.path] = self._filled(kind)
        return found

    def _filled(self, kind: Kind) -> Store:
        """A store of the listed objects; one that leaves out a part of its key is fetched, since it would be overlooked."""
        objects = Objects(self._connect(), kind)
        items = objects.list()
        _check_ids(items, kind.path)
        names = {row.name for row in kind.key}
        complete = [item if names <= item.keys() else objects.completed(item, names) for item in _without_nulls(items)]
        return Store(kind, [item for item in complete if item is not None])

    def of_what_is_read(self) -> Iterable[Snapshot]:
        """The snapshots for which counts what is read from the panel."""
        return (self,)

    def imagined(self) -> Snapshot:
        """A snapshot for planning: what is put into it is nowhere else."""
        return _Imagined(self)

    def is_listed(self, kind: Kind) -> bool:
        """Whether the objects of this kind were read already."""
        return kind.path in self._stores


class _Imagined(Snapshot):
    def __init__(self, real: Snapshot) -> None:
        super().__init__(real._connect)
        self._real = real

    def _filled(self, kind: Kind) -> Store:
        return self._real.store(kind).copy()

    def of_what_is_read(self) -> Iterable[Snapshot]:
        # What is carried out counts on it too.
        return (self, self._real)


class SnapshotPanel(Panel):
    """Answers from a snapshot, and asks the panel only for what the snapshot does not have."""

    def __init__(self, connect: Callable[[], PanelClient], snapshot: Snapshot) -> None:
        super().__init__(connect)
        self.snapshot = snapshot
        self._objects: dict[str, SnapshotObjects] = {}
        self.going: set[tuple[str, Any]] = set()  # what the run deletes, by path and id
        # By path and id, what was asked for on its own; None after the decisions, which have looked at everything that was there.
        self.completed: set[tuple[str, Any]] | None = None

    def objects(self, kind: Kind) -> SnapshotObjects:
        found = self._objects.get(kind.path)
        if found is None:
            plans = self.completed is not None
            found = self._objects[kind.path] = SnapshotObjects(self._connect(), kind, self.snapshot, plans)
        return found

    def look_up(self, collection: str, name: str | None, identifier: int | None = None) -> Mapping[str, Any] | None:
        store = self.snapshot.store(BY_PATH[collection])
        with self.snapshot.lock:
            if name is None:
                return store.by_id.get(identifier)
            found = store.find({store.kind.name_member: name})
        # One that is only imagined has none yet, and says so.
        if found and "id" not in found[0]:
            raise unexpected_answer(collection, f"shows {name} without its id.")
        return found[0] if found else None

    def look_up_all(self, need: Needed, names: Iterable[str]) -> dict[str, Mapping[str, Any] | None]:
        found = {name: self.look_up(need.collection, name) for name in names}
        if need.collection == DOMAIN.path:
            found = {name: item or system_domain(name, self._comes_with_domain) for name, item in found.items()}
        return {name: item and self.whole(need.collection, item, need.shown) for name, item in found.items()}

    def whole(self, collection: str, found: Mapping[str, Any], members: frozenset[str]) -> Mapping[str, Any] | None:
        place = (collection, found.get("id"))
        if self.completed is None or members <= found.keys() or place[1] is None or place in self.completed:
            return found
        self.completed.add(place)
        self.objects(BY_PATH[collection]).complete(found["id"])
        return self.look_up(collection, None, found["id"])

    def holders(self, takes: Mapping[Taken, Iterable[str]]) -> Iterator[tuple[Taken, str, Mapping[str, Any]]]:
        for taken, names in takes.items():
            if not taken.among:
                yield from super().holders({taken: names})
                continue
            store = self.snapshot.store(BY_PATH[taken.collection])
            with self.snapshot.lock:
                held = [(taken, name, found) for name in names for found in store.having(taken, name)]
            yield from held

    def known_name(self, collection: str, identifier: Any) -> str | None:
        kind = BY_PATH[collection]
        if not self.snapshot.is_listed(kind):
            return None
        with self.snapshot.lock:
            found = self.snapshot.store(kind).with_id(identifier)
        name = (found or {}).get(kind.name_member)
        return name if isinstance(name, str) else None

    def _comes_with_domain(self, username: str) -> bool:
        """Whether this run creates a client of this name with a system domain."""
        found = self.snapshot.store(CLIENT).find({"username": username})
        return any("id" in one and one["id"] is None and one.get("create_system_domain") for one in found)

    def all_of(self, collection: str) -> list[dict[str, Any]]:
        with self.snapshot.lock:
            return self.snapshot.store(BY_PATH[collection]).all()

    def is_going(self, collection: str, found: Mapping[str, Any]) -> bool:
        return (collection, found.get("id")) in self.going


class SnapshotObjects(Objects):
    """The objects of one kind in a snapshot; writes go to the panel and then into the snapshot. plans: whether that is before the first write."""

    looks_at_each = False

    def __init__(self, client: PanelClient, kind: Kind, snapshot: Snapshot, plans: bool = False) -> None:
        super().__init__(client, kind)
        self._snapshot, self._plans = snapshot, plans
        self._after_all: Objects | None = None
        self._store = snapshot.store(kind)
        self._held: frozenset[str] = frozenset()  # the keys of this turn
        self._there: Objects | Exception | None = None  # what is there in this turn, or why that cannot be told

    def list(self, query: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        del query  # nobody needs another order
        with self._snapshot.lock:
            return self._store.all()

    def by_id(self, identifier: int) -> dict[str, Any] | None:
        with self._snapshot.lock:
            return self._store.by_id.get(identifier)

    def by_key(
        self, key: Mapping[str, Any], needed: frozenset[str] = frozenset(), label: str = ""
    ) -> dict[str, Any] | None:
        del needed  # short items were completed when the run began
        with self._snapshot.lock:
            return self.only(self._store.find(key), key, label)

    def by_key_at_first(
        self, key: Mapping[str, Any], needed: frozenset[str], label: str, may_be_created: bool
    ) -> dict[str, Any] | None:
        del may_be_created  # the list has shown everything
        return self.by_key(key, needed, label)

    def was_there(self, identifier: Any) -> bool:
        return identifier in self._store.listed

    def now(self) -> Objects:
        return Objects(self._client, self._kind)

    def after_all(self) -> Objects:
        if not self._plans:
            return super().after_all()
        # Thousands of objects may be in the way of a plan, and one list tells of all of them.
        self._after_all = self._after_all or _Listed(self._client, self._kind)
        return self._after_all

    @contextmanager
    def turn(self, bodies: Iterable[Mapping[str, Any]]) -> Iterator[None]:
        """``alone`` for all of these objects, with one list request. What goes wrong is raised by ``alone``, in whoever creates one of them."""
        keys = sorted(set(map(self._told, bodies)))
        with ExitStack() as locks:
            try:
                # In the same order as everybody else, so that no two runs wait for each other.
                for key in keys:
                    locks.enter_context(self._locked(key))
                self._there = _Listed(self._client, self._kind) if keys else None
            except Exception as error:
                self._there = error
            self._held = frozenset(keys)
            try:
                yield
            finally:
                self._held, self._there = frozenset(), None

    @contextmanager
    def alone(self, body: Mapping[str, Any]) -> Iterator[Objects]:
        there = self._there
        if there is None or self._told(body) not in self._held:
            with super().alone(body) as now:
                yield now
            return
        if isinstance(there, Exception):
            # A new one each time, because callers may add to an error.
            raise copy.copy(there)
        yield there

    def note(self, found: Mapping[str, Any] | None, identifier: Any = None) -> None:
        with self._snapshot.lock:
            self._store.remove(identifier)
            if found is not None:
                self._store.put(dict(found))

    def complete(self, identifier: int) -> None:
        """Puts the whole object in the place of the short item of a list."""
        found = self.now().by_id(identifier)
        for snapshot in self._snapshot.of_what_is_read():
            store = snapshot.store(self._kind)
            with snapshot.lock:
                if found is None:
                    store.remove(identifier)
                else:
                    store.put({**store.by_id.get(identifier, {}), **found})

    def create(
        self, body: Mapping[str, Any], generates: bool, find: Finder, is_ours: Callable[[Mapping[str, Any]], bool]
    ) -> Written:
        written = super().create(body, generates, find, is_ours)
        if written.instead is None:
            with self._snapshot.lock:
                self._store.put({**body, "id": written.id})
        return written

    def update(self, identifier: int, body: Mapping[str, Any]) -> Written:
        written = super().update(identifier, body)
        with self._snapshot.lock:
            self._store.put(merged(self._store.by_id.get(identifier, {"id": identifier}), body))
        return written

    def delete(self, identifier: int) -> bool:
        is_ours = super().delete(identifier)
        with self._snapshot.lock:
            self._store.remove(identifier)
        return is_ours


class _Listed(Objects):
    """The objects of one list request."""

    def __init__(self, client: PanelClient, kind: Kind) -> None:
        super().__init__(client, kind)
        super().list()

    def list(self, query: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        del query  # nobody needs another order
        return self._last

    def by_key(
        self, key: Mapping[str, Any], needed: frozenset[str] = frozenset(), label: str = ""
    ) -> dict[str, Any] | None:
        return self._in_list(key, needed, label)


class NaturalNames:
    """Tells the natural key of an object; owners by their names."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def of(self, kind: Kind, item: Mapping[str, Any]) -> str:
        """The key of an object of the panel, its parts joined with a colon."""
        return self.joined(kind, item, {})

    def joined(self, kind: Kind, item: Mapping[str, Any], given: Mapping[str, Any]) -> str:
        """The same; a part that was ``given`` by name stays as it is."""
        return ":".join(self._part(row, item, given) for row in kind.key)

    def _part(self, row: Field | Reference, item: Mapping[str, Any], given: Mapping[str, Any]) -> str:
        shown = item.get(row.name)
        if not row.refers_to:
            return row.type.written(shown)
        if isinstance(given.get(row.option), str):
            return str(given[row.option])
        if not shown:
            return ""
        kind = BY_PATH[row.refers_to]
        owner = self._snapshot.store(kind).with_id(shown)
        return str(owner.get(kind.name_member)) if owner is not None else f"id {shown}"

# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a panel: found by id or by natural key, changed and deleted. Private to the collection.

A task about one object asks the panel for it. A task about many (``keeps_lists``) reads each list once and answers from it. Objects that it
plans to create are in the same stores, with negative ids that stand for the real ones until the panel has made them.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Callable

from .._errors import (
    NOTHING_WRITTEN,
    Conflict,
    PanelError,
    Refused,
    RequestError,
    ServerFailed,
    UnexpectedAnswer,
    about,
)
from .._http.answers import answered_with, unexpected_answer
from .._http.panel_client import PanelClient, path_of
from .._kinds.registry import BY_PATH
from .._kinds.tables import CLIENT, owner
from .._schema.fields import Path, has
from .._schema.kind import OWNER, Kind, Wanted
from .._values.value_types import read_id
from .checked_answers import checked_list, checked_object

Object = dict[str, Any]
Key = tuple[str, ...]
NOT_FOUND = 404
_PLANNED = -(2**40)  # below every id that a panel has
_PLAIN = re.compile(r"[A-Za-z0-9._~@-]+")


def is_plain(name: str) -> bool:
    """Whether each web server passes a name on as it is, so that a path can hold it
    (docs/panel_api.md#names-in-paths); other names are looked for in lists."""
    return _PLAIN.fullmatch(name) is not None


def is_planned(identifier: Any) -> bool:
    """Whether it is the id of an object that is only planned."""
    return isinstance(identifier, int) and identifier < _PLANNED


def password_in(answer: Any) -> str | None:
    """The password that the panel made, in the answer to a write
    (docs/panel_api.md#answers-to-writes)."""
    password = answer.get("password") if isinstance(answer, dict) else None
    return password if isinstance(password, str) and password else None


def owner_in(found: Mapping[str, Any]) -> int | None:
    """The id of the client that an object belongs to, 0 for the server itself; None where the panel does not show it."""
    shown = found.get(OWNER)
    return shown if is_planned(shown) else read_id(shown, least=0)


def needed_members(kind: Kind, wanted: Wanted) -> set[str]:
    """The members that are compared; flags of creation and references that can be told without their id are not."""
    needed = (wanted.values.keys() - kind.flags_of_creation) | wanted.extra.keys()
    needed.update(one.path[0] for one in wanted.references if not one.row.copies)
    needed.update(*(one.row.copies.values() for one in wanted.references if one.reapply))
    return needed | ({"password_hash"} if wanted.password.password_hash is not None else set())


class Panel:
    """The stores of one task. ``connect`` is called on first use, so a task whose options are wrong sends nothing.

    is_lenient: whether a missing reference is only warned about, since an earlier task of a run in check mode may be about to create it.
    """

    def __init__(self, connect: Callable[[], PanelClient], keeps_lists: bool = False, is_lenient: bool = False) -> None:
        self._connect, self.keeps_lists, self.is_lenient = connect, keeps_lists, is_lenient
        self._stores: dict[str, Store] = {}
        self._planned = _PLANNED
        self.ids: dict[int, int] = {}  # the real ids of planned objects

    @property
    def client(self) -> PanelClient:
        return self._connect()

    def store(self, kind: Kind) -> Store:
        return self._stores.get(kind.path) or self._stores.setdefault(kind.path, Store(self, kind))

    def of(self, path: str) -> Store:
        return self.store(BY_PATH[path])

    def planned_id(self) -> int:
        self._planned -= 1
        return self._planned

    def real(self, value: Any) -> Any:
        """The same with real ids for those of planned objects; what is only assumed to be there has none."""
        if isinstance(value, dict):
            return {name: self.real(member) for name, member in value.items()}
        if not is_planned(value):
            return value
        return None if self.is_lenient else self.ids[value]

    def look_up(
        self, path: str, name: str | None, identifier: int | None = None, needed: Iterable[str] = ()
    ) -> Object | None:
        """The object below a path with this name, or without a name with this id."""
        store = self.of(path)
        key = {store.kind.name_member: name}
        found = store.by_id(identifier, needed) if name is None else store.by_key(key, needed)
        if found is not None and found.get("id") is None:
            # What belongs to it would not be found, and be created without an owner.
            raise unexpected_answer(path, f"shows {name or identifier} without its id.")
        return found

    def name_of(self, path: str, identifier: Any) -> Any:
        """The name of what has this id, for a message; that it cannot be looked up must not become another failure."""
        found = None
        with suppress(PanelError):
            found = self.look_up(path, None, identifier if is_planned(identifier) else read_id(identifier))
        return (found or {}).get(BY_PATH[path].name_member)

    def owner(self, identifier: Any) -> str:
        return owner().words(identifier, self.name_of(CLIENT.path, identifier))


class Store:
    """The objects of one kind."""

    def __init__(self, panel: Panel, kind: Kind) -> None:
        self.panel, self.kind = panel, kind
        self._lock = threading.RLock()
        self._by_id: dict[int, Object] | None = None  # None until the list is kept
        self._by_key: dict[Key, list[Object]] = {}
        self._read_alone: set[int] = set()
        self.seen: frozenset[Any] = frozenset()  # the ids of the last list
        self._turns: dict[Key, Sequence[Object]] = {}  # what has the key of each object that has its turn
        self._comparable = [(row.name, row.comparable) for row in kind.key]
        self._names = {row.name for row in kind.key}

    # From the panel

    def listed(self, query: Mapping[str, Any] | None = None) -> list[Object]:
        """All objects, by one request, since there are no pages
        (docs/panel_api.md#lists-without-pages)."""
        with about(self.kind.titles):
            found = checked_list(self.panel.client.get(self.kind.path, query), self.kind.path, self.kind)
        if not query:
            self.seen = frozenset([item.get("id") for item in found])
        return found

    def read(self, identifier: int) -> Object | None:
        path = self.kind.path + path_of(identifier)
        with about(f"{self.kind.title} with id {identifier}"):
            found = self._asked(path, lambda: self._in_list(identifier))
            if found is not None and found.get("id") not in (None, identifier):
                raise unexpected_answer(path, f"answered with another {self.kind.title}: its id is {found['id']}.")
        return found

    def _asked(self, path: str, in_list: Callable[[], Object | None]) -> Object | None:
        """What is at a path. The list decides where a 404 proves nothing: a page of HTML
        (docs/panel_api.md#unknown-objects) or a path that is inferred
        (docs/panel_api.md#inferred-paths)."""
        try:
            found = checked_object(self.panel.client.get(path), path, self.kind)
            if found.keys().isdisjoint(("id", self.kind.name_member)):  # such as an error with status 200
                raise unexpected_answer(path, f"answered with what is no {self.kind.title} {answered_with(found)}")
            return found
        except (Refused, UnexpectedAnswer) as error:
            if error.details.get("status") != NOT_FOUND:
                raise
            return None if isinstance(error, Refused) and not self.kind.is_inferred else in_list()

    def _in_list(self, identifier: int) -> Object | None:
        return next((item for item in self.listed() if item.get("id") == identifier), None)

    # Finding

    def by_id(self, identifier: int | None, needed: Iterable[str] = ()) -> Object | None:
        """needed: members that are compared; an item of a list that leaves one out is read on its own."""
        if identifier is None or not self.panel.keeps_lists:
            return None if identifier is None else self.read(identifier)
        self._index()
        found = (self._by_id or {}).get(identifier)
        return found and self.whole(found, needed)

    def by_key(self, key: Mapping[str, Any], needed: Iterable[str] = (), is_fresh: bool = False) -> Object | None:
        """The object with this natural key, references by their ids. is_fresh: never from a kept list."""
        if self.panel.keeps_lists and not is_fresh:
            return self._only(self.having(key), key, needed)

        def in_list() -> Object | None:
            return self._only(self.matching(key), key, needed)

        name, row = str(key[self.kind.name_member]), self.kind.key[-1]
        if not self.kind.by_name or not is_plain(name) or row.type.is_unusual(name):
            return in_list()
        path = self.kind.path + path_of("name", name)
        with about(f"{self.kind.title} {name}"):
            found = self._asked(path, in_list)
            if found is not None and not row.same(name, found.get(row.name, name)):
                raise unexpected_answer(path, f"answered with another {self.kind.title}: {found.get(row.name)!r:.60}.")
        return found

    def in_turn(self, key: Mapping[str, Any], needed: Iterable[str]) -> Object | None:
        """The same from the list that ``alone`` has read."""
        return self._only(self._turns.get(self.key_of(key), ()), key, needed)

    def _only(self, matching: Sequence[Object], key: Mapping[str, Any], needed: Iterable[str]) -> Object | None:
        if len(matching) > 1:
            ids = ", ".join(str(item.get("id")) for item in matching)
            name = ":".join(str(key[row.name]) for row in self.kind.key if row.name in key and not row.collection)
            raise Conflict(
                f"{len(matching)} {self.kind.titles} are named {name} (ids {ids}). "
                "Specify the id of the one you mean. Nothing was written."
            )
        return self.whole(matching[0], needed) if matching else None

    def matching(self, key: Mapping[str, Any], query: Mapping[str, Any] | None = None) -> list[Object]:
        """The objects of the list that have this natural key, or these parts of it."""
        rows = [row for row in self.kind.key if row.name in key]

        def fits(item: Object, unseen: Mapping[str, Any]) -> bool:
            return all(row.same(key[row.name], item.get(row.name, unseen.get(row.name))) for row in rows)

        likely = [item for item in self.listed(query) if fits(item, key)]
        return [item for item in self._complete(likely, {row.name for row in rows}) if fits(item, {})]

    def _complete(self, items: Iterable[Object], names: Set[str]) -> Iterator[Object]:
        """The items; one that leaves out one of these parts of its key is read alone, since it would be overlooked and made a second time."""
        for item in items:
            is_whole = names <= item.keys() or item.get("id") is None
            found = item if is_whole else self.read(item["id"])
            if found is not None and not is_whole and not names <= found.keys():
                hidden = ", ".join(sorted(names - found.keys()))
                problem = f"shows no {hidden} of the {self.kind.title} with id {item['id']}."
                raise unexpected_answer(self.kind.path, problem, "Specify the object's id.")
            if found is not None:
                yield found

    def whole(self, item: Object, needed: Iterable[str]) -> Object | None:
        """The object with these members, which a list may leave out
        (docs/panel_api.md#short-lists); None where it is gone by now."""
        if item.keys() >= set(needed) or (item.get("id") or 0) < 1 or item["id"] in self._read_alone:
            return item
        found = self.read(item["id"])
        if self._by_id is None:
            return found
        self._read_alone.add(item["id"])
        if found is None:
            self.remove(item["id"])
            return None
        found = {**item, **found}
        self.put(found)
        return found

    def whole_list(self, sought: Sequence[Path], items: Sequence[Object]) -> list[Object]:
        """The items, each with the members that are sought, as far as the panel shows them; what it shows is told by one object."""
        told = [row for row in self.kind.references if (row.name,) in sought]

        def lacking(item: Object) -> set[Path]:
            own = [(name,) for row in told if item.get(row.name) is None for name in row.copies.values()]
            return {path for path in (*sought, *own) if not has(item, path)}

        lacks = {item["id"]: lacking(item) for item in items if item.get("id") is not None}
        probed = max(lacks, key=lambda one: len(lacks[one]), default=0)
        found = {probed: self.read(probed)} if lacks.get(probed) else {}
        hidden = {path for path in lacks.get(probed, ()) if has(found[probed], path)}
        found.update({one: self.read(one) for one, lack in lacks.items() if one != probed and lack & hidden})
        wholes = [found.get(item.get("id"), item) for item in items]
        return [item for item in wholes if item is not None]

    # The kept list

    def known(self) -> list[Object]:
        """All objects, from the kept list where there is one."""
        if not self.panel.keeps_lists:
            return self.listed()
        with self._lock:
            return [item for items in self._index().values() for item in items]

    def is_read(self) -> bool:
        return self._by_id is not None

    def having(self, key: Mapping[str, Any]) -> Sequence[Object]:
        return self._index().get(self.key_of(key), ())

    def _index(self) -> dict[Key, list[Object]]:
        with self._lock:
            if self._by_id is None:
                items = list(self._complete(self.listed(), self._names))
                self._by_key = self._keyed(items)
                with_id = [item for item in items if item.get("id") is not None]
                self._by_id = {item["id"]: item for item in with_id}
                if len(self._by_id) < len(with_id):
                    problem = "shows an id twice, so its objects cannot be distinguished."
                    raise unexpected_answer(self.kind.path, problem, subject=self.kind.titles)
        return self._by_key

    def _keyed(self, items: Iterable[Object]) -> dict[Key, list[Object]]:
        by_key: dict[Key, list[Object]] = {}
        for item in items:
            by_key.setdefault(self.key_of(item), []).append(item)
        return by_key

    def key_of(self, item: Mapping[str, Any]) -> Key:
        return tuple([str(comparable(item.get(name))) for name, comparable in self._comparable])

    def put(self, item: Object) -> None:
        """Adds an object to the kept list, or replaces the one with its id."""
        if self._by_id is None:
            return
        with self._lock:
            self.remove(item.get("id"))
            if item.get("id") is not None:
                self._by_id[item["id"]] = item
            self._by_key.setdefault(self.key_of(item), []).append(item)

    def remove(self, identifier: Any) -> None:
        with self._lock:
            old = (self._by_id or {}).pop(identifier, None)
            if old is not None:
                self._by_key[self.key_of(old)].remove(old)

    # Writing

    @contextmanager
    def alone(self, bodies: Iterable[Mapping[str, Any]]) -> Iterator[None]:
        """The time in which no other task of this user on this machine creates these objects, which the panel would make twice.

        What is there is read once in that time, for ``in_turn``.
        """
        keys = {self.key_of(body) for body in bodies}
        if self.kind.is_unique or keys <= self._turns.keys():
            yield
            return
        from .._task.locks import exclusive, longest_write  # noqa: PLC0415 - few tasks make what the panel would make twice

        connection, kind = self.panel.client.connection, self.kind
        with ExitStack() as locks:
            # In the same order as everybody else, so that no two runs wait for each other.
            for key in sorted(map(":".join, keys)):
                name = f"{connection.panel} {kind.path} {key}"
                locks.enter_context(exclusive(name, f"{kind.title} {key}", longest_write(connection)))
            there = self._keyed(self._complete(self.listed(), self._names))
            for own in keys:
                self._turns[own] = there.get(own, ())
                locks.callback(self._turns.pop, own)
            yield

    def update(self, identifier: int, body: Mapping[str, Any]) -> str | None:
        """Sends the changed members; the password that the panel made, where it is asked for one."""
        path = self.kind.path + path_of(identifier)
        answer = self.panel.client.put(path, body)
        if body.get("password", "") is not None:
            return None
        password = password_in(answer)
        if password is None:
            error = unexpected_answer(path, "was answered without a new password.", method="PUT")
            error.details["result"] = {"changed": True}
            raise error
        return password

    def delete(self, identifier: Any) -> bool:
        """Deletes; False where somebody else did."""
        path = self.kind.path + path_of(identifier)
        try:
            refusal = self.panel.client.delete(path)
        except ServerFailed as error:
            # A panel may fail after it has deleted; where that cannot be seen, its own error counts.
            with suppress(RequestError):
                if error.may_have_written and self.read(identifier) is None:
                    self.remove(identifier)
                    return True
            raise
        if refusal is not None and self.kind.is_inferred and self._is_listed(identifier, refusal):
            what = f"DELETE {path} answered 404, and the list shows the {self.kind.title} with this id."
            raise UnexpectedAnswer(what, "Delete it in the panel.", NOTHING_WRITTEN, **refusal.details)
        self.remove(identifier)
        return refusal is None or refusal.may_have_written

    def _is_listed(self, identifier: Any, refusal: Refused) -> bool:
        """Whether the list has what the panel says is not there, so that it was not deleted."""
        written = "It may have been deleted." if refusal.may_have_written else NOTHING_WRITTEN
        with about(self.kind.titles, written):
            return self._in_list(identifier) is not None

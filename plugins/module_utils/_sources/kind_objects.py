# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of one kind on a panel: requests for them, and what both sources do alike."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Callable, NamedTuple

from .._errors import (
    Conflict,
    Reached,
    Refused,
    RequestError,
    ServerFailed,
    UnexpectedAnswer,
    name_subject_in_errors,
)
from .._http.failures import describe_answer, make_unexpected_answer
from .._http.panel_session import PanelSession, join_path
from .._problems import ProblemForm, Written
from .._schema.field_paths import Path, has_value, has_values
from .._schema.fields import OWNER, Reference
from .._schema.kind import Kind
from .._schema.password_options import SECRET_OPTIONS
from .._values.value_types import read_id
from .checked_answers import PanelObject, read_object, read_objects
from .task_creations import TaskCreations

Key = tuple[str, ...]
Identity = tuple[str, Any]
"""The path of a kind, and the id of an object."""
LockedList = Mapping[Key, Sequence[PanelObject]]
"""By natural key the objects that the panel has while no other task may create any with
these keys.
"""
NOT_FOUND = 404
_FIRST_PLANNED_ID = -(2**40)  # below every id that a panel has, so that they sort first
_SAFE_IN_A_PATH = re.compile(r"[A-Za-z0-9._~@-]+")


def is_safe_in_path(name: str) -> bool:
    """Tell whether each web server passes a name on as it is, so that a path can hold it
    (docs/panel_api.md#names-in-paths); an object with another name is looked for in the list."""
    return _SAFE_IN_A_PATH.fullmatch(name) is not None


class PlannedId(int):
    """Stands for the id of an object that is only planned."""


def build_planned_id(number: int) -> PlannedId:
    """Return the id that stands for a planned object. number: from 1."""
    return PlannedId(_FIRST_PLANNED_ID - number)


def is_planned(identifier: Any) -> bool:
    """Tell whether it is the id of an object that is only planned."""
    return isinstance(identifier, PlannedId)


def read_password(answer: Any) -> str | None:
    """Return the password that the panel made, in the answer to a write
    (docs/panel_api.md#answers-to-writes)."""
    if not isinstance(answer, dict):
        return None
    password = answer.get("password")
    if not isinstance(password, str):
        return None
    return password or None


def has_password(body: Any) -> bool:
    """Tell whether a request sets a password, which one that comes late would set again in place of
    a later one. body: what is sent.
    """
    return isinstance(body, Mapping) and not body.keys().isdisjoint(SECRET_OPTIONS)


def read_owner_id(item: Mapping[str, Any]) -> int | None:
    """Return the id of the client that an object belongs to, 0 for the server itself; None where
    the panel does not show it.
    """
    identifier: int | None = item.get(OWNER)
    if is_planned(identifier):
        return identifier
    return read_id(identifier, least=0)


class KeySearch(NamedTuple):
    """Says what came of a search for a natural key.

    item: The object that has it; None where there is none.
    listed_ids: The ids of all objects of the list; None where no list was searched.
    """

    item: PanelObject | None
    listed_ids: Set[Any] | None = None


class KindObjects(ABC):
    """The objects of one kind, as one source has them. creations: those of the task."""

    # Whether the source keeps the list, so that to find something costs no request.
    has_list = False

    def __init__(self, get_session: Callable[[], PanelSession], kind: Kind) -> None:
        """Keep the kind. get_session: returns the session of the task, which it opens on first use."""
        self.kind = kind
        self.creations = TaskCreations()
        self._get_session = get_session
        self._normalizers = [(field.name, field.normalize) for field in kind.key]
        self._key_fields = {field.name for field in kind.key}

    @property
    def session(self) -> PanelSession:
        """Return the session of the task."""
        return self._get_session()

    # What a source decides

    @abstractmethod
    def list_all(self) -> list[PanelObject]:
        """Return all objects."""

    @abstractmethod
    def find_by_id(
        self, identifier: int | None, needed_fields: Iterable[Path] = ()
    ) -> PanelObject | None:
        """Return the object with this id.

        Args:
            identifier: Its id; None finds nothing.
            needed_fields: Of the fields that are compared, which a list may leave out.
        """

    @abstractmethod
    def find_by_key(
        self, key: Mapping[str, Any], needed_fields: Iterable[Path] = ()
    ) -> PanelObject | None:
        """Return the object with this natural key, references by their ids. needed_fields: as of
        ``find_by_id``.
        """

    @abstractmethod
    def search_list(self, key: Mapping[str, Any], needed_fields: Iterable[Path]) -> KeySearch:
        """Return the object with this natural key, and the ids of the list in which it was looked
        for. needed_fields: as of ``find_by_id``.
        """

    def with_fields(self, item: PanelObject, needed_fields: Iterable[Path]) -> PanelObject | None:
        """Return the object with these fields, which a list may leave out
        (docs/panel_api.md#short-lists); None where it is gone by now."""
        if self._is_sufficient(item, needed_fields):
            return item
        return self.fetch(item["id"])

    def has_in_list(self, item: Mapping[str, Any]) -> bool:
        """Tell whether the list that the source keeps has an object with the natural key of this
        one.
        """
        del item
        return False

    def list_names_read(self) -> list[str]:
        """Return the names of objects that were read anyway, of a kind with a name as its key."""
        if len(self.kind.key) != 1:
            return []
        names = [item.get(self.kind.name_field) for item in self._list_items_read()]
        return [str(name) for name in names if name is not None]

    @abstractmethod
    def _list_items_read(self) -> Iterable[PanelObject]:
        """Return the objects that were read anyway."""

    def put(self, item: PanelObject) -> None:
        """Note that the panel has, or will have, this object."""
        del item  # of no use to a source without lists

    def remove(self, identifier: Any) -> None:
        """Note that the panel does not have this object any more."""
        del identifier  # of no use to a source without lists

    # Reading

    def fetch_all(self, query: Mapping[str, Any] | None = None) -> list[PanelObject]:
        """Ask for all objects, by one request, since there are no pages
        (docs/panel_api.md#lists-without-pages)."""
        with name_subject_in_errors(self.kind.titles):
            answer = self.session.get(self.kind.path, query)
            return read_objects(answer, self.kind.path, self.kind)

    def fetch(self, identifier: int) -> PanelObject | None:
        """Ask for one object with all of its fields."""
        title = self.kind.title
        path = self.kind.path + join_path(identifier)
        with name_subject_in_errors(f"{title} with id {identifier}"):
            item = self._fetch_at(path, lambda: self._find_in_list(identifier))
            if item is not None and item.get("id") not in (None, identifier):
                problem = f"answered with another {title}: its id is {item['id']}."
                raise make_unexpected_answer(path, problem)

        return item

    def fetch_by_key(
        self, key: Mapping[str, Any], needed_fields: Iterable[Path] = ()
    ) -> PanelObject | None:
        """Ask for the object with this natural key: by its name where there is a path for it, else
        in the list.
        """
        kind = self.kind
        name_field = kind.key[-1]
        name = str(key[name_field.name])
        has_path = kind.traits.by_name and is_safe_in_path(name)
        if not has_path or name_field.type.is_unusual(name):
            return self._fetch_in_list(key, needed_fields)

        path = kind.path + join_path("name", name)
        with name_subject_in_errors(f"{kind.title} {name}"):
            item = self._fetch_at(path, lambda: self._fetch_in_list(key, needed_fields))
            if item is None:
                return None

            actual_name = item.get(name_field.name, name)
            if not name_field.equals(name, actual_name):
                problem = f"answered with another {kind.title}: {actual_name!r:.60}."
                raise make_unexpected_answer(path, problem)

        return item

    def _fetch_in_list(
        self, key: Mapping[str, Any], needed_fields: Iterable[Path]
    ) -> PanelObject | None:
        """Ask for the list, and return the only object with this natural key."""
        return self._complete_only(self.filter_by_key(key), key, needed_fields)

    def _fetch_at(
        self, path: str, find_in_list: Callable[[], PanelObject | None]
    ) -> PanelObject | None:
        """Ask for what is at a path.

        The list decides where a 404 proves nothing: a page of HTML
        (docs/panel_api.md#unknown-objects) or a path that is inferred
        (docs/panel_api.md#inferred-paths).
        """
        try:
            item = read_object(self.session.get(path), path, self.kind)
            if item.keys().isdisjoint(
                ("id", self.kind.name_field)
            ):  # such as an error with status 200
                raise make_unexpected_answer(
                    path, f"answered with what is no {self.kind.title} {describe_answer(item)}"
                )
            return item
        except (Refused, UnexpectedAnswer) as error:
            if error.status != NOT_FOUND:
                raise
            if isinstance(error, Refused) and not self.kind.traits.is_inferred:
                return None
            return find_in_list()

    def _find_in_list(self, identifier: int) -> PanelObject | None:
        return next((item for item in self.fetch_all() if item.get("id") == identifier), None)

    # Choosing

    def normalize_key(self, item: Mapping[str, Any]) -> Key:
        """Return the natural key of an object in its normal form."""
        return tuple([str(normalize(item.get(name))) for name, normalize in self._normalizers])

    def filter_by_key(
        self, key: Mapping[str, Any], query: Mapping[str, Any] | None = None
    ) -> list[PanelObject]:
        """Ask for the list, and return the objects that have this natural key, or these parts of
        it.
        """
        return self._choose_by_key(self.fetch_all(query), key)

    def _choose_by_key(
        self, items: Iterable[PanelObject], key: Mapping[str, Any]
    ) -> list[PanelObject]:
        """Return the objects of a list that have these parts of a natural key."""
        fields = [field for field in self.kind.key if field.name in key]
        names = {field.name for field in fields}

        def has_key(item: Mapping[str, Any]) -> bool:
            return all(field.equals(key[field.name], item.get(field.name)) for field in fields)

        # What an object hides may be what is sought, until all of its fields are read.
        candidates = [item for item in items if has_key({**key, **item})]
        complete = self._complete_keys(candidates, names)
        return [item for item in complete if has_key(item)]

    def _complete_keys(
        self, items: Iterable[PanelObject], fields: Set[str]
    ) -> Iterator[PanelObject]:
        """Yield the items with these parts of their keys; one that leaves one out would be
        overlooked, and made a second time.
        """
        for item in items:
            if fields <= item.keys() or item.get("id") is None:
                yield item
                continue

            complete = self.fetch(item["id"])
            if complete is None:
                continue

            if not fields <= complete.keys():
                hidden = ", ".join(sorted(fields - complete.keys()))
                problem = f"shows no {hidden} of the {self.kind.title} with id {item['id']}."
                raise make_unexpected_answer(self.kind.path, problem, "Specify the object's id.")

            yield complete

    def _group_by_key(self, items: Iterable[PanelObject]) -> dict[Key, list[PanelObject]]:
        by_key: dict[Key, list[PanelObject]] = {}
        for item in items:
            by_key.setdefault(self.normalize_key(item), []).append(item)

        return by_key

    def _complete_only(
        self,
        candidates: Sequence[PanelObject],
        key: Mapping[str, Any],
        needed_fields: Iterable[Path],
    ) -> PanelObject | None:
        """Return the only object of a key with these fields; raises Conflict where there are
        several.
        """
        if not candidates:
            return None

        if len(candidates) == 1:
            return self.with_fields(candidates[0], needed_fields)

        ids = ", ".join(str(item.get("id")) for item in candidates)
        parts = [
            str(key[field.name])
            for field in self.kind.key
            if field.name in key and not field.kind_path
        ]
        raise Conflict(
            f"{len(candidates)} {self.kind.titles} are named {':'.join(parts)} (ids {ids}).",
            written=Written.NOTHING,
            advice="Specify the id of the one you mean.",
            form=ProblemForm.MISMATCH,
        )

    # Completing

    def _is_sufficient(self, item: PanelObject, needed_fields: Iterable[Path]) -> bool:
        """Tell whether an object need not, or cannot, be asked for to have these fields."""
        identifier = item.get("id")
        if identifier is None or is_planned(identifier):
            return True
        return has_values(item, needed_fields)

    def complete(self, sought: Sequence[Path], items: Sequence[PanelObject]) -> list[PanelObject]:
        """Return the items, each with the fields that are sought, as far as the panel shows them,
        which one object tells.
        """
        references = [
            reference for reference in self.kind.references if (reference.name,) in sought
        ]
        with_id = [item for item in items if item.get("id") is not None]
        missing = {item["id"]: _find_missing_paths(item, sought, references) for item in with_id}
        probe = max(missing, key=lambda identifier: len(missing[identifier]), default=0)
        if not missing.get(probe):
            return list(items)

        probed = self.fetch(probe)
        fetched = {probe: probed}
        available = {path for path in missing[probe] if has_value(probed, path)}
        for identifier, paths in missing.items():
            if identifier != probe and paths & available:
                fetched[identifier] = self.fetch(identifier)

        complete = [fetched.get(item.get("id"), item) for item in items]
        return [item for item in complete if item is not None]

    # Writing

    @contextmanager
    def lock_creation(self, bodies: Iterable[Mapping[str, Any]]) -> Iterator[LockedList]:
        """Keep every other task of this user on this machine from creating these objects, which the
        panel would make twice.

        Args:
            bodies: What is about to be sent.

        Yields:
            What the panel has of these keys by then; nothing for a kind of which the panel refuses
            a second object.
        """
        if self.kind.traits.is_unique:
            yield {}
            return

        from .._operation.locks import estimate_longest_write, hold_lock  # noqa: PLC0415 - few tasks make what the panel would make twice

        connection = self.session.connection
        kind = self.kind
        keys = {self.normalize_key(body) for body in bodies}
        with ExitStack() as locks:
            # In the same order as everybody else, so that no two runs wait for each other.
            seconds = estimate_longest_write(connection)
            for key in sorted(map(":".join, keys)):
                name = f"{connection.panel} {kind.path} {key}"
                lock = hold_lock(name, f"{kind.title} {key}", seconds)
                locks.enter_context(lock)

            items = self._complete_keys(self.fetch_all(), self._key_fields)
            existing = self._group_by_key(items)
            yield {key: existing.get(key, ()) for key in keys}

    def find_in_locked_list(
        self, locked: LockedList, key: Mapping[str, Any], needed_fields: Iterable[Path]
    ) -> PanelObject | None:
        """Return the object with this natural key from what ``lock_creation`` has read."""
        return self._complete_only(locked.get(self.normalize_key(key), ()), key, needed_fields)

    def update(self, identifier: int, body: Mapping[str, Any]) -> str | None:
        """Send the changed fields, and return the password that the panel made, where it is asked
        for one.
        """
        path = self.kind.path + join_path(identifier)
        answer = self.session.put(path, body, repeats_at_once=not has_password(body))
        if body.get("password", "") is not None:
            return None
        password = read_password(answer)
        if password is None:
            error = make_unexpected_answer(
                path, "was answered without a new password.", method="PUT"
            )
            error.reached = Reached(is_changed=True)
            raise error
        return password

    def delete(self, identifier: Any) -> bool:
        """Delete an object; False where somebody else did."""
        path = self.kind.path + join_path(identifier)
        try:
            refusal = self.session.delete(path)
        except ServerFailed as error:
            # A panel may fail after it has deleted; where that cannot be seen, its own error
            # counts.
            with suppress(RequestError):
                if error.may_have_written and self.fetch(identifier) is None:
                    self.remove(identifier)
                    return True
            raise

        if (
            refusal is not None
            and self.kind.traits.is_inferred
            and self._is_listed(identifier, refusal)
        ):
            cause = f"DELETE {path} answered 404, and the list shows the {self.kind.title} with this id."
            raise UnexpectedAnswer(
                cause, advice="Delete it in the panel.", written=Written.NOTHING, **refusal.details
            )
        self.remove(identifier)
        return refusal is None or refusal.may_have_written

    def _is_listed(self, identifier: Any, refusal: Refused) -> bool:
        """Tell whether the list has what the panel says is not there, so that it was
        not deleted.
        """
        written = Written.NOTHING
        if refusal.may_have_written:
            written = Written.MAYBE_DELETED
        with name_subject_in_errors(self.kind.titles, written):
            return self._find_in_list(identifier) is not None


def _find_missing_paths(
    item: PanelObject, sought: Sequence[Path], references: Iterable[Reference]
) -> set[Path]:
    """Return what an object does not show of the fields that are sought, and of the copies that
    tell what it refers to.
    """
    paths = [*sought]
    for reference in references:
        if item.get(reference.name) is None:
            paths += [(copy,) for copy in reference.copy_fields]
    return {path for path in paths if not has_value(item, path)}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a task reads objects from: the panel itself, or lists that it keeps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Callable, Generic, TypeVar

from .._errors import PanelError
from .._http.failures import make_unexpected_answer
from .._http.panel_session import PanelSession
from .._kinds.registry import BY_PATH
from .._kinds.tables import CLIENT, declare_owner
from .._schema.field_paths import Path
from .._schema.kind import Kind
from .._values.value_types import read_id
from .checked_answers import PanelObject
from .kind_objects import KindObjects, build_planned_id, is_planned

Objects = TypeVar("Objects", bound=KindObjects)


class ObjectSource(ABC, Generic[Objects]):
    """The objects of a panel for one task."""

    def __init__(self, connect: Callable[[], PanelSession]) -> None:
        """Prepare to read. connect: is called on first use, so a task whose options are wrong sends
        nothing.
        """
        self._connect = connect
        self._objects: dict[str, Objects] = {}
        self._planned = 0

    @property
    def session(self) -> PanelSession:
        """Return the session of the task."""
        return self._connect()

    def get_objects(self, kind: Kind) -> Objects:
        """Return the objects of a kind."""
        if kind.path not in self._objects:
            self._objects.setdefault(kind.path, self._make_objects(kind))
        return self._objects[kind.path]

    def get_objects_at(self, path: str) -> Objects:
        """Return the objects of the kind with this path."""
        return self.get_objects(BY_PATH[path])

    @abstractmethod
    def _make_objects(self, kind: Kind) -> Objects:
        """Make what holds the objects of a kind."""

    # Objects that do not exist yet

    def make_planned_id(self) -> int:
        """Return an id that stands for that of an object which is still to be made."""
        self._planned += 1
        return build_planned_id(self._planned)

    @abstractmethod
    def is_assumed(self, identifier: Any) -> bool:
        """Tell whether an id stands for an object that only check mode assumes to be there."""

    @abstractmethod
    def find_real_id(self, planned_id: int) -> int | None:
        """Return the id that a planned object has got; None for one that is only assumed to be
        there.
        """

    def with_real_ids(self, value: Any) -> Any:
        """Return the value with real ids for those of planned objects."""
        if isinstance(value, dict):
            return {name: self.with_real_ids(field) for name, field in value.items()}
        if is_planned(value):
            return self.find_real_id(value)
        return value

    def find_expected_owner(self, domain: str) -> int | None:
        """Return the planned client with which the panel will make a domain; None where there is
        none.
        """
        del domain
        return None

    # Looking up

    def find(
        self,
        path: str,
        name: str | None,
        identifier: int | None = None,
        needed_fields: Iterable[Path] = (),
    ) -> PanelObject | None:
        """Return the object below a path with this name, or without a name with this id."""
        objects = self.get_objects_at(path)
        if name is None:
            item = objects.find_by_id(identifier, needed_fields)
        else:
            item = objects.find_by_key({objects.kind.name_field: name}, needed_fields)
        if item is not None and item.get("id") is None:
            # What belongs to it would not be found, and be created without an owner.
            raise make_unexpected_answer(path, f"shows {name or identifier} without its id.")
        return item

    def find_name_of(self, path: str, identifier: Any) -> Any:
        """Return the name of what has this id, for a message; that it cannot be looked up must not
        become another failure.
        """
        if not is_planned(identifier):
            identifier = read_id(identifier)
        item = None
        with suppress(PanelError):
            item = self.find(path, None, identifier)
        return (item or {}).get(BY_PATH[path].name_field)

    def describe_owner(self, identifier: Any) -> str:
        """Return the client with this id in the words of a message."""
        return declare_owner().describe(identifier, self.find_name_of(CLIENT.path, identifier))

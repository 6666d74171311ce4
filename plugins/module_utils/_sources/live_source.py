# SPDX-License-Identifier: GPL-3.0-or-later
"""The source of a task about one object, which asks the panel for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .._http.panel_session import PanelSession
from .._schema.field_paths import Path
from .._schema.kind import Kind
from .checked_answers import PanelObject
from .kind_objects import KeySearch, KindObjects, is_planned
from .object_source import ObjectSource


class LiveObjects(KindObjects):
    """The objects of one kind as the panel shows them at each question."""

    def __init__(self, get_session: Callable[[], PanelSession], kind: Kind) -> None:
        """Keep the kind."""
        super().__init__(get_session, kind)
        self._last_list: list[PanelObject] = []

    def fetch_all(self, query: Mapping[str, Any] | None = None) -> list[PanelObject]:
        """Ask for all objects, and remember what was read last, for advice only."""
        self._last_list = super().fetch_all(query)
        return self._last_list

    def _list_items_read(self) -> list[PanelObject]:
        return self._last_list

    def list_all(self) -> list[PanelObject]:
        """Return all objects."""
        return self.fetch_all()

    def find_by_id(
        self, identifier: int | None, needed_fields: Iterable[Path] = ()
    ) -> PanelObject | None:
        """Return the object with this id, with all fields."""
        del needed_fields
        if identifier is None:
            return None
        return self.fetch(identifier)

    def find_by_key(
        self, key: Mapping[str, Any], needed_fields: Iterable[Path] = ()
    ) -> PanelObject | None:
        """Return the object with this natural key."""
        return self.fetch_by_key(key, needed_fields)

    def search_list(self, key: Mapping[str, Any], needed_fields: Iterable[Path]) -> KeySearch:
        """Return the object with this natural key, and the ids of the list."""
        items = self.fetch_all()
        chosen = self._choose_by_key(items, key)
        only = self._complete_only(chosen, key, needed_fields)
        return KeySearch(only, frozenset([item.get("id") for item in items]))


class LiveSource(ObjectSource[LiveObjects]):
    """Asks the panel for each object. A planned id stands for an object that only check mode
    assumes to be there.
    """

    def _make_objects(self, kind: Kind) -> LiveObjects:
        return LiveObjects(lambda: self.session, kind)

    def is_assumed(self, identifier: Any) -> bool:
        """Tell whether an id stands for an object that only check mode assumes to be there."""
        return is_planned(identifier)

    def find_real_id(self, planned_id: int) -> int | None:
        """Return None, since what is only assumed to be there has no id."""
        del planned_id
        return None

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a purge leaves because no item could stand for it. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._items.export_object import Exporters, Omission, by_reason
from .._kinds.registry import TABLES
from .._object.objects import Object, Panel
from .._schema.kind import Change, Kind


class _Before(Mapping[str, Any]):
    """The objects by their plural kind, each list read when it is first needed."""

    def __init__(self, panel: Panel, known: Mapping[str, list[Object]]) -> None:
        self._panel, self._known = panel, dict(known)

    def __getitem__(self, plural: str) -> list[Object]:
        if plural not in self._known:
            self._known[plural] = self._panel.store(TABLES[plural]).known()
        return self._known[plural]

    def __iter__(self) -> Iterator[str]:
        return iter(TABLES)

    def __len__(self) -> int:
        return len(TABLES)


class Spared:
    """Looks at the objects that a purge would delete, and remembers those that it leaves. before: what was read before the run."""

    def __init__(self, panel: Panel, before: Mapping[str, list[Object]]) -> None:
        self._panel = panel
        self._exporters = Exporters(_Before(panel, before), TABLES, self._whole)
        self._omissions: list[Omission] = []

    def covers(self, kind: Kind, current: Object) -> bool:
        """Whether no item can stand for this object."""
        item, omissions = self._exporters[kind.plural].item(self._whole(kind, current))
        if item is None:
            self._omissions += omissions
        return item is None

    def warnings(self) -> list[str]:
        """Which objects were spared, why, and how to delete them."""
        return [
            f"purge: {kind}: {labels}: not deleted, since no item could keep it: {reason}. "
            "Delete what shall go by its id, with state: absent."
            for kind, _option, reason, labels in by_reason(self._omissions, lambda one: f"{one.key} (id {one.id})")
        ]

    def _whole(self, kind: Kind, current: Mapping[str, Any]) -> Mapping[str, Any]:
        """The object with what an item cannot do without, which a list may leave out."""
        references = {row.name for row in kind.references if row.change is not Change.FREE}
        needed = references | {path[0] for path, row in kind.leaves() if row.required and len(path) == 1}
        return self._panel.store(kind).whole(dict(current), needed) or current

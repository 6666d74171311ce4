# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects a purge leaves since no item can stand for them, by the rule by which an export leaves them out. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._items.export import Exporter, Omission, by_reason
from .._kinds.registry import TABLES
from .._schema.kind import Change, Kind
from .snapshot import Snapshot, SnapshotPanel


class Sparing:
    """Looks at the objects that a purge would delete, and remembers those that it leaves. panel: as it was when the run began."""

    def __init__(self, panel: SnapshotPanel) -> None:
        self._panel, self._objects = panel, _Objects(panel.snapshot)
        self._exporters: dict[str, Exporter] = {}
        self._seen: dict[tuple[str, str], list[Omission]] = {}

    def covers(self, kind: Kind, current: Mapping[str, Any]) -> bool:
        """Whether no item can stand for this object."""
        place = (kind.plural, str(current.get("id", id(current))))
        if place not in self._seen:
            exporter = self._exporters.get(kind.plural)
            if exporter is None:
                exporter = self._exporters[kind.plural] = Exporter(kind, self._objects)
            item, omissions = exporter.item(self._whole(kind, current))
            self._seen[place] = omissions if item is None else []
        return bool(self._seen[place])

    def warnings(self) -> Iterator[str]:
        """Which objects were spared, why, and how to delete them."""
        spared = [omission for omissions in self._seen.values() for omission in omissions]
        for kind, _option, reason, labels in by_reason(spared, lambda one: f"{one.key} (id {one.id})"):
            yield (
                f"purge: {kind}: {labels}: not deleted, since no item could keep it: {reason}. "
                "Delete what shall go by its id, with state: absent."
            )

    def _whole(self, kind: Kind, current: Mapping[str, Any]) -> Mapping[str, Any]:
        """The object with what an item cannot do without, which a list may leave out."""
        references = {row.name for row in kind.references if row.change is not Change.FREE}
        telling = references | {path[0] for path, row in kind.leaves() if row.required and len(path) == 1}
        if telling <= current.keys() or current.get("id") is None:
            return current
        self._panel.objects(kind).complete(current["id"])
        return self._panel.snapshot.store(kind).by_id.get(current["id"], current)


class _Objects(Mapping[str, Any]):
    """The objects of a snapshot by their plural kind, each list read when it is first needed."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def __getitem__(self, plural: str) -> list[dict[str, Any]]:
        return self._snapshot.store(TABLES[plural]).all()

    def __iter__(self) -> Iterator[str]:
        return iter(TABLES)

    def __len__(self) -> int:
        return len(TABLES)

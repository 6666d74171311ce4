# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The natural keys of objects of the panel, as a user would write them. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._kinds.registry import BY_PATH
from .._schema.kind import Field, Kind, Reference
from .snapshot import Snapshot


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

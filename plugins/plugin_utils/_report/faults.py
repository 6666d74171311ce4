# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that the panel could not bring into the state that it was told. Pure. Private to the collection."""

from __future__ import annotations

from typing import Any

from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.kind import OWNER, Kind
from .panel_reading import PanelReading
from .panel_values import text

ERROR = 2  # the status of the interface


def faults(reading: PanelReading) -> list[dict[str, Any]]:
    """The objects in the state of error, in the order of their kinds."""
    found = []
    for kind, table in KINDS.items():
        for item in reading.of(kind) if table.has_status else ():
            if item.get("status") == ERROR:
                owner = item.get("id" if kind == "clients" else OWNER)
                found.append(
                    {
                        "server": reading.name,
                        "kind": kind,
                        "title": table.title,
                        "key": _key(table, item),
                        "client": text(reading.username(owner)),
                    }
                )
    return found


def _key(kind: Kind, item: Any) -> str:
    named = [item.get(f"{row.name}_utf8") or item.get(row.name) for row in kind.key]
    return text(next((name for name in reversed(named) if name), None), f"id {text(item.get('id'), '?')}")

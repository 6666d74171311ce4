"""A panel with all of its kinds, which knows what its objects do to one another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from panel_simulator import objects
from panel_simulator.kinds import KINDS
from panel_simulator.known import KNOWN
from panel_simulator.panel import Panel
from panel_simulator.store import Entry


class InstalledPanel(Panel):
    known = KNOWN

    def create(self, kind: str, body: Mapping[str, Any], is_internal: bool = False) -> Entry:
        return objects.create(self, KINDS[kind], body, is_internal)[0]

    def amend(self, entry: Entry, changes: Mapping[str, Any]) -> None:
        objects.amend(self, KINDS[entry.kind], entry, changes)

    def remove(self, entry: Entry) -> None:
        objects.remove(self, KINDS[entry.kind], entry)

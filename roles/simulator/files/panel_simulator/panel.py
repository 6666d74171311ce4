# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulated panel: its objects, its settings, its clock."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

from panel_simulator import objects
from panel_simulator.instants import now
from panel_simulator.kinds import KINDS
from panel_simulator.settings import Settings
from panel_simulator.store import Entry, Store
from panel_simulator.zones import Zone


class Panel:
    """Everything that requests read and change. ``api_key`` is the only key; ``base_url`` is where login URLs point to."""

    def __init__(self, api_key: str) -> None:
        self.api_key = api_key
        self.settings = Settings()
        self.store = Store()
        self.zones: dict[int, Zone] = {}
        self.logins: dict[str, tuple[int, float]] = {}
        self.booted_at = time.time()
        self.reset_objects()

    def reset_objects(self) -> None:
        """A freshly installed panel: one main admin, one hosting plan."""
        changes = self.store.changes
        self.store = Store()
        self.store.changes = changes + 1
        self.zones.clear()
        self.logins.clear()
        self.create("hosting_plans", {"name": "Default"})
        self.create("admins", {"username": "admin", "email": f"admin@{self.settings.hostname}", "is_main_admin": True})

    def has_path(self, method: str, path: str) -> bool:
        """Whether this panel has what only inference knows."""
        named = f"{method} {path.rstrip('/')}"
        return not any(re.fullmatch(pattern, named) for pattern in self.settings.missing_paths)

    def clock(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def now(self) -> str:
        """This moment as the panel writes it."""
        return now()

    def create(self, kind: str, body: Mapping[str, Any], is_internal: bool = False) -> Entry:
        """Creates an object."""
        return objects.create(self, KINDS[kind], body, is_internal)[0]

    def amend(self, entry: Entry, changes: Mapping[str, Any]) -> None:
        """Changes members of an object as a consequence of something else."""
        objects.amend(self, KINDS[entry.kind], entry, changes)

    def remove(self, entry: Entry) -> None:
        """Deletes an object and what goes with it."""
        objects.remove(self, KINDS[entry.kind], entry)

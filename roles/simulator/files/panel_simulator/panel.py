# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the simulated panel holds: its objects, its settings, its clock."""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from panel_simulator.instants import now
from panel_simulator.settings import Settings
from panel_simulator.store import Entry, Store, Zone


class Panel(ABC):
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

    @abstractmethod
    def create(self, kind: str, body: Mapping[str, Any], is_internal: bool = False) -> Entry:
        """Creates an object."""

    @abstractmethod
    def amend(self, entry: Entry, changes: Mapping[str, Any]) -> None:
        """Changes members of an object as a consequence of something else."""

    @abstractmethod
    def remove(self, entry: Entry) -> None:
        """Deletes an object and what goes with it."""

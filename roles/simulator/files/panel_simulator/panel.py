"""What the simulated panel holds: its objects, its settings, its clock."""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from panel_simulator.forms import Known
from panel_simulator.instants import now
from panel_simulator.settings import Settings
from panel_simulator.store import Entry, Store, Zone


class Panel(ABC):
    """Everything that requests read and change. ``api_key`` is the only key; ``time`` gives the seconds since the epoch."""

    # What settings may name; above this file.
    known: Known

    def __init__(self, api_key: str, time: Callable[[], float] = time.time) -> None:
        self.api_key = api_key
        self.time = time
        self.is_read_only = False
        self.settings = Settings(self.known)
        self.store = Store()
        self.zones: dict[int, Zone] = {}
        self.logins: dict[str, tuple[int, float]] = {}
        self.booted_at = self.clock()
        self.reset_objects()

    def reset_objects(self) -> None:
        """A freshly installed panel: one main admin, one hosting plan."""
        store = Store()
        store.changes = self.store.changes + 1
        self.replace_store(store)
        self.zones.clear()
        self.logins.clear()
        self.create("hosting_plans", {"name": "Default"})
        self.create("admins", {"username": "admin", "email": f"admin@{self.settings.hostname}", "is_main_admin": True})

    def has_path(self, method: str, path: str) -> bool:
        """Whether this panel has what only inference knows."""
        named = f"{method} {path.rstrip('/')}"
        return not any(re.fullmatch(pattern, named) for pattern in self.settings.missing_paths)

    def replace_store(self, store: Store) -> None:
        """Other objects in the place of the present ones."""
        self.store = store

    def status_of(self, entry: Entry) -> int:
        """The status of an object at this moment."""
        return entry.unsettled if entry.settles_at and self.clock() < entry.settles_at else entry.status

    def clock(self) -> float:
        """Seconds since the epoch."""
        return self.time()

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

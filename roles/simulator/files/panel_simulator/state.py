"""All objects as plain data, and the file that keeps them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from panel_simulator.errors import Invalid
from panel_simulator.kinds import KINDS
from panel_simulator.panel import Panel
from panel_simulator.store import Entry, Store, Zone


def dump(panel: Panel) -> dict[str, Any]:
    """``{"sequences", "objects": {kind: [{"id", "data", "hidden", "status"}]}, "zones": {domain id: ...}}``."""
    return {
        "sequences": dict(panel.store.sequences),
        "objects": {
            name: [
                {"id": entry.id, "data": entry.data, "hidden": entry.hidden, "status": entry.status}
                for entry in panel.store.all(name)
            ]
            for name in KINDS
        },
        "zones": {
            str(number): {"is_disabled": zone.is_disabled, "soa": zone.soa, "other": zone.other}
            for number, zone in panel.zones.items()
        },
    }


def load(panel: Panel, state: Any) -> None:
    """Puts a dumped state in the place of the present one; raises Invalid and then changes nothing."""
    store = Store()
    store.changes = panel.store.changes + 1
    try:
        for name, items in state["objects"].items():
            for item in items:
                entry = Entry(
                    kind=name, id=int(item["id"]), data=dict(item["data"]), hidden=dict(item.get("hidden") or {})
                )
                entry.status = entry.unsettled = item.get("status", 1)
                store.insert(entry, KINDS[name].claims(entry.data))
                store.reserve(KINDS[name].sequence, entry.id)
        for name, number in state.get("sequences", {}).items():
            store.reserve(name, number)
        zones = {int(number): Zone(**zone) for number, zone in state.get("zones", {}).items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Invalid(f"This is not what GET /_simulator/state answers: {type(error).__name__} {error}.") from error
    panel.replace_store(store)
    panel.zones = zones


class StateFile:
    """A file with the state, replaced as a whole, so that it is never half written. It holds passwords: only its owner may read it."""

    def __init__(self, path: Path, panel: Panel) -> None:
        self.path, self.panel = path, panel
        self.saved_changes = -1

    def read(self) -> bool:
        """Takes the state over if the file exists; whether it did."""
        if not self.path.exists():
            return False
        try:
            load(self.panel, json.loads(self.path.read_text(encoding="utf-8")))
        except (ValueError, Invalid) as error:
            raise ValueError(f"{self.path} does not hold a state of the simulator: {error}") from error
        self.saved_changes = self.panel.store.changes
        return True

    def save(self) -> None:
        """Writes the state if anything has changed."""
        changes = self.panel.store.changes
        if changes == self.saved_changes:
            return
        write_atomically(self.path, json.dumps(dump(self.panel)), mode=0o600)
        self.saved_changes = changes


def write_atomically(path: Path, text: str, mode: int = 0o644) -> None:
    """Writes a file in one step: readers see the old content or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    temporary.replace(path)

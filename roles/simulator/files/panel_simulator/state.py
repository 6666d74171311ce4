# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects in bulk: as plain data, in the file that keeps them, and in a seed.

A seed has references by name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from panel_simulator import zones
from panel_simulator.calls import ApiError, Invalid
from panel_simulator.handlers import STATISTICS, TRAFFIC
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.domains import is_main
from panel_simulator.panel import Panel
from panel_simulator.settings import find_misfit
from panel_simulator.store import Entry, Kind, Store, Zone

# By-name references: (field of the seed, field of the API, kind of what it names).
REFERENCES = (
    ("client", "id_user", "clients"),
    ("hosting_plan", "id_hosting_plan", "hosting_plans"),
    ("parent_domain", "id_parent_domain", "domains"),
    ("certificate", "id_certificate", "certificates"),
)
# What the API may refuse and a seed may do.
_ALLOWANCES = {
    "ignore_account_limits": True,
    "password_hashes": "written",
    "new_clients": "at_once",
    "foreign_certificates": "accepted",
    "certificate_choice": "replaces",
    "subdomain_members": "accepted",
}


def dump(panel: Panel) -> dict[str, Any]:
    """Return all that a panel holds as plain data.

    Returns: ``{"sequences", "objects": {kind: [{"id", "data", "hidden", "status"}]},
        "zones": {domain id: ...}}``.
    """
    objects = {}
    for kind in KINDS:
        objects[kind] = [_dump_entry(entry) for entry in panel.store.list_all(kind)]

    return {
        "sequences": dict(panel.store.sequences),
        "objects": objects,
        "zones": {str(number): dict(vars(zone)) for number, zone in panel.zones.items()},
    }


def _dump_entry(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "data": entry.data,
        "hidden": entry.hidden,
        "status": entry.status,
    }


def load(panel: Panel, state: Any) -> None:
    """Put a dumped state in the place of the present one; raises Invalid and changes nothing."""
    store = Store(panel.store.changes + 1)
    try:
        for name, items in state["objects"].items():
            for item in items:
                _load_entry(store, name, item)

        for name, number in state.get("sequences", {}).items():
            store.reserve(name, number)
        loaded_zones = {
            int(number): Zone(**zone) for number, zone in state.get("zones", {}).items()
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f"{type(error).__name__} {error}"
        raise Invalid(f"This is not what GET /_simulator/state answers: {reason}.") from error

    panel.store = store
    panel.zones = loaded_zones


def _load_entry(store: Store, kind_name: str, item: Mapping[str, Any]) -> None:
    identifier = int(item["id"])
    data = dict(item["data"])
    hidden = dict(item.get("hidden") or {})
    entry = Entry(kind_name, identifier, data, hidden)
    entry.status = item.get("status", 1)
    entry.unsettled = entry.status

    kind = KINDS[kind_name]
    store.insert(entry, kind.list_claims(entry.data))
    store.reserve(kind.sequence or kind_name, entry.id)


class StateFile:
    """A file with the state, replaced as a whole, so that it is never half written.

    It holds passwords: only its owner may read it.
    """

    def __init__(self, path: Path, panel: Panel) -> None:
        """Take the state over if the file exists; raises ValueError."""
        self.path = path
        self.panel = panel
        self._saved_changes = -1
        if path.exists():
            try:
                load(panel, json.loads(path.read_text(encoding="utf-8")))
            except (ValueError, RecursionError, Invalid) as error:
                raise ValueError(
                    f"{path} does not hold a state of the simulator: {error}"
                ) from error

    def save(self) -> None:
        """Write the state if it has changed since the last time."""
        changes = self.panel.store.changes
        if changes != self._saved_changes:
            write_atomically(self.path, json.dumps(dump(self.panel)), mode=0o600)
            self._saved_changes = changes


def write_atomically(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file in one step: readers see the old content or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)

    temporary.replace(path)


def plant(panel: Panel, seed: Any) -> dict[str, int]:
    """Create everything in a seed.

    An object that exists is changed. Everything has settled afterwards.

    Args:
        panel: the panel that gets the objects.
        seed: lists by kind; README.md says what a seed can have.

    Returns: the numbers of items by kind.
    Raises: Invalid, which names the item; what comes before that item is then created.
    """
    lists = _read_lists(seed)
    saved = {name: panel.settings.values[name] for name in _ALLOWANCES}
    panel.settings.values.update(_ALLOWANCES)

    try:
        for name, items in lists.items():
            for number, item in enumerate(items):
                _plant_item(panel, name, number, item)
    finally:
        panel.settings.values.update(saved)

    for name in KINDS:
        for entry in panel.store.list_all(name):
            entry.settles_at = 0.0

    return {name: len(items) for name, items in lists.items()}


def _read_lists(seed: Any) -> dict[str, list[Any]]:
    """Return the lists of a seed by kind, in the order in which they can be created."""
    if not isinstance(seed, Mapping):
        raise Invalid("A seed must be an object of lists by kind.")

    lists = {}
    for name, items in seed.items():
        kind = str(name).replace("-", "_")
        if kind == "plans":
            kind = "hosting_plans"
        lists[kind] = items

    order = [*KINDS, "dns"]
    for name, items in lists.items():
        if name not in order:
            raise Invalid(f"{name}: unknown kind; known are {', '.join(order)}.")
        if not isinstance(items, list):
            raise Invalid(f"{name}: must be a list.")

    return {name: lists[name] for name in order if name in lists}


def _plant_item(panel: Panel, name: str, number: int, item: Any) -> None:
    """Create an object or a zone of a seed; raises Invalid with the number of the item."""
    try:
        if not isinstance(item, Mapping):
            raise Invalid("must be an object.")
        if name == "dns":
            _plant_zone(panel, item)
        else:
            _plant_object(panel, KINDS[name], dict(item))
    except ApiError as error:
        raise Invalid(
            f"{name}[{number}]: {error.message} The items before it are created."
        ) from error


def _plant_object(panel: Panel, kind: Kind, body: dict[str, Any]) -> None:
    """Create an object of a seed, or change it if it exists."""
    _resolve(panel, kind, body)
    reports = _take_reports(body) if kind.name == "clients" else {}
    entry = None
    if kind.by_name:
        entry = kind.find_holder(panel.store, body.get(kind.key))

    if entry is None:
        entry, _password = panel.create(kind.name, body)
    else:
        panel.update(entry, body)

    entry.hidden.update(reports)
    if body.get("status") in range(5):
        entry.status = body["status"]

    for item in kind.fields:
        if item.access == "ro" and item.name in body:
            entry.data[item.name] = body[item.name]

    panel.store.touch()


def _take_reports(body: dict[str, Any]) -> dict[str, Any]:
    """Take what a seed says about the use of a client's limits out of its body."""
    reports = {name: body.pop(name) for name in (STATISTICS, TRAFFIC) if name in body}
    for name, value in reports.items():
        expected = find_misfit(name, value)
        if expected:
            raise Invalid(f"{name}: must be {expected}.")

    return reports


def _find_id(panel: Panel, kind: str, name: Any) -> int:
    entry = KINDS[kind].find_holder(panel.store, name)
    if entry is None:
        raise Invalid(f"there is no {KINDS[kind].noun} {name!r}.")
    return entry.id


def _resolve(panel: Panel, kind: Kind, body: dict[str, Any]) -> None:
    """Replace the references by name in the body of a seed by ids; raises Invalid."""
    if isinstance(body.get("security"), Mapping):
        body["security"] = dict(body["security"])
        _resolve(panel, kind, body["security"])

    for name, field, target in REFERENCES:
        if name in body:
            body[field] = _find_id(panel, target, body.pop(name))

    if kind.name == "emails" and "id_user" not in body:
        domain = KINDS["domains"].find_holder(
            panel.store, str(body.get("email")).rpartition("@")[2]
        )
        if domain is not None:
            body["id_user"] = domain.data["id_user"]


def _plant_zone(panel: Panel, item: Mapping[str, Any]) -> None:
    """Write the zone of a main domain of a seed; raises Invalid."""
    entry = panel.store.get("domains", _find_id(panel, "domains", item.get("domain")))
    if entry is None or not is_main(entry.data):
        raise Invalid(f"{item.get('domain')} is not a main domain.")

    if "is_dns_disabled" in item:
        entry.data["is_dns_disabled"] = bool(item["is_dns_disabled"])
        zones.reset(panel, entry)
        return

    records = item.get("records", [])
    if not isinstance(records, Mapping):
        records = {"other": records}

    soa = zones.make_default_soa(panel, entry)
    for fields in (item.get("soa", {}), records.get("soa", {})):
        if not isinstance(fields, Mapping):
            raise Invalid("soa: must be an object.")
        soa.update(fields)

    checked_soa, other_records = zones.read_records(entry, {"other": [], **records, "soa": soa})
    zones.set_custom(panel, entry, checked_soa, other_records)

"""Objects in bulk: all of them as plain data, the file that keeps them, and a seed, which has references by name."""

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
from panel_simulator.settings import misfit
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
    """``{"sequences", "objects": {kind: [{"id", "data", "hidden", "status"}]}, "zones": {domain id: ...}}``."""
    names = ("id", "data", "hidden", "status")
    return {
        "sequences": dict(panel.store.sequences),
        "objects": {
            kind: [
                {name: getattr(entry, name) for name in names} for entry in panel.store.all(kind)
            ]
            for kind in KINDS
        },
        "zones": {str(number): dict(vars(zone)) for number, zone in panel.zones.items()},
    }


def load(panel: Panel, state: Any) -> None:
    """Puts a dumped state in the place of the present one; raises Invalid and then changes nothing."""
    store = Store(panel.store.changes + 1)
    try:
        for name, items in state["objects"].items():
            for item in items:
                entry = Entry(
                    name, int(item["id"]), dict(item["data"]), dict(item.get("hidden") or {})
                )
                entry.status = entry.unsettled = item.get("status", 1)
                store.insert(entry, KINDS[name].claims(entry.data))
                store.reserve(KINDS[name].sequence or name, entry.id)
        for name, number in state.get("sequences", {}).items():
            store.reserve(name, number)
        replaced = {int(number): Zone(**zone) for number, zone in state.get("zones", {}).items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Invalid(
            f"This is not what GET /_simulator/state answers: {type(error).__name__} {error}."
        ) from error
    panel.store, panel.zones = store, replaced


class StateFile:
    """A file with the state, replaced as a whole, so that it is never half written. It holds passwords: only its owner may read it."""

    def __init__(self, path: Path, panel: Panel) -> None:
        """Takes the state over if the file exists; raises ValueError."""
        self.path, self.panel = path, panel
        self._saved_changes = -1
        if path.exists():
            try:
                load(panel, json.loads(path.read_text(encoding="utf-8")))
            except (ValueError, Invalid) as error:
                raise ValueError(
                    f"{path} does not hold a state of the simulator: {error}"
                ) from error

    def save(self) -> None:
        changes = self.panel.store.changes
        if changes != self._saved_changes:
            write_atomically(self.path, json.dumps(dump(self.panel)), mode=0o600)
            self._saved_changes = changes


def write_atomically(path: Path, text: str, mode: int = 0o644) -> None:
    """Writes a file in one step: readers see the old content or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    temporary.replace(path)


def plant(panel: Panel, seed: Any) -> dict[str, int]:
    """Creates everything in ``seed``, lists by kind; returns the numbers of items by kind. README.md says what a seed can have.

    An object that exists is changed. Everything has settled afterwards. Raises Invalid naming the item; what comes before it is then created.
    """
    lists = _lists(seed)
    saved = {name: panel.settings.values[name] for name in _ALLOWANCES}
    panel.settings.values.update(_ALLOWANCES)
    try:
        for name, items in lists.items():
            for number, item in enumerate(items):
                _plant_item(panel, name, number, item)
    finally:
        panel.settings.values.update(saved)
    for name in KINDS:
        for entry in panel.store.all(name):
            entry.settles_at = 0.0
    return {name: len(items) for name, items in lists.items()}


def _lists(seed: Any) -> dict[str, list[Any]]:
    if not isinstance(seed, Mapping):
        raise Invalid("A seed must be an object of lists by kind.")
    plain = {str(name).replace("-", "_"): items for name, items in seed.items()}
    given = {"hosting_plans" if name == "plans" else name: items for name, items in plain.items()}
    order = [*KINDS, "dns"]
    for name, items in given.items():
        if name not in order:
            raise Invalid(f"{name}: unknown kind; known are {', '.join(order)}.")
        if not isinstance(items, list):
            raise Invalid(f"{name}: must be a list.")
    return {name: given[name] for name in order if name in given}


def _plant_item(panel: Panel, name: str, number: int, item: Any) -> None:
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
    _resolve(panel, kind, body)
    reports = {
        name: body.pop(name)
        for name in (STATISTICS, TRAFFIC)
        if kind.name == "clients" and name in body
    }
    for name, value in reports.items():
        if words := misfit(name, value):
            raise Invalid(f"{name}: must be {words}.")
    entry = kind.holder(panel.store, body.get(kind.key)) if kind.by_name else None
    if entry is None:
        entry = panel.create(kind.name, body)[0]
    else:
        panel.update(entry, body)
    entry.hidden.update(reports)
    if body.get("status") in range(5):
        entry.status = body["status"]
    entry.data.update(
        {one.name: body[one.name] for one in kind.fields if one.access == "ro" and one.name in body}
    )
    panel.store.touch()


def _id_of(panel: Panel, kind: str, name: Any) -> int:
    entry = KINDS[kind].holder(panel.store, name)
    if entry is None:
        raise Invalid(f"there is no {KINDS[kind].noun} {name!r}.")
    return entry.id


def _resolve(panel: Panel, kind: Kind, body: dict[str, Any]) -> None:
    if isinstance(body.get("security"), Mapping):
        body["security"] = dict(body["security"])
        _resolve(panel, kind, body["security"])
    for name, field, target in REFERENCES:
        if name in body:
            body[field] = _id_of(panel, target, body.pop(name))
    if kind.name == "emails" and "id_user" not in body:
        domain = KINDS["domains"].holder(panel.store, str(body.get("email")).rpartition("@")[2])
        if domain is not None:
            body["id_user"] = domain.data["id_user"]


def _plant_zone(panel: Panel, item: Mapping[str, Any]) -> None:
    entry = panel.store.get("domains", _id_of(panel, "domains", item.get("domain")))
    if entry is None or not is_main(entry.data):
        raise Invalid(f"{item.get('domain')} is not a main domain.")
    if "is_dns_disabled" in item:
        entry.data["is_dns_disabled"] = bool(item["is_dns_disabled"])
        zones.reset(panel, entry)
        return
    records = item.get("records", [])
    parts = records if isinstance(records, Mapping) else {"other": records}
    given = [one.get("soa", {}) for one in (item, parts)]
    if not all(isinstance(soa, Mapping) for soa in given):
        raise Invalid("soa: must be an object.")
    read = {
        "other": [],
        **parts,
        "soa": {**zones.default_soa(panel, entry), **given[0], **given[1]},
    }
    zones.set_custom(panel, entry, *zones.read_records(entry, read))

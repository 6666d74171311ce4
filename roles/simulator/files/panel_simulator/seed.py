"""Objects in bulk, in the API's shape, with references by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from panel_simulator import objects, zones
from panel_simulator.client_reports import PROTOCOLS, STATISTICS, TRAFFIC
from panel_simulator.errors import ApiError, Invalid
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.domains import is_main
from panel_simulator.kinds.kind import Kind
from panel_simulator.panel import Panel
from panel_simulator.store import Entry

_OTHER_NAMES = {"plans": "hosting_plans"}
# By-name references: (member of the seed, member of the API, scope and kind of what it names).
_REFERENCES = (
    ("client", "id_user", "clients"),
    ("hosting_plan", "id_hosting_plan", "hosting_plans"),
    ("parent_domain", "id_parent_domain", "domains"),
)
# What a client's reports say, which no member of it shows.
_REPORTS = (STATISTICS, TRAFFIC)
# What the API may refuse and a seed may do.
_ALLOWANCES = {
    "ignore_account_limits": True,
    "password_hashes": "written",
    "new_clients": "at_once",
    "foreign_certificates": "accepted",
    "certificate_choice": "replaces",
    "subdomain_members": "accepted",
}


def plant(panel: Panel, seed: Any) -> dict[str, int]:
    """Creates everything in ``seed``, lists by kind; returns the numbers of items by kind. Limits of clients do not count.

    By-name references: ``client``, ``hosting_plan``, ``parent_domain``, ``security.certificate``; the client of an e-mail account may be
    left out. Read-only members (``size``, ``traffic``, ``created_at``, ``status``...) are taken as given; of clients also ``statistics``,
    ``{"disk_space": bytes...}``, and ``traffic``, ``{"2026-11": {"http": {"in", "out"}}}``, in bytes. An object that exists is changed.
    Everything has settled afterwards. Raises Invalid naming the item; what comes before it is then created.
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
            entry.settles_at, entry.text = 0.0, None
    return {name: len(items) for name, items in lists.items()}


def _lists(seed: Any) -> dict[str, list[Any]]:
    if not isinstance(seed, Mapping):
        raise Invalid("A seed must be an object of lists by kind.")
    plain = {str(name).replace("-", "_"): items for name, items in seed.items()}
    given = {_OTHER_NAMES.get(name, name): items for name, items in plain.items()}
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
        raise Invalid(f"{name}[{number}]: {error.message} The items before it are created.") from error


def _plant_object(panel: Panel, kind: Kind, body: dict[str, Any]) -> None:
    _resolve(panel, kind, body)
    reports = {name: body.pop(name) for name in _REPORTS if name in body} if kind.name == "clients" else {}
    _check_reports(reports)
    entry = _holder(panel, kind, body.get(kind.key)) if kind.by_name else None
    if entry is None:
        entry = objects.create(panel, kind, body)[0]
    else:
        objects.update(panel, kind, entry, body)
    entry.hidden.update(reports)
    if body.get("status") in range(5):
        entry.status = body["status"]
    given = {field.name: body[field.name] for field in kind.fields if field.access == "ro" and field.name in body}
    if given:
        entry.data.update(given)
        panel.store.touch(entry)


def _check_reports(reports: Mapping[str, Any]) -> None:
    if not all(_is_whole(value) for value in _members(reports, STATISTICS).values()):
        raise Invalid(f"{STATISTICS}: must be an object of whole numbers.")
    for month, protocols in _members(reports, TRAFFIC).items():
        for protocol, both in _members({month: protocols}, month).items():
            if protocol not in PROTOCOLS or not all(
                _is_whole(value) for value in _members({month: both}, month).values()
            ):
                raise Invalid(f"{TRAFFIC}: must be months with objects of protocols, each with in and out.")


def _members(holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    members = holder.get(name, {})
    if not isinstance(members, Mapping):
        raise Invalid(f"{name}: must be an object.")
    return members


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _holder(panel: Panel, kind: Kind, name: Any) -> Entry | None:
    try:
        entry = panel.store.holder(kind.key_scope, kind.name_form(name))
    except (AttributeError, TypeError, ValueError):
        return None
    return (
        entry
        if entry is not None and entry.kind == kind.name and entry.data[kind.key] == kind.name_form(name)
        else None
    )


def _id_of(panel: Panel, kind: Kind, name: Any) -> int:
    entry = _holder(panel, kind, name)
    if entry is None:
        raise Invalid(f"there is no {kind.noun} {name!r}.")
    return entry.id


def _resolve(panel: Panel, kind: Kind, body: dict[str, Any]) -> None:
    for name, member, target in _REFERENCES:
        if name in body:
            body[member] = _id_of(panel, KINDS[target], body.pop(name))
    if kind.name == "emails" and "id_user" not in body:
        domain = _holder(panel, KINDS["domains"], str(body.get("email")).rpartition("@")[2])
        if domain is not None:
            body["id_user"] = domain.data["id_user"]
    security = body.get("security")
    if isinstance(security, Mapping) and "certificate" in security:
        others = {name: value for name, value in security.items() if name != "certificate"}
        body["security"] = {**others, "id_certificate": _id_of(panel, KINDS["certificates"], security["certificate"])}


def _plant_zone(panel: Panel, item: Mapping[str, Any]) -> None:
    entry = panel.store.get("domains", _id_of(panel, KINDS["domains"], item.get("domain")))
    if entry is None or not is_main(entry.data):
        raise Invalid(f"{item.get('domain')} is not a main domain.")
    if "is_dns_disabled" in item:
        entry.data["is_dns_disabled"] = bool(item["is_dns_disabled"])
        zones.reset(panel, entry)
        return
    records = item.get("records", [])
    parts: Any = {"other": records} if isinstance(records, list) else records
    if not isinstance(parts, Mapping) or not isinstance(item.get("soa", {}), Mapping):
        raise Invalid("records: must be a list, or an object with soa and other.")
    soa = {**zones.default_soa(panel, entry), **item.get("soa", {}), **parts.get("soa", {})}
    zones.set_custom(panel, entry, *zones.read_records(panel, entry, {"soa": soa, "other": parts.get("other", [])}))

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects in bulk, in the API's shape, with references by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from panel_simulator import objects, zones
from panel_simulator.errors import ApiError, Invalid
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.kind import Kind
from panel_simulator.names import ascii_domain
from panel_simulator.panel import Panel
from panel_simulator.store import Entry

# What a seed may say that a body may not: settled facts.
_ALIASES = {"plans": "hosting_plans"}


def plant(panel: Panel, seed: Any) -> dict[str, int]:
    """Creates everything in ``seed``, lists by kind; the numbers of objects by kind. Limits of clients do not count.

    By-name references: ``client``, ``hosting_plan``, ``parent_domain``, ``security.certificate``; the client of an e-mail account may be
    left out. Read-only members (``size``, ``traffic``, ``created_at``, ``status``...) are taken as given. An object that exists is changed.
    """
    if not isinstance(seed, Mapping):
        raise Invalid("A seed must be an object of lists by kind.")
    lists = {_ALIASES.get(name.replace("-", "_"), name.replace("-", "_")): items for name, items in seed.items()}
    unknown = set(lists) - set(KINDS) - {"dns"}
    if unknown:
        raise Invalid(f"{', '.join(sorted(unknown))}: unknown kind; known are {', '.join([*KINDS, 'dns'])}.")
    saved = {name: panel.settings.values[name] for name in ("ignore_account_limits", "use_password_hashes")}
    panel.settings.values.update(dict.fromkeys(saved, True))
    try:
        counts = {name: _plant_kind(panel, kind, lists[name]) for name, kind in KINDS.items() if name in lists}
        if "dns" in lists:
            counts["dns"] = _plant_zones(panel, lists["dns"])
    finally:
        panel.settings.values.update(saved)
    return counts


def _plant_kind(panel: Panel, kind: Kind, items: list[Any]) -> int:
    for number, item in enumerate(items):
        try:
            _plant_object(panel, kind, item)
        except ApiError as error:
            raise Invalid(f"{kind.name}[{number}]: {error.message} The items before it are created.") from error
    return len(items)


def _plant_object(panel: Panel, kind: Kind, item: Any) -> None:
    if not isinstance(item, Mapping):
        raise Invalid("must be an object.")
    body = dict(item)
    _resolve(panel, kind, body)
    entry = _existing(panel, kind, body)
    if entry is None:
        entry = objects.create(panel, kind, body)[0]
    else:
        objects.update(panel, kind, entry, body)
    entry.settles_at = 0.0
    entry.status = body.get("status", entry.status)
    given = {field.name: body[field.name] for field in kind.fields if field.access == "ro" and field.name in body}
    if given:
        entry.data.update(given)
        panel.store.touch(entry)


def _existing(panel: Panel, kind: Kind, body: Mapping[str, Any]) -> Entry | None:
    if not kind.by_name or kind.key not in body:
        return None
    try:
        entry = panel.store.holder(kind.key_scope, kind.name_form(body[kind.key]))
    except (AttributeError, ValueError):
        return None
    return entry if entry is not None and entry.kind == kind.name else None


def _resolve(panel: Panel, kind: Kind, body: dict[str, Any]) -> None:
    for name, member, scope, target in (
        ("client", "id_user", "username", "clients"),
        ("hosting_plan", "id_hosting_plan", "plan name", "hosting_plans"),
        ("parent_domain", "id_parent_domain", "domain", "domains"),
    ):
        if name in body:
            body[member] = _id_of(panel, scope, target, body.pop(name))
    if kind.name == "emails" and "id_user" not in body and isinstance(body.get("email"), str):
        domain = panel.store.holder("domain", ascii_domain(body["email"].rpartition("@")[2]))
        if domain is not None:
            body["id_user"] = domain.data["id_user"]
    security = body.get("security")
    if isinstance(security, Mapping) and "certificate" in security:
        security = dict(security)
        security["id_certificate"] = _id_of(panel, "certificate name", "certificates", security.pop("certificate"))
        body["security"] = security


def _id_of(panel: Panel, scope: str, kind: str, name: str) -> int:
    entry = panel.store.holder(scope, ascii_domain(name) if scope == "domain" else name)
    if entry is None or entry.kind != kind:
        raise Invalid(f"there is no {KINDS[kind].noun} {name!r}.")
    return entry.id


def _plant_zones(panel: Panel, items: list[Any]) -> int:
    for number, item in enumerate(items):
        entry = panel.store.holder("domain", ascii_domain(item["domain"]))
        if entry is None:
            raise Invalid(f"dns[{number}]: there is no domain {item['domain']!r}.")
        if "is_dns_disabled" in item:
            entry.data["is_dns_disabled"] = bool(item["is_dns_disabled"])
            zones.reset(panel, entry)
        else:
            records = item["records"]
            if isinstance(records, list):
                records = {"other": records}
            records = {"soa": zones.default_soa(panel, entry), **records}
            zones.set_custom(panel, entry, *zones.read_records(entry, records))
    return len(items)

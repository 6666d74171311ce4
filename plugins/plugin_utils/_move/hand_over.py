# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the hand-over page of a move says: differences, what was made, and what no API copies. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._bulk.plan_lines import action_changes
from ...module_utils._dns.record_values import comparable_ttl
from ...module_utils._kinds.domain import class_of
from ...module_utils._kinds.registry import DNS, KINDS
from .mapping import Resources, key_of, named
from .zones import name_servers, records_of


def facts_of(
    wanted: Mapping[str, Any],
    source: Mapping[str, Any],
    target: Mapping[str, Any],
    plan: Mapping[str, Any],
    zones_before: Mapping[str, Mapping[str, Any]],
    known: Iterable[Any],
) -> dict[str, Any]:
    """known: kind and key of the accounts whose password is given or in the file."""
    details, there, resources = source["client"], target["resources"], wanted["resources"]
    client, zones = details["username"], resources.get(DNS, [])
    made, passwords = _made(resources, plan), {tuple(place) for place in known}
    passwords |= {(kind, key_of(kind, one)) for kind, items in resources.items() for one in items if "password" in one}
    accounts = [(kind, key) for kind, keys in made.items() for key in keys if KINDS[kind].password]
    domains = (details.get("resources") or {}).get("domains") or ()
    ttls = [
        ttl
        for zone in zones_before.values()
        for one in records_of(zone)
        if isinstance(ttl := comparable_ttl(one.get("ttl")), int)
    ]
    # The state of a new client is the source's, and only a new client gets it.
    on_target = [one for one in there.get("clients", ()) if one["username"] == client] or resources.get("clients", ())
    return {
        "client": client,
        "differences": [*wanted["mistakes"], *map(_as_state, plan["actions"]), *map(_not_copied, wanted["left_out"])],
        "only_on_target": _only_on_target(resources, there, client),
        "suspended": [
            name
            for name, clients in (("source", source["resources"]["clients"]), ("target", on_target))
            if any(one.get("is_suspended") is True for one in clients)
        ],
        "made": made,
        "main_domains": sorted(one["domain"] for one in domains if class_of(one) == "main_domains"),
        "without_password": [f"{kind} {key}" for kind, key in accounts if (kind, key) not in passwords],
        "remaining": _remaining(details, wanted["without_key"]),
        "name_servers": name_servers(zones),
        "lets_encrypt": wanted["lets_encrypt"],
        "held_tasks": wanted["held_tasks"],
        "wait": max(ttls, default=0),
        "lowered": [one["domain"] for one in zones if one["domain"] in zones_before and one.get("state") != "default"],
    }


def _made(resources: Resources, plan: Mapping[str, Any]) -> dict[str, list[str]]:
    """By kind the names of the client's objects that are on the target."""
    missing = {(action["kind"], action["key"]) for action in plan["actions"] if action["action"] == "create"}
    missing |= {(DNS, key) for kind, key in missing if kind == "domains"}
    names = {
        kind: [key_of(kind, item) for item in items if (kind, key_of(kind, item)) not in missing]
        for kind, items in resources.items()
        if kind != "plans"
    }
    return {kind: found for kind, found in names.items() if found}


def _as_state(action: Mapping[str, Any]) -> str:
    """An action in words for what is, not for what would be done."""
    if action["action"] == "create":
        return f"missing  {named(action)}"
    return f"differs  {named(action)}: {', '.join(action_changes(action))}"


def _not_copied(omission: Mapping[str, Any]) -> str:
    what, option = ("differs", f" {omission['option']}") if omission.get("option") else ("missing", "")
    name = f"{named(omission)} (id {omission.get('id')} on the source)"
    return f"{what}  {name}:{option} cannot be copied, since {omission['reason']}"


def _only_on_target(resources: Resources, there: Resources, client: str) -> list[str]:
    found = []
    for kind, items in there.items():
        wanted = {key_of(kind, item) for item in resources.get(kind, ())}
        own = [key_of(kind, one) for one in items if one.get("client") == client and kind not in ("certificates", DNS)]
        found += [f"{kind} {key}" for key in own if key not in wanted]
    return found


def _remaining(details: Mapping[str, Any], without_key: Mapping[str, list[str]]) -> dict[str, Any]:
    """details: the client of the source with ``resources`` and ``stats``, as ``panel_client_info`` returns it."""
    resources, stats = details.get("resources") or {}, details.get("stats") or {}
    targets = [(domain.get("target") or {}).get("target") for domain in resources.get("domains") or ()]
    homes = [user.get("home_directory") for user in resources.get("ftp_users") or ()]
    return {
        "files": {
            "disk_space": (stats.get("disk_space") or {}).get("value"),
            "count": (stats.get("files") or {}).get("value"),
            "folders": sorted({str(one) for one in [*targets, *homes] if str(one or "").startswith("/")}),
        },
        "mails": _sized(resources.get("emails"), "email"),
        "databases": _sized(resources.get("databases"), "database_name"),
        "private_keys": [{"certificate": name, "domains": domains} for name, domains in without_key.items()],
    }


def _sized(items: Iterable[Mapping[str, Any]] | None, name: str) -> list[dict[str, Any]]:
    return [{"name": str(item.get(name)), "size": item.get("size")} for item in items or ()]

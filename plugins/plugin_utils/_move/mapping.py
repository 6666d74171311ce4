# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a client gets on another panel, what stands against it, and what the hand-over page says. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._bulk.plan_lines import action_changes
from ...module_utils._dns.record_values import comparable_ttl
from ...module_utils._errors import first_of
from ...module_utils._kinds.domain import class_of
from ...module_utils._kinds.registry import DNS, KINDS, OWNED, TABLES
from .zones import (
    Substitutes,
    is_default_but_for_ttl,
    left_behind,
    name_servers,
    records_of,
    rewritten,
    substitutes_of_server,
)

Item = dict[str, Any]
Resources = Mapping[str, Sequence[Item]]
_STATE = ("is_suspended", "suspend_on", "delete_on")
_BELONGS = "on the target it belongs to"
# Kinds whose names are taken for the whole panel; certificates are brought by hand.
TAKEN_ONCE = tuple(plural for plural in OWNED if KINDS[plural].is_unique and plural != "certificates")


@dataclass(frozen=True)
class Rules:
    """passwords: by kind and key. has_file: whether a file keeps new passwords. zones_before: by domain, as before their TTLs were lowered."""

    plans: Mapping[str, str] = field(default_factory=dict)
    hosting_plan: str = ""
    create_plans: bool = False
    substitutes: Substitutes = field(default_factory=Substitutes)
    enable_tasks: bool = False
    passwords: Mapping[tuple[str, str], str] = field(default_factory=dict, repr=False)
    has_file: bool = False
    zones_before: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass
class Wanted:
    """What the target gets. existing: the part of ``resources`` that the client has there already, which shows what differs.

    without_key: by certificate that is brought by hand the domains that use it. left_out: what no option takes.
    """

    resources: dict[str, list[Item]]
    existing: dict[str, list[Item]] = field(default_factory=dict)
    mistakes: list[str] = field(default_factory=list)
    without_key: dict[str, list[str]] = field(default_factory=dict)
    lets_encrypt: list[str] = field(default_factory=list)
    held_tasks: list[str] = field(default_factory=list)
    left_out: list[Mapping[str, Any]] = field(default_factory=list)


def key_of(kind: str, item: Mapping[str, Any]) -> str:
    return KINDS[kind].key_of(item) or ""


def named(action: Mapping[str, Any]) -> str:
    return f"{KINDS[action['kind']].title} {action['key']}"


def read_passwords(given: Iterable[Mapping[str, Any]], mistakes: list[str]) -> dict[tuple[str, str], str]:
    """By kind and key, in the spelling of an export."""
    found: dict[tuple[str, str], str] = {}
    for index, entry in enumerate(given):
        kind, key, password = KINDS.get(str(entry.get("kind"))), entry.get("key"), entry.get("password")
        if kind is None or kind.password is None or not key or not isinstance(password, str) or not password:
            kinds = ", ".join(name for name, one in KINDS.items() if one.password)
            mistakes.append(f"move_passwords[{index}]: needs kind, one of {kinds}, key and password.")
        else:
            stored = kind.key_of({kind.named_by[0]: key}) if len(kind.key) == 1 else str(key)
            found[kind.plural, stored or ""] = password
    return found


def mapped(source: Mapping[str, Any], target: Mapping[str, Any], rules: Rules) -> Wanted:
    """source, target: as the filter ``panel_move_resources`` takes them."""
    wanted = Wanted({kind: [dict(item) for item in items] for kind, items in source["resources"].items() if items})
    (client,) = wanted.resources["clients"]
    name = client["username"]
    there = {kind: {key_of(kind, one): one for one in items} for kind, items in target["resources"].items()}
    is_there = name in there.get("clients", {})
    if is_there:
        # After the move, suspending and deleting is done to the source.
        for option in _STATE:
            client.pop(option, None)
    _map_plan(wanted, source["plans"], there.get("plans", {}), rules)
    owners = {key: one.get("client") for key, one in there.get("certificates", {}).items()}
    _leave_certificates(wanted, [key for key, owner in owners.items() if owner in (name, "", None)])
    _map_zones(wanted, substitutes_of_server(source["server"]), rules)
    _hold_tasks(wanted, there.get("scheduled_tasks", {}), rules.enable_tasks)
    _give_passwords(wanted, rules)
    wanted.mistakes += _taken_names(wanted.resources, there, name) + _same_panel(source["client"], target["client"])
    namesake = _namesake(client, wanted.resources, there)
    wanted.mistakes += namesake
    wanted.existing = {} if namesake else _existing(wanted.resources, there, name)
    security = {one["domain"]: one.get("security") or {} for one in wanted.resources.get("domains", ())}
    wanted.lets_encrypt = [domain for domain, options in security.items() if options.get("lets_encrypt") is True]
    wanted.left_out = [one for one in source["left_out"] if not _is_replaced(one, is_there)]
    return wanted


def unexpected_changes(plan: Mapping[str, Any], zones: Iterable[Item], update: bool) -> list[str]:
    """Mistakes about what the target has, differently from what an earlier run of the move would have left. zones: the client's there."""
    default = {zone["domain"] for zone in zones if zone.get("state") == "default"}
    changes = [one for one in plan["actions"] if one["action"] != "create" and not _is_rest(one, default)]
    if update or not changes:
        return []
    lines = first_of([f"{named(one)}: {', '.join(action_changes(one))}" for one in changes], 20, "; ")
    return [
        f"The target has {len(changes)} of these objects with other values: {lines}. Correct one panel, or set move_update: true."
    ]


def _map_plan(wanted: Wanted, plans: Sequence[Item], there: Collection[str], rules: Rules) -> None:
    (client,) = wanted.resources["clients"]
    old = client.get("hosting_plan")
    new: Any = rules.hosting_plan or rules.plans.get(str(old)) or old
    if not new:
        wanted.mistakes.append("move_hosting_plan: the source does not show the client's. Name one of the target.")
        return
    client["hosting_plan"] = new
    plan = next((plan for plan in plans if plan["name"] == old), None)
    if new in there:
        return
    if rules.create_plans and plan is not None:
        wanted.resources["plans"] = [{**plan, "name": new}]
        return
    words = f" ({old} on the source)" if old != new else ""
    wanted.mistakes.append(
        f"move_plans: the target has no hosting plan {new}{words}. Create it, map {old or new} to another one, or set move_create_plans: true."
    )
    del client["hosting_plan"]


def _leave_certificates(wanted: Wanted, usable: Collection[str]) -> None:
    """Takes out what needs a private key, which no panel shows."""
    own = [item["name"] for item in wanted.resources.pop("certificates", [])]
    wanted.without_key = {name: [] for name in own if name not in usable}
    for domain in wanted.resources.get("domains", ()):
        security = dict(domain.get("security") or {})
        name = security.get("certificate")
        if name and name not in usable:
            del security["certificate"]
            domain["security"] = security
            wanted.without_key.setdefault(name, []).append(domain["domain"])


def _map_zones(wanted: Wanted, old: Substitutes, rules: Rules) -> None:
    zones = []
    for zone in wanted.resources.get(DNS, ()):
        if is_default_but_for_ttl(zone, rules.zones_before.get(zone["domain"])):
            zones.append({"domain": zone["domain"], "state": "default"})
            continue
        wanted.mistakes += [
            f"{zone['domain']}: the record {record} leads to the source. Map it in move_addresses or move_names, to itself to keep it."
            for record in left_behind(zone, old, rules.substitutes)
        ]
        zones.append(rewritten(zone, rules.substitutes))
    if zones:
        wanted.resources[DNS] = zones


def _hold_tasks(wanted: Wanted, there: Collection[str], enable: bool) -> None:
    """Keeps new tasks from running on both servers at once; what the target has already stays as it is."""
    for task in wanted.resources.get("scheduled_tasks", ()) if not enable else ():
        if task.get("is_enabled") is False:
            continue
        task.pop("is_enabled", None)
        wanted.held_tasks.append(str(task.get("description")))
        if key_of("scheduled_tasks", task) not in there:
            task["is_enabled"] = False


def _give_passwords(wanted: Wanted, rules: Rules) -> None:
    """A password that no file keeps would be lost, so without a file each account needs one."""
    kinds = [kind for kind in wanted.resources if KINDS[kind].password]
    items = {(kind, key_of(kind, one)): one for kind in kinds for one in wanted.resources[kind]}
    for place, password in rules.passwords.items():
        if place in items:
            items[place]["password"] = password
        else:
            wanted.mistakes.append(
                f"move_passwords: the client has no {' '.join(place)} with a password on the source."
            )
    without = [" ".join(place) for place, item in items.items() if "password" not in item]
    if without and not rules.has_file:
        wanted.mistakes.append(
            f"move_credentials_file: missing. No file keeps the passwords of {first_of(without, 10)}."
        )


def _taken_names(resources: Resources, there: Mapping[str, Mapping[str, Item]], name: str) -> list[str]:
    taken = [f"{name}: the target has an admin of this name."] if name in there.get("admins", {}) else []
    for kind in TAKEN_ONCE:
        others = {key: one["client"] for key, one in there.get(kind, {}).items() if one.get("client", name) != name}
        keys = (key_of(kind, item) for item in resources.get(kind, ()))
        taken += [
            f"{KINDS[kind].title} {key}: {_BELONGS} {others[key] or 'no client'}." for key in keys if key in others
        ]
    databases = there.get("databases", {}).values()
    users = {one.get("database_username"): one["client"] for one in databases if one.get("client", name) != name}
    for user in filter(None, (item.get("database_username") for item in resources.get("databases", ()))):
        taken += [f"database_username {user}: {_BELONGS} {users[user] or 'no client'}."] if user in users else []
    return taken


def _same_panel(source: Mapping[str, Any], target: Mapping[str, Any]) -> list[str]:
    birth, other = ((one.get("id"), one.get("created_at")) for one in (source, target))
    if birth != other or not all(birth):
        return []
    return ["move_target: the client has the id and the creation time of the source. Both addresses lead to one panel."]


def _namesake(client: Item, resources: Resources, there: Mapping[str, Mapping[str, Item]]) -> list[str]:
    """Another customer of that name: with another address, and none of the source's objects."""
    name = client["username"]
    other = there.get("clients", {}).get(name)
    own = {(kind, key) for kind in TAKEN_ONCE for key, one in there.get(kind, {}).items() if one.get("client") == name}
    moving = {(kind, key_of(kind, item)) for kind in TAKEN_ONCE for item in resources.get(kind, ())}
    if other is None or other.get("email", "") == client.get("email", "") or moving & own:
        return []
    has = first_of([f"the address {other.get('email') or '(none)'}", *(" ".join(one) for one in sorted(own))], 10)
    return [
        f"move_client: {name} is another customer on the target, with {has}. Rename one of them. If both are one customer, set the same address."
    ]


def _existing(resources: Resources, there: Mapping[str, Mapping[str, Item]], name: str) -> dict[str, list[Item]]:
    found = {
        kind: [item for item in items if _owner(kind, there.get(kind, {}).get(key_of(kind, item), {})) == name]
        for kind, items in resources.items()
        if kind in TABLES and kind != "plans"
    }
    if "plans" in resources:  # the client's plan is not there yet
        found["clients"] = [{**one} for one in found["clients"]]
        for client in found["clients"]:
            del client["hosting_plan"]
    domains = {item["domain"] for item in found.get("domains", ())}
    return {**found, DNS: [zone for zone in resources.get(DNS, ()) if zone["domain"] in domains]}


def _owner(kind: str, item: Mapping[str, Any]) -> Any:
    return item.get("username" if kind == "clients" else "client")


def _is_replaced(omission: Mapping[str, Any], is_there: bool) -> bool:
    """Whether it is not taken from the source: certificates come by hand, and rules or the target decide about some of a client."""
    option = omission.get("option")
    if omission["kind"] == "clients":
        return option == "hosting_plan" or (is_there and option in _STATE)
    return omission["kind"] == "certificates" and option is not None


def _is_rest(action: Mapping[str, Any], default_zones: Collection[str]) -> bool:
    """What an earlier run that ended early left to do, a certificate that came by hand, or tasks that are switched on."""
    before, after = action.get("before") or {}, action.get("after") or {}
    if action["kind"] == DNS:
        return action["id"] is None or action["key"] in default_zones
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    if changed == {"password"}:
        return True
    if action["kind"] == "scheduled_tasks":
        return changed == {"is_enabled"}
    if action["kind"] != "domains" or changed != {"security"}:
        return False
    old, new = before["security"] or {}, after["security"] or {}
    return {**old, "certificate": ""} == {**new, "certificate": ""} and not old.get("certificate")


# The hand-over page


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

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a client gets on another panel, what stands against it, and what the hand-over page says. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._bulk.plan_lines import action_changes
from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._kinds.tables import class_of
from ...module_utils._problems import abbreviate
from .zones import Substitutes, is_default_but_for_ttl, left_behind, name_servers, rewritten

Item = dict[str, Any]
Resources = Mapping[str, Sequence[Item]]
There = Mapping[str, Mapping[str, Item]]  # the objects of the target, by kind and key
_STATE = ("is_suspended", "suspend_on", "delete_on")
# Names that a panel has once, whoever they belong to.
_TAKEN_ONCE = (
    ("domains", "domain"),
    ("emails", "email"),
    ("databases", "database_name"),
    ("databases", "database_username"),
    ("ftp_users", "username"),
)


@dataclass(frozen=True)
class Rules:
    """has_file: whether a file keeps new passwords. zones_before: by domain, as before their TTLs were lowered."""

    plans: Mapping[str, str]
    hosting_plan: str | None
    create_plans: bool
    substitutes: Substitutes
    enable_tasks: bool
    passwords: Iterable[Mapping[str, str]] = field(repr=False)
    has_file: bool
    zones_before: Mapping[str, Any]


def mapped(source: Mapping[str, Any], target: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
    """What the filter ``panel_move_resources`` returns, from what it takes."""
    resources = {kind: [dict(item) for item in items] for kind, items in source["resources"].items() if items}
    (client,) = resources["clients"]
    name = client["username"]
    there = {kind: {_key(kind, one): one for one in items} for kind, items in target["resources"].items()}
    decided = {"hosting_plan"}  # of the client, by the rules
    if name in there.get("clients", {}):
        # After the move, suspending and deleting is done to the source.
        decided.update(_STATE)
        client = resources["clients"][0] = {option: client[option] for option in client if option not in _STATE}
    mistakes = _map_plan(resources, source["plans"], there.get("plans", {}), rules)
    without_key = _leave_certificates(resources, there.get("certificates", {}), name)
    mistakes += _map_zones(resources, source["server"], rules)
    held_tasks = [] if rules.enable_tasks else _hold_tasks(resources, there.get("scheduled_tasks", {}))
    mistakes += _give_passwords(resources, rules)
    mistakes += _taken_names(resources, there, name)
    birth, other = ((one.get("id"), one.get("created_at")) for one in (source["client"], target["client"]))
    if birth == other and all(birth):
        mistakes.append("move_target: the client is that of the source. Both addresses lead to one panel.")
    namesake = _namesake(client, resources, there)
    mistakes += namesake
    domains = resources.get("domains", ())
    return {
        "resources": resources,
        "existing": {} if namesake else _existing(resources, there, name),
        "mistakes": mistakes,
        "without_key": without_key,
        "lets_encrypt": [one["domain"] for one in domains if (one.get("security") or {}).get("lets_encrypt")],
        "held_tasks": held_tasks,
        # Certificates come by hand.
        "left_out": [
            one
            for one in source["left_out"]
            if not (one["kind"] == "clients" and one.get("option") in decided)
            and not (one["kind"] == "certificates" and "option" in one)
        ],
    }


def unexpected_changes(plan: Mapping[str, Any], zones: Iterable[Item]) -> list[str]:
    """A mistake about what the target has, differently from what an earlier run of the move would have left. zones: the client's there."""
    default = {zone["domain"] for zone in zones if zone.get("state") == "default"}
    changes = [one for one in plan["actions"] if one["action"] != "create" and not _is_rest(one, default)]
    lines = abbreviate([f"{_named(one)}: {', '.join(action_changes(one))}" for one in changes], 20, "; ")
    said = f"The target has {len(changes)} of these objects with other values: {lines}. Correct one panel, or set move_update: true."
    return [said] if changes else []


def _key(kind: str, item: Mapping[str, Any]) -> str:
    return KINDS[kind].key_of(item) or ""


def _named(action: Mapping[str, Any]) -> str:
    return f"{KINDS[action['kind']].title} {action['key']}"


def _map_plan(
    resources: dict[str, list[Item]], plans: Sequence[Item], there: Collection[str], rules: Rules
) -> list[str]:
    (client,) = resources["clients"]
    old = client.get("hosting_plan")
    new = rules.hosting_plan or rules.plans.get(str(old)) or old
    if not new:
        return ["move_hosting_plan: the source does not show the client's. Specify one of the target."]
    client["hosting_plan"] = new
    if new in there:
        return []
    made = [{**plan, "name": new} for plan in plans if rules.create_plans and plan["name"] == old]
    if made:
        resources["plans"] = made
        return []
    words = f" ({old} on the source)" if old != new else ""
    return [
        f"move_plans: the target has no hosting plan {new}{words}. Create it, map {old or new} to another one, or set move_create_plans: true."
    ]


def _leave_certificates(
    resources: dict[str, list[Item]], there: Mapping[str, Item], client: str
) -> dict[str, list[str]]:
    """Takes out what needs a private key, which no panel shows. By certificate the domains that use it."""
    usable = {name for name, one in there.items() if one.get("client") in (client, "", None)}
    found: dict[str, list[str]] = {
        one["name"]: [] for one in resources.pop("certificates", ()) if one["name"] not in usable
    }
    for domain in resources.get("domains", ()):
        security = domain.get("security") or {}
        name = security.get("certificate")
        if name and name not in usable:
            domain["security"] = {option: security[option] for option in security if option != "certificate"}
            found.setdefault(name, []).append(domain["domain"])
    return found


def _map_zones(resources: dict[str, list[Item]], server: Mapping[str, Any], rules: Rules) -> list[str]:
    mistakes: list[str] = []
    for index, zone in enumerate(resources.get(DNS, ())):
        domain = zone["domain"]
        if is_default_but_for_ttl(zone, rules.zones_before.get(domain)):
            resources[DNS][index] = {"domain": domain, "state": "default"}
            continue
        mistakes += [
            f"{domain}: the record {record} leads to the source. Map it in move_addresses or move_names, to itself to keep it."
            for record in left_behind(zone, server, rules.substitutes)
        ]
        resources[DNS][index] = rewritten(zone, rules.substitutes)
    return mistakes


def _hold_tasks(resources: Resources, there: Collection[str]) -> list[str]:
    """Keeps new tasks from running on both servers at once; what the target has already stays as it is."""
    held = [one for one in resources.get("scheduled_tasks", ()) if one.get("is_enabled") is not False]
    for task in held:
        task.pop("is_enabled", None)
        if _key("scheduled_tasks", task) not in there:
            task["is_enabled"] = False
    return [str(task.get("description")) for task in held]


def _give_passwords(resources: Resources, rules: Rules) -> list[str]:
    """A password that no file keeps would be lost, so without a file each account needs one."""
    mistakes = []
    kinds = [kind for kind in resources if KINDS[kind].password]
    items = {(kind, _key(kind, one)): one for kind in kinds for one in resources[kind]}
    for entry in rules.passwords:
        kind, key = entry["kind"], entry["key"]
        if kind in kinds and len(KINDS[kind].key) == 1:
            key = _key(kind, {KINDS[kind].named_by[0]: key})
        if (kind, key) in items:
            if items[kind, key].get("password", entry["password"]) != entry["password"]:
                mistakes.append(f"move_passwords: {kind} {key} has two passwords. Keep one of them.")
            items[kind, key]["password"] = entry["password"]
        else:
            mistakes.append(f"move_passwords: the client has no {kind} {key} with a password on the source.")
    without = [" ".join(place) for place, item in items.items() if "password" not in item]
    if without and not rules.has_file:
        mistakes.append(f"move_credentials_file: missing. No file keeps the passwords of {abbreviate(without, 10)}.")
    return mistakes


def _taken_names(resources: Resources, there: There, client: str) -> list[str]:
    taken = [f"{client}: the target has an admin of this name."] if client in there.get("admins", {}) else []
    for kind, option in _TAKEN_ONCE:
        # Who owns a system domain is not told.
        owners = {one.get(option): one.get("client", client) for one in there.get(kind, {}).values()}
        names = [item[option] for item in resources.get(kind, ()) if item.get(option)]
        taken += [
            f"{option} {name}: on the target it belongs to {owners[name] or 'no client'}."
            for name in names
            if owners.get(name, client) != client
        ]
    return taken


def _namesake(client: Item, resources: Resources, there: There) -> list[str]:
    """Another customer of that name: with another address, and none of the source's objects."""
    name, email = client["username"], client.get("email", "")
    other = there.get("clients", {}).get(name, client)
    has_own = any(
        there.get(kind, {}).get(_key(kind, item), {}).get("client") == name
        for kind, _option in _TAKEN_ONCE
        for item in resources.get(kind, ())
    )
    if other.get("email", "") == email or has_own:
        return []
    address = other.get("email") or "(none)"
    return [
        f"move_client: {name} is another customer on the target, with address {address}. Rename one of them. If both are one, set the same address."
    ]


def _existing(resources: Resources, there: There, client: str) -> dict[str, list[Item]]:
    """The part that the client has there already, to show what differs although the rest cannot be planned."""
    found = {
        kind: [item for item in items if there.get(kind, {}).get(_key(kind, item), {}).get("client") == client]
        for kind, items in resources.items()
    }
    domains = {item["domain"] for item in found.get("domains", ())}
    found[DNS] = [zone for zone in resources.get(DNS, ()) if zone["domain"] in domains]
    found["clients"] = [
        {option: value for option, value in one.items() if option != "hosting_plan" or value in there.get("plans", {})}
        for one in resources["clients"]
        if client in there.get("clients", {})
    ]
    return found


def _is_rest(action: Mapping[str, Any], default_zones: Collection[str]) -> bool:
    """What an earlier run that ended early left to do, a certificate that came by hand, or tasks that are switched on."""
    if action["kind"] == DNS:
        return action["id"] is None or action["key"] in default_zones
    before, after = action.get("before") or {}, action.get("after") or {}
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    if changed == {"password"} or (action["kind"], changed) == ("scheduled_tasks", {"is_enabled"}):
        return True
    if action["kind"] != "domains" or changed != {"security"}:
        return False
    old, new = before["security"] or {}, after["security"] or {}
    return {**old, "certificate": ""} == {**new, "certificate": ""} and not old.get("certificate")


def facts_of(
    wanted: Mapping[str, Any],
    source: Mapping[str, Any],
    target: Mapping[str, Any],
    plan: Mapping[str, Any],
    zones_before: Mapping[str, Mapping[str, Any]],
    known: Iterable[Any],
) -> dict[str, Any]:
    """What the filter ``panel_hand_over`` returns. known: kind and key of the accounts whose password is given or in the file."""
    details, there, resources = source["client"], target["resources"], wanted["resources"]
    client, zones = details["username"], resources.get(DNS, ())
    keys = {kind: [_key(kind, item) for item in items] for kind, items in resources.items() if kind != "plans"}
    missing = {(action["kind"], action["key"]) for action in plan["actions"] if action["action"] == "create"}
    missing |= {(DNS, key) for kind, key in missing if kind == "domains"}
    made = {kind: [key for key in found if (kind, key) not in missing] for kind, found in keys.items()}
    passwords = {tuple(place) for place in known}
    passwords |= {(kind, _key(kind, one)) for kind, items in resources.items() for one in items if "password" in one}
    accounts = [(kind, key) for kind, found in made.items() if KINDS[kind].password for key in found]
    shown, stats = details.get("resources") or {}, details.get("stats") or {}
    domains = shown.get("domains") or ()
    folders = [(domain.get("target") or {}).get("target") for domain in domains]
    folders += [user.get("home_directory") for user in shown.get("ftp_users") or ()]
    records = [one for zone in zones_before.values() for one in zone["records"]["other"]]
    ttls = [one["ttl"] for one in records if isinstance(one.get("ttl"), int)]
    # The state of a new client is the source's, and only a new client gets it.
    on_target = [one for one in there.get("clients", ()) if one["username"] == client] or resources["clients"]
    return {
        "client": client,
        "differences": [*wanted["mistakes"], *map(_as_state, plan["actions"]), *map(_not_copied, wanted["left_out"])],
        "only_on_target": [
            f"{kind} {key}"
            for kind, items in there.items()
            if kind not in ("certificates", DNS)
            for key in (_key(kind, one) for one in items if one.get("client") == client)
            if key not in keys.get(kind, ())
        ],
        "suspended": [
            name
            for name, clients in (("source", source["resources"]["clients"]), ("target", on_target))
            if clients[0].get("is_suspended") is True
        ],
        "made": {kind: found for kind, found in made.items() if found},
        "main_domains": sorted(one["domain"] for one in domains if class_of(one) == "main_domains"),
        "without_password": [f"{kind} {key}" for kind, key in accounts if (kind, key) not in passwords],
        "remaining": {
            "files": {
                "disk_space": (stats.get("disk_space") or {}).get("value"),
                "count": (stats.get("files") or {}).get("value"),
                "folders": sorted({one for one in folders if str(one or "").startswith("/")}),
            },
            "mails": [{"name": one["email"], "size": one.get("size")} for one in shown.get("emails") or ()],
            "databases": [
                {"name": one["database_name"], "size": one.get("size")} for one in shown.get("databases") or ()
            ],
            "private_keys": [{"certificate": name, "domains": used} for name, used in wanted["without_key"].items()],
        },
        "name_servers": name_servers(zones),
        "lets_encrypt": wanted["lets_encrypt"],
        "held_tasks": wanted["held_tasks"],
        "wait": max(ttls, default=0),
        "lowered": [one["domain"] for one in zones if one["domain"] in zones_before and one.get("state") != "default"],
    }


def _as_state(action: Mapping[str, Any]) -> str:
    """An action in words for what is, not for what would be done."""
    if action["action"] == "create":
        return f"missing  {_named(action)}"
    return f"differs  {_named(action)}: {', '.join(action_changes(action))}"


def _not_copied(omission: Mapping[str, Any]) -> str:
    what, option = ("differs", f" {omission['option']}") if omission.get("option") else ("missing", "")
    name = f"{_named(omission)} (id {omission.get('id')} on the source)"
    return f"{what}  {name}:{option} cannot be copied, since {omission['reason']}"

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a client gets on another panel, and what stands against it.

Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._bulk.plan_lines import describe_action_changes
from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._problems import abbreviate
from ...module_utils._secrets.redaction import escape_control_characters
from ...module_utils._values.password_hashes import NEW
from .unusual_values import leave_unusual_values
from .zones import Substitutes, find_unmapped, is_default_but_for_ttl, rewrite

Item = dict[str, Any]
Resources = Mapping[str, Sequence[Item]]
# The objects of the target, by kind and key.
Target = Mapping[str, Mapping[str, Item]]
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
    """What the operator decided about a move.

    Attributes:
        plans: By name of a hosting plan on the source that on the target.
        hosting_plan: The hosting plan on the target, whatever the source has.
        create_plans: Whether a plan that the target lacks is created.
        substitutes: What takes the place of old addresses and names.
        enable_tasks: Whether scheduled tasks run on the target at once.
        passwords: Those of accounts, by kind and key.
        has_file: Whether a file keeps new passwords.
        hashes: What becomes of each password, as panel_resources has it in ``password_hashes``;
            None where no hashes are copied. While it is empty, nothing is known yet.
        zones_before: By domain, as before their TTLs were lowered.
        typed_names: By variable of the role what messages call it.
    """

    plans: Mapping[str, str]
    hosting_plan: str | None
    create_plans: bool
    substitutes: Substitutes
    enable_tasks: bool
    passwords: Iterable[Mapping[str, str]] = field(repr=False)
    has_file: bool
    hashes: Sequence[Mapping[str, str]] | None
    zones_before: Mapping[str, Any]
    typed_names: Mapping[str, str]


def map_client(
    source: Mapping[str, Any], target: Mapping[str, Any], rules: Rules
) -> dict[str, Any]:
    """Return what the filter ``panel_move_resources`` returns.

    Args:
        source: What was read of the panel that the client leaves.
        target: What was read of the panel that the client gets.
        rules: What the operator decided.
    """
    resources = _copy_resources(source["resources"])
    existing = _index_objects(target["resources"])
    (client,) = resources["clients"]
    username = client["username"]
    is_on_target = username in existing.get("clients", {})
    if is_on_target:
        # After the move, suspending and deleting is done to the source.
        client = {option: value for option, value in client.items() if option not in _STATE}
        resources["clients"] = [client]

    mistakes = _map_plan(resources, source["plans"], existing.get("plans", {}), rules)
    without_key = _leave_certificates(resources, existing.get("certificates", {}), username)
    mistakes += _map_zones(resources, source["server"], rules)
    unusual = leave_unusual_values(resources, existing, target["dns"])
    held_tasks: list[str] = []
    if not rules.enable_tasks:
        held_tasks = _hold_tasks(resources, existing.get("scheduled_tasks", {}))
    mistakes += _give_passwords(resources, rules)
    mistakes += _find_taken_names(resources, existing, username)
    namesake = _find_namesakes(client, resources, existing, rules.typed_names["move_client"])
    mistakes += namesake

    return {
        "resources": resources,
        "existing": {} if namesake else _select_existing(resources, existing, username),
        "is_one_panel": _is_same_client(source["client"], target["client"]),
        "mistakes": mistakes,
        "without_key": without_key,
        "accounts": [{"kind": kind, "key": key} for kind, key in _index_accounts(resources)],
        "lets_encrypt": _list_lets_encrypt(resources.get("domains", ())),
        "held_tasks": held_tasks,
        "left_out": [*_select_omissions(source["left_out"], is_on_target), *unusual],
    }


def _copy_resources(resources: Resources) -> dict[str, list[Item]]:
    """Return the objects of a client, which the caller may change, without empty lists."""
    copied = {}
    for kind, items in resources.items():
        if items:
            copied[kind] = [dict(item) for item in items]
    return copied


def find_unexpected_changes(plan: Mapping[str, Any], zones: Iterable[Item]) -> list[str]:
    """Return a mistake about what the target has, and no earlier run of the move has left.

    Args:
        plan: What would be done on the target.
        zones: The zones of the client on the target.
    """
    default_zones = {zone["domain"] for zone in zones if zone.get("state") == "default"}
    updates = [action for action in plan["actions"] if action["action"] != "create"]
    surprises = [action for action in updates if not _is_left_by_earlier_run(action, default_zones)]
    changes = [display_changes(action) for action in surprises]
    if not changes:
        return []
    surprise = (
        f"The target has {len(changes)} of these objects with other values: "
        f"{abbreviate(changes, 20, '; ')}. Correct one panel, or set move_update: true."
    )
    return [surprise]


def find_key(plural: str, item: Mapping[str, Any]) -> str:
    """Return the natural key of an object; empty if it has none."""
    return KINDS[plural].format_key(item) or ""


def display_name(action: Mapping[str, Any]) -> str:
    """Return the type and the key of the object of an action, as people read them."""
    return escape_control_characters(f"{KINDS[action['kind']].title} {action['key']}")


def display_changes(action: Mapping[str, Any]) -> str:
    """Return the object of an action and what is changed in it, as people read them."""
    changes = escape_control_characters(", ".join(describe_action_changes(action)))
    return f"{display_name(action)}: {changes}"


def _index_objects(resources: Resources) -> dict[str, dict[str, Item]]:
    """Return objects by kind and key."""
    index = {}
    for kind, items in resources.items():
        index[kind] = {find_key(kind, item): item for item in items}
    return index


def _find_owner_on_target(target: Target, plural: str, item: Item) -> Any:
    """Return the client that an object belongs to on the target; None if there is none."""
    existing = target.get(plural, {}).get(find_key(plural, item), {})
    return existing.get("client")


def _is_same_client(source: Mapping[str, Any], target: Mapping[str, Any]) -> bool:
    """Return whether the client of the target is that of the source."""
    identity = (source.get("id"), source.get("created_at"))
    return all(identity) and identity == (target.get("id"), target.get("created_at"))


def _list_lets_encrypt(domains: Iterable[Item]) -> list[str]:
    """Return the domains with a certificate of Let's Encrypt."""
    names = []
    for domain in domains:
        security = domain.get("security") or {}
        if security.get("lets_encrypt"):
            names.append(domain["domain"])
    return names


def _select_omissions(
    omissions: Iterable[Mapping[str, Any]], is_on_target: bool
) -> list[Mapping[str, Any]]:
    """Return what the export left out and no rule of a move decides.

    Args:
        omissions: What the export of the source left out.
        is_on_target: Whether the target has the client already.
    """
    decided = {"hosting_plan"}
    if is_on_target:
        decided.update(_STATE)

    selected = []
    for omission in omissions:
        if omission["kind"] == "clients" and omission.get("option") in decided:
            continue
        # Certificates come by hand.
        if omission["kind"] == "certificates" and "option" in omission:
            continue
        selected.append(omission)
    return selected


def _map_plan(
    resources: dict[str, list[Item]],
    plans: Sequence[Item],
    plans_on_target: Collection[str],
    rules: Rules,
) -> list[str]:
    """Give the client a hosting plan of the target; returns mistakes."""
    (client,) = resources["clients"]
    old_plan = client.get("hosting_plan")
    new_plan = rules.hosting_plan or rules.plans.get(str(old_plan)) or old_plan
    if not new_plan:
        return [
            "move_hosting_plan: the source does not show the client's. Specify one of the target."
        ]
    client["hosting_plan"] = new_plan
    if new_plan in plans_on_target:
        return []

    copies = [{**plan, "name": new_plan} for plan in plans if plan["name"] == old_plan]
    if copies and rules.create_plans:
        resources["plans"] = copies
        return []
    on_source = f" ({old_plan} on the source)" if old_plan != new_plan else ""
    mistake = (
        f"move_plans: the target has no hosting plan {new_plan}{on_source}. "
        f"Create it, map {old_plan or new_plan} to another one, or set move_create_plans: true."
    )
    return [mistake]


def _leave_certificates(
    resources: dict[str, list[Item]], certificates_on_target: Mapping[str, Item], username: str
) -> dict[str, list[str]]:
    """Take out what needs a private key, which no panel shows.

    Returns:
        By certificate, the domains that use it.
    """
    usable = set()
    for name, certificate in certificates_on_target.items():
        if certificate.get("client") in (username, "", None):
            usable.add(name)

    domains_by_certificate: dict[str, list[str]] = {}
    for certificate in resources.pop("certificates", ()):
        if certificate["name"] not in usable:
            domains_by_certificate[certificate["name"]] = []
    for domain in resources.get("domains", ()):
        security = domain.get("security") or {}
        in_use = security.get("certificate")
        if in_use and in_use not in usable:
            domain["security"] = _without_certificate(security)
            domains_by_certificate.setdefault(in_use, []).append(domain["domain"])
    return domains_by_certificate


def _without_certificate(security: Mapping[str, Any]) -> Item:
    """Return the options of the field ``security`` of a domain, without its certificate."""
    return {option: value for option, value in security.items() if option != "certificate"}


def _map_zones(
    resources: dict[str, list[Item]], server: Mapping[str, Any], rules: Rules
) -> list[str]:
    """Give the zones the addresses and names of the target; returns mistakes."""
    mistakes: list[str] = []
    typed_names = rules.typed_names
    variables = f"{typed_names['move_addresses']} or {typed_names['move_names']}"
    for index, zone in enumerate(resources.get(DNS, ())):
        domain = zone["domain"]
        if is_default_but_for_ttl(zone, rules.zones_before.get(domain)):
            resources[DNS][index] = {"domain": domain, "state": "default"}
            continue
        advice = f"Map it in {variables}, to itself to keep it."
        for record in find_unmapped(zone, server, rules.substitutes):
            sentence = f"the record {record} leads to the source. {advice}"
            mistakes.append(f"{domain}: {sentence}")
        resources[DNS][index] = rewrite(zone, rules.substitutes)
    return mistakes


def _hold_tasks(resources: Resources, tasks_on_target: Collection[str]) -> list[str]:
    """Keep new tasks from running on both servers; what the target has stays as it is.

    Returns:
        The descriptions of the tasks that run on the source.
    """
    held = [
        task for task in resources.get("scheduled_tasks", ()) if task.get("is_enabled") is not False
    ]
    for task in held:
        task.pop("is_enabled", None)
        if find_key("scheduled_tasks", task) not in tasks_on_target:
            task["is_enabled"] = False
    return [str(task.get("description")) for task in held]


def _give_passwords(resources: Resources, rules: Rules) -> list[str]:
    """Give the accounts the passwords of the rules; returns mistakes.

    A password that no file keeps would be lost, so without a file each account needs one.
    """
    mistakes = []
    accounts = _index_accounts(resources)
    for entry in rules.passwords:
        kind = entry["kind"]
        name = entry["key"]
        if kind in resources and KINDS[kind].password and len(KINDS[kind].key) == 1:
            name = find_key(kind, {KINDS[kind].key_options[0]: name})
        account = accounts.get((kind, name))
        if account is None:
            mistakes.append(
                f"move_passwords: the client has no {kind} {name} with a password on the source."
            )
            continue
        if account.get("password", entry["password"]) != entry["password"]:
            mistakes.append(f"move_passwords: {kind} {name} has two passwords. Keep one of them.")
        account["password"] = entry["password"]

    without = [
        f"{kind} {name}"
        for (kind, name), account in accounts.items()
        if "password" not in account and _needs_password(kind, name, rules.hashes)
    ]
    if without and not rules.has_file:
        problem = f"No file keeps the passwords of {abbreviate(without, 10)}."
        mistakes.append(f"move_credentials_file: missing. {problem}")
    return mistakes


def _needs_password(plural: str, name: str, hashes: Sequence[Mapping[str, str]] | None) -> bool:
    """Tell whether an account needs a password, since no hash is copied."""
    if hashes is None:
        return True
    return any(
        (entry["kind"], entry["key"], entry["outcome"]) == (plural, name, NEW) for entry in hashes
    )


def _index_accounts(resources: Resources) -> dict[tuple[str, str], Item]:
    """Return the objects with a password, by kind and key."""
    accounts = {}
    for kind, items in resources.items():
        if KINDS[kind].password:
            accounts.update({(kind, find_key(kind, item)): item for item in items})
    return accounts


def _find_taken_names(resources: Resources, target: Target, username: str) -> list[str]:
    """Return a mistake for each name that belongs to another client on the target."""
    mistakes = []
    if username in target.get("admins", {}):
        mistakes.append(f"{username}: the target has an admin of this name.")
    for kind, option in _TAKEN_ONCE:
        owners = {}
        for existing in target.get(kind, {}).values():
            # Who owns a system domain is not told.
            owners[existing.get(option)] = existing.get("client", username)

        names = [item[option] for item in resources.get(kind, ()) if item.get(option)]
        for name in names:
            owner = owners.get(name, username)
            if owner != username:
                mistakes.append(
                    f"{option} {name}: on the target it belongs to {owner or 'no client'}."
                )
    return mistakes


def _find_namesakes(client: Item, resources: Resources, target: Target, variable: str) -> list[str]:
    """Return a mistake about another customer of that name.

    It is one with another address and none of the source's objects.

    Args:
        client: The client of the source.
        resources: Its objects.
        target: The objects of the target.
        variable: What the message calls the variable that names the client.
    """
    username = client["username"]
    email = client.get("email", "")
    namesake = target.get("clients", {}).get(username, client)
    has_own = _owns_any_on_target(resources, target, username)
    if namesake.get("email", "") == email or has_own:
        return []
    address = namesake.get("email") or "(none)"
    mistake = (
        f"{variable}: {username} is another customer on the target, with address {address}. "
        "Rename one of them. If both are one, set the same address."
    )
    return [mistake]


def _owns_any_on_target(resources: Resources, target: Target, username: str) -> bool:
    for kind, _option in _TAKEN_ONCE:
        for item in resources.get(kind, ()):
            if _find_owner_on_target(target, kind, item) == username:
                return True
    return False


def _select_existing(resources: Resources, target: Target, username: str) -> dict[str, list[Item]]:
    """Return what the client has on the target already.

    It shows what differs although the rest cannot be planned.
    """
    existing = {}
    for kind, items in resources.items():
        existing[kind] = [
            item for item in items if _find_owner_on_target(target, kind, item) == username
        ]

    domains = {item["domain"] for item in existing.get("domains", ())}
    existing[DNS] = [zone for zone in resources.get(DNS, ()) if zone["domain"] in domains]
    existing["clients"] = []
    if username in target.get("clients", {}):
        existing["clients"] = [
            _without_missing_plan(client, target) for client in resources["clients"]
        ]
    return existing


def _without_missing_plan(client: Item, target: Target) -> Item:
    """Return the options of a client, without a hosting plan that the target does not have."""
    options = dict(client)
    if "hosting_plan" in options and options["hosting_plan"] not in target.get("plans", {}):
        del options["hosting_plan"]
    return options


def _is_left_by_earlier_run(action: Mapping[str, Any], default_zones: Collection[str]) -> bool:
    """Return whether an action is no surprise on the target.

    It is none where an earlier run that ended early left it to do, where a certificate came by
    hand, or where a task is switched on.
    """
    kind = action["kind"]
    if kind == DNS:
        return action["id"] is None or action["key"] in default_zones
    before = action.get("before") or {}
    after = action.get("after") or {}
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    if changed == {"password"}:
        return True
    if kind == "scheduled_tasks" and changed == {"is_enabled"}:
        return True
    if kind != "domains" or changed != {"security"}:
        return False

    old_security = before["security"] or {}
    new_security = after["security"] or {}
    if old_security.get("certificate"):
        return False
    return _without_certificate(old_security) == _without_certificate(new_security)

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the hand-over page of a move says, from what both panels show.

Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._kinds.tables import classify_domain
from ...module_utils._values.password_hashes import STAYS, UNKNOWN
from .mapping import display_changes, display_name, find_key
from .zones import find_longest_ttl, list_name_servers

Item = Mapping[str, Any]
Resources = Mapping[str, Sequence[Item]]
# By kind, the keys of its objects.
Keys = Mapping[str, Sequence[str]]


def make_hand_over(
    desired: Mapping[str, Any],
    source: Mapping[str, Any],
    target: Mapping[str, Any],
    plan: Mapping[str, Any],
    zones_before: Mapping[str, Mapping[str, Any]],
    known_passwords: Iterable[Any],
    passwords: Sequence[Mapping[str, str]],
) -> dict[str, Any]:
    """Return what the filter ``panel_hand_over`` returns.

    Args:
        desired: What the filter ``panel_move_resources`` returned.
        source: What was read of the panel that the client leaves.
        target: What was read of the panel that the client gets.
        plan: What is left to do on the target.
        zones_before: The zones by domain, as before their TTLs were lowered.
        known_passwords: Kind and key of each account whose password is given or in the file.
        passwords: What became of each password, as ``join_hashes`` returns it.
    """
    client = source["client"]
    username = client["username"]
    resources = desired["resources"]
    zones = resources.get(DNS, ())
    keys = _collect_keys(resources)
    keys_on_target = _select_existing(keys, plan["actions"])
    kept = [(entry["kind"], entry["key"]) for entry in passwords if entry["outcome"] == STAYS]
    with_password = [*known_passwords, *kept]

    return {
        "client": username,
        "differences": _list_differences(desired, plan["actions"]),
        "only_on_target": _list_surplus(target["resources"], username, keys),
        "suspended": _list_suspended(source["resources"], target["resources"], resources, username),
        "made": {kind: names for kind, names in keys_on_target.items() if names},
        "main_domains": _list_main_domains(client),
        "passwords": list(passwords),
        "without_password": _list_without_password(keys_on_target, resources, with_password),
        "remaining": _describe_remaining(client, desired["without_key"]),
        "name_servers": list_name_servers(zones),
        "lets_encrypt": desired["lets_encrypt"],
        "held_tasks": desired["held_tasks"],
        "wait": find_longest_ttl(zones_before),
        "lowered": _list_lowered(zones, zones_before),
    }


def join_hashes(
    hashes: Iterable[Mapping[str, str]], earlier: Iterable[Mapping[str, str]]
) -> list[dict[str, str]]:
    """Return what became of each password, where this panel may not show it any more.

    Args:
        hashes: What panel_resources says of each object in ``password_hashes``.
        earlier: What it or the hand-over of an earlier step has said.
    """
    copied = {(entry["kind"], entry["key"]) for entry in earlier if entry["outcome"] == STAYS}
    joined = []
    for entry in hashes:
        is_copied = (entry["kind"], entry["key"]) in copied
        if is_copied and entry["outcome"] == UNKNOWN:
            joined.append({**entry, "outcome": STAYS, "why": ""})
        else:
            joined.append(dict(entry))
    return joined


# What is on the target


def _collect_keys(resources: Resources) -> dict[str, list[str]]:
    """Return the keys of the client's objects, by kind. A hosting plan is not the client's."""
    keys = {}
    for kind, items in resources.items():
        if kind != "plans":
            keys[kind] = [find_key(kind, item) for item in items]
    return keys


def _select_existing(keys: Keys, actions: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the keys of the objects that the target has already."""
    missing = {
        (action["kind"], action["key"]) for action in actions if action["action"] == "create"
    }
    # With a domain its zone is missing too.
    missing |= {(DNS, key) for kind, key in missing if kind == "domains"}

    existing = {}
    for kind, names in keys.items():
        existing[kind] = [name for name in names if (kind, name) not in missing]
    return existing


def _list_surplus(target: Resources, username: str, keys: Keys) -> list[str]:
    """Return what the client has on the target alone."""
    surplus = []
    for kind, items in target.items():
        if kind in ("certificates", DNS):
            continue
        names = [find_key(kind, item) for item in items if item.get("client") == username]
        surplus += [f"{kind} {name}" for name in names if name not in keys.get(kind, ())]
    return surplus


def _list_suspended(
    source: Resources, target: Resources, desired: Resources, username: str
) -> list[str]:
    """Return on which of the two panels the client is suspended."""
    on_source = source["clients"]
    on_target = [client for client in target.get("clients", ()) if client["username"] == username]
    if not on_target:
        # The state of a new client is the source's, and only a new client gets it.
        on_target = list(desired["clients"])

    clients = {"source": on_source[0], "target": on_target[0]}
    return [panel for panel, client in clients.items() if client.get("is_suspended") is True]


def _list_without_password(
    keys: Keys, resources: Resources, known_passwords: Iterable[Any]
) -> list[str]:
    """Return the accounts on the target whose password nobody knows."""
    with_password = {tuple(account) for account in known_passwords}
    for kind, items in resources.items():
        with_password |= {(kind, find_key(kind, item)) for item in items if "password" in item}

    accounts = []
    for kind, names in keys.items():
        if KINDS[kind].password:
            accounts += [f"{kind} {name}" for name in names if (kind, name) not in with_password]
    return accounts


# What differs


def _list_differences(
    desired: Mapping[str, Any], actions: Iterable[Mapping[str, Any]]
) -> list[str]:
    """Return how the target differs from the source, and why."""
    differences = [*desired["mistakes"]]
    differences += [_describe_action(action) for action in actions]
    differences += [_describe_omission(omission) for omission in desired["left_out"]]
    return differences


def _describe_action(action: Mapping[str, Any]) -> str:
    """Return what is, not what would be done."""
    if action["action"] == "create":
        return f"missing  {display_name(action)}"
    return f"differs  {display_changes(action)}"


def _describe_omission(omission: Mapping[str, Any]) -> str:
    name = display_name(omission)
    if "id" in omission:
        name = f"{name} (id {omission['id']} on the source)"
    option = omission.get("option")
    if option:
        return f"differs  {name}: {option} cannot be copied, since {omission['reason']}"
    return f"missing  {name}: cannot be copied, since {omission['reason']}"


# What the client has on the source


def _list_main_domains(client: Mapping[str, Any]) -> list[str]:
    domains = _get_resources(client).get("domains") or ()
    return sorted(
        domain["domain"] for domain in domains if classify_domain(domain) == "main_domains"
    )


def _describe_remaining(
    client: Mapping[str, Any], without_key: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what no panel copies: files, mails, the content of databases and private keys."""
    resources = _get_resources(client)
    mailboxes = resources.get("emails") or ()
    databases = resources.get("databases") or ()
    return {
        "files": _describe_files(client),
        "mails": _list_sizes(mailboxes, "email"),
        "databases": _list_sizes(databases, "database_name"),
        "private_keys": [
            {"certificate": name, "domains": domains} for name, domains in without_key.items()
        ],
    }


def _list_sizes(items: Iterable[Mapping[str, Any]], option: str) -> list[dict[str, Any]]:
    """Return name and size of objects. option: the field that names them."""
    return [{"name": item[option], "size": item.get("size")} for item in items]


def _describe_files(client: Mapping[str, Any]) -> dict[str, Any]:
    stats = client.get("stats") or {}
    return {
        "disk_space": (stats.get("disk_space") or {}).get("value"),
        "count": (stats.get("files") or {}).get("value"),
        "folders": _list_folders(_get_resources(client)),
    }


def _list_folders(resources: Mapping[str, Any]) -> list[str]:
    """Return the folders that domains and FTP users of the client lead to."""
    folders: set[Any] = set()
    for domain in resources.get("domains") or ():
        folders.add((domain.get("target") or {}).get("target"))
    for user in resources.get("ftp_users") or ():
        folders.add(user.get("home_directory"))
    return sorted(folder for folder in folders if str(folder or "").startswith("/"))


def _get_resources(client: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the objects that the panel shows with a client."""
    return client.get("resources") or {}


# Zones


def _list_lowered(zones: Iterable[Item], zones_before: Collection[str]) -> list[str]:
    """Return the domains of the zones whose TTLs were lowered for the move."""
    customized = [zone["domain"] for zone in zones if zone.get("state") != "default"]
    return [domain for domain in customized if domain in zones_before]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Which items of a task may get a new password, and which file keeps that of each."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Callable

from ansible.parsing.vault import VaultLib

from ...module_utils._errors import OptionError
from ...module_utils._items.desired_items import Item, ItemsRead
from ...module_utils._kinds.registry import KINDS
from ...module_utils._problems import Written
from ...module_utils._schema.fields import OWNER
from .._run.controller_files import expand_path
from .._run.module_call import ModuleResult
from .credentials_file import CredentialsFile, NewPassword, Resources

FILE = "credentials_file"
CLIENT = "{client}"
# Whoever logs in to the panel, and owns what else there is.
_ACCOUNTS = ("clients", "admins")

# Runs a module: its name without the collection, its options beside the connection, and whether in
# check mode.
Run = Callable[[str, Mapping[str, Any], bool], ModuleResult]


def select_items(read: ItemsRead) -> list[Item]:
    """Return those of the items that may get a new password.

    Raises:
        OptionError: The name of one is not known.
    """
    if read.mistakes:
        # The module refuses all of them. So nobody has to be asked whose they are.
        return []
    selected: list[Item] = []
    for plural, items_of_kind in read.items.items():
        if KINDS[plural].password is not None:
            selected += [item for item in items_of_kind if _needs_password(item)]
    for item in selected:
        _refuse_ids(item)
    return selected


def _needs_password(item: Item) -> bool:
    desired = item.desired
    if not desired.is_present or desired.password.build_body():
        return False
    return desired.id is None or desired.password.regenerate


def _refuse_ids(item: Item) -> None:
    """Raise OptionError for an item without its key, under which its password is filed."""
    desired = item.desired
    kind = KINDS[item.plural]
    named = {reference.path[0] for reference in desired.references if reference.name is not None}
    # In some kinds the owner's name is a part of the key.
    by_id = [field.name for field in kind.key if field.kind_path and field.name not in named]
    if desired.id is not None:
        by_id.insert(0, "id")
    if by_id:
        reason = "the password is filed under the name of the object."
        raise OptionError(
            f"give {kind.key_options[0]} instead: {reason}",
            option=(item.plural, item.index, by_id[0]),
            written=Written.NOTHING,
        )


def assign_files(
    items: list[Item], pattern: str, owners: Owners, vault: VaultLib
) -> list[NewPassword]:
    """Return a new password for each item, with the file that keeps it."""
    expanded_pattern = expand_path(pattern)
    paths = []
    for item in items:
        path = expanded_pattern
        if CLIENT in expanded_pattern:
            path = expanded_pattern.replace(CLIENT, owners.find(item))
        paths.append(path)

    files = {path: CredentialsFile(path, vault) for path in dict.fromkeys(paths)}
    return [NewPassword(item, files[path]) for item, path in zip(items, paths)]


def _make_missing_value_error(reason: str, advice: str) -> OptionError:
    """Return the error of a path in which {client} has no value."""
    cause = f"{CLIENT} has no value, because {reason}."
    return OptionError(cause, option=FILE, written=Written.NOTHING, advice=advice)


class Owners:
    """Finds the account of an object; asks the panel only where the task does not say it."""

    def __init__(self, run: Run, resources: Resources, check_mode: bool) -> None:
        self._run = run
        self._resources = resources
        self._check_mode = check_mode
        self._clients_by_key = functools.cache(self._list_clients)

    def find(self, item: Item) -> str:
        """Return the name of the account, as it stands in the path of a file.

        Raises:
            OptionError: There is none.
        """
        kind = KINDS[item.plural]
        owner = item.key if item.plural in _ACCOUNTS else self._find_client(item)
        if not owner and self._check_mode and kind.owner:
            return CLIENT  # an earlier task may be about to create its domain
        if not owner:
            reason = f"the client of {kind.title} {item.key} is unknown"
            advice = f"Give client, or a path without {CLIENT}."
            raise _make_missing_value_error(reason, advice)
        if "/" in owner or owner.startswith("."):
            reason = f"{owner} cannot be a part of a file's name"
            advice = f"Correct the username, or give a path without {CLIENT}."
            raise _make_missing_value_error(reason, advice)
        return owner

    def _find_client(self, item: Item) -> str:
        """Return the client that an object belongs to; empty if it is unknown."""
        for reference in item.desired.references:
            if reference.path == (OWNER,):
                return reference.name or self._clients_by_key("clients").get(str(reference.id), "")
        client = self._clients_by_key(item.plural).get(item.key, "")
        domain = KINDS[item.plural].read_domain(item.desired.key)
        if client or domain is None:
            return client

        # A new mailbox belongs to the client of its domain.
        for options in reversed(self._resources.get("domains") or []):
            if KINDS["domains"].format_key(options) == domain:
                client = str(options.get("client") or "")
                break
        return client or self._clients_by_key("domains").get(domain, "")

    def _list_clients(self, plural: str) -> dict[str, str]:
        """Return the clients of all objects of a kind by key; the clients themselves by id."""
        if plural == "clients":
            clients = self._run("panel_client_info", {}, True).result["clients"]
            return {str(client["id"]): client["username"] for client in clients}
        resources = self._run("panel_resources_info", {"kinds": [plural]}, True).result["resources"]
        return {
            str(KINDS[plural].format_key(object_)): str(object_.get("client") or "")
            for object_ in resources[plural]
        }

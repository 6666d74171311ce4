# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads both panels of a move with the info modules. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._kinds.registry import DNS, TABLES
from .._jobs.run_modules import ModuleFailed, ModuleRuns, read_objects
from .mapping import CannotMove, Resources, Seen, no_client
from .moved_zones import Substitutes, address_key, name_key


def read_both(source: ModuleRuns, target: ModuleRuns, client: str) -> Seen:
    """What is needed to tell what the move does; nothing is written.

    Raises CannotMove without the client, and where both are one panel under two addresses.
    """
    try:
        export = source.succeed("panel_resources_info", {"clients": [client]})
    except ModuleFailed as failure:
        if failure.option == "clients":
            raise no_client(client) from None
        raise
    plans = source.read("panel_resources_info", "resources", {"kinds": ["plans"]})["plans"]
    meta = source.read("panel_server_info", "server", {}).get("meta") or {}
    found = _target(target, client)
    if DNS in found:
        # Only then: the same panel has the client in any case.
        _refuse_one_panel(source, target, client, meta)
    return Seen(export["resources"], plans, _old(meta), found, export["left_out"])


def _refuse_one_panel(source: ModuleRuns, target: ModuleRuns, client: str, meta: Mapping[str, Any]) -> None:
    """meta: what the source says about its server."""
    births = [_birth(panel, client) for panel in (source, target)]
    if any(one is not None and two is not None and one != two for one, two in zip(*births)):
        return
    if None not in births[0] + births[1]:
        raise CannotMove(
            f"target: has the client {client} with the id and the time of its making on the source: both addresses lead to one panel."
        )
    servers = [_server(meta), _server(target.read("panel_server_info", "server", {}).get("meta") or {})]
    if any(one and two and one != two for one, two in zip(*servers)):
        return
    if servers[0] == servers[1] and all(servers[0]):
        reason = f"{meta.get('hostname')} and the addresses of the source: both addresses lead to one panel"
        raise CannotMove(
            f"target: has the client {client} with its id on the source, and answers with the host name {reason}."
        )
    unknown = "the panels tell neither when it was made nor on which server they run, so whether both addresses lead to one panel cannot be told"
    raise CannotMove(f"target: has the client {client} with its id on the source, and {unknown}.")


def _birth(panel: ModuleRuns, client: str) -> tuple[Any, Any]:
    """What two clients of one name do not have in common: id and the time of the making; None for what the panel does not tell."""
    found = read_objects(panel, "clients", username=client)
    return (found[0].get("id"), found[0].get("created_at") or None) if found else (None, None)


def _server(meta: Mapping[str, Any]) -> tuple[str, frozenset[Any]]:
    """What two servers do not both have in common: name and addresses; empty for what the panel does not tell."""
    addresses = frozenset(address_key(address) for address in meta.get("ip_addresses") or ())
    return name_key(str(meta.get("hostname") or "")) or "", addresses - {None}


def _old(meta: Mapping[str, Any]) -> Substitutes:
    """What records of the source may lead to (facts.md section 2, GET /server)."""
    addresses = {address_key(address) for address in meta.get("ip_addresses") or ()} - {None}
    hostname = name_key(str(meta.get("hostname") or ""))
    return Substitutes({str(address): "" for address in addresses}, {hostname: ""} if hostname else {})


def _target(target: ModuleRuns, client: str) -> Resources:
    """Everything but zones, since names are taken by whoever has them; zones only of the client, if it is there."""
    kinds = list(TABLES)
    found: dict[str, Any] = dict(target.read("panel_resources_info", "resources", {"kinds": kinds}))
    if any(item.get("username") == client for item in found["clients"]):
        zones = target.read("panel_resources_info", "resources", {"kinds": [DNS], "clients": [client]})
        found[DNS] = zones[DNS]
    return found

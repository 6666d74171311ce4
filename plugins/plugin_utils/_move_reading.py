# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads both panels of a move with the info modules. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._bulk.kinds import DNS, ORDER
from ansible_collections.hosting.panel.plugins.plugin_utils._move_mapping import CannotMove, Resources, Seen
from ansible_collections.hosting.panel.plugins.plugin_utils._move_zones import Substitutes, address_key, name_key
from ansible_collections.hosting.panel.plugins.plugin_utils._reads import Reads


def read_both(source: Reads, target: Reads, client: str) -> Seen:
    """What is needed to tell what the move does; nothing is written. Raises CannotMove where both are one panel under two addresses."""
    export: Resources = source.read("panel_resources_info", "resources", {"clients": [client]})
    plans = source.read("panel_resources_info", "resources", {"kinds": ["plans"]})["plans"]
    meta = source.read("panel_server_info", "server", {}).get("meta") or {}
    found = _target(target, client)
    birth = _birth(source, client) if DNS in found else None
    if birth is not None and birth == _birth(target, client):
        raise CannotMove(
            [
                f"target: has the client {client} with the id and the time of its making on the source: both addresses lead to one panel."
            ]
        )
    return Seen(export, plans, _old(meta), found)


def _birth(panel: Reads, client: str) -> tuple[Any, Any] | None:
    """What two clients of one name do not have in common; None where the panel does not tell it."""
    found: list[dict[str, Any]] = panel.read("panel_client_info", "clients", {"username": client})
    return (found[0].get("id"), found[0]["created_at"]) if found and found[0].get("created_at") else None


def _old(meta: Mapping[str, Any]) -> Substitutes:
    """What records of the source may lead to (facts.md section 2, GET /server)."""
    addresses = {address_key(address) for address in meta.get("ip_addresses") or ()} - {None}
    hostname = name_key(str(meta.get("hostname") or ""))
    return Substitutes({str(address): "" for address in addresses}, {hostname: ""} if hostname else {})


def _target(target: Reads, client: str) -> Resources:
    """Everything but zones, since names are taken by whoever has them; zones only of the client, if it is there."""
    kinds = [kind for kind in ORDER if kind != DNS]
    found: dict[str, Any] = dict(target.read("panel_resources_info", "resources", {"kinds": kinds}))
    if any(item.get("username") == client for item in found["clients"]):
        zones = target.read("panel_resources_info", "resources", {"kinds": [DNS], "clients": [client]})
        found[DNS] = zones[DNS]
    return found

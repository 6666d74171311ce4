# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads everything that a panel tells about one client, with the info modules. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._kinds.domain import class_of
from ...module_utils._kinds.registry import DNS, KINDS, OWNED
from ...module_utils._object.managing import shows_everything
from ...module_utils._schema.kind import OWNER
from .._folder.export_text import text_of
from .._jobs.job_failed import id_of
from .._jobs.run_modules import ModuleRuns, read_objects
from .archive_content import Material, missing_objects


class ClientChanged(Exception):
    """Something of the client came or went while it was read; the message names it."""


def read_client(panel: ModuleRuns, username: str, months: list[str]) -> Material | None:
    """Everything about the client; None where the panel has no such client.

    months: YYYY-MM, the newest last. One request for each kind, each month and each zone, and one for each object that the lists do not show
    whole. Raises ClientChanged and WithoutId.
    """
    *earlier, newest = months
    include = ["resources", "stats", "traffic"]
    found = read_objects(panel, "clients", username=username, include=include, month=newest)
    if not found:
        return None
    client = dict(found[0])
    id_of(client, f"clients {username}")
    resources, stats = client.pop("resources"), client.pop("stats")
    traffic = {newest: client.pop("traffic")}
    for month in earlier:
        found = read_objects(panel, "clients", id=client["id"], include=["traffic"], month=month)
        traffic[month] = _one(found, f"clients {username}")["traffic"]
    owned = {kind: _owned(panel, kind, client["id"], resources.get(kind) or ()) for kind in OWNED}
    missing = missing_objects(resources, owned)
    if missing:
        raise ClientChanged(", ".join(missing))
    zones = [zone for domain in owned["domains"] for zone in _zones(panel, domain)]
    rebuild = panel.read("panel_resources_info", "resources", {"clients": [username]})
    return Material(client, resources, stats, traffic, owned, zones, text_of(rebuild))


def _owned(panel: ModuleRuns, kind: str, owner: Any, named: Iterable[Any]) -> list[dict[str, Any]]:
    """The client's objects of a kind, whole, by their ids. named: as the client's resources have them. Raises WithoutId."""
    table = KINDS[kind]
    listed = read_objects(panel, kind)
    found: dict[Any, dict[str, Any]] = {}
    for item in listed:
        if item.get(OWNER) == owner:
            id_of(item, f"{kind} {table.key_of(item)}")
            found[item["id"]] = dict(item)
    everything = {item.get("id"): item for item in listed}
    for item in named:
        # A list may leave out whose an object is; the client's resources then tell it.
        if isinstance(item, Mapping) and item.get("id") is not None:
            found[item["id"]] = {**item, **everything.get(item["id"], {})}
    for identifier, item in found.items():
        if not shows_everything(table, item.keys()):
            item.update(_one(read_objects(panel, kind, id=identifier), f"{kind} {identifier}"))
    return [found[identifier] for identifier in sorted(found, key=str)]


def _zones(panel: ModuleRuns, domain: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The zone of a main domain; none for any other domain, and for one that has none although it is there."""
    if class_of(domain) != "main_domains":
        return []
    found: list[dict[str, Any]] = panel.read("panel_dns_info", DNS, {"id": domain["id"]})
    if not found:
        _one(read_objects(panel, "domains", id=domain["id"]), f"domains {domain.get('domain')}")
    return found


def _one(found: list[dict[str, Any]], name: str) -> dict[str, Any]:
    if not found:
        raise ClientChanged(name)
    return found[0]

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that more than one panel has: a customer who was moved and not removed, or two that will meet. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._object.domain_classes import class_of
from .panel_reading import PanelReading
from .panel_values import text


def duplicates(readings: Iterable[PanelReading]) -> list[dict[str, Any]]:
    """Domains, then client names, on several panels, with the owner on each. Subdomains of such a domain are counted, not listed."""
    domains: dict[str, dict[str, str]] = {}
    shown: dict[str, str] = {}
    clients: dict[str, dict[str, str]] = {}
    for reading in readings:
        for domain in reading.of("domains"):
            name = text(domain.get("domain")).lower()
            if name and class_of(domain) != "system_domains":
                domains.setdefault(name, {})[reading.name] = text(reading.username(domain.get("id_user")))
                shown.setdefault(name, text(domain.get("domain_utf8"), name))
        for client in reading.of("clients"):
            name = text(client.get("username")).lower()
            if name:
                clients.setdefault(name, {})[reading.name] = name
    several = {name: places for name, places in domains.items() if len(places) > 1}
    found = []
    for name in sorted(several):
        if _parent(name, several):
            continue
        below = sum(1 for other in several if other.endswith(f".{name}"))
        found.append(_entry("domain", shown[name], several[name], below))
    found += [_entry("client", name, clients[name], 0) for name in sorted(clients) if len(clients[name]) > 1]
    return found


def _parent(name: str, several: Mapping[str, Any]) -> bool:
    """Whether a domain above this one is on several panels too."""
    labels = name.split(".")
    return any(".".join(labels[index:]) in several for index in range(1, len(labels)))


def _entry(kind: str, name: str, places: Mapping[str, str], below: int) -> dict[str, Any]:
    return {
        "kind": kind,
        "name": name,
        "servers": [{"server": server, "client": places[server]} for server in sorted(places)],
        "subdomains": below,
    }

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Another writer: changes a zone between two requests of the caller (the fault ``mutate_dns``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from panel_simulator import zones
from panel_simulator.kinds.domains import SCOPE
from panel_simulator.names import ascii_domain
from panel_simulator.panel import Panel
from panel_simulator.store import Entry

_ZONE_PATH = re.compile(r"/(?:dns|domains)/(?:name/(?P<name>[^/]+)|(?P<id>\d+))")


def change_zone(panel: Panel, path: str, options: Mapping[str, Any]) -> None:
    """Adds and removes records of the zone that ``options`` or else the request's path names; does nothing if there is none."""
    entry = _zone_entry(panel, path, options.get("domain"))
    if entry is None:
        return
    zone = zones.stored(panel, entry)
    kept = [record for record in zone.other if not any(_fits(record, pattern) for pattern in options["remove"])]
    actual = zones.dkim_value(entry.hidden["dkim_secret"])
    added = [zones.read_record({"ttl": 3600, **record}, "add", actual) for record in options["add"]]
    zones.set_custom(panel, entry, zone.soa, kept + added)


def _zone_entry(panel: Panel, path: str, domain: str | None) -> Entry | None:
    match = _ZONE_PATH.search(path)
    if domain is None and match and match["id"]:
        return panel.store.get("domains", int(match["id"]))
    name = domain or (unquote(match["name"]) if match else "")
    return panel.store.holder(SCOPE, ascii_domain(name)) if name else None


def _fits(record: Mapping[str, Any], pattern: Mapping[str, Any]) -> bool:
    return all(record.get(name) == value for name, value in pattern.items())

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Another writer: changes a zone between two requests of the caller (the fault ``mutate_dns``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from panel_simulator import zones
from panel_simulator.kinds.domains import SCOPE, is_main
from panel_simulator.names import ascii_domain
from panel_simulator.panel import Panel
from panel_simulator.store import Entry

_ZONE_PATH = re.compile(r"/dns/(?:name/(?P<name>[^/]+)|(?P<id>\d+))")


def change_zone(panel: Panel, path: str, options: Mapping[str, Any]) -> None:
    """Adds and removes records of the zone that ``options`` or else the request's path names; does nothing if there is none."""
    entry = _zone_entry(panel, path, options["domain"])
    if entry is None or not is_main(entry.data):
        return
    zone = zones.stored(panel, entry)
    kept = [record for record in zone.other if not any(_fits(record, pattern) for pattern in options["remove"])]
    actual = zones.dkim_value(entry.hidden["dkim_secret"])
    zones.set_custom(
        panel, entry, zone.soa, kept + [zones.read_record(record, "add", actual) for record in options["add"]]
    )


def _zone_entry(panel: Panel, path: str, domain: str | None) -> Entry | None:
    match = _ZONE_PATH.search(path)
    if domain is None and match and match["id"]:
        return panel.store.get("domains", int(match["id"]))
    try:
        name = ascii_domain(domain if domain is not None else unquote(match["name"]) if match else "")
    except ValueError:
        return None
    return panel.store.holder(SCOPE, name)


def _fits(record: Mapping[str, Any], pattern: Mapping[str, Any]) -> bool:
    return all(record.get(name) == value for name, value in pattern.items())

"""Another writer between two requests of the caller: changes a zone (the fault ``mutate_dns``), or makes objects anew (``remake``)."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from panel_simulator import state, zones
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.domains import SCOPE, is_main
from panel_simulator.names import ascii_domain
from panel_simulator.panel import Panel
from panel_simulator.store import Entry

_ZONE_PATH = re.compile(r"/dns/(?:name/(?P<name>[^/]+)|(?P<id>\d+))")


# The members by which others refer to an object, by its kind.
_REFERENCES = {"clients": "id_user", "domains": "id_parent_domain", "certificates": "id_certificate"}


def interfere(panel: Panel, path: str, kind: str, options: Mapping[str, Any]) -> None:
    """What another writer does while a request with this path is on its way. kind: of the fault."""
    if kind == "remake":
        remake(panel, options["collection"], options["ids"])
    else:
        change_zone(panel, path, options)


def remake(panel: Panel, collection: str, ids: Sequence[int]) -> None:
    """Makes objects anew: with the same members, and what refers to them, under other ids. ids: empty for all of the kind."""
    dumped = copy.deepcopy(state.dump(panel))
    old = [item for item in dumped["objects"][collection] if not ids or item["id"] in ids]
    new = {item["id"]: panel.store.next_id(KINDS[collection].sequence) for item in old}
    for item in old:
        item["id"] = new[item["id"]]
    member = _REFERENCES.get(collection)
    for item in (item for items in dumped["objects"].values() for item in items):
        for holder in (item["data"], item["data"].get("security")):
            if holder is not None and holder.get(member) in new:
                holder[member] = new[holder[member]]
    if collection == "domains":
        dumped["zones"] = {str(new.get(int(number), number)): zone for number, zone in dumped["zones"].items()}
    state.load(panel, {**dumped, "sequences": panel.store.sequences})


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

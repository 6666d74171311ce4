# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults on demand: their kinds, which request they strike, and what each does to it.

Another writer, who changes the panel beside a request, is a fault too.
"""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

from panel_simulator import state, zones
from panel_simulator.answering import Reply, make_json_reply, make_page
from panel_simulator.calls import ApiError, Invalid
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.domains import is_main
from panel_simulator.panel import Panel
from panel_simulator.settings import find_form, find_misfit
from panel_simulator.store import Entry

BEFORE = "before"
AFTER = "after"
# The fields of every fault, with their defaults.
COMMON: dict[str, Any] = {
    "method": ["*"],
    "path": "",
    "skip": 0,
    "times": 1,
    "when": None,
    "late": None,
}
# The kinds, with the fields that each has beside those.
FAULTS: dict[str, dict[str, Any]] = {
    "status": {"status": 503, "body": "html", "message": "The request failed.", "headers": {}},
    "reset": {},
    "refuse": {"seconds": 1.0},
    "slow": {"seconds": 1.0},
    "stall": {"drops": False},
    "truncate": {"bytes": None},
    "wrong_type": {"content_type": "text/html"},
    "redirect": {"location": "https://elsewhere.example/api/v2/ping", "status": 302},
    "body": {"body": None, "status": None},
    "mutate_dns": {"domain": None, "add": [], "remove": []},
    "remake": {"collection": "clients", "ids": []},
}
# The forms of fields that have no form, and whose default does not show it. A field whose default is
# null may be null.
_FORMS = {
    "late": "number",
    "bytes": "count",
    "domain": "text",
    "add": "objects",
    "remove": "objects",
}
# Where `when` is not given: these strike instead of the request's effect, the others after it.
_STRIKE_BEFORE = ("status", "reset", "refuse", "slow", "redirect")


@dataclass
class Fault:
    """One queued fault.

    ``skip`` matching requests are let through, then ``times`` are struck (0: all that follow).
    """

    kind: str
    method: list[str]
    path: re.Pattern[str]
    when: str
    late: float | None
    skip: int
    times: int
    options: dict[str, Any]
    struck: int = 0
    number: int = field(default_factory=itertools.count(1).__next__)

    def matches(self, method: str, path: str) -> bool:
        """Return whether the method and the path below /api/v2, sent or decoded, are the fault's."""
        is_method = "*" in self.method or method in self.method
        return is_method and bool(self.path.search(path) or self.path.search(unquote(path)))

    def show(self) -> dict[str, Any]:
        """Return the fault as the control interface answers it."""
        fields = {name: value for name, value in vars(self).items() if name != "options"}
        return {**fields, "path": self.path.pattern, **self.options}


def read_fault(described: Any) -> Fault:
    """Read a fault as the control interface gets it; raises Invalid."""
    if not isinstance(described, Mapping):
        raise Invalid("A fault must be an object.")

    fields = {**described}
    kind = fields.pop("kind", None)
    if not isinstance(kind, str) or kind not in FAULTS:
        raise Invalid(f"kind: must be one of {', '.join(FAULTS)}.")

    if isinstance(fields.get("method"), str):
        fields["method"] = [fields["method"]]

    defaults = {**COMMON, **FAULTS[kind]}
    _check_fields(kind, fields, defaults)

    values = {**copy.deepcopy(defaults), **fields}
    if values.get("collection", "clients") not in KINDS:
        raise Invalid(f"collection: must be one of {', '.join(KINDS)}.")

    if "add" in values:
        values["add"] = [
            _read_record(record, f"add[{number}]") for number, record in enumerate(values["add"])
        ]

    values["method"] = [method.upper() for method in values["method"]]
    if not values["when"]:
        values["when"] = BEFORE if kind in _STRIKE_BEFORE else AFTER

    values["path"] = re.compile(values["path"])
    options = {name: values.pop(name) for name in FAULTS[kind]}
    return Fault(kind=kind, options=options, **values)


def _check_fields(kind: str, fields: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Refuse a field that a fault of this kind does not have, and a value that does not fit."""
    for name, value in fields.items():
        if name not in defaults:
            raise Invalid(
                f"{name}: is no member of a fault of the kind {kind}; it has {', '.join(defaults)}."
            )

        default = defaults[name]
        if value is None and default is None:
            continue
        setting = f"{kind}.{name}" if name == "body" else name
        misfits = find_misfit(_FORMS.get(name) or find_form(setting, default), value)
        if misfits:
            raise Invalid(f"{name}: must be {misfits}.")


def _read_record(record: Mapping[str, Any], where: str) -> Any:
    """Return a record that another writer adds; raises Invalid."""
    checked = zones.RECORD.check({"ttl": 3600, **record}, where)
    zones.fill_record(checked, where, zones.PLACEHOLDER)
    return checked


def strike(queue: list[Fault], method: str, path: str) -> tuple[Fault | None, list[Fault]]:
    """Choose the faults of a request, and count them as used.

    Returns: the first fault that strikes the request, and the interferences that come with it.
    """
    chosen: Fault | None = None
    interferences: list[Fault] = []

    for fault in list(queue):
        is_interference = fault.kind in _OTHER_WRITERS
        may_strike = is_interference or chosen is None
        if not may_strike or not fault.matches(method, path):
            continue
        if fault.skip:
            fault.skip -= 1
            continue

        fault.struck += 1
        if fault.times and fault.struck >= fault.times:
            queue.remove(fault)
        if is_interference:
            interferences.append(fault)
        else:
            chosen = fault

    return chosen, interferences


_ZONE_PATH = re.compile(r"/dns/(?:name/(?P<name>[^/]+)|(?P<id>\d+))")


def spoil_reply(fault: Fault, reply: Reply) -> Reply:
    """Return what comes in the place of an answer; faults of connections leave it as it is."""
    options = fault.options
    match fault.kind:
        case "status":
            return _make_error_reply(options)
        case "truncate":
            return _truncate(reply, options["bytes"])
        case "wrong_type":
            return replace(reply, media_type=options["content_type"])
        case "redirect":
            return Reply(options["status"], headers={"Location": options["location"]})
        case "body":
            return make_json_reply(options["status"] or reply.status, options["body"])

    return reply


def _make_error_reply(options: Mapping[str, Any]) -> Reply:
    """Return an answer with a status, as JSON of the API or as a page of the web server."""
    status = options["status"]
    message = options["message"]
    if options["body"] == "json":
        reply = make_json_reply(status, ApiError(status, message).body)
    else:
        reply = make_page(status, message)

    return replace(reply, headers={name: str(value) for name, value in options["headers"].items()})


def _truncate(reply: Reply, most: int | None) -> Reply:
    """Return an answer that ends before its announced length: after so many bytes, or half way."""
    body = reply.body or b"{}"
    length = len(body) // 2
    if most is not None:
        length = min(most, len(body) - 1)

    status = reply.status
    if status == 204:
        status = 200

    return replace(reply, status=status, body=body[:length], length=len(body), closes=True)


def interfere(panel: Panel, path: str, interferences: list[Fault], when: str) -> None:
    """Do what another writer does while a request is on its way."""
    for fault in interferences:
        if fault.when == when:
            _OTHER_WRITERS[fault.kind](panel, path, **fault.options)


def _remake(panel: Panel, _path: str, collection: str, ids: list[int]) -> None:
    """Make objects again: with the same fields, and what refers to them, under other ids.

    ids: which objects; empty for all of the kind.
    """
    for entry in list(panel.store.list_all(collection)):
        if not ids or entry.id in ids:
            _remake_entry(panel, collection, entry)


def _remake_entry(panel: Panel, collection: str, entry: Entry) -> None:
    old_id = entry.id
    new_id = panel.store.take_next_id(KINDS[collection].sequence or collection)
    panel.store.remove(entry)
    entry.id = new_id
    panel.store.insert(entry, entry.claims)
    _renumber_references(panel, collection, old_id, new_id)
    if collection == "domains" and old_id in panel.zones:
        panel.zones[new_id] = panel.zones.pop(old_id)


def _renumber_references(panel: Panel, collection: str, old_id: int, new_id: int) -> None:
    """Let every object that refers to the old id refer to the new one."""
    references = {kind: field for _name, field, kind in state.REFERENCES}
    reference = references.get(collection, "")

    for entry in itertools.chain.from_iterable(panel.store.list_all(kind) for kind in KINDS):
        for holder in (entry.data, entry.data.get("security", {})):
            if holder.get(reference) == old_id:
                holder[reference] = new_id


def _change_zone(
    panel: Panel,
    path: str,
    domain: str | None,
    add: list[dict[str, Any]],
    remove: list[dict[str, Any]],
) -> None:
    """Add and remove records of the zone of a domain, or else of the request's path.

    A path without a zone, and a domain that does not exist, are left alone.
    """
    entry = _find_domain(panel, path if domain is None else f"/dns/name/{domain}")
    if entry is None or not is_main(entry.data):
        return

    zone = zones.get_stored_zone(panel, entry)
    actual_dkim = zones.make_dkim_value(entry.hidden["dkim_secret"])
    records = [record for record in zone.other if not _matches_any(record, remove)]
    records += [zones.fill_record(record, "add", actual_dkim) for record in add]
    zones.set_custom(panel, entry, zone.soa, records)


def _find_domain(panel: Panel, path: str) -> Entry | None:
    match = _ZONE_PATH.search(path)
    if match is None:
        return None

    by_id = panel.store.get("domains", int(match["id"] or 0))
    return by_id or KINDS["domains"].find_holder(panel.store, unquote(match["name"] or ""))


def _matches_any(record: Mapping[str, Any], patterns: list[dict[str, Any]]) -> bool:
    """Return whether a record has all fields of one of the patterns."""
    return any(pattern.items() <= record.items() for pattern in patterns)


# These come beside whatever else strikes a request.
_OTHER_WRITERS: dict[str, Callable[..., None]] = {"mutate_dns": _change_zone, "remake": _remake}

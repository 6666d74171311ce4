"""What each kind of fault does to a request and its answer, and what another writer does beside it."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

from panel_simulator import state, zones
from panel_simulator.answering import Reply, html_reply, json_reply, page
from panel_simulator.application import Application, LoggedRequest
from panel_simulator.calls import ApiError, Call
from panel_simulator.connections import Connection
from panel_simulator.faults import AFTER, BEFORE, Fault
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.domains import is_main
from panel_simulator.panel import Entry, Panel

_ZONE_PATH = re.compile(r"/dns/(?:name/(?P<name>[^/]+)|(?P<id>\d+))")
# The fields by which others refer to an object, by its kind.
_REFERENCES = {"clients": "id_user", "domains": "id_parent_domain", "certificates": "id_certificate"}


@dataclass
class Strike:
    """One fault that strikes one request; ``reply`` is the panel's own answer, or a stand-in if the request had no effect."""

    application: Application
    connection: Connection
    reply: Reply
    options: Mapping[str, Any]


def answer(
    application: Application,
    connection: Connection,
    call: Call,
    entry: LoggedRequest,
    fault: Fault | None,
    interferences: list[Fault],
) -> Reply:
    """Carries the request out, or not, and answers as the fault wants it; notes in the log what was done."""
    entry.fault = fault.kind if fault else interferences[0].kind
    _interfere(application, call, interferences, BEFORE)
    is_slow_before = fault is not None and fault.kind == "slow" and fault.when == BEFORE
    if fault is not None and is_slow_before:
        time.sleep(fault.options["seconds"])
    has_effect = fault is None or (fault.late is None and (fault.kind == "slow" or fault.when == AFTER))
    if fault is not None and fault.late is not None:
        application.carry_out_later(call, fault.late)
    reply = application.carry_out(call) if has_effect else json_reply(200, {})
    _interfere(application, call, interferences, AFTER)
    if fault is not None and not is_slow_before:
        reply = _EFFECTS[fault.kind](Strike(application, connection, reply, fault.options))
    entry.status = None if connection.is_over else reply.status
    return reply


def _status(strike: Strike) -> Reply:
    status, headers = strike.options["status"], strike.options["headers"]
    is_json = strike.options["body"] == "json"
    reply = json_reply(status, ApiError(status, strike.options["message"]).body) if is_json else page(status)
    return replace(reply, headers={name: str(value) for name, value in headers.items()})


def _reset(strike: Strike) -> Reply:
    strike.connection.reset()
    return strike.reply


def _refuse(strike: Strike) -> Reply:
    strike.application.go_away(strike.options["seconds"], strike.connection)
    # If it is answered, the end is announced: the caller opens another connection for its next request, in vain.
    return replace(strike.reply, closes=True) if strike.options["answered"] else _reset(strike)


def _slow(strike: Strike) -> Reply:
    time.sleep(strike.options["seconds"])
    return strike.reply


def _stall(strike: Strike) -> Reply:
    strike.application.stall(strike.options["drops"])
    strike.application.released.wait()
    return strike.reply


def _truncate(strike: Strike) -> Reply:
    body, most = strike.reply.body or b"{}", strike.options["bytes"]
    length = len(body) // 2 if most is None else min(most, len(body) - 1)
    status = 200 if strike.reply.status == 204 else strike.reply.status
    return replace(strike.reply, status=status, body=body[:length], length=len(body), closes=True)


_EFFECTS: dict[str, Callable[[Strike], Reply]] = {
    "status": _status,
    "reset": _reset,
    "refuse": _refuse,
    "slow": _slow,
    "stall": _stall,
    "truncate": _truncate,
    "wrong_type": lambda strike: replace(strike.reply, media_type=strike.options["content_type"]),
    "html_200": lambda strike: page(200) if strike.options["html"] is None else html_reply(200, strike.options["html"]),
    "redirect": lambda strike: Reply(strike.options["status"], headers={"Location": strike.options["location"]}),
    "body": lambda strike: json_reply(strike.options["status"] or strike.reply.status, strike.options["body"]),
}


def _interfere(application: Application, call: Call, interferences: list[Fault], when: str) -> None:
    """What another writer does while a request is on its way."""
    with application.lock:
        for fault in (fault for fault in interferences if fault.when == when):
            if fault.kind == "remake":
                _remake(application.panel, **fault.options)
            else:
                _change_zone(application.panel, call.path, **fault.options)


def _remake(panel: Panel, collection: str, ids: list[int]) -> None:
    """Makes objects again: with the same fields, and what refers to them, under other ids. ids: empty for all of the kind."""
    dumped = copy.deepcopy(state.dump(panel))
    old = [item for item in dumped["objects"][collection] if not ids or item["id"] in ids]
    new = {item["id"]: panel.store.next_id(KINDS[collection].sequence) for item in old}
    for item in old:
        item["id"] = new[item["id"]]
    field = _REFERENCES.get(collection)
    for item in (item for items in dumped["objects"].values() for item in items):
        for holder in (item["data"], item["data"].get("security")):
            if holder is not None and holder.get(field) in new:
                holder[field] = new[holder[field]]
    if collection == "domains":
        dumped["zones"] = {str(new.get(int(number), number)): zone for number, zone in dumped["zones"].items()}
    state.load(panel, {**dumped, "sequences": panel.store.sequences})


def _change_zone(
    panel: Panel, path: str, domain: str | None, add: list[dict[str, Any]], remove: list[dict[str, Any]]
) -> None:
    """Adds and removes records of the zone of a domain, or else of the request's path; does nothing if there is none."""
    entry = _domain(panel, path, domain)
    if entry is None or not is_main(entry.data):
        return
    zone = zones.stored(panel, entry)
    kept = [record for record in zone.other if not any(one.items() <= record.items() for one in remove)]
    actual = zones.dkim_value(entry.hidden["dkim_secret"])
    zones.set_custom(panel, entry, zone.soa, kept + [zones.read_record(record, "add", actual) for record in add])


def _domain(panel: Panel, path: str, domain: str | None) -> Entry | None:
    match = _ZONE_PATH.search(path)
    if domain is None and match and match["id"]:
        return panel.store.get("domains", int(match["id"]))
    return KINDS["domains"].holder(panel.store, domain or (unquote(match["name"]) if match else ""))

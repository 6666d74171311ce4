"""Faults on demand: what they are, which request they strike, what each does to it, and what another writer does beside it."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

from panel_simulator import zones
from panel_simulator.answering import Reply, json_reply, page
from panel_simulator.calls import ApiError, Invalid
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.domains import is_main
from panel_simulator.panel import Panel
from panel_simulator.settings import form_like, misfit

BEFORE, AFTER = "before", "after"
# The fields of every fault, with their defaults.
COMMON: dict[str, Any] = {"method": ["*"], "path": "", "skip": 0, "times": 1, "when": None, "late": None}
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
    "mutate_dns": {"add": [], "remove": []},
}
# The forms of fields whose default does not show them; that of body is any.
_FORMS = {"late": "number", "bytes": "count", "add": "objects", "remove": "objects"}
# This comes beside whatever else strikes a request.
INTERFERENCE = "mutate_dns"
# Where `when` is not given: these strike instead of the request's effect, the others after it.
_STRIKE_BEFORE = ("status", "reset", "refuse", "slow", "redirect")


@dataclass
class Fault:
    """One queued fault. ``skip`` matching requests are let through, then ``times`` are struck (0: all that follow)."""

    kind: str
    method: list[str]
    path: re.Pattern[str]
    when: str
    late: float | None
    skip: int
    times: int
    options: dict[str, Any]
    struck: int = 0

    def matches(self, method: str, path: str) -> bool:
        """Whether the method and the path below /api/v2, as sent or percent-decoded, are the fault's."""
        is_method = "*" in self.method or method in self.method
        return is_method and bool(self.path.search(path) or self.path.search(unquote(path)))

    def shown(self) -> dict[str, Any]:
        fields = {name: value for name, value in vars(self).items() if name != "options"}
        return {**fields, "path": self.path.pattern, **self.options}


def read_fault(described: Any) -> Fault:
    """A fault as the control interface gets it; raises Invalid."""
    if not isinstance(described, Mapping):
        raise Invalid("A fault must be an object.")
    given = {**described}
    kind = given.pop("kind", None)
    if not isinstance(kind, str) or kind not in FAULTS:
        raise Invalid(f"kind: must be one of {', '.join(FAULTS)}.")
    if isinstance(given.get("method"), str):
        given["method"] = [given["method"]]
    known = {**COMMON, **FAULTS[kind]}
    for name, value in given.items():
        if name not in known:
            raise Invalid(f"{name}: is no member of a fault of the kind {kind}; it has {', '.join(known)}.")
        form = _FORMS.get(name) or (None if known[name] is None else form_like(known[name]))
        if form and value is not None and (words := misfit(form, value)):
            raise Invalid(f"{name}: must be {words}.")
    values = {**copy.deepcopy(known), **given}
    if kind == INTERFERENCE:
        values["add"] = [
            zones.filled(zones.RECORD.check({"ttl": 3600, **record}, f"add[{number}]"), f"add[{number}]", "")
            for number, record in enumerate(values["add"])
        ]
    values["method"] = [method.upper() for method in values["method"]]
    values["when"] = values["when"] or (BEFORE if kind in _STRIKE_BEFORE else AFTER)
    if values["when"] not in (BEFORE, AFTER):
        raise Invalid("when: must be before or after.")
    try:
        values["path"] = re.compile(values["path"])
    except re.error as error:
        raise Invalid("path: must be a regular expression.") from error
    return Fault(kind=kind, options={name: values.pop(name) for name in FAULTS[kind]}, **values)


def strike(queue: list[Fault], method: str, path: str) -> tuple[Fault | None, list[Fault]]:
    """(the first fault that strikes this request, interferences that come with it), counted as used."""
    chosen: Fault | None = None
    interferences: list[Fault] = []
    for fault in list(queue):
        if not fault.matches(method, path) or (chosen is not None and fault.kind != INTERFERENCE):
            continue
        if fault.skip:
            fault.skip -= 1
            continue
        fault.struck += 1
        if fault.times and fault.struck >= fault.times:
            queue.remove(fault)
        if fault.kind == INTERFERENCE:
            interferences.append(fault)
        else:
            chosen = fault
    return chosen, interferences


_ZONE_PATH = re.compile(r"/dns/(?:name/(?P<name>[^/]+)|(?P<id>\d+))")


def spoilt(fault: Fault, reply: Reply) -> Reply:
    """What comes in the place of an answer; faults of connections leave it as it is."""
    options = fault.options
    match fault.kind:
        case "status":
            status, message = options["status"], options["message"]
            is_json = options["body"] == "json"
            other = json_reply(status, ApiError(status, message).body) if is_json else page(status, message)
            return replace(other, headers={name: str(value) for name, value in options["headers"].items()})
        case "truncate":
            body, most = reply.body or b"{}", options["bytes"]
            length = len(body) // 2 if most is None else min(most, len(body) - 1)
            status = 200 if reply.status == 204 else reply.status
            return replace(reply, status=status, body=body[:length], length=len(body), closes=True)
        case "wrong_type":
            return replace(reply, media_type=options["content_type"])
        case "redirect":
            return Reply(options["status"], headers={"Location": options["location"]})
        case "body":
            return json_reply(options["status"] or reply.status, options["body"])
    return reply


def interfere(panel: Panel, path: str, interferences: list[Fault], when: str) -> None:
    """What another writer does while a request is on its way."""
    for fault in (fault for fault in interferences if fault.when == when):
        _change_zone(panel, path, **fault.options)


def _change_zone(panel: Panel, path: str, add: list[dict[str, Any]], remove: list[dict[str, Any]]) -> None:
    """Adds and removes records of the zone in the request's path; does nothing if there is none."""
    match = _ZONE_PATH.search(path)
    if match is None:
        return
    by_id = panel.store.get("domains", int(match["id"] or 0))
    entry = by_id or KINDS["domains"].holder(panel.store, unquote(match["name"] or ""))
    if entry is not None and is_main(entry.data):
        zone = zones.stored(panel, entry)
        kept = [record for record in zone.other if not any(one.items() <= record.items() for one in remove)]
        zones.set_custom(panel, entry, zone.soa, kept + add)

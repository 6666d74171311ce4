"""Faults on demand: what they are, which request they strike, what each does to it, and what another writer does beside it."""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

from panel_simulator import state, zones
from panel_simulator.answering import Reply, json_reply, page
from panel_simulator.calls import ApiError, Invalid
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.domains import is_main
from panel_simulator.panel import Panel
from panel_simulator.settings import form_of, misfit

BEFORE, AFTER = "before", "after"
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
# The forms of fields that have none of their own, and whose default does not show it. A field whose default is null may be null.
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
    number: int = field(default_factory=itertools.count(1).__next__)

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
            raise Invalid(
                f"{name}: is no member of a fault of the kind {kind}; it has {', '.join(known)}."
            )
        form = _FORMS.get(name) or form_of(
            f"{kind}.{name}" if name == "body" else name, known[name]
        )
        if (value is not None or known[name] is not None) and (words := misfit(form, value)):
            raise Invalid(f"{name}: must be {words}.")
    values = {**copy.deepcopy(known), **given}
    if values.get("collection", "clients") not in KINDS:
        raise Invalid(f"collection: must be one of {', '.join(KINDS)}.")
    for number, record in enumerate(values.get("add", ())):
        values["add"][number] = zones.RECORD.check({"ttl": 3600, **record}, f"add[{number}]")
        zones.filled(values["add"][number], f"add[{number}]", zones.PLACEHOLDER)
    values["method"] = [method.upper() for method in values["method"]]
    values["when"] = values["when"] or (BEFORE if kind in _STRIKE_BEFORE else AFTER)
    values["path"] = re.compile(values["path"])
    return Fault(kind=kind, options={name: values.pop(name) for name in FAULTS[kind]}, **values)


def strike(queue: list[Fault], method: str, path: str) -> tuple[Fault | None, list[Fault]]:
    """(the first fault that strikes this request, interferences that come with it), counted as used."""
    chosen: Fault | None = None
    interferences: list[Fault] = []
    for fault in list(queue):
        if not fault.matches(method, path) or (
            chosen is not None and fault.kind not in _OTHER_WRITERS
        ):
            continue
        if fault.skip:
            fault.skip -= 1
            continue
        fault.struck += 1
        if fault.times and fault.struck >= fault.times:
            queue.remove(fault)
        if fault.kind in _OTHER_WRITERS:
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
            other = (
                json_reply(status, ApiError(status, message).body)
                if is_json
                else page(status, message)
            )
            return replace(
                other, headers={name: str(value) for name, value in options["headers"].items()}
            )
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
        _OTHER_WRITERS[fault.kind](panel, path, **fault.options)


def _remake(panel: Panel, _path: str, collection: str, ids: list[int]) -> None:
    """Makes objects again: with the same fields, and what refers to them, under other ids. ids: empty for all of the kind."""
    reference = next((field for _name, field, kind in state.REFERENCES if kind == collection), "")
    for entry in [entry for entry in panel.store.all(collection) if not ids or entry.id in ids]:
        old, new = entry.id, panel.store.next_id(KINDS[collection].sequence or collection)
        panel.store.remove(entry)
        entry.id = new
        panel.store.insert(entry, entry.claims)
        for other in itertools.chain(*map(panel.store.all, KINDS)):
            for holder in (other.data, other.data.get("security", {})):
                if holder.get(reference) == old:
                    holder[reference] = new
        if collection == "domains" and old in panel.zones:
            panel.zones[new] = panel.zones.pop(old)


def _change_zone(
    panel: Panel,
    path: str,
    domain: str | None,
    add: list[dict[str, Any]],
    remove: list[dict[str, Any]],
) -> None:
    """Adds and removes records of the zone of a domain, or else of the request's path; does nothing if there is none."""
    match = _ZONE_PATH.search(path if domain is None else f"/dns/name/{domain}")
    if match is None:
        return
    by_id = panel.store.get("domains", int(match["id"] or 0))
    entry = by_id or KINDS["domains"].holder(panel.store, unquote(match["name"] or ""))
    if entry is not None and is_main(entry.data):
        zone, actual = zones.stored(panel, entry), zones.dkim_value(entry.hidden["dkim_secret"])
        kept = [
            record
            for record in zone.other
            if not any(one.items() <= record.items() for one in remove)
        ]
        zones.set_custom(
            panel, entry, zone.soa, kept + [zones.filled(record, "add", actual) for record in add]
        )


# These come beside whatever else strikes a request.
_OTHER_WRITERS: dict[str, Callable[..., None]] = {"mutate_dns": _change_zone, "remake": _remake}

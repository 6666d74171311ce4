"""Faults on demand: what they are, which request they strike, what each does to it, and what another writer does beside it."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

from panel_simulator import state, zones
from panel_simulator.answering import Reply, json_reply, page
from panel_simulator.calls import ApiError, Invalid
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.domains import is_main
from panel_simulator.panel import Panel
from panel_simulator.settings import misfit
from panel_simulator.store import Entry

BEFORE, AFTER = "before", "after"
_ELSEWHERE = "https://elsewhere.example/api/v2/ping"
# The fields of each fault: the default, and the form of what is given. A field whose default is null may be null.
COMMON: dict[str, tuple[Any, str]] = {
    "method": ("*", "methods"),
    "path": ("", "pattern"),
    "skip": (0, "count"),
    "times": (1, "count"),
    "when": (None, "when"),
    "late": (None, "number"),
}
# The kinds, with the fields that each has beside those.
FAULTS: dict[str, dict[str, tuple[Any, str]]] = {
    "status": {
        "status": (503, "status"),
        "body": ("html", "page or JSON"),
        "message": ("The request failed.", "text"),
        "headers": ({}, "object"),
    },
    "reset": {},
    "refuse": {"seconds": (1.0, "number")},
    "slow": {"seconds": (1.0, "number")},
    "stall": {"drops": (False, "switch")},
    "truncate": {"bytes": (None, "count")},
    "wrong_type": {"content_type": ("text/html", "text")},
    "redirect": {"location": (_ELSEWHERE, "text"), "status": (302, "status")},
    "body": {"body": (None, "anything"), "status": (None, "status")},
    "mutate_dns": {"domain": (None, "text"), "add": ([], "objects"), "remove": ([], "objects")},
    "remake": {"collection": ("clients", "text"), "ids": ([], "ids")},
}
# These come beside whatever else strikes a request.
INTERFERENCES = ("mutate_dns", "remake")
# Where `when` is not given: these strike instead of the request's effect, the others after it.
_STRIKE_BEFORE = ("status", "reset", "refuse", "slow", "redirect")


@dataclass
class Fault:
    """One queued fault. ``skip`` matching requests are let through, then ``times`` are struck (0: all that follow)."""

    number: int
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


def _read(described: Any) -> dict[str, Any]:
    """All fields of a fault as the control interface gets it; raises Invalid."""
    if not isinstance(described, Mapping):
        raise Invalid("A fault must be an object.")
    kind = described.get("kind")
    if not isinstance(kind, str) or kind not in FAULTS:
        raise Invalid(f"kind: must be one of {', '.join(FAULTS)}.")
    known = {**COMMON, **FAULTS[kind]}
    given = {name: value for name, value in described.items() if name != "kind"}
    for name, value in given.items():
        if name not in known:
            raise Invalid(f"{name}: is no member of a fault of the kind {kind}; it has {', '.join(known)}.")
        default, form = known[name]
        if (value is not None or default is not None) and (words := misfit(form, value)):
            raise Invalid(f"{name}: must be {words}.")
    values = {**{name: copy.copy(default) for name, (default, _form) in known.items()}, **given}
    if kind == "remake" and values["collection"] not in KINDS:
        raise Invalid(f"collection: must be one of {', '.join(KINDS)}.")
    if kind == "mutate_dns":
        values["add"] = [
            zones.read_record({"ttl": 3600, **record}, f"add[{number}]", zones.PLACEHOLDER)
            for number, record in enumerate(values["add"])
        ]
    methods = values["method"] if isinstance(values["method"], list) else [values["method"]]
    values["method"] = [method.upper() for method in methods]
    values["path"] = re.compile(values["path"])
    values["when"] = values["when"] or (BEFORE if kind in _STRIKE_BEFORE else AFTER)
    return {"kind": kind, "options": {name: values.pop(name) for name in FAULTS[kind]}, **values}


@dataclass
class Faults:
    """The queue. One request is struck by one fault at most, and by any number of interferences beside it."""

    queue: list[Fault] = field(default_factory=list)
    last: int = 0

    def add(self, described: Any) -> Fault:
        values = _read(described)
        self.last += 1
        self.queue.append(Fault(number=self.last, **values))
        return self.queue[-1]

    def strike(self, method: str, path: str) -> tuple[Fault | None, list[Fault]]:
        """(the fault that strikes this request, interferences that come with it), counted as used."""
        chosen: Fault | None = None
        interferences: list[Fault] = []
        for fault in list(self.queue):
            if not fault.matches(method, path) or (chosen is not None and fault.kind not in INTERFERENCES):
                continue
            if fault.skip:
                fault.skip -= 1
                continue
            fault.struck += 1
            if fault.times and fault.struck >= fault.times:
                self.queue.remove(fault)
            if fault.kind in INTERFERENCES:
                interferences.append(fault)
            else:
                chosen = fault
        return chosen, interferences


_ZONE_PATH = re.compile(r"/dns/(?:name/(?P<name>[^/]+)|(?P<id>\d+))")
# The fields by which others refer to an object, by its kind.
_REFERENCES = {"clients": "id_user", "domains": "id_parent_domain", "certificates": "id_certificate"}


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
        if fault.kind == "remake":
            _remake(panel, **fault.options)
        else:
            _change_zone(panel, path, **fault.options)


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

"""Faults on demand: what they are, which request they strike, what each does to it, and what another writer does beside it."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from urllib.parse import unquote

from panel_simulator import state, zones
from panel_simulator.answering import Reply, json_reply, page
from panel_simulator.calls import ApiError, Call, Invalid
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.domains import is_main
from panel_simulator.panel import Panel
from panel_simulator.server import Connection
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


class Struck(Protocol):
    """What of a panel at work a fault can reach."""

    panel: Panel
    lock: Any

    def carry_out(self, call: Call) -> Reply: ...
    def carry_out_later(self, call: Call, seconds: float) -> None: ...
    def stall(self, drops: bool) -> None: ...
    def go_away(self, seconds: float, spared: Connection | None = None) -> None: ...


@dataclass
class Strike:
    """One fault that strikes one request; ``reply`` is the panel's own answer, or a stand-in if the request had no effect."""

    struck: Struck
    connection: Connection
    reply: Reply
    options: Mapping[str, Any]


def spoilt(
    struck: Struck, connection: Connection, call: Call, fault: Fault | None, interferences: list[Fault]
) -> Reply:
    """Carries the request out, or not, and answers as the fault wants it."""
    _interfere(struck, call, interferences, BEFORE)
    is_slow_before = fault is not None and fault.kind == "slow" and fault.when == BEFORE
    if fault is not None and is_slow_before:
        time.sleep(fault.options["seconds"])
    has_effect = fault is None or (fault.late is None and (fault.kind == "slow" or fault.when == AFTER))
    if fault is not None and fault.late is not None:
        struck.carry_out_later(call, fault.late)
    reply = struck.carry_out(call) if has_effect else json_reply(200, {})
    _interfere(struck, call, interferences, AFTER)
    if fault is None or is_slow_before:
        return reply
    return _EFFECTS[fault.kind](Strike(struck, connection, reply, fault.options))


def _status(strike: Strike) -> Reply:
    status, message = strike.options["status"], strike.options["message"]
    is_json = strike.options["body"] == "json"
    reply = json_reply(status, ApiError(status, message).body) if is_json else page(status, message)
    return replace(reply, headers={name: str(value) for name, value in strike.options["headers"].items()})


def _reset(strike: Strike) -> Reply:
    strike.connection.reset()
    return strike.reply


def _refuse(strike: Strike) -> Reply:
    strike.struck.go_away(strike.options["seconds"], strike.connection)
    return _reset(strike)


def _slow(strike: Strike) -> Reply:
    time.sleep(strike.options["seconds"])
    return strike.reply


def _stall(strike: Strike) -> Reply:
    strike.struck.stall(strike.options["drops"])
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
    "redirect": lambda strike: Reply(strike.options["status"], headers={"Location": strike.options["location"]}),
    "body": lambda strike: json_reply(strike.options["status"] or strike.reply.status, strike.options["body"]),
}


def _interfere(struck: Struck, call: Call, interferences: list[Fault], when: str) -> None:
    """What another writer does while a request is on its way."""
    with struck.lock:
        for fault in (fault for fault in interferences if fault.when == when):
            if fault.kind == "remake":
                _remake(struck.panel, **fault.options)
            else:
                _change_zone(struck.panel, call.path, **fault.options)


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

"""Faults on demand: what they are, which request they strike."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from panel_simulator import zones
from panel_simulator.calls import Invalid
from panel_simulator.forms import misfit
from panel_simulator.kinds import KINDS

BEFORE, AFTER = "before", "after"


_ELSEWHERE = "https://elsewhere.example/api/v2/ping"
# The fields of each fault: the default, and the form of what is given. A field whose default is null may be null.
COMMON: dict[str, tuple[Any, str]] = {
    "method": ("*", "methods"),
    "path": ("", "pattern"),
    "skip": (0, "number"),
    "times": (1, "number"),
    "when": (None, "when"),
    # The request has its effect so many seconds after it was struck, whatever `when` says.
    "late": (None, "seconds"),
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
    "refuse": {"seconds": (1.0, "seconds"), "answered": (False, "switch")},
    "slow": {"seconds": (1.0, "seconds")},
    "stall": {"drops": (False, "switch")},
    "truncate": {"bytes": (None, "number")},
    "wrong_type": {"content_type": ("text/html", "text")},
    "html_200": {"html": (None, "text")},
    "redirect": {"location": (_ELSEWHERE, "text"), "status": (302, "status")},
    "body": {"body": (None, "anything"), "status": (None, "status")},
    "mutate_dns": {"domain": (None, "text"), "add": ([], "records"), "remove": ([], "members of records")},
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
        """For the control interface."""
        fields = {name: value for name, value in vars(self).items() if name != "options"}
        return {**fields, "path": self.path.pattern, **self.options}


def _read(described: Any) -> tuple[str, dict[str, Any]]:
    """(kind, all its fields) of a fault as the control interface gets it; raises Invalid."""
    if not isinstance(described, Mapping):
        raise Invalid("A fault must be an object.")
    kind = described.get("kind")
    if not isinstance(kind, str) or kind not in FAULTS:
        raise Invalid(f"kind: must be one of {', '.join(FAULTS)}.")
    known = {**COMMON, **FAULTS[kind]}
    values = {name: copy.copy(default) for name, (default, _form) in known.items()}
    for name, value in described.items():
        if name == "kind":
            continue
        if name not in known:
            raise Invalid(f"{name}: is no member of a fault of the kind {kind}; it has {', '.join(known)}.")
        default, form = known[name]
        if (value is not None or default is not None) and (words := misfit(form, value)):
            raise Invalid(f"{name}: must be {words}.")
        values[name] = value
    if kind == "remake" and values["collection"] not in KINDS:
        raise Invalid(f"collection: must be one of {', '.join(KINDS)}.")
    if kind == "mutate_dns":
        values["add"] = [
            zones.read_record({"ttl": 3600, **record}, f"add[{number}]", zones.PLACEHOLDER)
            for number, record in enumerate(values["add"])
        ]
    try:
        values["path"] = re.compile(values["path"])
    except re.error as error:
        raise Invalid(f"path: is not a regular expression: {error}.") from error
    methods = values["method"] if isinstance(values["method"], list) else [values["method"]]
    values["method"] = [method.upper() for method in methods]
    values["when"] = values["when"] or (BEFORE if kind in _STRIKE_BEFORE else AFTER)
    return kind, values


@dataclass
class Faults:
    """The queue. One request is struck by one fault at most, and by any number of interferences beside it."""

    queue: list[Fault] = field(default_factory=list)
    last: int = 0

    def add(self, described: Any) -> Fault:
        """Queues a fault; raises Invalid."""
        kind, values = _read(described)
        options = {name: values.pop(name) for name in FAULTS[kind]}
        self.last += 1
        self.queue.append(Fault(number=self.last, kind=kind, options=options, **values))
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

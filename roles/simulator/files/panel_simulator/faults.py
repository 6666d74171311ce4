"""Faults on demand: what they are, which request they strike."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from panel_simulator import zones
from panel_simulator.calls import Invalid
from panel_simulator.kinds import KINDS

BEFORE, AFTER = "before", "after"


Option = tuple[Any, Callable[[Any], bool], str]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_seconds(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def _is_status(value: Any) -> bool:
    return _is_count(value) and 200 <= value <= 999


def _list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _or_null(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


def _one_of(*words: Any) -> Callable[[Any], bool]:
    return lambda value: value in words


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


_SECONDS: Option = (1.0, _is_seconds, "a number of seconds")
_SWITCH: Option = (False, lambda value: isinstance(value, bool), "true or false")
_COUNT = "an integer of at least 0"
_ELSEWHERE = "https://elsewhere.example/api/v2/ping"

# The fields of each fault: the default, whether a value fits, and the words for that.
COMMON: dict[str, Option] = {
    "method": ("*", lambda value: _is_text(value) or _list_of(_is_text)(value), "a method or a list of them"),
    "path": ("", _is_text, "a regular expression"),
    "skip": (0, _is_count, _COUNT),
    "times": (1, _is_count, _COUNT),
    "when": (None, _one_of(None, BEFORE, AFTER), "before or after"),
    # The request has its effect so many seconds after it was struck, whatever `when` says.
    "late": (None, _or_null(_is_seconds), "a number of seconds, or null"),
}
# The kinds, with the fields that each has beside those.
FAULTS: dict[str, dict[str, Option]] = {
    "status": {
        "status": (503, _is_status, "an HTTP status"),
        "body": ("html", _one_of("html", "json"), "html or json"),
        "message": ("The request failed.", _is_text, "a string"),
        "headers": ({}, _is_object, "an object"),
    },
    "reset": {},
    "refuse": {"seconds": _SECONDS, "answered": _SWITCH},
    "slow": {"seconds": _SECONDS},
    "stall": {"drops": _SWITCH},
    "truncate": {"bytes": (None, _or_null(_is_count), "a number of bytes, or null for half of them")},
    "wrong_type": {"content_type": ("text/html", _is_text, "a media type")},
    "html_200": {"html": (None, _or_null(_is_text), "a string, or null")},
    "redirect": {
        "location": (_ELSEWHERE, _is_text, "an address"),
        "status": (302, _is_status, "an HTTP status"),
    },
    "body": {
        "body": (None, lambda _value: True, "anything"),
        "status": (None, _or_null(_is_status), "an HTTP status, or null"),
    },
    "mutate_dns": {
        "domain": (None, _or_null(_is_text), "a domain name, or null for the one in the path"),
        "add": ([], _list_of(_is_object), "a list of records"),
        "remove": ([], _list_of(_is_object), "a list of members that records have"),
    },
    "remake": {
        "collection": ("clients", _one_of(*KINDS), f"one of {', '.join(KINDS)}"),
        "ids": ([], _list_of(_is_count), "a list of ids"),
    },
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
    values = {name: copy.copy(default) for name, (default, _fits, _form) in known.items()}
    for name, value in described.items():
        if name == "kind":
            continue
        if name not in known:
            raise Invalid(f"{name}: is no member of a fault of the kind {kind}; it has {', '.join(known)}.")
        _default, fits, form = known[name]
        if not fits(value):
            raise Invalid(f"{name}: must be {form}.")
        values[name] = value
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

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults on demand: what they are, which request they strike."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from panel_simulator.errors import Invalid

BEFORE, AFTER = "before", "after"

# Members of each kind of fault, with their defaults, beside those that all have.
FAULTS: dict[str, dict[str, Any]] = {
    "status": {"status": 503, "body": "html", "message": "The request failed.", "headers": {}},
    "reset": {},
    "refuse": {"seconds": 1.0},
    "slow": {"seconds": 1.0},
    "truncate": {"bytes": None},
    "wrong_type": {"content_type": "text/html"},
    "html_200": {"html": None},
    "redirect": {"location": "https://elsewhere.example/api/v2/ping", "status": 302},
    "body": {"body": None, "status": None},
    "mutate_dns": {"domain": None, "add": [], "remove": []},
}
COMMON: dict[str, Any] = {"method": "*", "path": "", "skip": 0, "times": 1, "when": None}
# Where `when` is not given: these strike instead of the request's effect, the others after it.
_STRIKE_BEFORE = ("status", "reset", "refuse", "slow", "redirect")


@dataclass
class Fault:
    """One queued fault. ``skip`` matching requests are let through, then ``times`` are struck (0: all that follow)."""

    number: int
    kind: str
    methods: tuple[str, ...]
    path: re.Pattern[str]
    skip: int
    times: int
    when: str
    options: dict[str, Any]
    struck: int = 0

    def matches(self, method: str, path: str) -> bool:
        """Whether the method and the path below /api/v2, as sent or percent-decoded, are the fault's."""
        return ("*" in self.methods or method in self.methods) and bool(
            self.path.search(path) or self.path.search(unquote(path))
        )

    def shown(self) -> dict[str, Any]:
        """For the control interface."""
        common = {
            "number": self.number,
            "kind": self.kind,
            "method": list(self.methods),
            "path": self.path.pattern,
            "when": self.when,
        }
        return {**common, "skip": self.skip, "times": self.times, "struck": self.struck, **self.options}


@dataclass
class Faults:
    """The queue. One request is struck by one fault at most, and by any number of ``mutate_dns`` beside it."""

    queue: list[Fault] = field(default_factory=list)
    last: int = 0

    def add(self, described: Any) -> Fault:
        """Queues a fault; raises Invalid."""
        if not isinstance(described, Mapping):
            raise Invalid("A fault must be an object.")
        kind = described.get("kind")
        if kind not in FAULTS:
            raise Invalid(f"kind: must be one of {', '.join(FAULTS)}.")
        known = {**COMMON, **FAULTS[kind]}
        for name in described:
            if name != "kind" and name not in known:
                raise Invalid(f"{name}: is no member of a fault of the kind {kind}; it has {', '.join(known)}.")
        values = {**known, **{name: value for name, value in described.items() if name != "kind"}}
        if values["when"] not in (None, BEFORE, AFTER):
            raise Invalid("when: must be before or after.")
        for name in ("skip", "times"):
            if not isinstance(values[name], int) or values[name] < 0:
                raise Invalid(f"{name}: must be an integer of at least 0.")
        try:
            pattern = re.compile(values["path"])
        except (re.error, TypeError) as error:
            raise Invalid(f"path: is not a regular expression: {error}.") from error
        methods = values["method"] if isinstance(values["method"], list) else [values["method"]]
        self.last += 1
        fault = Fault(
            number=self.last,
            kind=kind,
            methods=tuple(str(method).upper() for method in methods),
            path=pattern,
            skip=values["skip"],
            times=values["times"],
            when=values["when"] or (BEFORE if kind in _STRIKE_BEFORE else AFTER),
            options={name: values[name] for name in FAULTS[kind]},
        )
        self.queue.append(fault)
        return fault

    def clear(self) -> None:
        """Takes every fault back."""
        self.queue = []

    def strike(self, method: str, path: str) -> tuple[Fault | None, list[Fault]]:
        """(the fault that strikes this request, changes to zones that come with it), counted as used."""
        chosen: Fault | None = None
        mutations: list[Fault] = []
        for fault in list(self.queue):
            if not fault.matches(method, path) or (chosen is not None and fault.kind != "mutate_dns"):
                continue
            if fault.skip:
                fault.skip -= 1
                continue
            fault.struck += 1
            if fault.times and fault.struck >= fault.times:
                self.queue.remove(fault)
            if fault.kind == "mutate_dns":
                mutations.append(fault)
            else:
                chosen = fault
        return chosen, mutations

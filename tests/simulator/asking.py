"""Requests to a panel in this process, as data, and what of its answers is looked at."""

from __future__ import annotations

import copy
import json
from typing import Any

from panel_simulator.answering import Reply, answer_call
from panel_simulator.calls import Call
from panel_simulator.kinds import InstalledPanel
from panel_simulator.self_signed import make
from panel_simulator.state import load, plant

CERTIFICATE, KEY = make("acme.example")
# In bodies, by what stands for them.
PEM = {"$certificate": CERTIFICATE, "$key": KEY}
PEM["$other_certificate"], PEM["$other_key"] = make("other.example")
MISSING = "MISSING"
METHODS = ("get", "post", "put", "delete", "patch")


class Asked:
    """A panel on a clock of its own, and what it has answered."""

    def __init__(
        self, settings: dict[str, Any], seed: dict[str, Any] | None = None, state: Any = None
    ) -> None:
        self.now = 1_800_000_000.0
        self.panel = InstalledPanel("key", lambda: self.now)
        if state is not None:
            load(self.panel, copy.deepcopy(state))
        plant(self.panel, with_pem(seed or {}))
        self.panel.settings.merge(settings)
        self.replies: list[Reply] = []

    def ask(self, step: dict[str, Any]) -> Reply | None:
        """Send one request, change the settings, or let time pass."""
        if "wait" in step:
            self.now += step["wait"]
        if "settings" in step:
            self.panel.settings.merge(step["settings"])
        method = next((name for name in METHODS if name in step), None)
        if method is None:
            return None
        path, _mark, query = step[method].partition("?")
        pairs = dict(pair.split("=") for pair in query.split("&") if pair)
        raw = json.dumps(with_pem(step["body"])).encode() if "body" in step else b""
        call = Call(method.upper(), path, pairs, raw, key=step.get("key", "key"))
        self.replies.append(answer_call(self.panel, call))

        return self.replies[-1]

    def get_value(self, path: str) -> Any:
        """Return the value at a path.

        A path is statuses, the status or the type of the last answer, json.NAME of it, or
        NUMBER.NAME of another one.
        """
        last = self.replies[-1]
        plain = {
            "status": last.status,
            "statuses": [reply.status for reply in self.replies],
            "type": last.media_type,
        }
        if path in plain:
            return plain[path]
        source, *names = path.split(".")

        return get_member(
            read_content(last if source == "json" else self.replies[int(source)]), names
        )


def with_pem(value: Any) -> Any:
    """Return a value with certificates and keys in the places of their names."""
    if isinstance(value, dict):
        return {name: with_pem(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [with_pem(entry) for entry in value]
    return PEM.get(value, value) if isinstance(value, str) else value


def read_content(reply: Reply) -> Any:
    """Return the JSON of an answer, or None where it has none."""
    return json.loads(reply.body) if reply.body[:1] in (b"{", b"[") else None


def get_member(value: Any, names: list[str]) -> Any:
    """Return what is there; * is each item of a list."""
    for number, name in enumerate(names):
        if isinstance(value, list) and name == "*":
            return [get_member(entry, names[number + 1 :]) for entry in value]
        if isinstance(value, list):
            value = dict(zip(map(str, range(len(value))), value, strict=True)).get(name, MISSING)
        else:
            value = value.get(name, MISSING) if isinstance(value, dict) else MISSING
    return value

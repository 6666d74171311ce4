"""What panels and files are like after a run, without what is another in every run, and in what two such pictures differ."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from tests.support.bulk import panel_of
from tests.support.simulator import Simulator
from tools.reliability.figures import DOUBLED, LOST, WRONG, Problem

_KEYS = {plural: tuple(row.name for row in kind.key) for plural, kind in KINDS.items() if kind.password}
# What is another one in every run: times, keys of DKIM and checksums, numbers that the panel gives.
_TIME = re.compile(r"\d{4}-?\d\d-?\d\d([T ]\d\d:?\d\d(:?\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?")
_KEY = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")
_ID = re.compile(r"(\bid\w*\W{1,4}|/)\d+")


@dataclass(frozen=True)
class Picture:
    """Everything that is there after a run: panels, credentials, other files."""

    panels: Sequence[Mapping[str, Any]]
    credentials: Mapping[str, Any]
    files: Mapping[str, str]


def masked(text: str, ids: bool = False) -> str:
    """A text without times and keys, and with ``ids`` without numbers of objects."""
    text = _KEY.sub("KEY", _TIME.sub("TIME", text))
    return _ID.sub(r"\1N", text) if ids else text


def without_passwords(content: Any) -> Any:
    """What a credentials file holds."""
    if isinstance(content, Mapping):
        return {
            name: "(a password)" if name == "password" else without_passwords(value)
            for name, value in content.items()
            # An empty list says as much as none.
            if value != [] and name != "panel"
        }
    if isinstance(content, list):
        return sorted(map(without_passwords, content), key=_short)
    return masked(content) if isinstance(content, str) else content


def panel_picture(simulator: Simulator, given: str) -> Mapping[str, Any]:
    """All objects with names for ids, given passwords, and the records of all zones."""
    state = simulator.state()
    found: dict[str, Any] = dict(panel_of(simulator))
    found["passwords"] = sorted(
        f"{kind} {key}: {password if is_given(password, given) else '(made)'}"
        for (kind, key), password in passwords_of(simulator).items()
    )
    domains = {item["id"]: item["data"]["domain"] for item in state["objects"]["domains"]}
    found["zones"] = sorted(
        json.dumps([domains.get(int(number)), zone["is_disabled"], zone["soa"], sorted(map(_record, zone["other"]))])
        for number, zone in state["zones"].items()
    )
    return found


def _record(record: Mapping[str, Any]) -> str:
    value = "(DKIM)" if "v=DKIM1" in str(record["value"]) else record["value"]
    return f"{record['host']} {record['type']} {record['ttl']} {value}"


def passwords_of(simulator: Simulator) -> dict[tuple[str, str], str]:
    """The passwords that log in, by kind and key."""
    state = simulator.state()["objects"]
    names = {item["id"]: item["data"]["username"] for item in state["clients"]}

    def key_of(kind: str, data: Mapping[str, Any]) -> str:
        return ":".join(str(names.get(data[part]) if part == "id_user" else data[part]) for part in _KEYS[kind])

    return {
        (kind, key_of(kind, item["data"])): str(item["hidden"].get("password") or "")
        for kind in _KEYS
        for item in state[kind]
    }


def is_given(password: str, given: str) -> bool:
    """Whether the operator wrote it, once or within another text."""
    in_text = json.dumps(password, ensure_ascii=False)[1:-1]
    return not password or in_text in given or json.dumps(json.dumps(password))[2:-2] in given


def differences(wanted: Picture, found: Picture) -> Iterator[Problem]:
    """In what a place differs from how an undisturbed run leaves it."""
    for number, (one, other) in enumerate(zip(wanted.panels, found.panels, strict=True)):
        for kind in one:
            if one[kind] != other[kind]:
                missing = [item for item in one[kind] if item not in other[kind]][:1]
                more = [item for item in other[kind] if item not in one[kind]][:1]
                text = f"panel {number + 1}: {kind}: missing {_short(missing)}, too many {_short(more)}"
                yield DOUBLED if len(other[kind]) > len(one[kind]) else LOST, text
    for name in sorted({*wanted.credentials, *found.credentials}):
        is_there, should_be = found.credentials.get(name), wanted.credentials.get(name)
        if is_there != should_be:
            yield WRONG, f"{name} holds {_short(is_there)} instead of {_short(should_be)}"
    for name in sorted({*wanted.files, *found.files}):
        if name not in wanted.files:
            yield WRONG, f"the file {name} was left"
        elif name not in found.files:
            yield LOST, f"the file {name} is missing"
        elif wanted.files[name] != found.files[name]:
            yield WRONG, f"the file {name} is another one: {_first_line(wanted.files[name], found.files[name])}"


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)[:300]


def _first_line(wanted: str, found: str) -> str:
    pairs = zip([*wanted.splitlines(), ""], [*found.splitlines(), ""], strict=False)
    return next((f"{other[:150]!r} instead of {one[:150]!r}" for one, other in pairs if one != other), "its length")

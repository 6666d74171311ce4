# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be set: the administrator's options, times, connections, and the points that the
description of the API leaves open, which make a profile."""

from __future__ import annotations

import copy
import difflib
import ipaddress
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from panel_simulator.addresses import encode_domain
from panel_simulator.calls import Invalid
from panel_simulator.fields import Field, Members
from panel_simulator.store import Kind

Fits = Callable[[Any], object]
Names = Mapping[str, tuple[str, ...]]
LARGEST = 10**9


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_amount(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _is_count(value: Any) -> bool:
    return _is_amount(value) and isinstance(value, int)


def _is_read(read: Fits, value: Any) -> bool:
    try:
        return _is_text(value) and read(value) is not None
    except (ValueError, re.error):
        return False


def _make_list_check(fits: Fits) -> Fits:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _make_mapping_check(fits: Fits) -> Fits:
    def fits_all(value: Any) -> bool:
        """Return whether all keys are texts and all values fit."""
        if not isinstance(value, Mapping):
            return False
        return all(map(_is_text, value)) and all(map(fits, value.values()))

    return fits_all


_TEXTS = _make_list_check(_is_text)
_OBJECT = _make_mapping_check(lambda _value: True)
_COUNTS = _make_mapping_check(lambda value: isinstance(value, int))
_PATTERN = partial(_is_read, re.compile)
_ADDRESS = partial(_is_read, ipaddress.ip_address)
_NETWORK = partial(_is_read, partial(ipaddress.ip_network, strict=False))
_MEMBERS = (
    "a mapping of kinds of objects to lists of their members, such as {clients: [notes]}",
    _make_mapping_check(_TEXTS),
)
FORMS: Mapping[str, tuple[str, Fits]] = {
    "anything": ("anything", lambda _value: True),
    "switch": ("true or false", lambda value: isinstance(value, bool)),
    "number": (f"a number from 0 to {LARGEST}", _is_amount),
    "count": (f"a whole number from 0 to {LARGEST}", _is_count),
    "text": ("a string", lambda value: isinstance(value, str)),
    "texts": ("a list of texts that are not empty", _TEXTS),
    "patterns": (
        r"a list of regular expressions, such as ['GET /ftp-users/\d+']",
        _make_list_check(_PATTERN),
    ),
    "object": ("an object", _OBJECT),
    "objects": ("a list of objects", _make_list_check(_OBJECT)),
    "members": _MEMBERS,
    "members in lists": _MEMBERS,
    "defaults": (
        (
            "a mapping of kinds of objects to new members and what they are at first, such as "
            '{clients: {colour: ""}}'
        ),
        _make_mapping_check(_OBJECT),
    ),
    "names by member": (
        (
            "a mapping of kinds of objects to members and their other names, such as "
            "{domains: {id_user: id_client}}"
        ),
        _make_mapping_check(_make_mapping_check(_is_text)),
    ),
    # Of settings, of fields of faults, and of what a seed says about a client.
    "hostname": (
        "a name of a host, such as server.panel.example",
        partial(_is_read, encode_domain),
    ),
    "ip_addresses": ("a list of IP addresses, such as [192.0.2.10]", _make_list_check(_ADDRESS)),
    "allowed_addresses": (
        "a list of IP addresses or networks, such as [192.0.2.0/24]",
        _make_list_check(_NETWORK),
    ),
    "name_servers": (
        "a list of texts that are not empty, of one at least",
        lambda value: _TEXTS(value) and value,
    ),
    "failing_kinds": ("a list of kinds of objects, such as [emails]", _TEXTS),
    "method": ("a method or a list of them", _TEXTS),
    "path": ("a regular expression", lambda value: value == "" or _PATTERN(value)),
    "when": ("before or after", lambda value: value in ("before", "after")),
    "status": ("an HTTP status", lambda value: _is_count(value) and 200 <= value <= 999),
    "status.body": ("html or json", lambda value: value in ("html", "json")),
    "ids": ("a list of ids", _make_list_check(_is_count)),
    "statistics": ("an object of whole numbers", _COUNTS),
    "traffic": (
        "months with objects of protocols, each with in and out",
        _make_mapping_check(_make_mapping_check(_COUNTS)),
    ),
}
_FORM_OF_TYPE = {
    bool: "switch",
    int: "count",
    float: "number",
    str: "text",
    list: "texts",
    dict: "object",
}


def find_form(name: str, default: Any) -> str:
    """Return the form of a setting or a field: its own, or that of its default."""
    if name in FORMS:
        return name
    return _FORM_OF_TYPE.get(type(default), "anything")


def find_misfit(form: str, value: Any) -> str:
    """Return how a value must be written; an empty text if it is written so."""
    expected, fits = FORMS[form]
    if fits(value):
        return ""
    return expected


def abbreviate(value: Any) -> str:
    """Return a value as JSON of 80 characters at most, for a message."""
    text = json.dumps(value, ensure_ascii=True, default=str, skipkeys=True)
    if len(text) <= 80:
        return text
    return f"{text[:80]}…"


def describe_unknown(statement: str, name: Any, choices: Collection[str]) -> str:
    """Return a sentence about an unknown name, with the nearest of the choices, or with all."""
    nearest = difflib.get_close_matches(str(name), list(choices), 1)
    if nearest:
        return f"{statement}; did you mean {nearest[0]}?"
    return f"{statement}; there are {', '.join(choices)}."


# What is of no kind, and settings can name.
ZONES = {"dns": ("is_custom_dns", "is_dns_disabled", "dkim_record", "records")}
# By setting that is no open point: its default. README.md says what each means.
SETTINGS: dict[str, Any] = {
    # An administrator sets these options of the API (docs/panel_api.md#api-options).
    "api_enabled": True,
    "allowed_addresses": [],
    "ignore_account_limits": False,
    "apply_password_policy": False,
    # These settings belong to the panel (docs/panel_api.md#panel-settings).
    "hostname": "server.panel.example",
    "ip_addresses": ["192.0.2.10", "2001:db8::10"],
    "name_servers": ["ns1.panel.example.", "ns2.panel.example."],
    "prohibited_domains": [],
    "php_versions": ["7.4", "8.0", "8.1", "8.2", "8.3", "8.4"],
    "shows_private_keys": False,
    # Statuses and reboots.
    "status_delay": 0.3,
    "failing_kinds": [],
    "reboot_delay": 4.0,
    "reboot_down_time": 2.0,
    # The connection.
    "latency": 0.0,
    "write_latency": 0.0,
    "requests_per_connection": 0,
    "announce_close": True,
    "keep_alive_seconds": 75.0,
    "reload_every_writes": 0,
    "reload_milliseconds": 500.0,
    # The name server.
    "dns_delay": 0.0,
}


class OpenPoint:
    """One row of the table of open points.

    ``tried`` are the values that tests try beside the default; without a form, these are all that
    there are.
    """

    def __init__(self, name: str, row: Mapping[str, Any]) -> None:
        self.name = name
        self.about = row["about"]
        self.seen = row["seen"]
        self.depends = row["depends"]
        ((self.confidence, self.source),) = row["source"].items()
        self._descriptions: dict[str, dict[str, str]] = row.get("values", {})
        values: list[Any] = [*self._descriptions] or [row["default"], *row["examples"]]
        self.default = values[0]
        self.tried = values[1:]
        self.form = row.get("form", "")
        self.choices = row.get("choices", [])

    def describe_problem(self, value: Any, names: Names) -> str:
        """Return a sentence about what is wrong with a value of it, empty for nothing."""
        if not self.form:
            choices = (self.default, *self.tried)
            if value in choices:
                return ""
            return f"must be one of {', '.join(choices)}, and is {abbreviate(value)}."

        problem = _find_problem(self.form, value, names)
        if not problem and self.choices and not set(value) <= {*self.choices}:
            expected = ", ".join(self.choices)
            return f"each item must be one of {expected}, and it is {abbreviate(value)}."

        return problem


# Not by the path of this file, which may be in an archive.
_TABLE = files("panel_simulator").joinpath("open_points.yml").read_text(encoding="utf-8")
_ROWS = yaml.load(_TABLE, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
POINTS: Mapping[str, OpenPoint] = {name: OpenPoint(name, row) for name, row in _ROWS.items()}


def _find_problem(form: str, value: Any, names: Names) -> str:
    """Return a sentence about the first thing that is wrong with a value, empty for nothing."""
    expected = find_misfit(form, value)
    if expected:
        return f"must be {expected}, and is {abbreviate(value)}."

    if form == "failing_kinds":
        problems = _find_problems_of_kinds(value, _list_kinds(form, names))
    elif form in ("members", "members in lists", "defaults", "names by member"):
        problems = _find_problems_of_members(form, value, names)
    else:
        return ""

    return next(problems, "")


def _list_kinds(form: str, names: Names) -> list[str]:
    """Return the kinds that a setting of a form can name."""
    if form in ("failing_kinds", "members in lists"):
        return [kind for kind in names if kind not in ZONES]
    return [*names]


def _find_problems_of_kinds(named: Iterable[str], kinds: Collection[str]) -> Iterator[str]:
    for kind in named:
        if kind not in kinds:
            yield describe_unknown(f"{kind} is no kind of objects", kind, kinds)


def _find_problems_of_members(form: str, value: Mapping[str, Any], names: Names) -> Iterator[str]:
    yield from _find_problems_of_kinds(value, _list_kinds(form, names))
    for kind, members in value.items():
        existing = names[kind]
        if form == "defaults":
            yield from _find_problems_of_defaults(kind, members, existing)
            continue

        for name in members:
            if name not in existing:
                yield describe_unknown(f"{kind} have no member {name}", name, existing)

        if form == "names by member":
            yield from _find_problems_of_names(kind, members, existing)


def _find_problems_of_defaults(
    kind: str, members: Iterable[str], existing: Collection[str]
) -> Iterator[str]:
    for name in members:
        if name in existing:
            yield f"{kind} have a member {name} already; give a new name."


def _find_problems_of_names(
    kind: str, members: Mapping[str, str], existing: Collection[str]
) -> Iterator[str]:
    for name in members.values():
        if name in existing:
            yield f"{kind} have a member {name} already."


def list_shown_names(kinds: Mapping[str, Kind]) -> Names:
    """Return by kind the fields of its answers; ``components.csr`` is one within another."""
    names = {}
    for name, kind in kinds.items():
        status = ("status",) if kind.has_status else ()
        names[name] = ("id", *status, *_list_field_names(kind.fields, ""))
        if kind.has_password:
            names[name] += ("password_hash",)

    return {**names, **ZONES}


def _list_field_names(fields: Iterable[Field], prefix: str) -> Iterator[str]:
    for field in fields:
        if field.access != "flag":
            yield prefix + field.name
        if isinstance(field.value, Members):
            yield from _list_field_names(field.value.fields, f"{prefix}{field.name}.")


def read_profile(path: Path, kinds: Mapping[str, Kind]) -> dict[str, Any]:
    """Read the points in which a panel differs from the defaults; raises Invalid."""
    try:
        profile = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise Invalid(f"{path} is not YAML: {' '.join(str(error).split())}.") from error

    if not isinstance(profile, Mapping):
        raise Invalid(f"{path} must be a mapping of points to values.")

    names = list_shown_names(kinds)
    for name, value in profile.items():
        if name not in POINTS:
            raise Invalid(
                f"{path}: " + describe_unknown(f"{name}: there is no such point", name, POINTS)
            )
        problem = POINTS[name].describe_problem(value, names)
        if problem:
            raise Invalid(f"{path}: {name}: {problem}")

    return dict(profile)


class Settings:
    """Current values by name; ``revision`` grows with every change."""

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self._names = list_shown_names(kinds)
        self.revision = 0
        self.values: dict[str, Any] = {}
        self.reset()

    def __getitem__(self, name: str) -> Any:
        """Return the value of a setting or an open point."""
        return self.values[name]

    def reset(self) -> None:
        """Return to the defaults of all settings and open points."""
        defaults = {name: point.default for name, point in POINTS.items()}
        self.values = copy.deepcopy({**SETTINGS, **defaults})
        self.revision += 1

    def merge(self, changes: Any) -> None:
        """Take settings over; raises Invalid naming the first wrong one, and then changes none."""
        if not isinstance(changes, Mapping):
            raise Invalid("settings: must be an object.")

        for name, value in changes.items():
            problem = self._find_problem(name, value)
            if problem:
                raise Invalid(f"{name}: {problem}")

        self.values.update(copy.deepcopy(dict(changes)))
        self.revision += 1

    def _find_problem(self, name: str, value: Any) -> str:
        if name in POINTS:
            return POINTS[name].describe_problem(value, self._names)
        if name in SETTINGS:
            return _find_problem(find_form(name, SETTINGS[name]), value, self._names)

        known_names = (*SETTINGS, *POINTS)
        raise Invalid(describe_unknown(f"{name}: there is no such setting", name, known_names))

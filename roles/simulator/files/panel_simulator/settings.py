"""What can be set: the administrator's options, times, connections, and the points that the interface leaves open, which make a profile."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from panel_simulator.calls import Invalid
from panel_simulator.forms import misfit, told, unknown

ZONES = "dns"
# What stands for ids and names in paths.
_SAMPLES = ({"id": "1", "name": "name"}, {"id": "12345", "name": "a%40b.example"})


@dataclass(frozen=True)
class Known:
    """What settings can name: by kind the ``members`` of answers (``components.csr`` within another), the kinds ``listed``, and ``paths``."""

    members: Mapping[str, tuple[str, ...]]
    listed: tuple[str, ...]
    paths: tuple[str, ...]


def _problem(form: str, value: Any, known: Known) -> str:
    """A sentence about what is wrong with a value, empty for nothing."""
    if words := misfit(form, value):
        return f"must be {words}, and is {told(value)}."
    if form == "patterns":
        return next((f"{told(one)} fits no METHOD /path of the panel." for one in value if not _fits(one, known)), "")
    return next(_wrong_names(form, value, known), "")


def _fits(pattern: str, known: Known) -> bool:
    paths = (path.replace("{id}", one["id"]).replace("{name}", one["name"]) for path in known.paths for one in _SAMPLES)
    return any(re.fullmatch(pattern, path) for path in paths)


def _wrong_names(form: str, value: Any, known: Known) -> Iterator[str]:
    if form not in ("kinds", "members", "members in lists", "defaults", "names by member"):
        return
    kinds = known.listed if form in ("kinds", "members in lists") else tuple(known.members)
    yield from (unknown(f"{kind} is no kind of objects", kind, kinds) for kind in value if kind not in kinds)
    for kind, names in value.items() if form != "kinds" else ():
        members = known.members[kind]
        for name in names:
            if form == "defaults" and name in members:
                yield f"{kind} have a member {name} already; give a new name."
            if form != "defaults" and name not in members:
                yield unknown(f"{kind} have no member {name}", name, members)
        if form == "names by member":
            yield from (f"{kind} have a member {other} already." for other in names.values() if other in members)


@dataclass(frozen=True)
class OpenPoint:
    """One row of the table. ``tried`` are the values that tests try beside the default; ``words`` all that there are, empty if there is a form.

    says: by value, or by the number of the example, words of what a task that cannot work there says.
    """

    name: str
    about: str
    default: Any
    tried: tuple[Any, ...]
    source: str
    confidence: str
    seen: str
    depends: tuple[str, ...]
    words: tuple[str, ...] = ()
    form: str = ""
    choices: tuple[str, ...] = ()
    means: Mapping[str, str] | str = ""
    says: Mapping[Any, str] = field(default_factory=dict)

    def problem(self, value: Any, known: Known) -> str:
        """A sentence about what is wrong with a value of it, empty for nothing."""
        if self.words:
            return "" if value in self.words else f"must be one of {', '.join(self.words)}, and is {told(value)}."
        wrong = _problem(self.form, value, known)
        if not wrong and self.choices and not set(value) <= {*self.choices}:
            return f"each item must be one of {', '.join(self.choices)}, and it is {told(value)}."
        return wrong

    def meaning(self, value: Any) -> str:
        """What a value that is not the default means for whoever uses the collection."""
        return self.means if isinstance(self.means, str) else self.means.get(str(value), "")

    def refusal(self, value: Any) -> str:
        """Words of what a task says that cannot work with this value; empty where everything works."""
        if value == self.default:
            return ""
        return self.says.get(value if self.words else self.tried.index(value) + 1, "")


def _read(name: str, row: Mapping[str, Any]) -> OpenPoint:
    rest = {one: row[one] for one in ("about", "source", "confidence", "seen")}
    rest |= {"depends": tuple(row["depends"]), "says": row.get("says", {})}
    if "values" in row:
        words = tuple(row["values"])
        means = {word: row["values"][word]["means"] for word in words[1:]}
        return OpenPoint(name, default=words[0], tried=words[1:], words=words, means=means, **rest)
    rest |= {"choices": tuple(row.get("choices", ())), "tried": tuple(row["examples"])}
    return OpenPoint(name, default=row["default"], form=row["form"], means=row["means"], **rest)


# Not by the path of this file, which may be in an archive.
_TABLE = files("panel_simulator").joinpath("open_points.yml").read_text(encoding="utf-8")
_ROWS = yaml.load(_TABLE, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
POINTS: Mapping[str, OpenPoint] = {name: _read(name, row) for name, row in _ROWS.items()}


def normal(profile: Mapping[str, Any]) -> dict[str, Any]:
    """The one form of all profiles of a panel: in alphabetical order, without the defaults and the kinds of which nothing is said."""
    ordered = {name: _in_order(profile[name]) for name in sorted(profile)}
    return {name: value for name, value in ordered.items() if value != POINTS[name].default}


def _in_order(value: Any) -> Any:
    if isinstance(value, list):
        return sorted(value)
    if isinstance(value, Mapping):
        ordered = {
            kind: sorted(one) if isinstance(one, list) else dict(sorted(one.items())) for kind, one in value.items()
        }
        return {kind: one for kind, one in sorted(ordered.items()) if one}
    return value


def read_profile(path: Path, known: Known) -> dict[str, Any]:
    """The points in which a panel differs from the defaults, in their normal form; raises Invalid."""
    try:
        profile = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise Invalid(f"{path} is not YAML: {' '.join(str(error).split())}.") from error
    if not isinstance(profile, Mapping):
        raise Invalid(f"{path} must be a mapping of points to values.")
    for name, value in profile.items():
        if name not in POINTS:
            raise Invalid(f"{path}: " + unknown(f"{name}: there is no such point", name, POINTS))
        if wrong := POINTS[name].problem(value, known):
            raise Invalid(f"{path}: {name}: {wrong}")
    return normal(profile)


# The settings that are no open points: default and form. README.md says what each means.
SETTINGS: dict[str, tuple[Any, str]] = {
    # The panel's own API options (facts.md section 1.2).
    "api_enabled": (True, "switch"),
    "allowed_addresses": ([], "networks"),
    "ignore_account_limits": (False, "switch"),
    "apply_password_policy": (False, "switch"),
    # The panel's configuration (facts.md section 12).
    "hostname": ("server.panel.example", "host"),
    "ip_addresses": (["192.0.2.10", "2001:db8::10"], "addresses"),
    "name_servers": (["ns1.panel.example.", "ns2.panel.example."], "some texts"),
    "prohibited_domains": ([], "texts"),
    "php_versions": (["7.4", "8.0", "8.1", "8.2", "8.3", "8.4"], "texts"),
    "shows_private_keys": (False, "switch"),
    # Statuses and reboots.
    "status_delay": (0.3, "seconds"),
    "failing_kinds": ([], "kinds"),
    "reboot_delay": (4.0, "seconds"),
    "reboot_down_time": (2.0, "seconds"),
    # The connection.
    "latency": (0.0, "milliseconds"),
    "write_latency": (0.0, "milliseconds"),
    "requests_per_connection": (0, "number"),
    "announce_close": (True, "switch"),
    "keep_alive_seconds": (75.0, "seconds"),
    "reload_every_writes": (0, "number"),
    "reload_milliseconds": (500.0, "milliseconds"),
    # The name server.
    "dns_delay": (0.0, "seconds"),
}


class Settings:
    """Current values by attribute; ``revision`` grows with every change."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.revision = 0
        self.values: dict[str, Any] = {}
        self.reset()

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(name) from None

    def reset(self) -> None:
        """Everything back to its default."""
        self.values = copy.deepcopy({name: default for name, (default, _form) in SETTINGS.items()})
        self.values |= copy.deepcopy({name: point.default for name, point in POINTS.items()})
        self.revision += 1

    def merge(self, changes: Any) -> None:
        """Takes the given settings over; raises Invalid naming the first wrong one, and then changes none."""
        if not isinstance(changes, Mapping):
            raise Invalid("settings: must be an object.")
        for name, value in changes.items():
            if name not in self.values:
                raise Invalid(unknown(f"{name}: there is no such setting", name, (*SETTINGS, *POINTS)))
            is_point = name in POINTS
            wrong = (
                POINTS[name].problem(value, self.known) if is_point else _problem(SETTINGS[name][1], value, self.known)
            )
            if wrong:
                raise Invalid(f"{name}: {wrong}")
        self.values.update({name: copy.deepcopy(value) for name, value in changes.items()})
        self.revision += 1

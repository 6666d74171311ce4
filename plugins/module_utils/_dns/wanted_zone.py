# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task wants of a zone: the options of panel_dns, checked before anything is sent, located in the zone. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Callable, NamedTuple

from .._errors import OptionError, noted, raise_noted
from .._kinds.client import CLIENT_NAME
from .._task.validation import OMIT_IF_MEANT
from .._values.names import DomainName
from .._values.value_types import Boolean, Choice, Integer, ValueType, Word, parsed
from .record_values import (
    FORMS,
    LONGEST_TTL,
    ascii_name,
    cnames_beside_others,
    comparable_record,
    is_name,
    relative_host,
    sent_value,
)

PROTECTED = ("@ NS", "_acme-challenge* TXT")
SOA_MEMBERS = ("ttl", "primary_ns", "rname", "refresh", "retry", "expire", "minimum")

# records and soa have no suboptions: a zone is read and written back in the API's shape, in which a later panel may have more members.
DNS_OPTIONS: dict[str, dict[str, Any]] = {
    "state": {"type": "str", "choices": ["present", "absent", "default"], "default": "present"},
    "domain": {"type": "str"},
    "id": {"type": "int"},
    "client": {"type": "str"},
    "records": {"type": "list", "elements": "dict"},
    "soa": {"type": "dict"},
    "append": {"type": "bool", "default": False},
    "purge": {"type": "bool", "default": False},
    "protect": {"type": "list", "elements": "str", "default": list(PROTECTED)},
    "max_delete_percent": {"type": "int", "default": 30},
    "is_dns_disabled": {"type": "bool"},
}
# Of the module alone: an item of a bulk run does not wait.
WAIT_OPTIONS: dict[str, dict[str, Any]] = {
    "wait": {"type": "bool", "default": False},
    "wait_timeout": {"type": "int", "default": 300},
    "nameservers": {"type": "list", "elements": "str", "default": []},
}

GivenRecord = Mapping[str, Any]


class WantedZone(NamedTuple):
    """What a task wants of one zone. records: as they are sent, their hosts relative to the zone once ``located`` was called, without ttl or
    value where it was omitted; None where the option was. soa: only the given fields.

    client: whose the domain has to be. protect: pairs of shell patterns for host and type.
    """

    state: str = "present"
    domain: str | None = None
    id: int | None = None
    client: str | None = None
    records: tuple[GivenRecord, ...] | None = None
    soa: Mapping[str, Any] = {}
    append: bool = False
    purge: bool = False
    protect: tuple[tuple[str, str], ...] = ()
    max_delete_percent: int = 30
    is_dns_disabled: bool | None = None

    def label(self) -> str:
        return self.domain if self.id is None and self.domain else f"the domain with id {self.id}"

    @property
    def warnings(self) -> list[str]:
        """About the hosts, once they are located."""
        return [
            f"records[{index}].host: {one['host']} has no dot at its end, so it means {one['host']}.{self.domain}. "
            "Write the dot if the name is complete."
            for index, one in enumerate(self.records or ())
            if f".{one['host']}".endswith(f".{self.domain}")
        ]


def located(wanted: WantedZone, domain: str) -> WantedZone:
    """The same with all hosts relative to the zone of this domain.

    Raises OptionError for all hosts that lie outside, and CNAMEs that would share their host.
    """
    errors: list[OptionError] = []

    def relative(option: str, host: str) -> str:
        with suppress(ValueError):
            return relative_host(host, domain)
        errors.append(OptionError(option, f"{host} does not lie in the zone of {domain}."))
        return host

    records = {
        f"records[{index}]": {**one, "host": relative(f"records[{index}].host", one["host"])}
        for index, one in enumerate(wanted.records or ())
        if one
    }
    protect = tuple((relative("protect", host), kind) for host, kind in filter(None, wanted.protect))
    aliases = {one["host"] for one in records.values() if one["type"] == "CNAME" and wanted.state == "present"}
    found = {place: comparable_record(one, domain, None) for place, one in records.items() if one["host"] in aliases}
    shared = cnames_beside_others(found.values())
    for place, one in found.items():
        if one.type == "CNAME" and one.host in shared:
            others = [f"{at} ({other.type})" for at, other in found.items() if other.host == one.host and at != place]
            beside = others[0] if others else "the SOA and NS records of the domain itself"
            problem = f"a CNAME allows no other record on its host, and {one.host} also has {beside}."
            errors.append(OptionError(place, problem))
    raise_noted(errors)
    given = None if wanted.records is None else tuple(records.values())
    return wanted._replace(domain=domain, records=given, protect=protect)


def read_wanted_zone(params: Mapping[str, Any]) -> WantedZone:
    """The wanted zone; raises OptionError, which names each option and record that is wrong and the accepted form.

    Named by domain, it is located already. Named by id, ``located`` has to follow once the domain is known.
    """
    given = {"protect": PROTECTED, **{name: value for name, value in params.items() if value is not None}}
    errors: list[OptionError] = []

    def each(option: str, entries: Any, read_one: Callable[[str, Any], Any]) -> tuple[Any, ...]:
        if not isinstance(entries, (list, tuple)):
            raise OptionError(option, "must be a list.")
        found: list[Any] = [None] * len(entries)  # what is wrong keeps its place, by which the others are named
        for index, entry in enumerate(entries):
            with noted(errors):
                found[index] = read_one(f"{option}[{index}]", entry)
        return tuple(found)

    def read_option(option: str, value: Any) -> Any:
        if option == "soa":
            return _fields(option, value, _SOA)
        if option == "records":
            needs_value = given.get("state") != "absent"
            return each(option, value, lambda place, one: read_record(place, one, needs_value))
        if option == "protect":
            return each(option, value, partial(parsed, _PATTERN))
        return parsed(_PLAIN[option], option, value)

    read: dict[str, Any] = {}
    for name in WantedZone._fields:
        with noted(errors):
            if name in given:
                read[name] = read_option(name, given[name])
    with noted(errors):
        _check_combination({**given, **read})
    wanted = WantedZone(**read)
    with noted(errors):
        wanted = located(wanted, wanted.domain) if wanted.domain else wanted
    raise_noted(errors)
    return wanted


def _check_combination(given: Mapping[str, Any]) -> None:
    state = given.get("state", "present")
    managed = [name for name in ("records", "soa", "append", "purge") if given.get(name, False) is not False]
    beside = [name for name in managed if name != "records"]
    others = managed + ([f"state: {state}"] if state != "present" else [])
    if ("domain" in given) == ("id" in given):
        raise OptionError("domain", "give either domain or id.")
    if "is_dns_disabled" in given and others:
        raise OptionError("is_dns_disabled", f"excludes {', '.join(others)}. Use a separate task.")
    if state == "default" and managed:
        problem = "is not allowed with state: default, which gives the panel's own default records."
        raise OptionError(managed[0], problem)
    if state == "absent" and beside:
        raise OptionError(beside[0], "is not allowed with state: absent.")
    if state == "absent" and not managed:
        raise OptionError("records", "missing; state: absent removes the records that it lists.")
    if {"append", "purge"} <= set(managed):
        raise OptionError("purge", "excludes append: one removes what is not given, the other removes nothing.")
    if given.get("soa") == {}:
        raise OptionError("soa", "an empty dictionary would change nothing; list the fields to change.")
    if "records" not in managed and beside not in ([], ["soa"]):
        raise OptionError("records", f"missing; it is needed with {beside[-1]}: true.")


def _host(text: str) -> str:
    name = ascii_name(text)
    if text and (name == "." or not is_name(name)):
        raise ValueError
    return name


def _type(text: str) -> str:
    kind = text.upper()
    if not re.fullmatch("[A-Z][A-Z0-9-]*", kind) or kind == "SOA":
        raise ValueError
    return kind


def _value(kind: str, is_removed: bool) -> Word:
    """The value of a record of a type; of one that is removed whatever a panel may hold."""

    def read(text: str) -> str:
        return text if is_removed and text.isprintable() and text else sent_value(kind, text)

    form = FORMS.get(kind, "a string of one line that is not empty")
    return Word(f"{form}, the value of a record of type {kind}", read)


def _soa_name(text: str) -> str:
    """The panel shows these names with a dot at the end (facts.md section 7), so it is added where it is missing."""
    name = text if text.isascii() else ascii_name(text)
    DomainName().parse(name.replace("\\.", "-"))
    return name.rstrip(".") + "."


def _pattern(text: str) -> tuple[str, str]:
    host, kind = text.split()
    return ascii_name(host), kind.upper()


_TTL = Integer(1, LONGEST_TTL)
_RECORD: dict[str, ValueType] = {
    "host": Word(
        "a name relative to the zone such as www, @ for the domain, or one in the zone with a dot at its end", _host
    ),
    "type": Word("a type such as A, MX or TXT; the SOA record is managed with the option soa", _type),
    "ttl": _TTL,
}
RECORD_MEMBERS = frozenset({*_RECORD, "value"})
_SOA_NAME = Word('a complete name such as "ns1.example.com."; it@example.com is written "it.example.com."', _soa_name)
_SOA: dict[str, ValueType] = {**dict.fromkeys(SOA_MEMBERS, _TTL), "primary_ns": _SOA_NAME, "rname": _SOA_NAME}
_PATTERN = Word("two shell patterns HOST TYPE such as '@ NS'", _pattern)
_PLAIN: dict[str, ValueType] = {
    "state": Choice("present", "absent", "default"),
    "domain": DomainName(),
    "id": Integer(1),
    "client": CLIENT_NAME,
    "max_delete_percent": Integer(0, 100),
    **dict.fromkeys(("append", "purge", "is_dns_disabled"), Boolean()),
}


def read_record(option: str, record: Any, needs_value: bool) -> GivenRecord:
    """One record as it is sent, its host not yet located; raises OptionError. option: its place, such as ``records[0]``."""
    shown = record if isinstance(record, Mapping) else {}
    if not needs_value and shown.get("value", "") is None:
        effect = "is null, which would remove every record of this host and type"
        raise OptionError(f"{option}.value", f"{effect}; {OMIT_IF_MEANT}")
    value_type = _value(str(shown.get("type", "")).strip().upper(), not needs_value)
    needed = ("host", "type", "value") if needs_value else ("host", "type")
    return _fields(option, record, {**_RECORD, "value": value_type}, needed)


def _fields(option: str, given: Any, types: Mapping[str, ValueType], needed: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields of a record or of the SOA record. Those that a later panel may show stay as they are beside all others."""
    if not isinstance(given, Mapping):
        raise OptionError(option, f"must be a dictionary with {', '.join(types)}.")
    read = {name: value for name, value in given.items() if value is not None}
    further = [name for name in read if name not in types]
    if further and not types.keys() <= read.keys():
        raise OptionError(f"{option}.{further[0]}", f"there is no such field; there are {', '.join(types)}.")
    errors = [OptionError(f"{option}.{name}", "missing.") for name in needed if name not in read]
    for name, value_type in types.items():
        with noted(errors):
            if name in read:
                read[name] = parsed(value_type, f"{option}.{name}", read[name])
    raise_noted(errors)
    return read

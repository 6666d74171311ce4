# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task wants of a zone: the options of panel_dns, checked before anything is sent, located in the zone. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Callable, NamedTuple

from .._errors import OptionError, noted, raise_noted
from .._kinds.client import CLIENT_NAME
from .._task.validation import OMIT_IF_MEANT
from .._values.names import DomainName
from .._values.value_types import Integer, ValueType, Word, parsed
from . import record_values

PROTECTED = ("@ NS", "_acme-challenge* TXT")
RECORD_MEMBERS = ("host", "type", "ttl", "value")
SOA_NAMES = ("primary_ns", "rname")
SOA_MEMBERS = ("ttl", *SOA_NAMES, "refresh", "retry", "expire", "minimum")

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
DNS_CONSTRAINTS: dict[str, Any] = {"mutually_exclusive": [["domain", "id"]], "required_one_of": [["domain", "id"]]}


class WantedRecord(NamedTuple):
    """One given record, in the spelling in which it is sent.

    place: the option that it is. host: relative to the zone once ``located`` was called. ttl, value: None where omitted; without a value
    the whole set is meant. further: fields beside the four that the interface names.
    """

    place: str
    host: str
    type: str
    ttl: int | None = None
    value: str | None = None
    further: Mapping[str, Any] = {}


class WantedZone(NamedTuple):
    """What a task wants of one zone. records: None where the option was omitted. soa: only the given fields.

    client: whose the domain has to be. protect: pairs of shell patterns for host and type.
    """

    state: str = "present"
    domain: str | None = None
    id: int | None = None
    client: str | None = None
    records: tuple[WantedRecord, ...] | None = None
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
            f"{record.place}.host: {record.host} has no dot at its end, so it means {record.host}.{self.domain}. "
            "Write the dot if the name is complete."
            for record in self.records or ()
            if record.host != record_values.APEX and record_values.is_below(record.host, str(self.domain))
        ]


def located(wanted: WantedZone, domain: str) -> WantedZone:
    """The same with all hosts relative to the zone of this domain.

    Raises OptionError for all hosts that lie outside, and CNAMEs that would share their host.
    """
    errors: list[OptionError] = []

    def relative(option: str, host: str) -> str:
        with suppress(ValueError):
            return record_values.relative_host(host, domain)
        errors.append(OptionError(option, f"{host} does not lie in the zone of {domain}."))
        return host

    records = tuple(one._replace(host=relative(f"{one.place}.host", one.host)) for one in wanted.records or ())
    protect = tuple((relative("protect", host), kind) for host, kind in wanted.protect)
    values = ((o.host, o.type, record_values.comparable_value(o.type, o.value, domain, None)) for o in records)
    shared = record_values.cnames_beside_others(values) if wanted.state == "present" else ()
    for one in records if shared else ():
        if one.type == "CNAME" and one.host in shared:
            others = [
                f"{other.place} ({other.type})" for other in records if other.host == one.host and other is not one
            ]
            beside = others[0] if others else "the SOA and NS records of the domain itself"
            problem = f"a CNAME allows no other record on its host, and {one.host} also has {beside}."
            errors.append(OptionError(one.place, problem))
    raise_noted(errors)
    return wanted._replace(domain=domain, records=None if wanted.records is None else records, protect=protect)


def read_wanted_zone(params: Mapping[str, Any]) -> WantedZone:
    """The wanted zone; raises OptionError, which names the option and the accepted form, of all records that are wrong.

    Named by domain, it is located already. Named by id, ``located`` has to follow once the domain is known.
    """
    given = {name: value for name, value in params.items() if value is not None}
    _check_combination(given)
    errors: list[OptionError] = []

    def each(option: str, of: str, read_one: Callable[[str, Any], Any]) -> tuple[Any, ...]:
        if not isinstance(given[option], (list, tuple)):
            raise OptionError(option, f"must be a list of {of}.")
        found = []
        for index, entry in enumerate(given[option]):
            with noted(errors):
                found.append(read_one(f"{option}[{index}]", entry))
        return tuple(found)

    # Ansible, or what reads items, has checked the type of these.
    switches = ("state", "append", "purge", "is_dns_disabled")
    read: dict[str, Any] = {name: given[name] for name in switches if name in given}
    read.update((name, parsed(_PLAIN[name], name, given[name])) for name in _PLAIN if name in given)
    if "soa" in given:
        read["soa"] = _read_soa(given["soa"])
    if "records" in given:
        read_one = partial(read_record, needs_value=given.get("state") != "absent")
        read["records"] = each("records", "records with host, type, ttl and value", read_one)
    given.setdefault("protect", PROTECTED)
    read["protect"] = each("protect", "patterns HOST TYPE", partial(parsed, _PATTERN))
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
    option, problem = "", ""
    if ("domain" in given) == ("id" in given):
        option, problem = "domain", "give either domain or id."
    elif "is_dns_disabled" in given and others:
        option, problem = "is_dns_disabled", f"excludes {', '.join(others)}. Use a separate task."
    elif state == "default" and managed:
        option, problem = managed[0], "is not allowed with state: default, which gives the panel's own default records."
    elif state == "absent" and beside:
        option, problem = beside[0], "is not allowed with state: absent."
    elif state == "absent" and not managed:
        option, problem = "records", "missing; state: absent removes the records that it lists."
    elif {"append", "purge"} <= set(managed):
        option, problem = "purge", "excludes append: one removes what is not given, the other removes nothing."
    elif "records" not in managed and beside not in ([], ["soa"]):
        option, problem = "records", f"missing; it is needed with {beside[-1]}: true."
    if option:
        raise OptionError(option, problem)


def _host(text: str) -> str:
    name = record_values.ascii_name(text)
    if text and (name == "." or not record_values.is_name(name)):
        raise ValueError
    return name


def _type(text: str) -> str:
    kind = text.upper()
    if not record_values.TYPE.fullmatch(kind) or kind == "SOA":
        raise ValueError
    return kind


def _value(kind: str, is_removed: bool) -> Word:
    """The value of a record of a type; of one that is removed whatever a panel may hold."""

    def read(text: str) -> str:
        if is_removed and text.isprintable() and text:
            return text
        record_values.check_value(kind, text)
        return record_values.sent_value(kind, text)

    form = record_values.FORMS.get(kind, "a string of one line that is not empty")
    return Word(f"{form}, the value of a record of type {kind}", read)


def _soa_name(text: str) -> str:
    """The panel shows these names with a dot at the end (facts.md section 7), so it is added where it is missing."""
    name = text if text.isascii() else record_values.ascii_name(text)
    DomainName().parse(name.replace("\\.", "-"))
    return name.rstrip(".") + "."


def _pattern(text: str) -> tuple[str, str]:
    host, kind = text.split()
    return record_values.ascii_name(host), kind.upper()


_HOST = Word(
    "a name relative to the zone such as www, @ for the domain, or one in the zone with a dot at its end", _host
)
_TYPE = Word("a type such as A, MX or TXT; the SOA record is managed with the option soa", _type)
_SOA_NAME = Word('a complete name such as "ns1.example.com."; it@example.com is written "it.example.com."', _soa_name)
_PATTERN = Word("two shell patterns HOST TYPE such as '@ NS'", _pattern)
_TTL = Integer(1, record_values.LONGEST_TTL)
_RECORD: dict[str, ValueType] = {"host": _HOST, "type": _TYPE, "ttl": _TTL}
_SOA: dict[str, ValueType] = {name: _SOA_NAME if name in SOA_NAMES else _TTL for name in SOA_MEMBERS}
_PLAIN = {"domain": DomainName(), "id": Integer(1), "client": CLIENT_NAME, "max_delete_percent": Integer(0, 100)}


def read_record(option: str, record: Any, needs_value: bool) -> WantedRecord:
    """One record, its host not yet located; raises OptionError. option: its place, such as ``records[0]``."""
    if not isinstance(record, Mapping):
        raise OptionError(option, "must be a dictionary with host, type, ttl and value.")
    if not needs_value and record.get("value", "") is None:
        effect = "is null, which would remove every record of this host and type"
        raise OptionError(f"{option}.value", f"{effect}; {OMIT_IF_MEANT}")
    record = {name: value for name, value in record.items() if value is not None}
    _check_further(record, RECORD_MEMBERS, f"{option}.", "records have host, type, ttl and value")
    needed = ("host", "type", "value") if needs_value else ("host", "type")
    missing = {"host": "missing; @ is the domain itself."}
    errors = [OptionError(f"{option}.{one}", missing.get(one, "missing.")) for one in needed if one not in record]
    read: dict[str, Any] = {}
    for name in RECORD_MEMBERS:
        value_type = _value(read["type"], not needs_value) if name == "value" and "type" in read else _RECORD.get(name)
        if name in record and value_type is not None:
            with noted(errors):
                read[name] = parsed(value_type, f"{option}.{name}", record[name])
    raise_noted(errors)
    further = {name: value for name, value in record.items() if name not in RECORD_MEMBERS}
    return WantedRecord(option, further=further, **read)


def _read_soa(soa: Any) -> dict[str, Any]:
    if not isinstance(soa, Mapping):
        raise OptionError("soa", f"must be a dictionary with some of {', '.join(SOA_MEMBERS)}.")
    soa = {name: value for name, value in soa.items() if value is not None}
    if not soa:
        raise OptionError("soa", "an empty dictionary would change nothing; list the fields to change.")
    _check_further(soa, SOA_MEMBERS, "soa.", f"the SOA record has {', '.join(SOA_MEMBERS)}")
    return {name: parsed(_SOA[name], f"soa.{name}", value) if name in _SOA else value for name, value in soa.items()}


def _check_further(given: Mapping[str, Any], members: tuple[str, ...], option: str, there_are: str) -> None:
    """Fields that a later panel may show; in what is not complete without them, they are mistyped."""
    further = [name for name in given if name not in members]
    if further and not all(name in given for name in members):
        raise OptionError(f"{option}{further[0]}", f"there is no such field; {there_are}.")

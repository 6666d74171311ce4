# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task wants of a zone: the options of panel_dns, checked before anything is sent, located in the zone. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from .._errors import OptionError, noted, raise_noted
from .._kinds.owner import ClientName
from .._task.validation import OMIT_IF_MEANT
from .._values.names import DomainName
from .._values.value_types import Boolean, Integer, Text, ValueType, parsed
from .record_values import (
    APEX,
    LONGEST_TTL,
    TYPE,
    ascii_name,
    check_value,
    comparable_value,
    form_of,
    is_below,
    is_name,
    relative_host,
    sent_value,
)

PROTECTED = ("@ NS", "_acme-challenge* TXT")
MAX_DELETE_PERCENT = 30
RECORD_MEMBERS = ("host", "type", "ttl", "value")
SOA_NAMES = ("primary_ns", "rname")
SOA_MEMBERS = ("ttl", *SOA_NAMES, "refresh", "retry", "expire", "minimum")


# No named tuple, whose own method index would be hidden.
@dataclass(frozen=True)
class WantedRecord:
    """One given record, in the spelling in which it is sent.

    host: relative to the zone once ``located`` was called. ttl, value: None where omitted; without a value the whole set is meant.
    further: members beside the four that the interface names. index: its place in the option.
    """

    index: int
    host: str
    type: str
    ttl: int | None = None
    value: str | None = None
    further: Mapping[str, Any] = field(default_factory=dict)


class WantedZone(NamedTuple):
    """What a task wants of one zone. records: None where the option was omitted. soa: only the given members.

    client: whose the domain has to be. protect: pairs of shell patterns for host and type. warnings: about the options alone.
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
    max_delete_percent: int = MAX_DELETE_PERCENT
    is_dns_disabled: bool | None = None
    warnings: tuple[str, ...] = ()

    def label(self) -> str:
        return self.domain if self.id is None and self.domain else f"the domain with id {self.id}"


def located(wanted: WantedZone, domain: str | None) -> WantedZone:
    """The same with all hosts relative to the zone of this domain (None: not known, and no host is absolute).

    Raises OptionError for all hosts that lie outside, entries that contradict each other, and CNAMEs that would share their host.
    """
    errors: list[OptionError] = []
    warnings = list(wanted.warnings)
    records = wanted.records
    if records is not None:
        inside = []
        for record in records:
            with noted(errors):
                host = _located(f"records[{record.index}].host", record.host, domain)
                inside.append(replace(record, host=host))
                if domain and host != APEX and is_below(host, domain):
                    warnings.append(
                        f"records[{record.index}].host: {host} has no dot at its end, so it means {host}.{domain}. "
                        "Write the dot if the name is complete."
                    )
        if wanted.state == "present":
            warnings += _several_ttls(inside)
            errors += _shared_cnames(inside, domain)
        records = tuple(inside)
    protect = []
    for host, kind in wanted.protect:
        with noted(errors):
            protect.append((_located("protect", host, domain), kind))
    raise_noted(errors)
    return wanted._replace(domain=domain, records=records, protect=tuple(protect), warnings=tuple(warnings))


def _located(option: str, host: str, domain: str | None) -> str:
    try:
        return relative_host(host, domain)
    except ValueError:
        raise OptionError(option, f"{host} does not lie in the zone of {domain}.") from None


def _several_ttls(records: list[WantedRecord]) -> Iterator[str]:
    """A warning for each record set with two TTLs: the panel keeps them, so an export may have them, and name servers use one."""
    first: dict[tuple[str, str], WantedRecord | None] = {}
    for record in records:
        same = first.setdefault((record.host, record.type), record) if record.ttl is not None else None
        if same is not None and same.ttl != record.ttl:
            first[record.host, record.type] = None
            yield (
                f"records[{record.index}].ttl: {record.ttl} differs from records[{same.index}].ttl, {same.ttl}. "
                f"Name servers use one TTL for all records {record.host} {record.type}."
            )


def _shared_cnames(records: list[WantedRecord], domain: str | None) -> Iterator[OptionError]:
    on_host: dict[str, dict[tuple[str, str], WantedRecord]] = {}
    for record in records:
        identity = (record.type, comparable_value(record.type, record.value, domain, None))
        on_host.setdefault(record.host, {}).setdefault(identity, record)
    for host, found in on_host.items():
        for record in found.values():
            if record.type != "CNAME" or (host != APEX and len(found) == 1):
                continue
            other = next((one for one in found.values() if one is not record), None)
            beside = (
                f"records[{other.index}] ({other.type})" if other else "the SOA and NS records of the domain itself"
            )
            yield OptionError(
                f"records[{record.index}]", f"a CNAME allows no other record on its host, and {host} also has {beside}."
            )


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
    "max_delete_percent": {"type": "int", "default": MAX_DELETE_PERCENT},
    "is_dns_disabled": {"type": "bool"},
}
# Of the module alone: an item of a bulk run does not wait.
WAIT_OPTIONS: dict[str, dict[str, Any]] = {
    "wait": {"type": "bool", "default": False},
    "wait_timeout": {"type": "int", "default": 300},
    "nameservers": {"type": "list", "elements": "str", "default": []},
}
DNS_CONSTRAINTS: dict[str, Any] = {"mutually_exclusive": [["domain", "id"]], "required_one_of": [["domain", "id"]]}


def read_wanted_zone(params: Mapping[str, Any]) -> WantedZone:
    """The wanted zone; raises OptionError, which names the option and the accepted form, of all records that are wrong.

    Named by domain, it is located already. Named by id, ``located`` has to follow once the domain is known.
    """
    given = {name: value for name, value in params.items() if value is not None}
    _check_combination(given)

    def read(option: str, value_type: ValueType, default: Any = None) -> Any:
        return parsed(value_type, option, given[option]) if option in given else default

    errors: list[OptionError] = []
    wanted = WantedZone(
        state=given.get("state", "present"),
        domain=read("domain", DomainName()),
        id=read("id", Integer(1)),
        client=read("client", ClientName()),
        records=_read_records(given, errors),
        soa=_read_soa(given["soa"]) if "soa" in given else {},
        append=bool(given.get("append")),
        purge=bool(given.get("purge")),
        protect=_read_protect(given.get("protect", PROTECTED), errors),
        max_delete_percent=read("max_delete_percent", Integer(0, 100), MAX_DELETE_PERCENT),
        is_dns_disabled=read("is_dns_disabled", Boolean()),
    )
    with noted(errors):
        wanted = located(wanted, wanted.domain) if wanted.domain else wanted
    raise_noted(errors)
    return wanted


def _check_combination(given: Mapping[str, Any]) -> None:
    state = given.get("state", "present")
    managed = [name for name in ("records", "soa") if name in given]
    switches = [name for name in ("append", "purge") if given.get(name)]
    if ("domain" in given) == ("id" in given):
        raise OptionError("domain", "give either domain or id.")
    if "is_dns_disabled" in given and (state != "present" or managed or switches):
        others = [*managed, *switches, *([f"state: {state}"] if state != "present" else [])]
        raise OptionError("is_dns_disabled", f"excludes {', '.join(others)}. Use a separate task.")
    if state == "default" and (managed or switches):
        problem = "is not allowed with state: default, which gives the zone the panel's own default records."
        raise OptionError((managed + switches)[0], problem)
    if state == "absent":
        for name in [*(["soa"] if "soa" in given else []), *switches]:
            raise OptionError(name, "is not allowed with state: absent.")
        if "records" not in given:
            problem = "missing; state: absent removes the records that it lists. For the panel's default records use state: default."
            raise OptionError("records", problem)
    if len(switches) == 2:
        raise OptionError("purge", "excludes append: one removes what is not given, the other removes nothing.")
    for name in switches:
        if "records" not in given:
            raise OptionError("records", f"missing; it is needed with {name}: true.")


class _Host(ValueType):
    """A host or a pattern for hosts, in punycode and lower case."""

    form = "a name relative to the zone such as www, @ for the domain itself, or a name with a dot at its end that lies in the zone"

    def __init__(self, is_pattern: bool = False) -> None:
        self._is_pattern = is_pattern

    def parse(self, value: Any) -> str:
        text = _TEXT.parse(value).strip()
        name = ascii_name(text)
        if name == "." or (text and not name) or not (self._is_pattern or name == "" or is_name(name)):
            raise ValueError
        return name


class _Type(ValueType):
    form = "a type such as A, MX or TXT; the SOA record is managed with the option soa"

    def parse(self, value: Any) -> str:
        kind: str = _TEXT.parse(value).strip().upper()
        if not TYPE.fullmatch(kind) or kind == "SOA":
            raise ValueError
        return kind


class _Value(ValueType):
    """The value of a record of a type; of one that is removed whatever a panel may hold."""

    def __init__(self, kind: str, is_removed: bool) -> None:
        self._kind, self._is_removed = kind, is_removed
        self.form = f"{form_of(kind)}, the value of a record of type {kind}"

    def parse(self, value: Any) -> str:
        text: str = _TEXT.parse(value).strip()
        if self._is_removed and text.isprintable() and text:
            return text
        check_value(self._kind, text)
        return sent_value(self._kind, text)


class _SoaName(ValueType):
    """The panel shows these names with a dot at the end (facts.md section 7), so it is added where it is missing."""

    form = 'a complete name such as "ns1.example.com."; the address hostmaster@example.com is written "hostmaster.example.com."'

    def parse(self, value: Any) -> str:
        text: str = _TEXT.parse(value).strip()
        name = text if text.isascii() else ascii_name(text)
        DomainName().parse(name.replace("\\.", "-"))
        return name.rstrip(".") + "."


class _Line(Text):
    """No switch, which is what YAML makes of on and no."""

    def parse(self, value: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError
        return super().parse(value)


_TEXT, _HOST, _TYPE, _TTL = _Line(), _Host(), _Type(), Integer(1, LONGEST_TTL)


def _read_protect(patterns: Any, errors: list[OptionError]) -> tuple[tuple[str, str], ...]:
    if not isinstance(patterns, (list, tuple)):
        raise OptionError("protect", "must be a list of patterns HOST TYPE.")
    pairs = []
    for index, pattern in enumerate(patterns):
        option, words = f"protect[{index}]", str(pattern).split()
        with noted(errors):
            if len(words) != 2:
                raise OptionError(
                    option, f"{pattern!r} is not accepted; it must be two shell patterns HOST TYPE such as '@ NS'."
                )
            pairs.append((parsed(_Host(is_pattern=True), option, words[0]), words[1].upper()))
    return tuple(pairs)


def _read_records(given: Mapping[str, Any], errors: list[OptionError]) -> tuple[WantedRecord, ...] | None:
    records = given.get("records")
    if records is None:
        return None
    if not isinstance(records, list):
        raise OptionError("records", "must be a list of records with host, type, ttl and value.")
    read = []
    for index, record in enumerate(records):
        with noted(errors):
            read.append(read_record(index, record, given.get("state", "present") == "present"))
    return tuple(read)


def read_record(index: int, record: Any, needs_value: bool) -> WantedRecord:
    """One record, its host not yet located; raises OptionError. index: its place in the option."""
    option = f"records[{index}]"
    if not isinstance(record, Mapping):
        raise OptionError(option, "must be a dictionary with host, type, ttl and value.")
    if not needs_value and record.get("value", "") is None:
        effect = "is null, which would remove every record of this host and type"
        raise OptionError(f"{option}.value", f"{effect}; {OMIT_IF_MEANT}")
    record = {name: value for name, value in record.items() if value is not None}
    further = {name: value for name, value in record.items() if name not in RECORD_MEMBERS}
    if further and not all(name in record for name in RECORD_MEMBERS):
        # A complete record may have further members, because a panel may show them; in an incomplete one they are mistyped.
        problem = "there is no such field; records have host, type, ttl and value."
        raise OptionError(f"{option}.{next(iter(further))}", problem)
    needed = ("host", "type", "value") if needs_value else ("host", "type")
    errors = [
        OptionError(f"{option}.{name}", f"missing{'; @ is the domain itself' if name == 'host' else ''}.")
        for name in needed
        if name not in record
    ]
    types: dict[str, ValueType] = {"host": _HOST, "type": _TYPE, "ttl": _TTL}
    read: dict[str, Any] = {}
    for name in RECORD_MEMBERS:
        if name == "value" and "type" in read:
            types[name] = _Value(read["type"], not needs_value)
        if name in record and name in types:
            with noted(errors):
                read[name] = parsed(types[name], f"{option}.{name}", record[name])
    raise_noted(errors)
    return WantedRecord(index=index, further=further, **read)


def _read_soa(soa: Any) -> dict[str, Any]:
    if not isinstance(soa, Mapping):
        raise OptionError("soa", f"must be a dictionary with some of {', '.join(SOA_MEMBERS)}.")
    soa = {name: value for name, value in soa.items() if value is not None}
    if not soa:
        raise OptionError("soa", "an empty dictionary would change nothing; name the fields to change.")
    unknown = [name for name in soa if name not in SOA_MEMBERS]
    if unknown and not all(name in soa for name in SOA_MEMBERS):
        raise OptionError(f"soa.{unknown[0]}", f"there is no such field; the SOA record has {', '.join(SOA_MEMBERS)}.")
    types: dict[str, ValueType] = {name: _SoaName() if name in SOA_NAMES else _TTL for name in SOA_MEMBERS}
    return {name: parsed(types[name], f"soa.{name}", soa[name]) if name in types else soa[name] for name in soa}

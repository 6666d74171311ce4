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
from .._values.value_types import Boolean, parsed
from .record_values import (
    APEX,
    LONGEST_TTL,
    TYPE,
    ascii_name,
    check_value,
    comparable_value,
    form_of,
    is_absolute,
    is_below,
    is_name,
    parsed_seconds,
    relative_host,
    sent_value,
)

PROTECTED = ("@ NS", "_acme-challenge* TXT")
MAX_DELETE_PERCENT = 30
RECORD_MEMBERS = ("host", "type", "ttl", "value")
SOA_NAMES = ("primary_ns", "rname")
SOA_NUMBERS = ("ttl", "refresh", "retry", "expire", "minimum")
SOA_MEMBERS = ("ttl", *SOA_NAMES, *SOA_NUMBERS[1:])


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

    client: whose the domain has to be.

    protect: pairs of shell patterns for host and type. warnings: about the options alone.
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
        """The zone in the words of a message."""
        return self.domain if self.id is None and self.domain else f"the domain with id {self.id}"


def located(wanted: WantedZone, domain: str | None) -> WantedZone:
    """The same with all hosts relative to the zone of this domain (None: not known, and no host is absolute).

    Raises OptionError for all hosts that lie outside, entries that contradict each other, and CNAMEs that would share their host.
    """
    records = wanted.records
    errors: list[OptionError] = []
    warnings = list(wanted.warnings)
    if records is not None:
        located_records = []
        for record in records:
            try:
                host = relative_host(record.host, domain)
            except ValueError:
                problem = f"{record.host} does not lie in the zone of {domain}."
                errors.append(OptionError(f"records[{record.index}].host", problem))
                continue
            if domain and host != APEX and is_below(host, domain):
                warnings.append(
                    f"records[{record.index}].host: {host} has no dot at its end, so it is relative to the zone and means "
                    f"{host}.{domain}. Write the dot if the name is complete."
                )
            located_records.append(replace(record, host=host))
        if wanted.state == "present":
            errors += _contradictions(located_records, domain)
        records = tuple(located_records)
    protect = []
    for host, kind in wanted.protect:
        with noted(errors):
            protect.append((_pattern(host, domain), kind))
    raise_noted(errors)
    return wanted._replace(domain=domain, records=records, protect=tuple(protect), warnings=tuple(warnings))


def _pattern(host: str, domain: str | None) -> str:
    try:
        return relative_host(host, domain)
    except ValueError:
        raise OptionError("protect", f"{host} does not lie in the zone of {domain}.") from None


def needs_domain(wanted: WantedZone) -> bool:
    """Whether a host can only be told when the domain is known."""
    return any(is_absolute(record.host) for record in wanted.records or ()) or any(
        is_absolute(host) for host, _kind in wanted.protect
    )


def _contradictions(records: list[WantedRecord], domain: str | None) -> Iterator[OptionError]:
    first: dict[tuple[str, str, str], WantedRecord] = {}
    for record in records:
        key = (record.host, record.type, comparable_value(record.type, record.value, domain, None))
        same = first.setdefault(key, record)
        if same.ttl is None:
            first[key] = record
        elif record.ttl is not None and same.ttl != record.ttl:
            yield OptionError(
                f"records[{record.index}].ttl",
                f"{record.ttl} contradicts records[{same.index}], which is the same record with ttl {same.ttl}.",
            )
    for (host, kind, _value), record in first.items():
        if kind != "CNAME":
            continue
        other = next((r for (h, _k, _v), r in first.items() if h == host and r is not record), None)
        if host == APEX or other is not None:
            beside = (
                f"records[{other.index}] ({other.type})"
                if other is not None
                else "the SOA and NS records of the domain itself"
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

_SECONDS = f"seconds as a whole number from 1 to {LONGEST_TTL}"


def read_wanted_zone(params: Mapping[str, Any]) -> WantedZone:
    """The wanted zone; raises OptionError, which names the option and the accepted form, of all records that are wrong.

    Named by domain, it is located already. Named by id, ``located`` has to follow once the domain is known.
    """
    given = {name: value for name, value in params.items() if value is not None}
    _check_combination(given)
    errors: list[OptionError] = []
    wanted = WantedZone(
        state=given.get("state", "present"),
        domain=None if "domain" not in given else parsed(DomainName(), "domain", given["domain"]),
        id=_read_id(given),
        client=None if "client" not in given else parsed(ClientName(), "client", given["client"]),
        records=_read_records(given, errors),
        soa=_read_soa(given),
        append=bool(given.get("append")),
        purge=bool(given.get("purge")),
        protect=_read_protect(given.get("protect", PROTECTED), errors),
        max_delete_percent=_read_percent(given.get("max_delete_percent", MAX_DELETE_PERCENT)),
        is_dns_disabled=None
        if "is_dns_disabled" not in given
        else parsed(Boolean(), "is_dns_disabled", given["is_dns_disabled"]),
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
        raise OptionError(
            "is_dns_disabled",
            f"stands alone, since the panel ignores records beside it; it excludes {', '.join(others)}. Use a task of its own.",
        )
    if state == "default" and (managed or switches):
        raise OptionError(
            (managed + switches)[0],
            "is not allowed with state: default, which gives the zone the panel's own default records.",
        )
    if state == "absent":
        for name in [*(["soa"] if "soa" in given else []), *switches]:
            raise OptionError(name, "is not allowed with state: absent.")
        if "records" not in given:
            raise OptionError(
                "records",
                "missing; state: absent removes the records that it names. For the panel's default records use state: default.",
            )
    if len(switches) == 2:
        raise OptionError("purge", "excludes append: one removes what is not given, the other removes nothing.")
    for name in switches:
        if "records" not in given:
            raise OptionError("records", f"missing; it is needed with {name}: true.")


def _read_id(given: Mapping[str, Any]) -> int | None:
    identifier = given.get("id")
    if identifier is None:
        return None
    if isinstance(identifier, bool) or not isinstance(identifier, int) or identifier < 1:
        raise OptionError("id", f"{identifier!r} is not the id of a domain; ids are whole numbers from 1.")
    return identifier


def _read_percent(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 100:
        raise OptionError("max_delete_percent", f"{value!r} is not accepted; it must be a whole number from 0 to 100.")
    return value


def _read_protect(patterns: Any, errors: list[OptionError]) -> tuple[tuple[str, str], ...]:
    if not isinstance(patterns, (list, tuple)):
        raise OptionError("protect", "must be a list of patterns HOST TYPE.")
    pairs = []
    for index, pattern in enumerate(patterns):
        with noted(errors):
            pairs.append(_read_pattern(f"protect[{index}]", pattern))
    return tuple(pairs)


def _read_pattern(option: str, pattern: Any) -> tuple[str, str]:
    words = str(pattern).split()
    if len(words) != 2:
        raise OptionError(
            option,
            f"{pattern!r} is not accepted; it must be two shell patterns, HOST TYPE, such as '@ NS' or '_acme-challenge* TXT'.",
        )
    return _parsed_name(option, words[0]), words[1].upper()


def _read_records(given: Mapping[str, Any], errors: list[OptionError]) -> tuple[WantedRecord, ...] | None:
    records = given.get("records")
    if records is None:
        return None
    if not isinstance(records, list):
        raise OptionError("records", "must be a list of records with host, type, ttl and value.")
    needs_value = given.get("state", "present") == "present"
    read = []
    for index, record in enumerate(records):
        with noted(errors):
            read.append(read_record(index, record, needs_value))
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
        raise OptionError(
            f"{option}.{next(iter(further))}", "there is no such member; records have host, type, ttl and value."
        )
    errors = [
        OptionError(f"{option}.{name}", f"missing{'; @ is the domain itself' if name == 'host' else ''}.")
        for name in ("host", "type", "value")
        if name not in record and (name != "value" or needs_value)
    ]
    host, kind, ttl, value = "", "", None, None
    if "host" in record:
        with noted(errors):
            host = _parsed_name(f"{option}.host", _text(f"{option}.host", record["host"]))
    if "type" in record:
        with noted(errors):
            kind = _read_type(f"{option}.type", record["type"])
    if "ttl" in record:
        with noted(errors):
            ttl = _seconds(f"{option}.ttl", record["ttl"])
    if kind and "value" in record:
        with noted(errors):
            value = _read_value(f"{option}.value", kind, record["value"], not needs_value)
    raise_noted(errors)
    return WantedRecord(index=index, host=host, type=kind, ttl=ttl, value=value, further=further)


def _read_type(option: str, value: Any) -> str:
    kind = _text(option, value).upper()
    if not TYPE.fullmatch(kind) or kind == "SOA":
        hint = (
            "the SOA record is managed with the option soa"
            if kind == "SOA"
            else "it must be a type such as A, MX or TXT"
        )
        raise OptionError(option, f"{value!r} is not accepted; {hint}.")
    return kind


def _text(option: str, value: Any) -> str:
    if isinstance(value, (bool, dict, list)):
        raise OptionError(option, f"{value!r} is not a text; write it in quotes.")
    return str(value).strip()


def _seconds(option: str, value: Any) -> int:
    try:
        return parsed_seconds(value)
    except ValueError:
        raise OptionError(option, f"{value!r} is not accepted; it must be {_SECONDS}.") from None


def _read_value(option: str, kind: str, value: Any, is_removed: bool) -> str:
    text = _text(option, value)
    try:
        # What a panel holds may be wrong, and can be removed.
        if is_removed and text.isprintable() and text:
            return text
        check_value(kind, text)
        return sent_value(kind, text)
    except ValueError:
        shown = repr(text) if len(text) <= 80 else repr(text[:77]) + "..."
        raise OptionError(
            option, f"{shown} is not the value of a record of type {kind}; it must be {form_of(kind)}."
        ) from None


def _parsed_name(option: str, text: str) -> str:
    """A host or a pattern for hosts, in punycode and lower case."""
    try:
        name = ascii_name(text)
    except ValueError:
        name = ""
    is_pattern = option.startswith("protect")
    if (text and not name) or not (is_pattern or name == "" or is_name(name)) or name == ".":
        raise OptionError(
            option,
            f"{text!r} is not accepted; it must be a name relative to the zone such as www, @ for the domain itself, or a name with a dot "
            "at its end that lies in the zone.",
        )
    return name


def _read_soa(given: Mapping[str, Any]) -> dict[str, Any]:
    if "soa" not in given:
        return {}
    soa = given["soa"]
    if not isinstance(soa, Mapping):
        raise OptionError("soa", f"must be a dictionary with some of {', '.join(SOA_MEMBERS)}.")
    soa = {name: value for name, value in soa.items() if value is not None}
    if not soa:
        raise OptionError("soa", "an empty dictionary would change nothing; name the members to change.")
    unknown = [name for name in soa if name not in SOA_MEMBERS]
    if unknown and not all(name in soa for name in SOA_MEMBERS):
        raise OptionError(f"soa.{unknown[0]}", f"there is no such member; the SOA record has {', '.join(SOA_MEMBERS)}.")
    wanted: dict[str, Any] = {name: _seconds(f"soa.{name}", soa[name]) for name in SOA_NUMBERS if name in soa}
    wanted.update({name: _soa_name(f"soa.{name}", soa[name]) for name in SOA_NAMES if name in soa})
    wanted.update({name: soa[name] for name in unknown})
    return wanted


def _soa_name(option: str, value: Any) -> str:
    """The panel shows these names with a dot at the end (facts.md section 7), so it is added where it is missing."""
    text = _text(option, value)
    try:
        name = text if text.isascii() else ascii_name(text)
        DomainName().parse(name.replace("\\.", "-"))
    except ValueError:
        hint = '; the address hostmaster@example.com is written "hostmaster.example.com."' if "@" in text else ""
        raise OptionError(
            option, f'{text!r} is not accepted; it must be a complete name such as "ns1.example.com."{hint}.'
        ) from None
    return name.rstrip(".") + "."

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task wants of a zone: the options of panel_dns, checked before anything is sent, located in the zone. Pure. Private to the collection."""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Any, Callable, NamedTuple

from .._errors import OptionError, collect_problems, raise_collected
from .._kinds.tables import CLIENT_NAME
from .._operation.validation import OMIT_IF_MEANT
from .._problems import Problem, format_cause, option_problem
from .._values.names import DomainName
from .._values.value_types import Boolean, Choice, Integer, ValueType, Word, WrongValue, parsed, shortened
from .record_names import normalize_name
from .record_types import is_record_type, matches_record_type
from .record_values import FORMS, MAX_TTL, Record, find_cname_conflicts, normalize_record, parse_dns_name, parse_value

PROTECTED = ("@ NS", "_acme-challenge* TXT")
SOA_MEMBERS = ("ttl", "primary_ns", "rname", "refresh", "retry", "expire", "minimum")

# Of the module alone: an item of a bulk run does not wait.
WAIT_OPTIONS: dict[str, dict[str, Any]] = {
    "wait": {"type": "bool", "default": False},
    "wait_timeout": {"type": "int", "default": 300},
    "nameservers": {"type": "list", "elements": "str", "default": []},
}

GivenRecord = Mapping[str, Any]


class WantedZone(NamedTuple):
    """What a task wants of one zone. records: as they are sent but for their hosts, without ttl or value where it was omitted; None where the
    option was. soa: only the given fields. client: whose the domain has to be. protect: shell patterns for host and type.

    unusual: what the options refuse, unless the zone has it already, by the place of its record, or by its field of the SOA record.
    shared_hosts: hosts with a CNAME beside other records, which are refused in the same way.
    """

    state: str = "present"
    domain: str | None = None
    id: int | None = None
    client: str | None = None
    records: Sequence[GivenRecord] | None = None
    soa: Mapping[str, Any] = {}
    append: bool = False
    purge: bool = False
    protect: Sequence[GivenRecord] = ()
    max_delete_percent: int = 30
    is_dns_disabled: bool | None = None
    unusual: Mapping[int | str, Sequence[Problem]] = {}
    shared_hosts: Mapping[str, Problem] = {}

    def unusual_problems(self) -> list[Problem]:
        """What is wrong with a zone that does not have yet what the options refuse."""
        return [*chain.from_iterable(self.unusual.values()), *self.shared_hosts.values()]

    def label(self) -> str:
        return self.domain if self.id is None and self.domain else f"the domain with id {self.id}"

    @property
    def subject(self) -> str:
        """What an error begins with."""
        return f"zone {self.domain}" if self.domain else f"zone of the domain with id {self.id}"

    @property
    def warnings(self) -> list[str]:
        """About the hosts, once the domain is known."""
        hosts = [(f"records[{index}].host", record["host"]) for index, record in enumerate(self.records or ())]
        hosts += [(f"protect[{index}]", pattern["host"]) for index, pattern in enumerate(self.protect)]
        return [
            f"{option}: {host} has no dot at its end, so it means {host}.{self.domain}. Write the dot if the name is complete."
            for option, host in hosts
            if f".{host}".endswith(f".{self.domain}")
        ]


def located(wanted: WantedZone, domain: str, record_names: Sequence[str] = ()) -> WantedZone:
    """The same in the zone of this domain; raises OptionError for all hosts that lie outside.

    record_names: what messages call the records, where that is not ``records[0]``.
    """
    records = enumerate(wanted.records or ())
    found = {_record_name(at, record_names): normalize_record(one, domain) for at, one in records if one}
    hosts = [(f"{place}.host", one.host) for place, one in found.items()]
    hosts += [
        (f"protect[{index}]", normalize_record(pattern, domain).host)
        for index, pattern in enumerate(wanted.protect)
        if pattern
    ]
    # In the zone, a host is relative to it.
    problems = [
        option_problem(at, f"{one} does not lie in the zone of {domain}.") for at, one in hosts if one[-1] == "."
    ]
    shared_hosts = _shared_hosts(found) if wanted.state == "present" else {}
    raise_collected(problems)
    return wanted._replace(domain=domain, shared_hosts=shared_hosts)


def _shared_hosts(records: Mapping[str, Record]) -> dict[str, Problem]:
    """By host what is wrong with a CNAME that would share it. records: by their names in messages."""
    problems: dict[str, Problem] = {}
    shared = find_cname_conflicts(records.values())
    on_host: dict[str, list[str]] = {}
    for place, record in records.items():
        if record.host in shared:
            on_host.setdefault(record.host, []).append(place)
    for place, record in records.items():
        if record.type == "CNAME" and record.host in shared:
            other = next((one for one in on_host[record.host][:2] if one != place), "")
            beside = f"{other} ({records[other].type})" if other else "the SOA and NS records of the domain itself"
            cause = f"a CNAME allows no other record on its host, and {record.host} also has {beside}."
            problems[record.host] = option_problem(place, cause)
    return problems


def _record_name(index: int, record_names: Sequence[str]) -> str:
    return record_names[index] if record_names else f"records[{index}]"


def read_wanted_zone(
    params: Mapping[str, Any], record_names: Sequence[str] = (), is_strict: bool = False
) -> WantedZone:
    """The wanted zone; raises OptionError, which names each option and record that is wrong and the accepted form.

    record_names: what messages call the records, such as the lines of a file. is_strict: whether what only a zone that has it already keeps
    is wrong, too.
    Named by domain, it is located already. Named by id, ``located`` has to follow once the domain is known.
    """
    given = {"protect": PROTECTED, **{name: value for name, value in params.items() if value is not None}}
    read_one: dict[str, Callable[[str, Any], Any]] = {
        "records": partial(_read_tolerantly, needs_value=given.get("state") != "absent"),
        "protect": lambda option, value: (parsed(_PATTERN, option, value), ()),
    }
    problems: list[Problem] = []
    read: dict[str, Any] = {}
    unusual: dict[int | str, Sequence[Problem]] = {}
    for option, value in ((name, given[name]) for name in (*_PLAIN, "soa", *read_one) if name in given):
        with collect_problems(problems):
            if option in _PLAIN:
                read[option] = parsed(_PLAIN[option], option, value)
                continue
            if option == "soa":
                read[option], refused = _read_soa(option, value)
                unusual.update(refused)
                continue
            if not isinstance(value, (list, tuple)):
                raise OptionError(option, "must be a list.")
            read[option] = [None] * len(value)  # what is wrong keeps its place, by which the others are named
            for index, one in enumerate(value):
                with collect_problems(problems):
                    place = _record_name(index, record_names) if option == "records" else f"{option}[{index}]"
                    read[option][index], refused_fields = read_one[option](place, one)
                    if refused_fields:
                        unusual[index] = refused_fields
    with collect_problems(problems):
        # Nothing follows from a state or a switch that is wrong.
        there = given.keys() & {"domain", "id", "records", "soa", *read}
        _check_combination({name: read.get(name, given[name]) for name in there})
    wanted = WantedZone(**read, unusual=unusual)
    with collect_problems(problems):
        wanted = located(wanted, wanted.domain, record_names) if wanted.domain else wanted
    if is_strict:
        problems += wanted.unusual_problems()
    raise_collected(problems)
    return wanted


def _check_combination(given: Mapping[str, Any]) -> None:
    state = given.get("state", "present")
    managed = [name for name in ("records", "soa", "append", "purge") if given.get(name, False) is not False]
    beside = [name for name in managed if name != "records"]
    also = managed + ([f"state: {state}"] if state != "present" else [])
    excluded = {"default": managed, "absent": beside}.get(state, [])
    needing = ["state: absent"] if state == "absent" else [f"{name}: true" for name in beside if name != "soa"]
    is_missing = needing and "records" not in managed and not excluded and "is_dns_disabled" not in given
    mistakes = (
        ("domain", "give either domain or id.", ("domain" in given) == ("id" in given)),
        ("is_dns_disabled", f"excludes {', '.join(also)}. Use a separate task.", "is_dns_disabled" in given and also),
        ("".join(excluded[:1]), f"is not allowed with state: {state}.", excluded),
        ("purge", "excludes append: one removes what is not given, the other removes nothing.", len(needing) > 1),
        ("soa", "an empty dictionary would change nothing; list the fields to change.", given.get("soa") == {}),
        ("records", f"missing; it is needed with {' and '.join(needing)}.", is_missing),
    )
    raise_collected([option_problem(option, cause) for option, cause, is_wrong in mistakes if is_wrong])


def _type(text: str) -> str:
    kind = text.upper()
    if not re.fullmatch("[A-Z][A-Z0-9-]*", kind) or kind == "SOA":
        raise ValueError
    return kind


@lru_cache(maxsize=256)
def _value(kind: str, is_removed: bool) -> Word:
    """The value of a record of a type; of one that is removed whatever a panel may hold."""

    def read(text: str) -> str:
        return text if is_removed and text.isprintable() and text else parse_value(kind, text)

    form = FORMS.get(kind, "a string of one line that is not empty")
    return Word(f"{form}, the value of a record of type {kind}", read)


def _soa_name(text: str) -> str:
    """The panel shows these names with a dot at the end (docs/panel_api.md#names-in-the-soa), so it
    is added where it is missing."""
    name = text if text.isascii() else normalize_name(text)
    DomainName().parse(name.replace("\\.", "-"))
    return name.rstrip(".") + "."


def _host(text: str) -> str:
    if not text:
        # A template without a value would mean the records of the domain itself.
        raise WrongValue("is empty; use @ for the domain itself.")
    return parse_dns_name(text)


def _pattern(text: str) -> GivenRecord:
    host, kind = text.split()
    if not matches_record_type(kind.upper()):
        raise WrongValue(
            f"{shortened(text)} is not accepted: {shortened(kind)} is no type of records that a purge could delete. Write HOST TYPE such as '@ NS'."
        )
    return {"host": normalize_name(host), "type": kind.upper()}


def pattern_of_set(host: str, kind: str) -> str:
    """Write the entry of protect for a set of a zone, whatever the panel shows as its host and type.

    A type that nobody knows, and signs that no pattern can have, stand as patterns that fit more.
    """
    host_pattern = re.sub(r"[^!-~]", "?", glob.escape(host)) or "*"
    return f"{host_pattern} {kind if is_record_type(kind) else '*'}"


# RFC 1035: a record that is not to be kept has a TTL of 0.
_TTL = Integer(0, MAX_TTL)
_SECONDS = Integer(1, MAX_TTL)
_RECORD: dict[str, ValueType] = {
    "host": Word(
        "a name relative to the zone such as www, @ for the domain, or one in the zone with a dot at its end",
        _host,
    ),
    "type": Word("a type such as A, MX or TXT; the SOA record is managed with the option soa", _type),
    "ttl": _TTL,
}
RECORD_MEMBERS = frozenset({*_RECORD, "value"})
_SOA_NAME = Word('a complete name such as "ns1.example.com."; it@example.com is written "it.example.com."', _soa_name)
_SOA: dict[str, ValueType] = {
    "ttl": _TTL,
    "primary_ns": _SOA_NAME,
    "rname": _SOA_NAME,
    **dict.fromkeys(("refresh", "retry", "expire"), _SECONDS),
    "minimum": _TTL,
}
_SOA_NAMES = tuple(name for name, value_type in _SOA.items() if value_type is _SOA_NAME)
_PATTERN = Word("two shell patterns HOST TYPE such as '@ NS'", _pattern)
_PLAIN: dict[str, ValueType] = {
    "state": Choice("present", "absent", "default"),
    "domain": DomainName(),
    "id": Integer(1),
    "client": CLIENT_NAME,
    "max_delete_percent": Integer(0, 100),
    **dict.fromkeys(("append", "purge", "is_dns_disabled"), Boolean()),
}
# What of records and soa takes texts alone.
TEXT_FIELDS = frozenset({
    *(("records", name) for name in ("value", *_RECORD) if name != "ttl"),
    *(("soa", name) for name, value_type in _SOA.items() if value_type.is_text),
})  # fmt: skip
# records and soa have no suboptions: a zone is read and written back in the API's shape, in which a later panel may have more members.
DNS_OPTIONS: dict[str, dict[str, Any]] = {
    **{name: {**one.argument(), "default": getattr(WantedZone(), name)} for name, one in _PLAIN.items()},
    "records": {"type": "list", "elements": "dict"},
    "soa": {"type": "dict"},
    "protect": {"type": "list", "elements": "str", "default": list(PROTECTED)},
}


def read_record(option: str, record: Any, needs_value: bool) -> GivenRecord:
    """One record as it is sent but for its host; raises OptionError. option: its place, such as ``records[0]``."""
    shown = record if isinstance(record, Mapping) else {}
    if not needs_value and shown.get("value", "") is None:
        effect = "is null, which would remove every record of this host and type"
        raise OptionError(f"{option}.value", f"{effect}; {OMIT_IF_MEANT}")
    value_type = _value(str(shown.get("type", "")).strip().upper(), not needs_value)
    needed = ("host", "type", "value") if needs_value else ("host", "type")
    return _fields(option, record, {**_RECORD, "value": value_type}, needed)


# A name that a panel puts in the place of an address.
_PLACEHOLDER = re.compile(r"<[^<>\s]+>")


def may_be_shown(record: Any, error: OptionError) -> bool:
    """Tells whether a zone may have a record that the options refuse, so that it stays as it is."""
    wrong = {problem.option.rpartition(".")[2] for problem in error.problems}
    if not isinstance(record, Mapping) or not wrong <= {"host", "value"}:
        return False
    texts = [record.get("host"), record.get("value", "x")]
    if not all(isinstance(text, str) and text.isprintable() and text == text.strip() != "" for text in texts):
        return False
    host, value = texts
    if " " in host or not host.strip("."):
        return False
    if "value" in wrong and str(record["type"]).strip().upper() in ("A", "AAAA"):
        # A zone whose addresses are none does not load.
        return bool(_PLACEHOLDER.fullmatch(value)) or _has_zeros_in_front(value)
    return True


def _read_tolerantly(option: str, record: Any, needs_value: bool) -> tuple[GivenRecord, Sequence[Problem]]:
    """One record, and what is wrong with it unless the zone has it already; raises OptionError for what no zone has."""
    try:
        return read_record(option, record, needs_value), ()
    except OptionError as error:
        if not may_be_shown(record, error):
            raise
        wrong = {problem.option for problem in error.problems}
        read = {name: value for name, value in record.items() if value is not None}
        for name, value_type in _RECORD.items():
            if name in read and f"{option}.{name}" not in wrong:
                read[name] = parsed(value_type, f"{option}.{name}", read[name])
        return read, error.problems


def _has_zeros_in_front(value: str) -> bool:
    """Tells whether a text would be an IPv4 address without zeros before its numbers."""
    parts = value.split(".")
    if len(parts) != 4 or not all(part.isascii() and part.isdecimal() for part in parts):
        return False
    return all(int(part) <= 255 for part in parts) and any(part != str(int(part)) for part in parts)


def problem_of_record(record: Mapping[str, Any]) -> str:
    """Says why no item takes a record that a zone has; empty where one does."""
    try:
        read_record("", record, needs_value=True)
    except OptionError as error:
        return "" if may_be_shown(record, error) else format_cause(error.problems)
    return ""


def problem_of_soa_field(name: str, value: Any) -> str:
    """Says why no item takes a field of the SOA record that a zone has; empty where one does."""
    try:
        _read_soa("soa", {name: value})
    except OptionError as error:
        return format_cause(error.problems)
    return ""


def _read_soa(option: str, given: Any) -> tuple[dict[str, Any], dict[int | str, Sequence[Problem]]]:
    """The fields of the SOA record, and what is wrong with names that only a zone which has them already keeps."""
    unusual: dict[int | str, Sequence[Problem]] = {}
    for name in _SOA_NAMES if isinstance(given, Mapping) else ():
        text = given.get(name)
        if isinstance(text, str) and text.isprintable() and text and " " not in text:
            try:
                parsed(_SOA_NAME, f"{option}.{name}", text)
            except OptionError as error:
                unusual[name] = error.problems

    usual = {name: value for name, value in given.items() if name not in unusual} if unusual else given
    read = _fields(option, usual, _SOA)
    return {**read, **{str(name): given[name] for name in unusual}}, unusual


def _fields(option: str, given: Any, types: Mapping[str, ValueType], needed: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields of a record or of the SOA record. Those that a later panel may show stay as they are beside all others."""
    if not isinstance(given, Mapping):
        raise OptionError(option, f"must be a dictionary with {', '.join(types)}.")
    read = {name: value for name, value in given.items() if value is not None}
    further = () if types.keys() <= read.keys() else read.keys() - types.keys()
    unknown = f"there is no such field; there are {', '.join(types)}."
    problems = [option_problem(f"{option}.{name}", unknown) for name in read if name in further]
    problems += [option_problem(f"{option}.{name}", "missing.") for name in needed if name not in read]
    for name, value_type in types.items():
        with collect_problems(problems):
            if name in read:
                read[name] = parsed(value_type, f"{option}.{name}", read[name])
    raise_collected(problems)
    return read

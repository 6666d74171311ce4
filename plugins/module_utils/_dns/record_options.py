# SPDX-License-Identifier: GPL-3.0-or-later
"""The entries that options about a zone take: records, fields of the SOA record, and patterns.
Pure.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from .._errors import OptionError, collect_problems, raise_if_any
from .._operation.validation import OMIT_IF_MEANT
from .._problems import OptionPath, Problem, describe_fields, describe_option_problem, format_cause
from .._values.names import DomainName, refuse_invisible
from .._values.value_types import Integer, ValueType, Word, WrongValue, parse_option, quote_value
from .record_names import normalize_name
from .record_types import USUAL_TYPES, find_meant_type, is_record_type, matches_record_type
from .record_values import FORMS, MAX_TTL, parse_dns_name, parse_value

RequestedRecord = Mapping[str, Any]
"""A record as it is sent except for its host, without ttl or value where it was omitted."""

_RECORD_TYPE = re.compile("[A-Z][A-Z0-9-]*")
_NO_PATTERN_SIGN = re.compile(r"[^!-~]")
# A name that a panel puts in the place of an address.
_PLACEHOLDER = re.compile(r"<[^<>\s]+>")
_ADDRESS_TYPES = ("A", "AAAA")


# Types of values


def _parse_host(text: str) -> str:
    if not text:
        # A template without a value would mean the records of the domain itself.
        raise WrongValue("is empty; use @ for the domain itself.")
    return parse_dns_name(text)


def _parse_record_type(text: str) -> str:
    record_type = text.upper()
    if not _RECORD_TYPE.fullmatch(record_type) or record_type == "SOA":
        raise ValueError
    meant_type = find_meant_type(record_type)
    if meant_type:
        raise WrongValue(
            f"{quote_value(text)} is no type of records; did you mean {meant_type}? "
            f"Usual types are {', '.join(USUAL_TYPES)}."
        )
    return record_type


def _parse_soa_name(text: str) -> str:
    """Return a name of the SOA record with a dot at its end.

    The panel shows these names with the dot (docs/panel_api.md#names-in-the-soa), so it is added
    where it is missing.
    """
    refuse_invisible(text)
    name = text if text.isascii() else normalize_name(text)
    DomainName().parse(name.replace("\\.", "-"))
    return name.rstrip(".") + "."


def _parse_pattern(text: str) -> RequestedRecord:
    host, record_type = text.split()
    if not matches_record_type(record_type.upper()):
        raise WrongValue(
            f"{quote_value(text)} is not accepted: "
            f"{quote_value(record_type)} is no type of records that a purge "
            "could delete. Write HOST TYPE such as '@ NS'."
        )
    return {"host": normalize_name(host), "type": record_type.upper()}


@lru_cache(maxsize=256)
def _make_value_type(record_type: str, is_removed: bool) -> Word:
    """Return the type of the values of records.

    Args:
        record_type: The type of the records, in upper case.
        is_removed: Whether they are removed, so that they may be whatever a panel may hold.
    """

    def parse(text: str) -> str:
        if is_removed and text and text.isprintable():
            return text
        return parse_value(record_type, text)

    form = FORMS.get(record_type, "a string of one line that is not empty")
    return Word(f"{form}, the value of a record of type {record_type}", parse)


# RFC 1035: a record that is not to be kept has a TTL of 0.
_TTL = Integer(0, MAX_TTL)
_SECONDS = Integer(1, MAX_TTL)
_HOST_FORM = "a name relative to the zone such as www, @ for the domain, or one in the zone with a dot at its end"
_RECORD: dict[str, ValueType] = {
    "host": Word(_HOST_FORM, _parse_host),
    "type": Word(
        "a type such as A, MX or TXT; the SOA record is managed with the option soa",
        _parse_record_type,
    ),
    "ttl": _TTL,
}
_SOA_NAME = Word(
    'a complete name such as "ns1.example.com."; it@example.com is written "it.example.com."',
    _parse_soa_name,
)
_SOA: dict[str, ValueType] = {
    "ttl": _TTL,
    "primary_ns": _SOA_NAME,
    "rname": _SOA_NAME,
    "refresh": _SECONDS,
    "retry": _SECONDS,
    "expire": _SECONDS,
    "minimum": _TTL,
}
PATTERN = Word("two shell patterns HOST TYPE such as '@ NS'", _parse_pattern)

RECORD_FIELDS = (*_RECORD, "value")
SOA_FIELDS = tuple(_SOA)
_SOA_NAMES = tuple(name for name, value_type in _SOA.items() if value_type is _SOA_NAME)
# What of records and soa takes texts alone.
TEXT_FIELDS = frozenset({
    *(("records", name) for name in ("value", *_RECORD) if name != "ttl"),
    *(("soa", name) for name, value_type in _SOA.items() if value_type.is_text),
})  # fmt: skip


# Records


class CheckedRecord(NamedTuple):
    """Holds a record of an option, and what is wrong with it unless the zone has it already."""

    fields: RequestedRecord
    unusual: Sequence[Problem]


def read_record(path: OptionPath, record: Any, needs_value: bool) -> RequestedRecord:
    """Read one record.

    Args:
        path: Its place, such as ``("records", 0)``.
        record: The record as it is written.
        needs_value: Whether a value has to be there; without one, the record stands for its set.

    Returns:
        The record as it is sent except for its host.

    Raises:
        OptionError: A field is wrong.
    """
    fields = record if isinstance(record, Mapping) else {}
    if not needs_value and fields.get("value", "") is None:
        effect = "is null, which would remove every record of this host and type"
        raise OptionError(f"{effect}; {OMIT_IF_MEANT}", option=(*path, "value"))
    record_type = str(fields.get("type", "")).strip().upper()
    value_type = _make_value_type(record_type, is_removed=not needs_value)
    needed = ("host", "type", "value") if needs_value else ("host", "type")
    return _read_fields(path, record, {**_RECORD, "value": value_type}, needed)


def read_record_tolerantly(path: OptionPath, record: Any, needs_value: bool) -> CheckedRecord:
    """Read one record that may be unusual if the zone has it already.

    The arguments are those of ``read_record``.

    Raises:
        OptionError: No zone has such a record.
    """
    try:
        return CheckedRecord(read_record(path, record, needs_value), ())
    except OptionError as error:
        if not _may_be_in_zone(record, error):
            raise
        wrong_paths = {problem.path for problem in error.problems}
        fields = {name: value for name, value in record.items() if value is not None}
        if (*path, "type") in wrong_paths:
            fields["type"] = record["type"].upper()
        for name, value_type in _RECORD.items():
            if name in fields and (*path, name) not in wrong_paths:
                fields[name] = parse_option(value_type, (*path, name), fields[name])
        return CheckedRecord(fields, error.problems)


def _may_be_in_zone(record: Any, error: OptionError) -> bool:
    """Tell whether a zone may have a record that the options refuse, so that it stays as it is."""
    wrong_fields = {problem.path[-1] for problem in error.problems}
    if not isinstance(record, Mapping) or not wrong_fields <= {"host", "type", "value"}:
        return False
    if "type" in wrong_fields and not _is_misspelled_type(record.get("type")):
        return False
    host: Any = record.get("host")
    value: Any = record.get("value", "x")
    if not (_is_plain_text(host) and _is_plain_text(value)):
        return False
    if " " in host or not host.strip("."):
        return False
    if "value" in wrong_fields and str(record["type"]).strip().upper() in _ADDRESS_TYPES:
        # A zone whose addresses are none does not load.
        return bool(_PLACEHOLDER.fullmatch(value)) or _has_leading_zeros(value)
    return True


def _is_misspelled_type(value: Any) -> bool:
    """Tell whether a type is refused for its likeness to a usual one alone. A panel may know it."""
    if not isinstance(value, str) or not _RECORD_TYPE.fullmatch(value.upper()):
        return False
    return find_meant_type(value.upper()) is not None


def _is_plain_text(value: Any) -> bool:
    if not isinstance(value, str) or not value.isprintable():
        return False
    return bool(value) and value == value.strip()


def _has_leading_zeros(value: str) -> bool:
    """Tell whether a text would be an IPv4 address without zeros before its numbers."""
    numbers = value.split(".")
    if len(numbers) != 4:
        return False
    if not all(number.isascii() and number.isdecimal() for number in numbers):
        return False
    if any(int(number) > 255 for number in numbers):
        return False
    return any(number != str(int(number)) for number in numbers)


def describe_record_problem(record: Mapping[str, Any]) -> str:
    """Say why no item takes a record that a zone has; empty where one does."""
    try:
        read_record((), record, needs_value=True)
    except OptionError as error:
        return "" if _may_be_in_zone(record, error) else format_cause(error.problems)
    return ""


def build_protect_pattern(host: str, record_type: str) -> str:
    """Write the entry of protect for a set of a zone, whatever the panel shows.

    A type that nobody knows, and signs that no pattern can have, become patterns that match more.
    """
    host_pattern = _NO_PATTERN_SIGN.sub("?", glob.escape(host)) or "*"
    type_pattern = record_type if is_record_type(record_type) else "*"
    return f"{host_pattern} {type_pattern}"


# The SOA record


class CheckedSoa(NamedTuple):
    """Holds the fields of the option soa.

    Attributes:
        fields: The fields.
        unusual: By field what is wrong with names that only a zone which has them already keeps.
    """

    fields: Mapping[str, Any]
    unusual: Mapping[str, Sequence[Problem]]


def read_soa(path: OptionPath, soa: Any) -> CheckedSoa:
    """Read the fields of the SOA record.

    Args:
        path: Leads to the option.
        soa: The fields as they are written.

    Raises:
        OptionError: A field is wrong, and no zone has it.
    """
    if not isinstance(soa, Mapping):
        return CheckedSoa(_read_fields(path, soa, _SOA), {})
    unusual: dict[str, Sequence[Problem]] = {}
    for name in _SOA_NAMES:
        text = soa.get(name)
        if isinstance(text, str) and text and text.isprintable() and " " not in text:
            try:
                parse_option(_SOA_NAME, (*path, name), text)
            except OptionError as error:
                unusual[name] = error.problems

    usual_fields = {name: value for name, value in soa.items() if name not in unusual}
    fields = _read_fields(path, usual_fields, _SOA)
    fields.update({name: soa[name] for name in unusual})
    return CheckedSoa(fields, unusual)


def describe_soa_problem(name: str, value: Any) -> str:
    """Say why no item takes a field of the SOA record that a zone has; empty where one does."""
    try:
        read_soa(("soa",), {name: value})
    except OptionError as error:
        return format_cause(error.problems)
    return ""


def _read_fields(
    path: OptionPath,
    fields: Any,
    types: Mapping[str, ValueType],
    needed: Sequence[str] = (),
) -> dict[str, Any]:
    """Read the fields of a record or of the SOA record.

    Those that a later panel may show stay as they are beside all others.
    """
    if not isinstance(fields, Mapping):
        raise OptionError(f"must be a dictionary{describe_fields(types)}.", option=path)
    values = {name: value for name, value in fields.items() if value is not None}
    problems: list[Problem] = []
    is_complete = types.keys() <= values.keys()
    if not is_complete:
        unknown = f"there is no such field; there are {', '.join(types)}."
        problems += [
            describe_option_problem((*path, str(name)), unknown)
            for name in values
            if name not in types
        ]
    problems += [
        describe_option_problem((*path, name), "missing.") for name in needed if name not in values
    ]
    for name, value_type in types.items():
        with collect_problems(problems):
            if name in values:
                values[name] = parse_option(value_type, (*path, name), values[name])
    raise_if_any(problems)
    return values

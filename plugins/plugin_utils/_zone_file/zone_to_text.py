# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of a zone as the text of a zone file. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from ...module_utils._dns.desired_zone import read_desired_zone
from ...module_utils._dns.record_forms import qualify_name_in_value
from ...module_utils._dns.record_names import APEX
from ...module_utils._dns.record_options import SOA_FIELDS, RequestedRecord, read_record
from ...module_utils._dns.record_values import (
    MAX_STRING_LENGTH,
    NUMBERS_BEFORE_NAME,
    PLACEHOLDER,
    TEXT_TYPES,
    canonicalize_value,
    decode_text,
    find_dkim_text,
    normalize_value,
    relativize_host,
)
from ...module_utils._errors import OptionError, PanelError, is_caused_by
from ...module_utils._problems import cut_text
from ...module_utils._secrets.redaction import escape_control_characters
from ...module_utils._values.names import DomainName
from ...module_utils._values.unsendable import HALF_CHARACTER, holds_half_character
from ...module_utils._values.value_types import parse_option
from .library import format_data, parse_skip_types, require_library

try:
    import dns.name
    import dns.rdata
    import dns.version
except ImportError:
    dns = None  # type: ignore[assignment]

# The records of the panel's default zones have this TTL (docs/panel_api.md#usual-ttl).
_DEFAULT_TTL = 86400
# A string without an end goes to the end of the text, or each quote in it would begin another one.
_QUOTED_STRING = re.compile(r'"(?:[^"\\]|\\.?)*(?:"|\Z)', re.DOTALL)
# The records of the zone itself come first, and of a host those that every zone has.
_RANKS = {"SOA": 0, "NS": 1, "MX": 2}
_LONGEST_TYPE = 60
_LAST_RANK = 3


class _Source(NamedTuple):
    """What the input of the filter has; None for what it has not."""

    domain: Any
    records: Sequence[Any]
    soa: Any
    dkim_record: Any


class _CheckedZone(NamedTuple):
    """The records and the fields of the SOA record as panel_dns takes them."""

    records: Sequence[RequestedRecord]
    soa: Mapping[str, Any]


class _Line(NamedTuple):
    """One line of the file."""

    host: str
    ttl: int
    type: str
    value: str

    def sort_key(self) -> tuple[Any, ...]:
        """Return what lines are ordered by."""
        rank = _RANKS.get(self.type, _LAST_RANK)
        return self.host != APEX, self.host, rank, self.type, self.value, self.ttl


def write_zone_text(
    records: Any,
    origin: Any = None,
    soa: Any = None,
    serial: Any = 1,
    dkim_record: Any = None,
    skip_types: Any = (),
) -> tuple[str, dict[str, int]]:
    """Write the text of a zone.

    Args:
        records: A list of records, or a zone: an entry of panel_dns_info, the options of panel_dns,
            or {soa, other} as the API nests them.
        origin: The name of the zone, where the input does not hold it.
        soa: The fields of the SOA record, where they are not those of the input.
        serial: The serial of the SOA record.
        dkim_record: What the DKIM placeholder stands for, where it is not that of the input.
        skip_types: Types of records to leave out.

    Returns:
        The text, and how many records of which type were left out.

    Raises:
        PanelError: Names the record with the mistake.
    """
    require_library()
    source = _parse_source(records)
    if not (origin or source.domain):
        raise PanelError(
            "origin: missing; give the name of the zone, since the input does not hold it."
        )
    domain = parse_option(DomainName(), "origin", origin or source.domain)
    skipped_types = parse_skip_types(skip_types)
    if soa is None:
        soa = source.soa
    checked = _check(source.records, soa, domain)

    kept = {
        index: record
        for index, record in enumerate(checked.records)
        if record["type"] not in skipped_types
    }
    dkim = dkim_record
    if dkim is None:
        dkim = source.dkim_record
    if dkim != PLACEHOLDER:
        dkim = find_dkim_text({"dkim_record": dkim, "records": {"other": checked.records}})
    usual_ttl = _find_usual_ttl(kept.values(), checked.soa)

    lines = {_make_line(index, record, domain, dkim, usual_ttl) for index, record in kept.items()}
    if soa:
        lines.add(_make_soa_line({"ttl": usual_ttl, **checked.soa}, serial, domain))
    skipped = [record["type"] for record in checked.records if record["type"] in skipped_types]
    return _format_lines(lines, domain, usual_ttl), dict(Counter(skipped))


def write_zone_as_shown(zone: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Write the text of a zone as the panel shows it, with a comment for what it lacks.

    Args:
        zone: An entry of panel_dns_info.

    Returns:
        The text, and a sentence for each record that a zone file cannot have.

    Raises:
        PanelError: No zone file can be written at all.
    """
    require_library()
    source = _parse_source(zone)
    domain = parse_option(DomainName(), "origin", source.domain)
    sentences: list[str] = []
    records: dict[int, RequestedRecord] = {}
    for index, entry in enumerate(source.records):
        with _note_mistakes(sentences, f"{domain}: "):
            records[index] = read_record(("records", index), entry, needs_value=True)

    dkim = source.dkim_record
    if dkim != PLACEHOLDER:
        readable = list(records.values())
        dkim = find_dkim_text({"dkim_record": dkim, "records": {"other": readable}})
    usual_ttl = _find_usual_ttl(records.values(), {})
    lines: set[_Line] = set()
    for index, record in records.items():
        with _note_mistakes(sentences):
            lines.add(_make_line(index, record, domain, dkim, usual_ttl))
    if source.soa:
        with _note_mistakes(sentences):
            soa = _check((), source.soa, domain).soa
            lines.add(_make_soa_line({"ttl": usual_ttl, **soa}, 1, domain))

    comments = [f"; left out: {escape_control_characters(sentence)}\n" for sentence in sentences]
    return _format_lines(lines, domain, usual_ttl) + "".join(comments), sentences


@contextmanager
def _note_mistakes(sentences: list[str], prefix: str = "") -> Iterator[None]:
    """Add what is wrong in here to the sentences, and go on with what follows."""
    try:
        yield
    except PanelError as error:
        sentences.append(f"{prefix}{error}")


def _parse_source(records: Any) -> _Source:
    """Find the records and the rest in the input, in whichever form it is."""
    zone = records if isinstance(records, Mapping) else {"records": records}
    content = zone if "other" in zone else zone.get("records")
    nested = content if isinstance(content, Mapping) else {"other": content}
    entries = nested.get("other")
    if not isinstance(entries, (list, tuple)):
        raise PanelError(
            "the input must be a list of records or a zone as hosting.panel.panel_dns_info "
            "returns it."
        )
    soa = zone.get("soa", nested.get("soa"))
    return _Source(zone.get("domain"), entries, soa, zone.get("dkim_record"))


def _check(records: Sequence[Any], soa: Any, domain: str) -> _CheckedZone:
    """Refuse what panel_dns would refuse."""
    try:
        checked_records = [
            read_record(("records", index), record, needs_value=True)
            for index, record in enumerate(records)
        ]
        checked_soa: Mapping[str, Any] = {}
        if soa:
            checked_soa = read_desired_zone({"domain": domain, "soa": soa}, is_strict=True).soa
    except OptionError as error:
        raise PanelError(f"{domain}: {error}") from None
    return _CheckedZone(checked_records, checked_soa)


def _find_usual_ttl(records: Iterable[RequestedRecord], soa: Mapping[str, Any]) -> int:
    """Return the most frequent TTL, the largest of several."""
    counts: Counter[int] = Counter(record["ttl"] for record in records if "ttl" in record)
    if not counts:
        ttl: int = soa.get("ttl", _DEFAULT_TTL)
        return ttl
    return max(counts, key=lambda ttl: (counts[ttl], ttl))


def _format_lines(lines: Iterable[_Line], domain: str, usual_ttl: int) -> str:
    ordered = sorted(lines, key=_Line.sort_key)
    width = max((len(line.host) for line in ordered), default=0)
    records = [
        f"{line.host:<{width}} {line.ttl:<6} IN {line.type:<5} {line.value}" for line in ordered
    ]
    return "\n".join([f"$ORIGIN {domain}.", f"$TTL {usual_ttl}", *records]) + "\n"


# Lines


def cut_type(record_type: str) -> str:
    """Return a type of records as a message shows it."""
    return cut_text(record_type, _LONGEST_TYPE)


def _make_line(
    index: int,
    record: RequestedRecord,
    domain: str,
    dkim: str | None,
    usual_ttl: int,
) -> _Line:
    """Make the line of a record.

    Args:
        index: Its index in the input.
        record: Its fields.
        domain: The name of the zone.
        dkim: What the DKIM placeholder stands for; None where it is unknown.
        usual_ttl: The TTL of a record without one.
    """
    record_type = record["type"]
    label = f"{domain}: records[{index}] ({record['host']} {cut_type(record_type)})"
    host = relativize_host(record["host"], domain)
    if host.endswith("."):
        raise PanelError(f"{label}: the host does not lie in the zone.")
    value = _replace_placeholder(label, record, dkim)
    data = _format_data(label, record_type, value, domain)
    return _Line(host, record.get("ttl", usual_ttl), record_type, data)


def _make_soa_line(soa: Mapping[str, Any], serial: Any, domain: str) -> _Line:
    """Return the line of the SOA record."""
    for name in SOA_FIELDS:
        if name not in soa:
            raise PanelError(
                f"{domain}: soa.{name}: missing; a zone file needs the whole SOA record."
            )
    ttl, primary_ns, rname, *numbers = [soa[name] for name in SOA_FIELDS]
    value = " ".join(map(str, (primary_ns, rname, serial, *numbers)))
    data = _format_data(f"{domain}: soa with serial {serial}", "SOA", value, domain)
    return _Line(APEX, ttl, "SOA", data)


def _replace_placeholder(label: str, record: RequestedRecord, dkim: str | None) -> str:
    """Return the value of a record with the DKIM text for the panel's placeholder."""
    value = str(record["value"])
    if record["type"] not in TEXT_TYPES or PLACEHOLDER not in value:
        return value
    if dkim is None:
        reason = (
            f"the panel's placeholder {PLACEHOLDER} stands for a text that the input does not hold"
        )
        advice = "give it as dkim_record, or give the placeholder itself to keep it"
        raise PanelError(f"{label}: {reason}; {advice}.")
    return _quote(decode_text(value).replace(PLACEHOLDER, dkim))


def _format_data(label: str, record_type: str, value: str, zone: str) -> str:
    """Return a value as a zone file has it.

    The library reads and writes it, so that nothing in it can become another line.

    Args:
        label: What a message calls the record.
        record_type: Its type.
        value: Its value.
        zone: The name of the zone.
    """
    try:
        text = _format_for_library(record_type, value, zone)
        origin = dns.name.from_text(zone)
        data = dns.rdata.from_text(dns.rdataclass.IN, record_type, text, origin, False)
        formatted = format_data(data)
        _refuse_other_meaning(record_type, text, formatted, zone)
    except (dns.exception.DNSException, ValueError) as error:
        reason = str(error).rstrip(".") or "it cannot be read"
        if is_caused_by(error, UnicodeError) and holds_half_character(value):
            reason = f"it holds {HALF_CHARACTER}"
        advice = f"Correct it, or leave the type out with skip_types=['{cut_type(record_type)}']"
        raise PanelError(f"{label}: a zone file cannot have it: {reason}. {advice}.") from None
    return formatted


def _refuse_other_meaning(record_type: str, text: str, formatted: str, zone: str) -> None:
    """Raise ValueError where the library does not write what it read.

    Some releases break signs that have to be escaped.
    """
    meaning = canonicalize_value(record_type, text, zone)
    is_same = meaning is None or meaning == canonicalize_value(record_type, formatted, zone)
    if not (is_same and formatted.isascii() and formatted.isprintable()):
        raise ValueError(f"dnspython {dns.version.version} does not write all of its signs")


def _format_for_library(record_type: str, value: str, zone: str) -> str:
    """Return a value in a form that the library reads as the panel means it."""
    if record_type in TEXT_TYPES:
        return _format_text(value)
    if record_type in NUMBERS_BEFORE_NAME:
        # A name with a dot inside is complete for panel_dns, also without one at its end.
        return normalize_value(record_type, value, zone).rstrip(".") + "."
    if record_type == "CAA":
        flags, tag, content = normalize_value(record_type, value, zone).split(" ", 2)
        return f"{flags} {tag} {_quote(content)}"
    return qualify_name_in_value(record_type, value, zone)


def _format_text(value: str) -> str:
    """Return a text in the strings that it has, and those split that are longer than one may be."""
    is_quoted = decode_text(value) != value.strip()
    strings = _QUOTED_STRING.findall(value) if is_quoted else [value]
    return " ".join([_quote(decode_text(string)) for string in strings])


def _quote(text: str) -> str:
    """Return a text as quoted strings with every byte escaped.

    The library writes those bytes plainly that may be so.
    """
    content = text.encode("utf-8", "surrogateescape")
    strings = []
    for start in range(0, len(content) or 1, MAX_STRING_LENGTH):
        escaped = [f"\\{byte:03d}" for byte in content[start : start + MAX_STRING_LENGTH]]
        strings.append(f'"{"".join(escaped)}"')
    return " ".join(strings)

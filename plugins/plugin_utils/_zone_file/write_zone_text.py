# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From records in the API's shape to the text of a zone file. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._dns.record_values import (
    APEX,
    LONGEST_PIECE,
    NUMBERS_BEFORE_NAME,
    PLACEHOLDER,
    TEXT_TYPES,
    comparable_ttl,
    comparable_value,
    dkim_text,
    relative_host,
    text_of,
)
from ...module_utils._dns.wanted_zone import SOA_MEMBERS, WantedRecord, read_record, read_wanted_zone
from ...module_utils._errors import OptionError
from .read_zone_text import ZoneTextError, dns, require_library, types_to_skip, zone_name

_USUAL_TTL = 86400  # that of the panel's own records, facts.md section 7
_LARGEST_SERIAL = 2**32 - 1
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
# The records of the zone itself come first, and of those the ones that every zone has.
_FIRST_TYPES = ("SOA", "NS", "MX")


@dataclass(frozen=True)
class _Zone:
    """Input of any shape in one. soa: None where it has none."""

    name: str
    records: list[Any]
    soa: Mapping[str, Any] | None
    dkim_record: Any


def write_zone_text(
    records: Any,
    origin: Any = None,
    soa: Any = None,
    serial: Any = 1,
    dkim_record: Any = None,
    skip_types: Any = (),
) -> tuple[str, dict[str, int]]:
    """The text of the zone, and how many records of which type were left out; raises ZoneTextError, which names the record.

    records: a list of records, or a zone: an entry of panel_dns_info, the options of panel_dns, or {soa, other} as the API nests them.
    """
    require_library()
    zone = _zone_of(records, origin, soa, dkim_record)
    unwanted = types_to_skip(skip_types)
    read = [_read(index, record, zone.name) for index, record in enumerate(zone.records)]
    kept = [record for record in read if record.type not in unwanted]
    dkim = dkim_text(
        {
            "dkim_record": zone.dkim_record,
            "records": {"other": [{"host": r.host, "type": r.type, "value": r.value} for r in read]},
        }
    )
    if zone.dkim_record == PLACEHOLDER:
        dkim = PLACEHOLDER
    soa_ttl = comparable_ttl(zone.soa.get("ttl")) if zone.soa else None
    usual_ttl = _usual_ttl([record.ttl for record in kept if record.ttl is not None], soa_ttl)
    lines = sorted({_line(record, zone.name, dkim, usual_ttl) for record in kept}, key=_order)
    if zone.soa:
        lines.insert(0, _soa_line(zone.soa, zone.name, usual_ttl, serial))
    skipped = Counter(record.type for record in read if record.type in unwanted)
    return _text(zone.name, usual_ttl, lines), dict(skipped)


def _zone_of(given: Any, origin: Any, soa: Any, dkim_record: Any) -> _Zone:
    zone = given if isinstance(given, Mapping) else {"records": given}
    records = zone if "other" in zone else zone.get("records")
    if isinstance(records, Mapping):
        soa = records.get("soa") if soa is None else soa
        records = records.get("other") or []
    soa = zone.get("soa") if soa is None else soa
    if not isinstance(records, (list, tuple)):
        raise ZoneTextError("the input must be a list of records or a zone as hosting.panel.panel_dns_info returns it.")
    if records and isinstance(records[0], Mapping) and "records" in records[0]:
        raise ZoneTextError(
            "the input is a list of zones; give one of them, or use map('hosting.panel.panel_records_to_zone')."
        )
    if soa is not None and not isinstance(soa, Mapping):
        raise ZoneTextError(f"soa: must be a dictionary with {', '.join(SOA_MEMBERS)}.")
    name = origin or zone.get("domain")
    if not name:
        raise ZoneTextError("origin: missing; give the name of the zone, since the input does not hold it.")
    return _Zone(zone_name(name), list(records), soa, zone.get("dkim_record") if dkim_record is None else dkim_record)


def _read(index: int, record: Any, zone: str) -> WantedRecord:
    try:
        return read_record(index, record, needs_value=True)
    except OptionError as error:
        raise ZoneTextError(f"{zone}: {error.message}") from None


def _usual_ttl(ttls: list[int], soa_ttl: Any) -> int:
    if ttls:
        counts = Counter(ttls)
        return max(counts, key=lambda ttl: (counts[ttl], ttl))
    return soa_ttl if isinstance(soa_ttl, int) else _USUAL_TTL


_Line = tuple[str, int, str, str]  # host, ttl, type, value


def _line(record: WantedRecord, zone: str, dkim: str | None, usual_ttl: int) -> _Line:
    named = f"{zone}: records[{record.index}] ({record.host} {record.type})"
    try:
        host = relative_host(record.host, zone)
    except ValueError:
        raise ZoneTextError(f"{named}: the host does not lie in the zone.") from None
    value = str(record.value)
    if record.type in TEXT_TYPES and PLACEHOLDER in text_of(value):
        if dkim is None:
            raise ZoneTextError(
                f"{named}: the panel's placeholder {PLACEHOLDER} stands for a text that the input does not hold; give it as "
                "dkim_record, or give the placeholder itself to keep it."
            )
        value = _quoted(text_of(value).replace(PLACEHOLDER, dkim))
    return host, usual_ttl if record.ttl is None else record.ttl, record.type, _data(named, record.type, value, zone)


def _data(named: str, kind: str, value: str, zone: str) -> str:
    """The value as a zone file has it, read and written by the library, so that nothing in it can become another line."""
    text = _presented(kind, value, zone)
    if ";" in _QUOTED.sub("", text):
        raise ZoneTextError(f"{named}: a semicolon outside quotes would begin a comment in a zone file.")
    try:
        dns.rdatatype.from_text(kind)
    except (dns.exception.DNSException, ValueError):
        raise ZoneTextError(
            f"{named}: the type has no form in a zone file; leave it out with skip_types=['{kind}']."
        ) from None
    try:
        data = dns.rdata.from_text(dns.rdataclass.IN, kind, text, dns.name.from_text(zone), False)
    except (dns.exception.DNSException, ValueError) as error:
        reason = str(error).rstrip(".") or "it cannot be read"
        raise ZoneTextError(f"{named}: the value is not one of this type: {reason}.") from None
    presented: str = data.to_text(chunksize=0)
    return presented


def _presented(kind: str, value: str, zone: str) -> str:
    if kind in TEXT_TYPES:
        return _text_in_pieces(value)
    if kind in NUMBERS_BEFORE_NAME:
        # A name with a dot inside is complete for panel_dns, also without one at its end.
        return comparable_value(kind, value, zone, None).rstrip(".") + "."
    if kind == "CAA":
        flags, tag, text = comparable_value(kind, value, zone, None).split(" ", 2)
        return f"{flags} {tag} {_quoted(text)}"
    return value


def _text_in_pieces(value: str) -> str:
    """The pieces that the value has, and those split that are longer than one may be."""
    is_quoted = text_of(value) != value.strip()
    return " ".join(_quoted(text_of(piece)) for piece in (_QUOTED.findall(value) if is_quoted else [value]))


def _quoted(text: str) -> str:
    content = text.encode("utf-8", "surrogateescape")
    pieces = [content[start : start + LONGEST_PIECE] for start in range(0, len(content), LONGEST_PIECE)] or [b""]
    return " ".join(f'"{"".join(map(_escaped, piece))}"' for piece in pieces)


def _escaped(byte: int) -> str:
    if byte in b'"\\':
        return "\\" + chr(byte)
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03d}"


def _soa_line(soa: Mapping[str, Any], zone: str, usual_ttl: int, serial: Any) -> _Line:
    number = comparable_ttl(serial)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= _LARGEST_SERIAL:
        raise ZoneTextError(
            f"serial: {serial!r} is not accepted; it must be a whole number from 0 to {_LARGEST_SERIAL}."
        )
    try:
        checked = {"ttl": usual_ttl, **read_wanted_zone({"domain": zone, "soa": dict(soa)}).soa}
    except OptionError as error:
        raise ZoneTextError(f"{zone}: {error.message}") from None
    missing = [name for name in SOA_MEMBERS if name not in checked]
    if missing:
        raise ZoneTextError(f"{zone}: soa.{missing[0]}: missing; a zone file needs the whole SOA record.")
    words = [checked["primary_ns"], checked["rname"], number]
    words += [checked[name] for name in ("refresh", "retry", "expire", "minimum")]
    return APEX, checked["ttl"], "SOA", _data(f"{zone}: soa", "SOA", " ".join(map(str, words)), zone)


def _order(line: _Line) -> tuple[Any, ...]:
    host, ttl, kind, value = line
    first = _FIRST_TYPES.index(kind) if host == APEX and kind in _FIRST_TYPES else len(_FIRST_TYPES)
    return host != APEX, host, first, kind, value, ttl


def _text(zone: str, usual_ttl: int, lines: list[_Line]) -> str:
    width = max((len(line[0]) for line in lines), default=0)
    head = [f"$ORIGIN {zone}.", f"$TTL {usual_ttl}"]
    body = [f"{host:<{width}} {ttl:<6} IN {kind:<5} {value}" for host, ttl, kind, value in lines]
    return "\n".join([*head, *body]) + "\n"

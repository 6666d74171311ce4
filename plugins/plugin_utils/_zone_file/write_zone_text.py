# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From records in the API's shape to the text of a zone file. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
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
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
# The records of the zone itself come first, and of those the ones that every zone has.
_FIRST_TYPES = ("SOA", "NS", "MX")
_Line = tuple[str, int, str, str]  # host, ttl, type, value


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
    given = records if isinstance(records, Mapping) else {"records": records}
    listed, shown_soa = _records_of(given)
    soa = shown_soa if soa is None else soa
    if not (origin or given.get("domain")):
        raise ZoneTextError("origin: missing; give the name of the zone, since the input does not hold it.")
    zone, unwanted = zone_name(origin or given["domain"]), types_to_skip(skip_types)
    read = [_read(index, record, zone) for index, record in enumerate(listed)]
    kept = [record for record in read if record.type not in unwanted]
    dkim = given.get("dkim_record") if dkim_record is None else dkim_record
    if dkim != PLACEHOLDER:
        shown = [{"host": record.host, "type": record.type, "value": record.value} for record in read]
        dkim = dkim_text({"dkim_record": dkim, "records": {"other": shown}})
    counts = Counter(record.ttl for record in kept if record.ttl is not None)
    soa_ttl = comparable_ttl((soa or {}).get("ttl")) or _USUAL_TTL
    usual_ttl = max(counts, key=lambda ttl: (counts[ttl], ttl)) if counts else soa_ttl
    lines = sorted({_line(record, zone, dkim, usual_ttl) for record in kept}, key=_order)
    if soa:
        lines.insert(0, _soa_line(soa, zone, usual_ttl, serial))
    width = max((len(host) for host, _ttl, _kind, _value in lines), default=0)
    text = [f"$ORIGIN {zone}.", f"$TTL {usual_ttl}"]
    text += [f"{host:<{width}} {ttl:<6} IN {kind:<5} {value}" for host, ttl, kind, value in lines]
    return "\n".join(text) + "\n", dict(Counter(record.type for record in read if record.type in unwanted))


def _records_of(given: Mapping[str, Any]) -> tuple[list[Any], Any]:
    """The records of input of any shape, and the SOA record in it."""
    records: Any = given if "other" in given else given.get("records")
    soa = given.get("soa")
    if isinstance(records, Mapping):
        records, soa = records.get("other") or [], records.get("soa")
    if not isinstance(records, (list, tuple)):
        raise ZoneTextError("the input must be a list of records or a zone as hosting.panel.panel_dns_info returns it.")
    if records and isinstance(records[0], Mapping) and "records" in records[0]:
        each = "map('hosting.panel.panel_records_to_zone')"
        raise ZoneTextError(f"the input is a list of zones; give one of them, or use {each}.")
    return list(records), soa


def _read(index: int, record: Any, zone: str) -> WantedRecord:
    try:
        return read_record(index, record, needs_value=True)
    except OptionError as error:
        raise ZoneTextError(f"{zone}: {error.message}") from None


def _line(record: WantedRecord, zone: str, dkim: str | None, usual_ttl: int) -> _Line:
    named = f"{zone}: records[{record.index}] ({record.host} {record.type})"
    try:
        host = relative_host(record.host, zone)
    except ValueError:
        raise ZoneTextError(f"{named}: the host does not lie in the zone.") from None
    value = str(record.value)
    if record.type in TEXT_TYPES and PLACEHOLDER in text_of(value):
        if dkim is None:
            why = f"the panel's placeholder {PLACEHOLDER} stands for a text that the input does not hold"
            raise ZoneTextError(f"{named}: {why}; give it as dkim_record, or give the placeholder itself to keep it.")
        value = _quoted(text_of(value).replace(PLACEHOLDER, dkim))
    return host, usual_ttl if record.ttl is None else record.ttl, record.type, _data(named, record.type, value, zone)


def _data(named: str, kind: str, value: str, zone: str) -> str:
    """The value as a zone file has it, read and written by the library, so that nothing in it can become another line."""
    try:
        text, origin = _presented(kind, value, zone), dns.name.from_text(zone)
        presented: str = dns.rdata.from_text(dns.rdataclass.IN, kind, text, origin, False).to_text(chunksize=0)
    except (dns.exception.DNSException, ValueError) as error:
        reason, skip = str(error).rstrip(".") or "it cannot be read", f"skip_types=['{kind}']"
        why = f"a zone file cannot have it: {reason}. Correct it, or leave the type out with {skip}"
        raise ZoneTextError(f"{named}: {why}.") from None
    return presented


def _presented(kind: str, value: str, zone: str) -> str:
    if kind in TEXT_TYPES:
        # The pieces that the value has, and those split that are longer than one may be.
        is_quoted = text_of(value) != value.strip()
        return " ".join(_quoted(text_of(piece)) for piece in (_QUOTED.findall(value) if is_quoted else [value]))
    if kind in NUMBERS_BEFORE_NAME:
        # A name with a dot inside is complete for panel_dns, also without one at its end.
        return comparable_value(kind, value, zone, None).rstrip(".") + "."
    if kind == "CAA":
        flags, tag, text = comparable_value(kind, value, zone, None).split(" ", 2)
        return f"{flags} {tag} {_quoted(text)}"
    return value


def _quoted(text: str) -> str:
    """Every byte escaped; the library writes those plainly that may be so."""
    content = text.encode("utf-8", "surrogateescape")
    pieces = [content[start : start + LONGEST_PIECE] for start in range(0, len(content), LONGEST_PIECE)] or [b""]
    return " ".join('"' + "".join(f"\\{byte:03d}" for byte in piece) + '"' for piece in pieces)


def _soa_line(soa: Mapping[str, Any], zone: str, usual_ttl: int, serial: Any) -> _Line:
    try:
        checked = {"ttl": usual_ttl, **read_wanted_zone({"domain": zone, "soa": dict(soa)}).soa}
    except OptionError as error:
        raise ZoneTextError(f"{zone}: {error.message}") from None
    missing = [name for name in SOA_MEMBERS if name not in checked]
    if missing:
        raise ZoneTextError(f"{zone}: soa.{missing[0]}: missing; a zone file needs the whole SOA record.")
    ttl, primary_ns, rname, *numbers = (checked[name] for name in SOA_MEMBERS)
    text = " ".join(map(str, (primary_ns, rname, serial, *numbers)))
    return APEX, ttl, "SOA", _data(f"{zone}: soa with serial {serial}", "SOA", text, zone)


def _order(line: _Line) -> tuple[Any, ...]:
    host, ttl, kind, value = line
    first = _FIRST_TYPES.index(kind) if host == APEX and kind in _FIRST_TYPES else len(_FIRST_TYPES)
    return host != APEX, host, first, kind, value, ttl

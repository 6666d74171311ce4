# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of a zone file as records in the API's shape, and records as text. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...module_utils._dns.desired_zone import read_desired_zone
from ...module_utils._dns.record_forms import qualify_name_in_value, replace_name_in_value
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
from ...module_utils._errors import MissingLibrary, OptionError, PanelError
from ...module_utils._problems import MAX_LISTED, abbreviate, first_lines, format_message
from ...module_utils._values.names import DomainName
from ...module_utils._values.value_types import parsed, shortened
from .zone_reader import Entry, Unread, ZoneMistake, read_entries

try:
    import dns.name
    import dns.rdata
    import dns.version
except ImportError:
    dns = None  # type: ignore[assignment]

# Every other type belongs to the name server that signs or transfers the zone, or is of no use in a panel.
KNOWN_TYPES = {"A", "AAAA", "CAA", "CNAME", "DNAME", "DS", "HTTPS", "LOC", "MX", "NAPTR", "NS", "OPENPGPKEY", "PTR"}
KNOWN_TYPES |= {"SMIMEA", "SOA", "SPF", "SRV", "SSHFP", "SVCB", "TLSA", "TXT", "URI"}
# By type what the library calls the name in a value.
_NAME_FIELDS = {"HTTPS": "target", "NAPTR": "replacement", "SVCB": "target"}
_NAME = DomainName()
# The records of the panel's default zones have this TTL (docs/panel_api.md#usual-ttl).
_USUAL_TTL = 86400
# One that does not end goes to the end of the text, or each quote in it would begin another one.
_QUOTED = re.compile(r'"(?:[^"\\]|\\.?)*(?:"|\Z)', re.DOTALL)
# The records of the zone itself come first, and of a host those that every zone has.
_RANKS = {"SOA": 0, "NS": 1, "MX": 2}
Zone = dict[str, Any]


def require_library() -> None:
    if dns is None:
        where = "the Python that runs Ansible"
        raise MissingLibrary(f"{where} has no library dnspython; install it there (pip install dnspython).")


def _types(skip_types: Any) -> list[str]:
    if not isinstance(skip_types, (list, tuple)):
        raise PanelError("skip_types: must be a list of types such as [RRSIG, NSEC].")
    return [str(name).strip().upper() for name in skip_types]


def read_zone_text(text: Any, origin: Any = None, skip_types: Any = ()) -> tuple[Zone, list[str]]:
    """Read a zone file as the options of panel_dns.

    Args:
        text: The file.
        origin: The zone's name. Without it, the SOA record or an $ORIGIN has to say it.
        skip_types: Types of records to leave out.

    Returns:
        The options, and warnings about what was left out, names that miss their final dot, and texts that end at a semicolon.

    Raises:
        PanelError: Names the line of the mistake.
    """
    require_library()
    if not isinstance(text, str):
        raise PanelError("the input must be the text of a zone file.")
    domain, unwanted = parsed(_NAME, "origin", origin) if origin else "", _types(skip_types)
    try:
        found = read_entries(text, domain, (KNOWN_TYPES - set(unwanted)) | {"SOA"})
    except ZoneMistake as mistake:
        raise PanelError(str(mistake)) from None
    _refuse_unread([one for one in found.unread if one.type not in unwanted], unwanted)
    if found.zone is None or found.zone == dns.name.root:
        raise PanelError("origin: missing; the text has neither a SOA record nor an $ORIGIN.")

    domain = domain or parsed(_NAME, "origin", found.zone.to_text())
    soa, soa_line = None, 0
    for entry in found.entries:
        if entry.type == "SOA":
            soa, soa_line = _soa_of(entry, domain, soa), entry.line
    entries = [entry for entry in found.entries if entry.type != "SOA"]
    records = [_record_of(entry, domain) for entry in entries]
    zone: Zone = {"domain": domain, "records": records, "soa": None if "SOA" in unwanted else soa}
    _check(zone, [f"line {entry.line}" for entry in entries], soa_line)
    warnings = [
        *_words_about_skipped(found.unread, domain),
        *_words_about_dots(entries, records, domain),
        *_words_about_comments(entries, records),
    ]
    return zone, warnings


def _refuse_unread(unread: Sequence[Unread], unwanted: Sequence[str]) -> None:
    """Raise one error about all types that no panel takes."""
    if not unread:
        return
    by_type: dict[str, list[Unread]] = {}
    for one in unread:
        by_type.setdefault(one.type, []).append(one)
    told = []
    for kind, some in by_type.items():
        unknown = "" if some[0].is_known else ", unknown"
        more = f" and {len(some) - 1} more" if len(some) > 1 else ""
        told.append(f"{kind} (line {some[0].line}{more}{unknown})")
    # With these, the next run has nothing more to complain about.
    advice = f"leave them all out with skip_types={[*unwanted, *by_type][: len(unwanted) + MAX_LISTED]}"
    raise PanelError(
        f"line {unread[0].line}: records of these types are not for a panel: {abbreviate(told, MAX_LISTED)}; {advice}."
    )


def _soa_of(entry: Entry, domain: str, other: Mapping[str, Any] | None) -> dict[str, Any]:
    """The fields of the SOA record. other: those of the one before it; a transfer ends with the record that it began with."""
    data = entry.data
    soa = {
        "ttl": entry.ttl,
        "primary_ns": data.mname.to_text(),
        "rname": data.rname.to_text(),
        "refresh": data.refresh,
        "retry": data.retry,
        "expire": data.expire,
        "minimum": data.minimum,
    }
    apex = _apex_around(entry, domain)
    if entry.name != apex or other not in (None, soa):
        raise PanelError(f"line {entry.line}: a zone has one SOA record, at {domain} itself.")
    return soa


def _apex_around(entry: Entry, domain: str) -> Any:
    """The name of the zone, in which the entry has to lie."""
    apex = dns.name.from_text(domain)
    if not entry.name.is_subdomain(apex):
        raise PanelError(f"line {entry.line}: {entry.name} does not lie in the zone {domain}.")
    return apex


def _record_of(entry: Entry, domain: str) -> dict[str, Any]:
    apex = _apex_around(entry, domain)
    host = APEX if entry.name == apex else entry.name.relativize(apex).to_text().lower()
    return {"host": host, "type": entry.type, "ttl": entry.ttl, "value": value_of(entry)}


def value_of(entry: Entry) -> str:
    """The value as the library writes it; as the file has it where that means something else, which some releases misread."""
    value: str = entry.data.to_text(chunksize=0)
    if entry.type in TEXT_TYPES:
        return _text_value(value, len(entry.data.strings))
    if entry.written is None:
        return value

    name = getattr(entry.data, _NAME_FIELDS.get(entry.type, ""), "")
    try:
        written = replace_name_in_value(entry.type, entry.written.text, str(name))
    except ValueError:
        return value
    meaning = canonicalize_value(entry.type, written, None)
    return value if meaning in (None, canonicalize_value(entry.type, value, None)) else written


def _check(zone: Zone, lines: Sequence[str], soa_line: int) -> None:
    """Refuse here, where the lines are known, what panel_dns would refuse. lines: of the records."""
    try:
        read_desired_zone(zone, lines, is_strict=True)
    except OptionError as error:
        sentences = [
            f"line {soa_line}: {format_message(problem)}"
            if problem.option.startswith("soa")
            else format_message(problem)
            for problem in error.problems
        ]
        count = f"{len(sentences)} mistakes: " if len(sentences) > 1 else ""
        raise PanelError(count + " ".join(first_lines(sentences, MAX_LISTED))) from None


def _words_about_skipped(unread: Iterable[Unread], domain: str) -> Iterator[str]:
    lines: dict[str, list[int]] = {}
    for one in unread:
        lines.setdefault(one.type, []).append(one.line)
    for kind, some in lines.items():
        yield f"left out {len(some)} of type {kind} in {domain}, the first in line {some[0]}."


def _words_about_dots(entries: Iterable[Entry], records: Iterable[Mapping[str, Any]], domain: str) -> Iterator[str]:
    """About names that have the name of the zone twice at their end, since nobody wrote the final dot."""
    twice = f".{domain}.{domain}."
    for entry, record in zip(entries, records):
        names = [f".{entry.name.to_text()}"]
        if entry.type not in TEXT_TYPES:
            names += [f".{word}" for word in record["value"].split() if word.endswith(".")]
        for name in names:
            if name.lower().endswith(twice):
                name = name.removeprefix(".")
                written = name.removesuffix(f".{domain}.")
                yield f"line {entry.line}: {written} has no dot at its end, so it means {name}"


def _words_about_comments(entries: Iterable[Entry], records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """About texts of tags that end at their first semicolon, since nobody put them in quotes."""
    for entry, record in zip(entries, records):
        if entry.written is not None and entry.written.ends_in_tags and entry.type in TEXT_TYPES:
            value = shortened(record["value"])
            problem = f"the text of {record['host']} is {value}, since a semicolon without quotes begins a comment"
            yield f"line {entry.line}: {problem}. Put the whole text in quotes if the comment belongs to it."


def _text_value(quoted: str, pieces: int) -> str:
    """The bare text as panels show it where it can be told from a quoted one, else the quoted pieces."""
    text = decode_text(quoted)
    is_readable = text.isprintable() and not {'"', "\\"} & set(text)
    return text if pieces == 1 and text and is_readable and text == decode_text(text) else quoted


def write_zone_text(
    records: Any,
    origin: Any = None,
    soa: Any = None,
    serial: Any = 1,
    dkim_record: Any = None,
    skip_types: Any = (),
) -> tuple[str, dict[str, int]]:
    """The text of the zone, and how many records of which type were left out; raises PanelError, which names the record.

    records: a list of records, or a zone: an entry of panel_dns_info, the options of panel_dns, or {soa, other} as the API nests them.
    """
    require_library()
    given = records if isinstance(records, Mapping) else {"records": records}
    listed = given if "other" in given else given.get("records")
    nested = listed if isinstance(listed, Mapping) else {"other": listed}
    listed = nested.get("other")
    if not isinstance(listed, (list, tuple)):
        raise PanelError("the input must be a list of records or a zone as hosting.panel.panel_dns_info returns it.")
    if not (origin or given.get("domain")):
        raise PanelError("origin: missing; give the name of the zone, since the input does not hold it.")
    zone, unwanted = parsed(_NAME, "origin", origin or given["domain"]), _types(skip_types)
    soa = given.get("soa", nested.get("soa")) if soa is None else soa
    try:
        read = [read_record(f"records[{index}]", record, needs_value=True) for index, record in enumerate(listed)]
        shown_soa = read_desired_zone({"domain": zone, "soa": soa}, is_strict=True).soa if soa else {}
    except OptionError as error:
        raise PanelError(f"{zone}: {error}") from None
    kept = [(index, record) for index, record in enumerate(read) if record["type"] not in unwanted]
    dkim = given.get("dkim_record") if dkim_record is None else dkim_record
    if dkim != PLACEHOLDER:
        dkim = find_dkim_text({"dkim_record": dkim, "records": {"other": read}})
    counts = Counter(record["ttl"] for _index, record in kept if "ttl" in record)
    usual_ttl = max(counts, key=lambda ttl: (counts[ttl], ttl)) if counts else shown_soa.get("ttl", _USUAL_TTL)
    lines = set()
    for index, record in kept:
        named = f"{zone}: records[{index}] ({record['host']} {record['type']})"
        host = relativize_host(record["host"], zone)
        if host.endswith("."):
            raise PanelError(f"{named}: the host does not lie in the zone.")
        value = _data(named, record["type"], _with_dkim(named, record, dkim), zone)
        lines.add((host, record.get("ttl", usual_ttl), record["type"], value))
    if soa:
        checked = {"ttl": usual_ttl, **shown_soa}
        for name in (name for name in SOA_FIELDS if name not in checked):
            raise PanelError(f"{zone}: soa.{name}: missing; a zone file needs the whole SOA record.")
        ttl, primary_ns, rname, *numbers = (checked[name] for name in SOA_FIELDS)
        value = " ".join(map(str, (primary_ns, rname, serial, *numbers)))
        lines.add((APEX, ttl, "SOA", _data(f"{zone}: soa with serial {serial}", "SOA", value, zone)))
    width = max((len(host) for host, _ttl, _kind, _value in lines), default=0)
    ordered = sorted(lines, key=lambda line: (line[0] != APEX, line[0], _RANKS.get(line[2], 3), line[2:], line[1]))
    text = [f"$ORIGIN {zone}.", f"$TTL {usual_ttl}"]
    text += [f"{host:<{width}} {ttl:<6} IN {kind:<5} {value}" for host, ttl, kind, value in ordered]
    return "\n".join(text) + "\n", dict(Counter(record["type"] for record in read if record["type"] in unwanted))


def _with_dkim(named: str, record: RequestedRecord, dkim: str | None) -> str:
    value = str(record["value"])
    if record["type"] not in TEXT_TYPES or PLACEHOLDER not in value:
        return value
    if dkim is None:
        why = f"the panel's placeholder {PLACEHOLDER} stands for a text that the input does not hold"
        raise PanelError(f"{named}: {why}; give it as dkim_record, or give the placeholder itself to keep it.")
    return _quoted(decode_text(value).replace(PLACEHOLDER, dkim))


def _data(named: str, kind: str, value: str, zone: str) -> str:
    """The value as a zone file has it, read and written by the library, so that nothing in it can become another line."""
    try:
        text, origin = _presented(kind, value, zone), dns.name.from_text(zone)
        presented: str = dns.rdata.from_text(dns.rdataclass.IN, kind, text, origin, False).to_text(chunksize=0)
        _refuse_change(kind, text, presented, zone)
    except (dns.exception.DNSException, ValueError) as error:
        reason, skip = str(error).rstrip(".") or "it cannot be read", f"skip_types=['{kind}']"
        why = f"a zone file cannot have it: {reason}. Correct it, or leave the type out with {skip}"
        raise PanelError(f"{named}: {why}.") from None
    return presented


def _refuse_change(kind: str, text: str, presented: str, zone: str) -> None:
    """Raise ValueError for what the library writes otherwise than it was: some releases break signs that have to be escaped."""
    meaning = canonicalize_value(kind, text, zone)
    is_same = meaning is None or meaning == canonicalize_value(kind, presented, zone)
    if not (is_same and presented.isascii() and presented.isprintable()):
        raise ValueError(f"dnspython {dns.version.version} does not write all of its signs")


def _presented(kind: str, value: str, zone: str) -> str:
    if kind in TEXT_TYPES:
        # The pieces that the value has, and those split that are longer than one may be.
        is_quoted = decode_text(value) != value.strip()
        return " ".join(_quoted(decode_text(piece)) for piece in (_QUOTED.findall(value) if is_quoted else [value]))
    if kind in NUMBERS_BEFORE_NAME:
        # A name with a dot inside is complete for panel_dns, also without one at its end.
        return normalize_value(kind, value, zone).rstrip(".") + "."
    if kind == "CAA":
        flags, tag, text = normalize_value(kind, value, zone).split(" ", 2)
        return f"{flags} {tag} {_quoted(text)}"
    return qualify_name_in_value(kind, value, zone)


def _quoted(text: str) -> str:
    """Every byte escaped; the library writes those plainly that may be so."""
    content = text.encode("utf-8", "surrogateescape")
    pieces = [content[start : start + MAX_STRING_LENGTH] for start in range(0, len(content), MAX_STRING_LENGTH)] or [
        b""
    ]
    return " ".join('"' + "".join(f"\\{byte:03d}" for byte in piece) + '"' for piece in pieces)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of a zone file as options of panel_dns. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils._dns.desired_zone import read_desired_zone
from ...module_utils._dns.record_forms import replace_name_in_value
from ...module_utils._dns.record_names import APEX
from ...module_utils._dns.record_types import USUAL_TYPES, find_meant_type
from ...module_utils._dns.record_values import (
    NUMBERS_BEFORE_NAME,
    TEXT_TYPES,
    canonicalize_value,
    decode_text,
    is_like_address,
)
from ...module_utils._errors import OptionError, PanelError
from ...module_utils._problems import MAX_LISTED, Problem, abbreviate, format_message, limit_lines
from ...module_utils._values.names import DomainName
from ...module_utils._values.value_types import parse_option, quote_value
from .library import format_data, parse_skip_types, require_library
from .zone_reader import Entry, SkippedRecord, ZoneMistake, ZoneText, read_entries

try:
    import dns.name
except ImportError:
    dns = None  # type: ignore[assignment]

# Every other type belongs to the name server that signs or transfers the zone, or is of no use in a
# panel (docs/panel_api.md#types-of-records).
_PANEL_TYPES = frozenset([*USUAL_TYPES, "SOA"])
# By type what the library calls the name in a value.
_NAME_FIELDS = {"HTTPS": "target", "NAPTR": "replacement", "SVCB": "target"}
_ZONE_NAME = DomainName()
_LABEL_END = re.compile(r"(?<!\\)\.")
# Labels that end most public names: those of countries, and the oldest others. Newer ones such as
# shop and dev are also usual names within a zone.
_PUBLIC_LABEL = re.compile(
    rb"[a-z]{2}|xn--[a-z0-9-]{1,59}|biz|com|edu|gov|info|mil|net|org", re.IGNORECASE
)
_SPECIAL_SIGNS = frozenset('"\\')

Zone = dict[str, Any]
"""The options of panel_dns."""


class _Soa(NamedTuple):
    """The SOA record of a file; the line is 0 and the fields are None where it has none."""

    line: int
    fields: dict[str, Any] | None


def read_zone_text(
    text: Any,
    origin: Any = None,
    skip_types: Any = (),
) -> tuple[Zone, list[str]]:
    """Read a zone file as the options of panel_dns.

    Args:
        text: The file.
        origin: The zone's name. Without it, the SOA record or an $ORIGIN has to say it.
        skip_types: Types of records to leave out.

    Returns:
        The options, and warnings about what was left out, names that miss their final dot,
        addresses in the place of names, and texts that end at a semicolon.

    Raises:
        PanelError: Names the line of the mistake.
    """
    require_library()
    if not isinstance(text, str):
        raise PanelError("the input must be the text of a zone file.")
    domain = parse_option(_ZONE_NAME, "origin", origin) if origin else ""
    skipped_types = parse_skip_types(skip_types)
    content = _read_entries(text, domain, skipped_types)
    _refuse_other_types(content.skipped, skipped_types)
    if content.zone is None or content.zone == dns.name.root:
        _refuse_soa_of_root(content.entries)
        raise PanelError("origin: missing; the text has neither a SOA record nor an $ORIGIN.")

    domain = domain or parse_option(_ZONE_NAME, "origin", content.zone.to_text())
    soa = _find_soa(content.entries, domain)
    entries = [entry for entry in content.entries if entry.type != "SOA"]
    records = [_make_record(entry, domain) for entry in entries]
    zone: Zone = {"domain": domain, "records": records, "soa": soa.fields}
    if "SOA" in skipped_types:
        zone["soa"] = None
    _check_options(zone, [f"line {entry.line}" for entry in entries], soa.line)

    warnings = [
        *_warn_of_skipped_types(content.skipped, domain),
        *_warn_of_missing_dots(entries, records, domain),
        *_warn_of_foreign_targets(entries, domain),
        *_warn_of_addresses(entries, records, domain),
        *_warn_of_comments(entries, records),
    ]
    return zone, warnings


def _refuse_soa_of_root(entries: Iterable[Entry]) -> None:
    """Raise an error about a SOA record that is there, but of the root."""
    for entry in entries:
        if entry.type == "SOA":
            problem = "the SOA record is at the root (.), which is no zone of a panel"
            raise PanelError(f"line {entry.line}: {problem}. Name the zone with origin.")


def _read_entries(text: str, domain: str, skipped_types: Iterable[str]) -> ZoneText:
    # Without a SOA record, nothing may say which zone it is.
    types = _PANEL_TYPES.difference(skipped_types) | {"SOA"}
    try:
        return read_entries(text, domain, types)
    except ZoneMistake as mistake:
        raise PanelError(str(mistake)) from None


def _group_by_type(records: Iterable[SkippedRecord]) -> dict[str, list[SkippedRecord]]:
    groups: dict[str, list[SkippedRecord]] = {}
    for record in records:
        groups.setdefault(record.type, []).append(record)
    return groups


def _refuse_other_types(skipped: Iterable[SkippedRecord], skipped_types: Sequence[str]) -> None:
    """Raise one error about all types that no panel takes."""
    refused = [record for record in skipped if record.type not in skipped_types]
    if not refused:
        return
    groups = _group_by_type(refused)
    descriptions = [_describe_refused_type(name, records) for name, records in groups.items()]
    # With these, the next run has nothing more to complain about.
    proposed_types = [*skipped_types, *list(groups)[:MAX_LISTED]]
    problem = f"records of these types are not for a panel: {abbreviate(descriptions, MAX_LISTED)}"
    advice = f"leave them all out with skip_types={proposed_types}"
    raise PanelError(f"line {refused[0].line}: {problem}; {advice}.")


def _describe_refused_type(record_type: str, records: Sequence[SkippedRecord]) -> str:
    """Return a type with the first line that has it, and how many more have."""
    first = records[0]
    details = f"line {first.line}"
    if len(records) > 1:
        details = f"{details} and {len(records) - 1} more"
    if not first.is_known:
        details = f"{details}, unknown"
    meant_type = find_meant_type(record_type)
    if meant_type:
        details = f"{details}, did you mean {meant_type}?"
    return f"{record_type} ({details})"


# Records


def _find_soa(entries: Iterable[Entry], domain: str) -> _Soa:
    """Return the SOA record.

    A transfer ends with the record that it began with, so it may be there again.
    """
    soa = _Soa(0, None)
    for entry in entries:
        if entry.type == "SOA":
            fields = _make_soa(entry)
            is_at_apex = entry.name == _find_apex(entry, domain)
            if not is_at_apex or soa.fields not in (None, fields):
                raise PanelError(
                    f"line {entry.line}: a zone has one SOA record, at {domain} itself."
                )
            soa = _Soa(entry.line, fields)
    return soa


def _make_soa(entry: Entry) -> dict[str, Any]:
    """Return the options of panel_dns for a SOA record."""
    data = entry.data
    return {
        "ttl": entry.ttl,
        "primary_ns": data.mname.to_text(),
        "rname": data.rname.to_text(),
        "refresh": data.refresh,
        "retry": data.retry,
        "expire": data.expire,
        "minimum": data.minimum,
    }


def _find_apex(entry: Entry, domain: str) -> Any:
    """Return the name of the zone, in which the entry has to lie."""
    apex = dns.name.from_text(domain)
    if not entry.name.is_subdomain(apex):
        raise PanelError(f"line {entry.line}: {entry.name} does not lie in the zone {domain}.")
    return apex


def _make_record(entry: Entry, domain: str) -> dict[str, Any]:
    apex = _find_apex(entry, domain)
    host = APEX
    if entry.name != apex:
        host = entry.name.relativize(apex).to_text().lower()
    return {"host": host, "type": entry.type, "ttl": entry.ttl, "value": format_value(entry)}


def format_value(entry: Entry) -> str:
    """Return the value of a record as the library writes it.

    Some releases misread values. Where the file means something else, it is as the file has it.
    """
    value = format_data(entry.data)
    if entry.type in TEXT_TYPES:
        return _format_text(value, len(entry.data.strings))
    if entry.raw is None or entry.type in NUMBERS_BEFORE_NAME:
        return value

    name = getattr(entry.data, _NAME_FIELDS.get(entry.type, ""), "")
    try:
        raw_value = replace_name_in_value(entry.type, entry.raw.text, str(name))
    except ValueError:
        return value
    meaning = canonicalize_value(entry.type, raw_value, None)
    if meaning is None or meaning == canonicalize_value(entry.type, value, None):
        return value
    return raw_value


def _format_text(quoted: str, string_count: int) -> str:
    """Return a text bare as panels show it where it cannot be taken for a quoted one.

    Args:
        quoted: The text as quoted strings.
        string_count: How many strings it has.
    """
    text = decode_text(quoted)
    is_readable = text.isprintable() and _SPECIAL_SIGNS.isdisjoint(text)
    if string_count == 1 and text and is_readable and text == decode_text(text):
        return text
    return quoted


def _check_options(zone: Zone, record_labels: Sequence[str], soa_line: int) -> None:
    """Refuse here, where the lines are known, what panel_dns would refuse."""
    try:
        read_desired_zone(zone, record_labels, is_strict=True)
    except OptionError as error:
        sentences = [_describe_problem(problem, soa_line) for problem in error.problems]
        count = f"{len(sentences)} mistakes: " if len(sentences) > 1 else ""
        raise PanelError(count + " ".join(limit_lines(sentences, MAX_LISTED))) from None


def _describe_problem(problem: Problem, soa_line: int) -> str:
    message = format_message(problem)
    if problem.path[:1] == ("soa",):
        return f"line {soa_line}: {message}"
    return message


# Warnings


def _warn_of_skipped_types(skipped: Iterable[SkippedRecord], domain: str) -> Iterator[str]:
    for record_type, records in _group_by_type(skipped).items():
        count = f"{len(records)} of type {record_type}"
        yield f"left out {count} in {domain}, the first in line {records[0].line}."


def _warn_of_missing_dots(
    entries: Iterable[Entry],
    records: Iterable[Mapping[str, Any]],
    domain: str,
) -> Iterator[str]:
    """Warn of names that end in the name of the zone twice, since nobody wrote the final dot."""
    for entry, record in zip(entries, records):
        names = [entry.name.to_text()]
        if entry.type not in TEXT_TYPES:
            names += [text for text in record["value"].split() if text.endswith(".")]
        for name in names:
            if _is_doubled(name, domain):
                written_name = name.removesuffix(f".{domain}.")
                problem = f"{written_name} has no dot at its end, so it means {name}"
                yield f"line {entry.line}: {problem}"


def _warn_of_foreign_targets(entries: Sequence[Entry], domain: str) -> Iterator[str]:
    """Warn of targets that look like names of other zones, since nobody wrote the final dot.

    A target such as mail.provider.com is a name in this zone without that dot. It is taken for a
    mistake where its last label is like a public one, and this zone has nothing below that label.
    """
    names = _collect_names_with_parents(entries, domain)
    for entry in entries:
        written_target = _find_written_target(entry)
        label_count = len(_LABEL_END.split(written_target))
        if label_count == 1 or written_target.endswith("."):
            continue
        target = dns.name.from_text(entry.data.to_text().split()[-1])
        # In this zone, which may have names below it of its own.
        last_label = dns.name.Name(target.labels[label_count - 1 :])
        is_like_public = _PUBLIC_LABEL.fullmatch(last_label.labels[0])
        if is_like_public and last_label not in names and not _is_doubled(str(target), domain):
            problem = f"{written_target} has no dot at its end, so it means {target}"
            yield f"line {entry.line}: {problem}"


def _find_written_target(entry: Entry) -> str:
    """Return the name in a value as the file has it; empty for types that have none."""
    if entry.type not in NUMBERS_BEFORE_NAME or entry.raw is None:
        return ""
    return entry.raw.text.split()[-1]


def _collect_names_with_parents(entries: Iterable[Entry], domain: str) -> set[Any]:
    """Return the names that have records, and those between them and the zone."""
    apex = dns.name.from_text(domain)
    names = set()
    for entry in entries:
        name = entry.name
        while len(name) > len(apex):
            names.add(name)
            name = name.parent()
    return names


def _is_doubled(name: str, domain: str) -> bool:
    """Return whether a name ends in the name of the zone twice."""
    return f".{name}".lower().endswith(f".{domain}.{domain}.")


def _warn_of_addresses(
    entries: Iterable[Entry],
    records: Iterable[Mapping[str, Any]],
    domain: str,
) -> Iterator[str]:
    """Warn of addresses in the place of names, which a zone file takes for names in the zone."""
    for entry, record in zip(entries, records):
        if entry.type not in NUMBERS_BEFORE_NAME:
            continue
        name = record["value"].split()[-1]
        written_name = name.lower().removesuffix(f".{domain}.")
        if written_name != name.lower() and is_like_address(written_name):
            problem = (
                f"{written_name} is an address, and {entry.type} takes a name, so it means {name}"
            )
            yield f"line {entry.line}: {problem} Write the name that has this address."


def _warn_of_comments(
    entries: Iterable[Entry],
    records: Iterable[Mapping[str, Any]],
) -> Iterator[str]:
    """Warn of texts of tags that end at their first semicolon, since nobody put them in quotes."""
    for entry, record in zip(entries, records):
        ends_in_tags = entry.raw is not None and entry.raw.ends_in_tags
        if ends_in_tags and entry.type in TEXT_TYPES:
            value = quote_value(record["value"])
            reason = "since a semicolon without quotes begins a comment"
            problem = f"the text of {record['host']} is {value}, {reason}"
            advice = "Put the whole text in quotes if the comment belongs to it."
            yield f"line {entry.line}: {problem}. {advice}"

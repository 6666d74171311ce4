# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of a zone: the form in which they are compared, and how they are displayed. Pure."""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._problems import abbreviate
from .record_names import APEX, normalize_name
from .record_values import PLACEHOLDER, TEXT_TYPES, find_dkim_text, normalize_value, relativize_host

MAX_LISTED = 10
_MAX_LINE = 100

Zone = Mapping[str, Any]
RRset = tuple[str, str]
"""Names a record set: its host and type."""
RecordKey = tuple[str, str, str]
"""Names a value in its record set: host, type and value in normal form."""


class Record(NamedTuple):
    """Describes one record of a zone in normal form, beside its fields.

    Attributes:
        fields: The record as the panel shows it, or as it is sent.
        host: The host relative to the zone, in lower case.
        type: The type in upper case.
        value: The value in the form that is equal for equal values; empty where none is given.
        ttl: The TTL; None where none is given.
    """

    fields: Mapping[str, Any]
    host: str
    type: str
    value: str
    ttl: Any

    @property
    def rrset(self) -> RRset:
        """Name the record set that it belongs to in DNS."""
        return self.host, self.type

    @property
    def key(self) -> RecordKey:
        """Name the value in its record set, whatever its TTL."""
        return self.host, self.type, self.value

    @property
    def identity(self) -> tuple[str, str, str, Any]:
        """Return all that two spellings of one record have in common."""
        return self.host, self.type, self.value, self.ttl

    @property
    def rank(self) -> tuple[bool, str, str, str]:
        """Return what sorts the records of a zone: those of the domain itself come first."""
        return self.host != APEX, *self.key

    @property
    def line(self) -> str:
        """Display the record for people."""
        return f"{self.host} {self.type} {self.ttl} {self.fields['value']}"


def list_records(zone: Zone, domain: str | None) -> list[Record]:
    """Return the records of a zone except SOA, in the panel's order.

    Args:
        zone: The zone as the panel shows it.
        domain: Its name; None where it is unknown.
    """
    return normalize_records(zone["records"]["other"], zone, domain)


def normalize_records(
    records: Iterable[Mapping[str, Any]], zone: Zone, domain: str | None
) -> list[Record]:
    """Return records in the form in which they are compared with those of a zone.

    Args:
        records: The fields of each.
        zone: The zone, which says what the DKIM placeholder stands for.
        domain: Its name; None where it is unknown.
    """
    dkim = find_dkim_text(zone)
    return [normalize_record(record, domain, dkim) for record in records]


def normalize_record(
    fields: Mapping[str, Any],
    domain: str | None,
    dkim: str | None = None,
) -> Record:
    """Return a record in the form in which it is compared.

    Args:
        fields: Its fields; a value may be missing.
        domain: The name of the zone; None where it is unknown.
        dkim: What the DKIM placeholder stands for; None where it is unknown.
    """
    value_text = str(fields.get("value", ""))
    key = _normalize_key(fields["host"], str(fields["type"]), value_text, domain)
    host, record_type, value = key
    if dkim and record_type in TEXT_TYPES:
        value = value.replace(PLACEHOLDER, dkim)
    return Record(fields, host, record_type, value, fields.get("ttl"))


@functools.lru_cache(maxsize=32768)  # a task that writes compares each record up to nine times
def _normalize_key(
    host: str,
    record_type: str,
    value: str,
    domain: str | None,
) -> tuple[str, str, str]:
    record_type = record_type.upper()
    with contextlib.suppress(ValueError):
        host = normalize_name(host)
    relative_host = relativize_host(host.lower(), domain)
    return relative_host, record_type, normalize_value(record_type, value, domain)


def group_by_rrset(records: Iterable[Record]) -> dict[RRset, list[Record]]:
    """Return the records of each set, in their order."""
    rrsets: dict[RRset, list[Record]] = {}
    for record in records:
        rrsets.setdefault(record.rrset, []).append(record)
    return rrsets


def find_cname_conflicts(records: Iterable[Record]) -> set[str]:
    """Return the hosts that have a CNAME beside another record, which DNS does not allow."""
    keys = {record.key for record in records}
    counts = Counter(host for host, _type, _value in keys)

    conflicts = set()
    for host, record_type, _value in keys:
        # The zone itself always has a SOA record.
        has_other_record = counts[host] > 1 or host == APEX
        if record_type == "CNAME" and has_other_record:
            conflicts.add(host)
    return conflicts


def display_records(records: Iterable[Record]) -> list[str]:
    """Return a line for each record, in the order of hosts, types and values."""
    return [record.line for record in sorted(records, key=_order_for_display)]


def _order_for_display(record: Record) -> RecordKey:
    return record.host, record.type, str(record.fields["value"])


def abbreviate_lines(lines: Iterable[str]) -> str:
    """Return the first records of a list, and of each as much as a message has room for."""
    short_lines = []
    for line in lines:
        is_short = len(line) <= _MAX_LINE
        short_lines.append(line if is_short else line[: _MAX_LINE - 1] + "…")
    return abbreviate(short_lines, MAX_LISTED, "; ")

# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads customers' own records, which froxlor adds to the zone that it generates."""

from __future__ import annotations

from ..source_rows import NoObject
from ..source_shape import Record, Zone
from .rows import OWN_OBJECT, FroxlorPanel, FroxlorRow, Owner, TableReading, read_table

_NUMBERED = frozenset({"MX", "SRV"})


def read_zones(panel: FroxlorPanel) -> None:
    """Read the records of each domain into its zone."""
    records: dict[str, list[Record]] = {}
    owners: dict[str, str] = {}

    def read(row: FroxlorRow, owner: Owner) -> list[object]:
        domain_id = row.read_reference("domain_id")
        record = _read_record(panel, row, domain_id)
        records.setdefault(domain_id, []).append(record)
        owners[domain_id] = owner.username
        return []

    entries = TableReading(
        "domain_dns_entries",
        "dns",
        read,
        lambda row: _name_record(panel, row),
        lambda row: panel.get_owner_of_domain(row.read_reference("domain_id")),
    )
    read_table(panel, entries)
    for domain_id, row in panel.domains.items():
        if domain_id in records:
            name = panel.encode_domain(row.require_text("domain"))
            zone = Zone(
                row.origin, owners[domain_id], name, tuple(records[domain_id]), is_whole=False
            )
            panel.objects.append(zone)


def _name_record(panel: FroxlorPanel, row: FroxlorRow) -> str:
    """Return what lists of a result call a record: its zone, host and type."""
    zone = panel.name_domain(row.read_reference("domain_id"))
    return f"{zone} {row.format_label('record') or '@'} {row.format_label('type')}"


def _read_record(panel: FroxlorPanel, row: FroxlorRow, domain_id: str) -> Record:
    """Return a record.

    Raises:
        NoObject: The source does not serve it, or it makes no sense.
    """
    domain = panel.domains[domain_id]
    if domain_id in panel.standard_subdomains:
        raise NoObject(OWN_OBJECT)
    if not domain.is_on("isbinddomain"):
        raise NoObject("The source serves no zone for its domain.")

    panel.encode_domain(domain.require_text("domain"))
    type_ = row.require_text("type").upper()
    value = row.require_text("content")
    if type_ in _NUMBERED:
        value = f"{row.require_number('prio')} {value}"
    return Record(
        row.origin, row.read_text("record") or "@", type_, value, row.require_number("ttl")
    )

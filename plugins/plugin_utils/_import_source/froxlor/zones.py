# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads customers' own records, which froxlor adds to the zone that it generates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..source_rows import NoObject
from ..source_shape import LeftOut, Record, Zone
from ..source_tables import Tables
from .accounts import Accounts
from .domain_rows import DomainRows
from .rows import OWN_OBJECT, FroxlorRow, Owner, RowKind, list_rows, read_row

_NUMBERED = frozenset({"MX", "SRV"})


@dataclass(frozen=True)
class Zones:
    """The zones that have records of customers, and the records that do not arrive."""

    zones: tuple[Zone, ...]
    left_out: tuple[LeftOut, ...]


def read_zones(tables: Tables, accounts: Accounts, domain_rows: DomainRows) -> Zones:
    """Return the records of each domain in its zone.

    Args:
        tables: The tables of the source.
        accounts: Whose the domains are.
        domain_rows: The domains that records name.
    """
    kind = RowKind(
        "domain_dns_entries",
        "dns",
        lambda row: _name_record(domain_rows, row),
        lambda row: domain_rows.find_owner(accounts, row.read_reference("domain_id")),
    )
    records: dict[str, list[Record]] = {}
    left_out: list[LeftOut] = []
    for row in list_rows(tables, kind.table):
        record = read_row(kind, row, lambda row, _owner: _read_record(domain_rows, row))
        if isinstance(record, LeftOut):
            left_out.append(record)
        else:
            records.setdefault(row.read_reference("domain_id"), []).append(record)
    zones = [
        _make_zone(domain_rows, row, accounts.find_owner(row), records[domain_id])
        for domain_id, row in domain_rows.by_id.items()
        if domain_id in records
    ]
    return Zones(tuple(zones), tuple(left_out))


def _make_zone(
    domain_rows: DomainRows, row: FroxlorRow, owner: Owner, records: Iterable[Record]
) -> Zone:
    """Return the zone of a domain, of which a record has arrived."""
    name = domain_rows.encode_domain(row.require_text("domain"))
    return Zone(row.origin, owner.username, name, tuple(records), is_whole=False)


def _name_record(domain_rows: DomainRows, row: FroxlorRow) -> str:
    """Return what lists of a result call a record: its zone, host and type."""
    zone = domain_rows.format_label(row.read_reference("domain_id"))
    return f"{zone} {row.format_label('record') or '@'} {row.format_label('type')}"


def _read_record(domain_rows: DomainRows, row: FroxlorRow) -> Record:
    """Return a record of a domain that has an owner.

    Raises:
        NoObject: The source does not serve it, or it makes no sense.
    """
    domain_id = row.read_reference("domain_id")
    domain = domain_rows.by_id[domain_id]
    if domain_id in domain_rows.own_ids:
        raise NoObject(OWN_OBJECT)
    if not domain.is_on("isbinddomain"):
        raise NoObject("The source serves no zone for its domain.")

    domain_rows.encode_domain(domain.require_text("domain"))  # the name of the zone
    type_ = row.require_text("type").upper()
    value = row.require_text("content")
    if type_ in _NUMBERED:
        value = f"{row.require_number('prio')} {value}"
    return Record(
        row.origin, row.read_text("record") or "@", type_, value, row.require_number("ttl")
    )

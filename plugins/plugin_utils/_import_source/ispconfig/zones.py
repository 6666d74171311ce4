# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads ISPConfig's zones with their records as a zone file has them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ....module_utils._dns.record_names import APEX, normalize_name
from ..source_rows import ZONE_LEFT_OUT, NoObject, try_row
from ..source_shape import LeftOut, Origin, Record, Zone
from ..source_tables import Row, Tables
from .rows import (
    LostColumn,
    Owners,
    ReadRows,
    RowKind,
    check_length,
    index_rows,
    is_yes,
    read_domain,
    read_fields_left_out,
    read_number,
    read_text,
    shorten_key,
    sort_rows,
)

_ZONES = RowKind("dns_soa", "dns", lambda row: (row.get("origin") or "").rstrip("."))
_SECONDARY_ZONES = RowKind("dns_slave", "dns", lambda row: (row.get("origin") or "").rstrip("."))
_NO_FILE = ("\n", "\r", "\0")
# Types whose first number stands in a column of its own.
_WITH_NUMBER = frozenset({"MX", "SRV", "NAPTR"})
_TRANSFERS = "The panel's API knows no transfers to other name servers."
_LOST = (
    LostColumn(
        "dnssec_wanted", ("N", "n"), "The panel's API knows no DNSSEC; remove its DS record."
    ),
    LostColumn("xfer", (), _TRANSFERS),
    LostColumn("also_notify", (), _TRANSFERS),
)


_NumberedRow = tuple[Origin, Row]


@dataclass(frozen=True)
class _ReadZone:
    """A zone that arrives, and its records that do not."""

    zone: Zone
    left_out: tuple[LeftOut, ...]


def read_zones(tables: Tables, owners: Owners) -> ReadRows[Zone]:
    """Return the zones that arrive, and zones and records that do not."""
    records_by_zone: dict[str, list[_NumberedRow]] = {}
    for origin, row in sort_rows(tables, "dns_rr"):
        records_by_zone.setdefault(row.get("zone") or "", []).append((origin, row))

    zones: list[Zone] = []
    left_out: list[LeftOut] = []
    for origin, row in sort_rows(tables, _ZONES.table):
        read = partial(_read_zone, owners, row, origin, records_by_zone.get(origin.id, []))
        zone = try_row(read, _ZONES.table)
        if isinstance(zone, NoObject):
            left_out.append(owners.leave_out(_ZONES, row, origin, zone.reason))
        else:
            zones.append(zone.zone)
            left_out += zone.left_out
    zone_ids = {zone.origin.id for zone in zones}
    strays = _leave_out_strays(index_rows(tables, "dns_soa"), owners, records_by_zone, zone_ids)
    return ReadRows(tuple(zones), (*left_out, *strays))


def leave_out_secondary_zones(tables: Tables, owners: Owners) -> tuple[LeftOut, ...]:
    """Return the zones whose records another name server has."""

    def refuse(row: Row, _origin: Origin) -> None:
        owners.require_owner(row)
        raise NoObject("It is a secondary zone, and the panel's API has none.")

    return owners.read_rows(tables, _SECONDARY_ZONES, refuse).left_out


def _read_zone(
    owners: Owners, row: Row, origin: Origin, record_rows: Sequence[_NumberedRow]
) -> _ReadZone:
    """Return a zone with the records that arrive; whose zone it is decides whose records.

    Args:
        owners: Whose the zone is.
        row: The row of the zone.
        origin: Where it comes from.
        record_rows: The rows of its records.

    Raises:
        NoObject: The zone does not arrive.
    """
    customer = owners.require_owner(row)
    name = read_domain(row, "origin")
    if not is_yes(row, "active"):
        raise NoObject("The zone is switched off at the source.")
    records: list[Record] = []
    left_out: list[LeftOut] = []
    for record_origin, record_row in record_rows:
        read = partial(_read_record, record_row, record_origin, name)
        record = try_row(read, record_origin.table)
        if isinstance(record, NoObject):
            label = _name_record(record_row, name)
            left_out.append(LeftOut(customer, "dns", label, record_origin, record.reason))
        else:
            records.append(record)
    omitted = read_fields_left_out(row, _LOST)
    zone = Zone(origin, customer, name, tuple(records), is_whole=True, fields_left_out=omitted)
    return _ReadZone(zone, tuple(left_out))


def _leave_out_strays(
    zones: Mapping[str, Row],
    owners: Owners,
    records_by_zone: Mapping[str, Sequence[_NumberedRow]],
    arriving: Collection[str],
) -> list[LeftOut]:
    """Return records whose zone is left out, or is not at the source.

    Args:
        zones: Rows of zones by id.
        owners: Whose rows are.
        records_by_zone: The rows of records by the id of their zone.
        arriving: Ids of the zones whose records are accounted for.
    """
    left_out: list[LeftOut] = []
    for zone_id, rows in records_by_zone.items():
        if zone_id in arriving:
            continue
        zone = zones.get(zone_id)
        name = "" if zone is None else _ZONES.name(zone)
        reason = "Its zone is not at the source." if zone is None else ZONE_LEFT_OUT
        for origin, row in rows:
            owner = owners.find_owner(row if zone is None else zone)
            left_out.append(LeftOut(owner, "dns", _name_record(row, name), origin, reason))
    return left_out


def _read_record(row: Row, origin: Origin, zone: str) -> Record:
    """Return a row as a record of its zone."""
    if not is_yes(row, "active"):
        raise NoObject("The record is switched off at the source.")
    record_type = read_text(row, "type").strip().upper()
    value = read_text(row, "data").strip()
    if not record_type or not value:
        raise NoObject("The record has no type or no value.")
    if any(sign in value for sign in _NO_FILE):
        raise NoObject("The value of the record has several lines.")
    if record_type in _WITH_NUMBER:
        value = f"{_require_number(row, 'aux')} {value}"
    return Record(origin, _read_host(row, zone), record_type, value, _require_number(row, "ttl"))


def _require_number(row: Row, column: str) -> int:
    """Return a number that a record cannot be without."""
    number = read_number(row, column)
    if number is None or number < 0:
        raise NoObject(f"Its column {column} is no number.")
    return number


def _read_host(row: Row, zone: str) -> str:
    """Return the host of a record relative to its zone; the name is absolute with a final dot."""
    name = read_text(row, "name").strip()
    if name in ("", APEX):
        return APEX
    try:
        host = normalize_name(check_length(name))
    except ValueError:
        raise NoObject("Its name cannot be written in a zone.") from None
    if not host.endswith("."):
        return host
    if host == f"{zone}.":
        return APEX
    if not host.endswith(f".{zone}."):
        raise NoObject("Its name is outside of its zone.")
    return host[: -len(zone) - 2]


def _name_record(row: Row, zone: str) -> str:
    """Return how a record is named in the lists."""
    values = (zone, row.get("name") or APEX, row.get("type") or "")
    return shorten_key(" ".join(value for value in values if value))

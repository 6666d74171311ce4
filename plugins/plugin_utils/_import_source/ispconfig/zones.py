# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads ISPConfig's zones with their records as a zone file has them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from ....module_utils._dns.record_names import APEX, normalize_name
from ..source_rows import ZONE_LEFT_OUT, NoObject, try_row
from ..source_shape import LeftOut, Origin, Record, Zone
from ..source_tables import Row
from .rows import (
    IspconfigPanel,
    LostColumn,
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


def read_zones(panel: IspconfigPanel) -> tuple[Zone, ...]:
    """Return the zones that arrive, and note records that do not."""
    records_by_zone: dict[str, list[tuple[Origin, Row]]] = {}
    for origin, row in sort_rows(panel.tables, "dns_rr"):
        records_by_zone.setdefault(row.get("zone") or "", []).append((origin, row))

    def read(row: Row, origin: Origin) -> Zone:
        customer = panel.require_owner(row)
        name = read_domain(row, "origin")
        if not is_yes(row, "active"):
            raise NoObject("The zone is switched off at the source.")
        rows = records_by_zone.get(origin.id, [])
        records = _read_records(panel, customer, name, rows)
        omitted = read_fields_left_out(row, _LOST)
        return Zone(origin, customer, name, records, is_whole=True, fields_left_out=omitted)

    zones = panel.read_rows(_ZONES, read)
    _note_strays(panel, records_by_zone, {zone.origin.id for zone in zones})
    return zones


def leave_out_secondary_zones(panel: IspconfigPanel) -> None:
    """Note the zones whose records another name server has."""

    def refuse(row: Row, _origin: Origin) -> None:
        panel.require_owner(row)
        raise NoObject("It is a secondary zone, and the panel's API has none.")

    panel.read_rows(_SECONDARY_ZONES, refuse)


def _read_records(
    panel: IspconfigPanel, customer: str, zone: str, rows: Sequence[tuple[Origin, Row]]
) -> tuple[Record, ...]:
    """Return the records of a zone that arrive; whose zone it is decides whose records."""
    records = []
    for origin, row in rows:
        record = _try_record(panel, customer, zone, (origin, row))
        if record is not None:
            records.append(record)
    return tuple(records)


def _try_record(
    panel: IspconfigPanel, customer: str, zone: str, numbered: tuple[Origin, Row]
) -> Record | None:
    """Return a record; None for one that does not arrive, which is noted."""
    origin, row = numbered
    record = try_row(partial(_read_record, row, origin, zone), origin.table)
    if isinstance(record, NoObject):
        panel.note(LeftOut(customer, "dns", _name_record(row, zone), origin, record.reason))
        return None
    return record


def _note_strays(
    panel: IspconfigPanel,
    records_by_zone: Mapping[str, Sequence[tuple[Origin, Row]]],
    arriving: Collection[str],
) -> None:
    """Note records whose zone is left out, or is not at the source.

    Args:
        panel: The tables.
        records_by_zone: The rows of records by the id of their zone.
        arriving: Ids of the zones whose records are accounted for.
    """
    zones = index_rows(panel.tables, "dns_soa")
    for zone_id, rows in records_by_zone.items():
        if zone_id in arriving:
            continue
        zone = zones.get(zone_id)
        name = "" if zone is None else _ZONES.name(zone)
        reason = "Its zone is not at the source." if zone is None else ZONE_LEFT_OUT
        for origin, row in rows:
            owner = panel.find_owner(row if zone is None else zone)
            panel.note(LeftOut(owner, "dns", _name_record(row, name), origin, reason))


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

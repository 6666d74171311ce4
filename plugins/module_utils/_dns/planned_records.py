# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans the records that a zone will have. Pure."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from .._values.value_types import contains
from .desired_zone import DesiredZone
from .record_options import RECORD_FIELDS
from .records import Record, RecordKey, RRset, Zone, group_by_rrset, normalize_records

# The records of the panel's default zones have this TTL (docs/panel_api.md#usual-ttl).
_DEFAULT_TTL = 86400


class PlannedRecord(NamedTuple):
    """Describes a record that a zone will have.

    record: The record as it will be.
    stays: Whether the zone has it already, exactly so.
    """

    record: Record
    stays: bool


def select_managed_rrsets(
    zone: Zone,
    records: Iterable[Record],
    requested: Iterable[Record],
    desired: DesiredZone,
) -> set[RRset]:
    """Return the record sets that the task decides about.

    They are those that it lists, and with ``purge`` all others that nothing protects. A purge leaves
    sets outside of the zone, which a panel may show: no option creates one again.
    """
    managed = {record.rrset for record in requested}
    if desired.purge:
        patterns = normalize_records(desired.protect, zone, desired.domain)
        for rrset in {record.rrset for record in records}:
            host, _record_type = rrset
            is_protected = any(matches_pattern(rrset, pattern) for pattern in patterns)
            if not host.endswith(".") and not is_protected:
                managed.add(rrset)
    return managed


def matches_pattern(rrset: RRset, pattern: Record) -> bool:
    """Tell whether host and type of a set match the shell patterns of an entry of protect."""
    host, record_type = rrset
    if not fnmatch.fnmatchcase(host, pattern.host):
        return False
    return fnmatch.fnmatchcase(record_type, pattern.type)


def plan_records(
    records: Sequence[Record],
    requested: Sequence[Record],
    managed: Set[RRset],
    desired: DesiredZone,
) -> list[PlannedRecord]:
    """Return the records that the zone will have.

    Those that it has keep their places, and new values come at the end. After a purge the requested
    order holds, so that a zone put back from ``records_before`` looks as it did.

    Args:
        records: What the zone has.
        requested: What the task lists.
        managed: The record sets that the task decides about.
        desired: What the task wants of the zone.
    """
    if desired.state == "absent":
        return _remove_records(records, requested)

    request = _collect_request(records, requested, appends=desired.append)
    planned = _adapt_records(records, request, managed, desired)
    for new_record in _make_new_records(records, request):
        planned.append(PlannedRecord(new_record, stays=False))

    if desired.purge:
        positions = {key: position for position, key in enumerate(request.values)}
        planned.sort(key=lambda entry: positions.get(entry.record.key, -1))
    return planned


def _adapt_records(
    records: Sequence[Record],
    request: _RequestedRecords,
    managed: Set[RRset],
    desired: DesiredZone,
) -> list[PlannedRecord]:
    """Return the existing records that stay, as the task requests them."""
    identities = {record.identity for record in records}
    planned: list[PlannedRecord] = []
    for record in records:
        if record.key in request.values:
            adapted = _adapt(record, request)
            gets_other_ttl = adapted.record.ttl != record.ttl
            # A zone may have a value twice, with two TTLs: with the same one it is there once.
            if gets_other_ttl and adapted.record.identity in identities:
                continue
            identities.add(adapted.record.identity)
            planned.append(adapted)
        elif desired.append or record.rrset not in managed:
            planned.append(PlannedRecord(record, stays=True))
    return planned


def _remove_records(records: Iterable[Record], requested: Iterable[Record]) -> list[PlannedRecord]:
    """Return the existing records but those that the task lists."""
    removed_keys = set()
    removed_rrsets = set()
    for record in requested:
        if "value" in record.fields:
            removed_keys.add(record.key)
        else:
            # A record without a value stands for its set.
            removed_rrsets.add(record.rrset)

    return [
        PlannedRecord(record, stays=True)
        for record in records
        if record.key not in removed_keys and record.rrset not in removed_rrsets
    ]


class _RequestedRecords(NamedTuple):
    """What a task lists, by what it is compared with.

    values: Each value once, in the requested order.
    value_ttls: The TTLs of values.
    rrset_ttls: The TTLs for the other values of their sets.
    listed_ttls: The TTLs as they are listed: a zone may have a value twice, with two TTLs.
    """

    values: dict[RecordKey, Record]
    value_ttls: dict[RecordKey, int]
    rrset_ttls: dict[RRset, int]
    listed_ttls: set[tuple[RecordKey, int]]

    def find_ttl(self, record: Record) -> int | None:
        """Return the TTL that a record shall have; None where the task says nothing of it."""
        if record.key in self.value_ttls:
            return self.value_ttls[record.key]
        return self.rrset_ttls.get(record.rrset)


def _collect_request(
    records: Iterable[Record],
    requested: Iterable[Record],
    appends: bool,
) -> _RequestedRecords:
    existing_rrsets = {record.rrset for record in records}
    request = _RequestedRecords({}, {}, {}, set())
    for record in requested:
        request.values.setdefault(record.key, record)
        # Values that are added get the TTL of their set.
        joins_existing_rrset = appends and record.rrset in existing_rrsets
        if record.ttl is not None and not joins_existing_rrset:
            request.value_ttls.setdefault(record.key, record.ttl)
            request.rrset_ttls.setdefault(record.rrset, record.ttl)
            request.listed_ttls.add((record.key, record.ttl))
    return request


def _adapt(record: Record, request: _RequestedRecords) -> PlannedRecord:
    """Return an existing record with the TTL and the further fields that the task lists."""
    fields = request.values[record.key].fields
    changes = {name: value for name, value in fields.items() if name not in RECORD_FIELDS}
    ttl = record.ttl
    if (record.key, record.ttl) not in request.listed_ttls:
        requested_ttl = request.find_ttl(record)
        if requested_ttl is not None:
            ttl = requested_ttl
    if ttl != record.ttl:
        changes["ttl"] = ttl

    if contains(record.fields, changes):
        return PlannedRecord(record, stays=True)
    adapted = record._replace(fields={**record.fields, **changes}, ttl=ttl)
    return PlannedRecord(adapted, stays=False)


def _make_new_records(records: Sequence[Record], request: _RequestedRecords) -> list[Record]:
    """Return the requested values that the zone does not have, each with a TTL."""
    existing_keys = {record.key for record in records}
    rrsets = group_by_rrset(records)
    zone_ttl = _find_usual_ttl(records, _DEFAULT_TTL)

    new_records = []
    for key, record in request.values.items():
        if key in existing_keys:
            continue
        ttl = request.find_ttl(record)
        if ttl is None:  # 0 is a TTL
            ttl = _find_usual_ttl(rrsets.get(record.rrset, ()), zone_ttl)
        fields = {**record.fields, "host": record.host, "ttl": ttl}
        new_records.append(record._replace(fields=fields, ttl=ttl))
    return new_records


def _find_usual_ttl(records: Iterable[Record], default: int) -> int:
    """Return the most frequent TTL of records."""
    counts = Counter(record.ttl for record in records if isinstance(record.ttl, int))
    if not counts:
        return default
    return counts.most_common(1)[0][0]

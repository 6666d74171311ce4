# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes of the records that a zone will have the request that changes it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

from .desired_zone import DesiredZone
from .planned_records import PlannedRecord
from .records import Record, RRset, Zone, display_records, group_by_rrset

# What check mode takes for the zone of a domain that an earlier task is about to create.
NEW_ZONE: dict[str, Any] = {
    "is_custom_dns": False,
    "is_dns_disabled": False,
    "dkim_record": None,
    "records": {"soa": {}, "other": []},
}


class ZonePlan(NamedTuple):
    """Describes one change of one zone.

    Attributes:
        zone: The zone as it will be.
        method: PUT or DELETE; empty for no change.
        body: The body of the PUT.
        before: The managed part before the change, for the diff.
        after: The managed part after it.
        entries: The record sets that change; of a zone that is reset or switched off all of them,
            though some may be among the default ones.
    """

    zone: Zone
    method: str = ""
    body: Mapping[str, Any] = {}
    before: Mapping[str, Any] = {}
    after: Mapping[str, Any] = {}
    entries: Sequence[Mapping[str, Any]] = ()

    @property
    def is_change(self) -> bool:
        """Tell whether the plan needs a request."""
        return bool(self.method)

    def has_same_effect(self, other: ZonePlan) -> bool:
        """Tell whether both plans change the same, whatever else the zone holds."""
        if self.before != other.before or self.after != other.after:
            return False
        return self.entries == other.entries


def make_zone_plan(
    zone: Zone,
    records: Sequence[Record],
    planned: Sequence[PlannedRecord],
    managed: Set[RRset],
    desired: DesiredZone,
) -> ZonePlan:
    """Make the plan that gives a zone its records.

    Args:
        zone: The zone as it is.
        records: Its records.
        planned: The records that it will have, as ``plan_records`` returns them.
        managed: The record sets that the task decides about, which the diff shows.
        desired: What the task wants of it.
    """
    soa = zone["records"]["soa"]
    new_soa = _plan_soa(soa, desired)
    entries = list_changed_rrsets(records, planned)
    before = _describe_managed_part(records, soa, managed, desired)
    if not entries and new_soa == soa:
        return ZonePlan(zone, before=before, after=before)

    new_records = [entry.record for entry in planned]
    after = _describe_managed_part(new_records, new_soa, managed, desired)
    # Nothing but records is sent, since is_dns_disabled beside them would make the panel ignore
    # them (docs/panel_api.md#complete-zones).
    content = {"soa": new_soa, "other": [dict(record.fields) for record in new_records]}
    predicted = {
        **zone,
        "is_custom_dns": True,
        "is_dns_disabled": False,
        "records": {**zone["records"], **content},
    }
    return ZonePlan(predicted, "PUT", {"records": content}, before, after, entries)


def _plan_soa(soa: Mapping[str, Any], desired: DesiredZone) -> dict[str, Any]:
    """Return the fields of the SOA record; what is only spelled differently stays as it is."""
    changes = {
        name: value
        for name, value in desired.soa.items()
        if not has_same_soa_value(value, soa.get(name))
    }
    return {**soa, **changes}


def has_same_soa_value(requested: Any, current: Any) -> bool:
    """Tell whether two values of a field of the SOA record differ in their spelling at most."""
    return bool(_normalize_soa_value(requested) == _normalize_soa_value(current))


def _normalize_soa_value(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip().rstrip(".").lower()
    return value


def _describe_managed_part(
    records: Iterable[Record],
    soa: Mapping[str, Any],
    managed: Set[RRset],
    desired: DesiredZone,
) -> dict[str, Any]:
    """Return what the diff shows of a zone."""
    displayed: dict[str, Any] = {}
    if desired.records is not None:
        displayed["records"] = display_records(
            record for record in records if record.rrset in managed
        )
    if desired.soa:
        displayed["soa"] = {name: soa.get(name) for name in desired.soa}
    return displayed


def list_changed_rrsets(
    records: Iterable[Record],
    planned: Collection[PlannedRecord],
) -> list[dict[str, Any]]:
    """Return the sets in which something changes, each with its values before and after."""
    current_rrsets = group_by_rrset(records)
    new_rrsets = group_by_rrset(entry.record for entry in planned)
    staying_counts = Counter(entry.record.rrset for entry in planned if entry.stays)

    entries = []
    for rrset in sorted({*current_rrsets, *new_rrsets}):
        current = current_rrsets.get(rrset, [])
        new = new_rrsets.get(rrset, [])
        if len(current) == len(new) == staying_counts[rrset]:
            continue
        host, record_type = rrset
        entries.append(
            {
                "host": host,
                "type": record_type,
                "ttl": (new or current)[0].ttl,
                "before": _list_values(current),
                "after": _list_values(new),
            }
        )
    return entries


def _list_values(records: Iterable[Record]) -> list[str]:
    return sorted(str(record.fields["value"]) for record in records)

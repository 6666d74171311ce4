# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes of the records that a zone will have the request that changes it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from itertools import chain
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


class RRsetChange(NamedTuple):
    """Describes one record set before and after a change of its zone.

    Attributes:
        before: Its records as they are.
        after: Its records as they will be.
        is_change: Whether they differ; a plan also has the sets that the task leaves as they are.
    """

    before: Sequence[Record]
    after: Sequence[Record]
    is_change: bool = True

    def has_same_effect(self, other: RRsetChange) -> bool:
        """Tell whether both begin and end with the same values and TTLs, in whatever order."""
        if self.is_change != other.is_change:
            return False
        if _count_values(self.before) != _count_values(other.before):
            return False
        return _count_values(self.after) == _count_values(other.after)


def _count_values(records: Iterable[Record]) -> Counter[tuple[Any, str]]:
    return Counter((record.ttl, str(record.fields["value"])) for record in records)


class ValueChange(NamedTuple):
    """Describes one value before and after a change, which may leave it as it is."""

    before: Any
    after: Any


class ZonePlan(NamedTuple):
    """Describes one change of one zone.

    Attributes:
        zone: The zone as it will be.
        method: PUT or DELETE; empty for no change.
        body: The body of the PUT.
        rrsets: The record sets that the task decides about, in the order of their names; of a zone
            that is reset or switched off all of them, though some may be among the default ones.
            None where the task decides about no records.
        soa: The fields of the SOA record that the task decides about.
        switches: The switches of the zone that the task decides about, instead of records.
    """

    zone: Zone
    method: str = ""
    body: Mapping[str, Any] = {}
    rrsets: Mapping[RRset, RRsetChange] | None = None
    soa: Mapping[str, ValueChange] = {}
    switches: Mapping[str, ValueChange] = {}

    @property
    def is_change(self) -> bool:
        """Tell whether the plan needs a request."""
        return bool(self.method)

    @property
    def changed_rrsets(self) -> dict[RRset, RRsetChange]:
        """Return the record sets in which something changes."""
        rrsets = self.rrsets or {}
        return {rrset: change for rrset, change in rrsets.items() if change.is_change}

    @property
    def before(self) -> dict[str, Any]:
        """Display the managed part before the change, for the diff."""
        if self.switches:
            return {name: change.before for name, change in self.switches.items()}
        soa = {name: change.before for name, change in self.soa.items()}
        if self.rrsets is None:
            return _display_managed_part(None, soa)
        return _display_managed_part([change.before for change in self.rrsets.values()], soa)

    @property
    def after(self) -> dict[str, Any]:
        """Display the managed part after the change, for the diff."""
        if self.switches:
            return {name: change.after for name, change in self.switches.items()}
        soa = {name: change.after for name, change in self.soa.items()}
        if self.rrsets is None:
            return _display_managed_part(None, soa)
        return _display_managed_part([change.after for change in self.rrsets.values()], soa)

    def has_same_effect(self, other: ZonePlan) -> bool:
        """Tell whether both plans change the same, whatever else the zone holds."""
        if self.soa != other.soa or self.switches != other.switches:
            return False
        rrsets = self.rrsets or {}
        other_rrsets = other.rrsets or {}
        if rrsets.keys() != other_rrsets.keys():
            return False
        return all(change.has_same_effect(other_rrsets[name]) for name, change in rrsets.items())


def _display_managed_part(
    rrsets: Iterable[Sequence[Record]] | None,
    soa: Mapping[str, Any],
) -> dict[str, Any]:
    """Return what the diff shows of a zone.

    Args:
        rrsets: The records of each set; None where the task decides about no records.
        soa: The fields of the SOA record that the task decides about.
    """
    displayed: dict[str, Any] = {}
    if rrsets is not None:
        displayed["records"] = display_records(chain.from_iterable(rrsets))
    if soa:
        displayed["soa"] = soa
    return displayed


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
        managed: The record sets that the task decides about.
        desired: What the task wants of it.
    """
    soa = zone["records"]["soa"]
    new_soa = _plan_soa(soa, desired)
    soa_changes = {name: ValueChange(soa.get(name), new_soa.get(name)) for name in desired.soa}
    rrsets = None
    if desired.records is not None:
        rrsets = compare_rrsets(records, planned, managed)
    plan = ZonePlan(zone, rrsets=rrsets, soa=soa_changes)
    if not plan.changed_rrsets and new_soa == soa:
        return plan

    # Nothing but records is sent, since is_dns_disabled beside them would make the panel ignore
    # them (docs/panel_api.md#complete-zones).
    content = {"soa": new_soa, "other": [dict(entry.record.fields) for entry in planned]}
    predicted = {
        **zone,
        "is_custom_dns": True,
        "is_dns_disabled": False,
        "records": {**zone["records"], **content},
    }
    return plan._replace(zone=predicted, method="PUT", body={"records": content})


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


def compare_rrsets(
    records: Iterable[Record],
    planned: Collection[PlannedRecord],
    managed: Set[RRset],
) -> dict[RRset, RRsetChange]:
    """Return the sets that the task decides about, before and after the change.

    Args:
        records: The records of the zone.
        planned: The records that it will have.
        managed: The record sets that the task decides about.
    """
    current_rrsets = group_by_rrset(records)
    new_rrsets = group_by_rrset(entry.record for entry in planned)
    staying_counts = Counter(entry.record.rrset for entry in planned if entry.stays)

    changes = {}
    for rrset in sorted({*current_rrsets, *new_rrsets}):
        current = current_rrsets.get(rrset, [])
        new = new_rrsets.get(rrset, [])
        stays = len(current) == len(new) == staying_counts[rrset]
        if rrset in managed or not stays:
            changes[rrset] = RRsetChange(current, new, is_change=not stays)
    return changes


def display_changed_rrsets(plan: ZonePlan) -> list[dict[str, Any]]:
    """Return for people the sets in which something changes, with their values before and after."""
    entries = []
    for (host, record_type), change in plan.changed_rrsets.items():
        first_record = (change.after or change.before)[0]
        entries.append(
            {
                "host": host,
                "type": record_type,
                "ttl": first_record.ttl,
                "before": _list_values(change.before),
                "after": _list_values(change.after),
            }
        )
    return entries


def _list_values(records: Iterable[Record]) -> list[str]:
    return sorted(str(record.fields["value"]) for record in records)

# SPDX-License-Identifier: GPL-3.0-or-later
"""From a zone and what is desired of it to one request. Pure: dictionaries in, a ZonePlan out.

The panel takes complete zones only (docs/panel_api.md#complete-zones), so a plan carries all
records: those that the task does not name exactly as the panel showed them.
"""

from __future__ import annotations

from collections.abc import Mapping

from .desired_zone import DesiredZone
from .planned_records import plan_records, select_managed_rrsets
from .records import Zone, group_by_rrset, list_records, normalize_records
from .zone_change import NEW_ZONE, RRsetChange, ValueChange, ZonePlan, make_zone_plan
from .zone_guards import (
    enforce_purge_limit,
    refuse_cname_conflicts,
    refuse_disabled_dns,
    refuse_unusual_values,
)


def plan_zone(zone: Zone | None, desired: DesiredZone) -> ZonePlan:
    """Plan the change that makes a zone what is desired.

    Args:
        zone: The zone as it is; None where its domain is still to be created.
        desired: What the task wants of it, located.

    Raises:
        Conflict: The change is refused.
        OptionError: The zone has not yet what the options refuse.
    """
    current = NEW_ZONE if zone is None else zone
    if desired.state == "default":
        switches = {"is_custom_dns": False, "is_dns_disabled": False}
        return _plan_switches(current, desired, switches, method="DELETE")
    if desired.is_dns_disabled is not None:
        switches = {"is_dns_disabled": desired.is_dns_disabled}
        return _plan_switches(current, desired, switches, method="PUT")
    return _plan_records(current, desired)


def _plan_switches(
    zone: Zone,
    desired: DesiredZone,
    switches: Mapping[str, bool],
    method: str,
) -> ZonePlan:
    """Plan a change after which the zone has the panel's default records, or none.

    Args:
        zone: The zone as it is.
        desired: What the task wants of it.
        switches: What the task sets.
        method: Of the request; a DELETE has no body.
    """
    changes = {name: ValueChange(zone.get(name), value) for name, value in switches.items()}
    if all(change.before == change.after for change in changes.values()):
        return ZonePlan(zone, switches=changes)
    # The panel decides which records a default zone has (docs/panel_api.md#default-zones).
    predicted = {
        **zone,
        "is_custom_dns": False,
        **switches,
        "records": {**zone["records"], "other": []},
    }
    body = switches if method == "PUT" else {}
    current_rrsets = group_by_rrset(list_records(zone, desired.domain))
    removed_rrsets = {
        rrset: RRsetChange(current_rrsets[rrset], []) for rrset in sorted(current_rrsets)
    }
    return ZonePlan(predicted, method, body, removed_rrsets, switches=changes)


def _plan_records(zone: Zone, desired: DesiredZone) -> ZonePlan:
    """Plan a change of records and of the SOA record."""
    refuse_disabled_dns(zone, desired)
    records = list_records(zone, desired.domain)
    requested = normalize_records(desired.records or (), zone, desired.domain)
    refuse_unusual_values(zone, records, requested, desired)

    managed = select_managed_rrsets(zone, records, requested, desired)
    planned = plan_records(records, requested, managed, desired)
    plan = make_zone_plan(zone, records, planned, managed, desired)
    if not plan.is_change:
        return plan

    new_records = [entry.record for entry in planned]
    refuse_cname_conflicts(records, new_records, desired)
    if desired.purge:
        enforce_purge_limit(records, new_records, plan, desired)
    return plan

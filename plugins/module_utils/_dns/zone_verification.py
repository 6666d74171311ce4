# SPDX-License-Identifier: GPL-3.0-or-later
"""What a zone lacks after its write. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._errors import Conflict, OptionError
from .desired_zone import DesiredZone
from .planning import Zone, ZonePlan, plan_zone
from .record_options import SOA_FIELDS
from .record_values import Record, list_records, normalize_records


class ZoneShortfall(NamedTuple):
    """Describes what a zone lacks after its write.

    Attributes:
        lost: Records of others, and fields of the SOA record, as lines.
        lost_records: These records as the panel had shown them.
        unmet: What the task wanted, as lines or in words.
    """

    lost: list[str]
    lost_records: list[Mapping[str, Any]]
    unmet: list[str]

    @property
    def is_empty(self) -> bool:
        """Tell whether the zone has all that it should."""
        return not self.lost and not self.unmet


def verify_zone(before: Zone, plan: ZonePlan, after: Zone, desired: DesiredZone) -> ZoneShortfall:
    """Compare a zone after its write with the plan.

    Records that others added in the meantime are no shortfall.

    Args:
        before: The zone before the write.
        plan: What was written.
        after: The zone after the write.
        desired: What the task wants of it.
    """
    lost_records = _find_lost_records(before, plan, after, desired)
    lost_lines = [record.line for record in lost_records]
    return ZoneShortfall(
        lost=lost_lines + _find_lost_soa_fields(plan, after, desired),
        lost_records=[record.fields for record in lost_records],
        unmet=_find_unmet(plan, after, desired),
    )


def _find_lost_records(
    before: Zone,
    plan: ZonePlan,
    after: Zone,
    desired: DesiredZone,
) -> list[Record]:
    """Return the records that were sent as they had been, and that are gone."""
    identities_before = {record.identity for record in list_records(before, desired.domain)}
    identities_after = {record.identity for record in list_records(after, desired.domain)}
    gone = identities_before - identities_after
    sent = plan.body.get("records", {}).get("other", [])
    sent_records = normalize_records(sent, after, desired.domain)
    return [record for record in sent_records if record.identity in gone]


def _find_lost_soa_fields(plan: ZonePlan, after: Zone, desired: DesiredZone) -> list[str]:
    sent_soa = plan.body.get("records", {}).get("soa", {})
    current_soa = after["records"]["soa"]
    lines = []
    for name, value in sent_soa.items():
        is_foreign = name in SOA_FIELDS and name not in desired.soa
        if is_foreign and value != current_soa.get(name):
            lines.append(f"SOA {name} {value}")
    return lines


def _find_unmet(plan: ZonePlan, after: Zone, desired: DesiredZone) -> list[str]:
    """Return what the task wanted and the zone does not have, in words or lines."""
    displayed = {name: value for name, value in after.items() if value is not None}
    # A switch that the panel does not show is as it was sent.
    current = {**plan.after, **displayed}
    try:
        next_plan = plan_zone(current, desired._replace(max_delete_percent=100))
    except (Conflict, OptionError):
        return _describe_switches(plan, after)
    if not next_plan.is_change:
        return []

    current_lines = set(next_plan.before.get("records", ()))
    missing_lines = set(next_plan.after.get("records", ())) - current_lines
    if missing_lines:
        return sorted(missing_lines)
    return _describe_switches(plan, after)


def _describe_switches(plan: ZonePlan, after: Zone) -> list[str]:
    """Return the switches that are not as they were planned, or that something else is wrong."""
    lines = [
        f"{name}: {plan.zone[name]}".lower()
        for name in ("is_dns_disabled", "is_custom_dns")
        if name in plan.zone and after.get(name) not in (plan.zone[name], None)
    ]
    return lines or ["the zone is not as the task requires"]

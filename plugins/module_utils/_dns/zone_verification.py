# SPDX-License-Identifier: GPL-3.0-or-later
"""What a zone lacks after its write. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._errors import Conflict, OptionError
from .desired_zone import DesiredZone
from .planning import plan_zone
from .record_options import SOA_FIELDS
from .records import Record, RRset, Zone, list_records, normalize_records
from .zone_change import ValueChange, ZonePlan, has_same_soa_value


class KeptValue(NamedTuple):
    """Describes what the panel keeps in place of what was sent.

    name: What has the value.
    sent: The value that was sent.
    kept: The value that the zone has after the write.
    unmet: The line of the shortfall that it explains.
    """

    name: str
    sent: str
    kept: str
    unmet: str


class ZoneShortfall(NamedTuple):
    """Describes what a zone lacks after its write.

    lost_lines: Records of others, and fields of the SOA record, as lines.
    lost_records: These records as the panel had shown them.
    unmet: What the task desires, as lines or in words.
    kept_values: The other values that the panel keeps for some of it.
    """

    lost_lines: list[str]
    lost_records: list[Mapping[str, Any]]
    unmet: list[str]
    kept_values: list[KeptValue]

    @property
    def is_empty(self) -> bool:
        """Tell whether the zone has all that it should."""
        return not self.lost_lines and not self.unmet

    def report(self) -> dict[str, Any]:
        """Return the fields of an error about it."""
        return {"lost": self.lost_lines, "lost_records": self.lost_records, "unmet": self.unmet}


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
    next_plan = _plan_again(plan, after, desired)
    return ZoneShortfall(
        lost_lines=lost_lines + _find_lost_soa_fields(plan, after, desired),
        lost_records=[record.fields for record in lost_records],
        unmet=_find_unmet(plan, after, next_plan),
        kept_values=_find_kept_values(before, after, next_plan, desired),
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
    lost_identities = identities_before - identities_after
    sent = plan.body.get("records", {}).get("other", [])
    sent_records = normalize_records(sent, after, desired.domain)
    return [record for record in sent_records if record.identity in lost_identities]


def _find_lost_soa_fields(plan: ZonePlan, after: Zone, desired: DesiredZone) -> list[str]:
    sent_soa = plan.body.get("records", {}).get("soa", {})
    current_soa = after["records"]["soa"]
    lines = []
    for name, value in sent_soa.items():
        is_foreign = name in SOA_FIELDS and name not in desired.soa
        if is_foreign and not has_same_soa_value(value, current_soa.get(name)):
            lines.append(f"SOA {name} {value}")
    return lines


def _plan_again(plan: ZonePlan, after: Zone, desired: DesiredZone) -> ZonePlan | None:
    """Return the plan of a second run of the task; None where it is refused."""
    displayed = {name: value for name, value in after.items() if value is not None}
    # A switch that the panel does not show is as it was sent.
    sent_switches = {name: change.after for name, change in plan.switches.items()}
    current = {**sent_switches, **displayed}
    try:
        return plan_zone(current, desired._replace(max_delete_percent=100))
    except (Conflict, OptionError):
        return None


def _find_unmet(plan: ZonePlan, after: Zone, next_plan: ZonePlan | None) -> list[str]:
    """Return what the task desires and the zone does not have, in words or lines."""
    if next_plan is None:
        return _describe_switches(plan, after)
    if not next_plan.is_change:
        return []

    lines = sorted(record.line for record in _list_missing_records(next_plan))
    for name, change in next_plan.soa.items():
        if change.before != change.after:
            lines.append(_describe_soa_field(name, change))
    return lines or _describe_switches(plan, after)


def _list_missing_records(next_plan: ZonePlan) -> list[Record]:
    """Return the records that a second run would add, or give another TTL."""
    missing = []
    for change in next_plan.changed_rrsets.values():
        identities = {record.identity for record in change.before}
        missing += [record for record in change.after if record.identity not in identities]
    return missing


def _describe_soa_field(name: str, change: ValueChange) -> str:
    return f"SOA {name} {change.after}"


def _find_kept_values(
    before: Zone,
    after: Zone,
    next_plan: ZonePlan | None,
    desired: DesiredZone,
) -> list[KeptValue]:
    """Return what the panel keeps in place of what the task desires."""
    if next_plan is None or not next_plan.is_change:
        return []
    kept_values = _find_kept_soa_fields(next_plan)
    current = list_records(after, desired.domain)
    identities = {record.identity for record in current}
    planned = list_records(next_plan.zone, desired.domain)
    missing = [record for record in planned if record.identity not in identities]
    records_by_key = {record.key: record for record in current}

    missing_values = []
    for record in missing:
        current_record = records_by_key.get(record.key)
        if current_record is None:
            missing_values.append(record)
            continue
        name = f"the TTL of {record.host} {record.type}"
        sent = str(record.ttl)
        kept = str(current_record.ttl)
        kept_values.append(KeptValue(name, sent, kept, record.line))

    known_records = [*list_records(before, desired.domain), *planned]
    new_values = _list_new_values(known_records, current)
    return kept_values + _find_replaced_values(missing_values, new_values)


def _find_kept_soa_fields(next_plan: ZonePlan) -> list[KeptValue]:
    kept_values = []
    for name, change in next_plan.soa.items():
        if change.before != change.after:
            line = _describe_soa_field(name, change)
            kept_value = KeptValue(f"SOA {name}", str(change.after), str(change.before), line)
            kept_values.append(kept_value)
    return kept_values


def _find_replaced_values(
    missing: Sequence[Record],
    new_values: Mapping[RRset, Sequence[str]],
) -> list[KeptValue]:
    """Return the values for which another one came; of several nobody knows which belongs where."""
    counts = Counter(record.rrset for record in missing)
    kept_values = []
    for record in missing:
        values = new_values.get(record.rrset, ())
        if len(values) == 1 and counts[record.rrset] == 1:
            name = f"{record.host} {record.type}"
            sent = str(record.fields["value"])
            kept_values.append(KeptValue(name, sent, values[0], record.line))
    return kept_values


def _list_new_values(
    known_records: Iterable[Record],
    current: Iterable[Record],
) -> dict[RRset, list[str]]:
    """Return by record set the values that the zone has and that are not known.

    Args:
        known_records: The records from before the write, and those that the task wants.
        current: The records after it.
    """
    keys = {record.key for record in known_records}
    values: dict[RRset, list[str]] = {}
    for record in current:
        if record.key not in keys:
            values.setdefault(record.rrset, []).append(str(record.fields["value"]))
    return values


def _describe_switches(plan: ZonePlan, after: Zone) -> list[str]:
    """Return the switches that are not as they were planned, or that something else is wrong."""
    lines = [
        f"{name}: {plan.zone[name]}".lower()
        for name in ("is_dns_disabled", "is_custom_dns")
        if name in plan.zone and after.get(name) not in (plan.zone[name], None)
    ]
    return lines or ["the zone is not as the task requires"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses changes of a zone: what the panel would ignore, what DNS does not allow, and a purge that
removes more than its limit. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .._errors import Conflict, raise_if_any
from .._plan.masked_texts import IsMaskedForm, refuse_masked_texts
from .._problems import Problem, Written
from .desired_zone import DesiredZone
from .records import Record, Zone, abbreviate_lines, display_records, find_cname_conflicts
from .zone_change import ZonePlan, has_same_soa_value


def refuse_disabled_dns(zone: Zone, desired: DesiredZone) -> None:
    """Raise Conflict for records of a zone that would ignore them."""
    manages_records = desired.records is not None or bool(desired.soa)
    if zone.get("is_dns_disabled") and manages_records:
        advice = "Enable it first with a separate task, is_dns_disabled: false, which brings the panel's default records."
        raise Conflict(
            "its DNS is disabled.",
            subject=desired.subject,
            option="is_dns_disabled",
            written=Written.NOTHING,
            advice=advice,
        )


def refuse_unusual_values(
    zone: Zone,
    records: Sequence[Record],
    requested: Sequence[Record],
    desired: DesiredZone,
) -> None:
    """Raise OptionError for what the options refuse, unless the zone has it or it shall go.

    A misspelled type is refused with a record that shall go, too: what was meant would stay.
    """
    problems = _find_unusual_records(records, requested, desired)
    if desired.state == "absent":
        problems = [problem for problem in problems if problem.path[-1] == "type"]
        raise_if_any([replace(problem, written=Written.NOTHING) for problem in problems])
        return
    current_soa = zone["records"]["soa"]
    for name, refused in desired.unusual_soa.items():
        if not has_same_soa_value(desired.soa[name], current_soa.get(name)):
            problems += refused

    existing_conflicts = find_cname_conflicts(records)
    for host, problem in desired.cname_conflicts.items():
        if host not in existing_conflicts:
            problems.append(problem)
    raise_if_any([replace(problem, written=Written.NOTHING) for problem in problems])


def _find_unusual_records(
    records: Sequence[Record], requested: Sequence[Record], desired: DesiredZone
) -> list[Problem]:
    """Return what the options refuse of records that the zone does not have.

    A type that the zone has is one that the panel knows, also in another record.
    """
    existing_keys = {record.key for record in records}
    existing_types = {record.type for record in records}
    problems: list[Problem] = []
    for index, refused in desired.unusual_records.items():
        record = requested[index]
        if record.key in existing_keys:
            continue
        is_known_type = record.type in existing_types
        problems += [
            problem for problem in refused if not (is_known_type and problem.path[-1] == "type")
        ]
    return problems


def refuse_cname_conflicts(
    records: Iterable[Record],
    planned: Sequence[Record],
    desired: DesiredZone,
) -> None:
    """Raise Conflict if the plan puts a CNAME beside other records."""
    new_conflicts = find_cname_conflicts(planned) - find_cname_conflicts(records)
    if not new_conflicts:
        return
    host = min(new_conflicts)
    lines = display_records(record for record in planned if record.host == host)
    raise Conflict(
        f"a CNAME allows no other record on its host, but {host} in the zone of {desired.format_label()} would have "
        f"{abbreviate_lines(lines)}.",
        option="records",
        written=Written.NOTHING,
        advice="Remove the others first (state: absent), or use purge.",
    )


def refuse_masked_records(zone: Zone | None, plan: ZonePlan, is_masked_form: IsMaskedForm) -> None:
    """Raise OptionError for a new record that is one of the zone as a result shows it, with a mask
    in the place of a secret.

    Args:
        zone: The zone as it is; None where its domain is still to be created.
        plan: What changes.
        is_masked_form: Knows the secrets of the task.
    """
    if zone is None or not plan.is_change:
        return
    before: list[str] = []
    after: list[str] = []
    for change in plan.changed_rrsets.values():
        before += map(_join_fields, change.before)
        after += map(_join_fields, change.after)
    refuse_masked_texts({"records": after}, {"records": before}, is_masked_form)

    content = plan.body.get("records", {})
    refuse_masked_texts({"soa": content.get("soa")}, zone["records"], is_masked_form)


def _join_fields(record: Record) -> str:
    return f"{record.host} {record.type} {record.fields['value']}"


def enforce_purge_limit(
    records: Sequence[Record],
    planned: Iterable[Record],
    plan: ZonePlan,
    desired: DesiredZone,
) -> None:
    """Raise Conflict if a purge removes more of a zone than its limit allows.

    A record counts as removed when its set gets smaller; another value instead of it is a change.

    Args:
        records: The records of the zone.
        planned: The records that it will have.
        plan: What changes.
        desired: What the task wants of it.
    """
    limit = desired.max_delete_percent
    count = len(records)
    removed = 0
    for change in plan.changed_rrsets.values():
        removed += max(0, len(change.before) - len(change.after))
    if removed * 100 <= limit * count:
        return

    percent = -(-removed * 100 // count)  # rounded up
    lines = display_records(_list_removed(records, planned))
    raise Conflict(
        f"the purge would delete {removed} of {count} records of {desired.format_label()} ({percent} %, limit "
        f"{limit} %): {abbreviate_lines(lines)}.",
        option="max_delete_percent",
        written=Written.NOTHING,
        advice=f"Add the missing records, or set max_delete_percent: {percent}.",
        removed=removed,
        records=count,
        limit=limit,
    )


def _list_removed(records: Iterable[Record], planned: Iterable[Record]) -> list[Record]:
    """Return the records without one that stays, also the second of a value with two TTLs."""
    staying = list(planned)
    identities = {record.identity for record in staying}
    counts = Counter(record.key for record in staying)

    removed = []
    # A record that stays as it is comes first, so that the other one is the one that goes.
    for record in sorted(records, key=lambda record: record.identity not in identities):
        if counts[record.key]:
            counts[record.key] -= 1
        else:
            removed.append(record)
    return removed

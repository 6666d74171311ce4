# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what a task should be warned of by what the zone has. Pure."""

from __future__ import annotations

from .._plan.masked_texts import WRITES_MASK
from .._problems import abbreviate
from .._secrets.secret_forms import MASK
from .._values.shell_patterns import EntryForm, find_entry_form
from .desired_zone import PROTECTED, DesiredZone
from .planned_records import matches_pattern
from .record_types import USUAL_TYPES, find_meant_type
from .records import MAX_LISTED, Zone, group_by_rrset, list_records, normalize_records
from .zone_change import NEW_ZONE


def find_warnings(zone: Zone | None, desired: DesiredZone) -> list[str]:
    """Return the warnings about a task that depend on what the zone has.

    Args:
        zone: The zone as it is; None where its domain is still to be created.
        desired: What the task wants of it, located.
    """
    warnings = find_protect_warnings(zone, desired)
    warnings += _find_ttl_warnings(zone, desired)
    warnings += _find_mask_warnings(zone, desired)
    warnings += _find_type_warnings(zone, desired)
    return warnings


def _find_type_warnings(zone: Zone | None, desired: DesiredZone) -> list[str]:
    """Name the types that are unusual, of which the zone has no record.

    Nobody but the panel can tell whether it takes them, so check mode would say nothing of it. One
    that is misspelled is an error of the plan.
    """
    if desired.state != "present":
        return []
    current = NEW_ZONE if zone is None else zone
    known_types = set(USUAL_TYPES)
    for record in list_records(current, desired.domain):
        known_types.add(record.type)

    requested = normalize_records(desired.records or (), current, desired.domain)
    unusual_types = {
        record.type: None
        for record in requested
        if record.type not in known_types and find_meant_type(record.type) is None
    }
    if not unusual_types:
        return []
    listed = abbreviate(list(unusual_types), MAX_LISTED)
    problem = f"the panel may refuse records of type {listed}"
    return [f"records: {problem}. Usual types are {', '.join(USUAL_TYPES)}."]


def _find_mask_warnings(zone: Zone | None, desired: DesiredZone) -> list[str]:
    """Name the sets that get a record with a mask in it, as a result for another panel has it."""
    masked_records = [record for record in desired.records or () if MASK in str(record)]
    if desired.state != "present" or not masked_records:
        return []
    current = NEW_ZONE if zone is None else zone
    existing = {record.key for record in list_records(current, desired.domain)}
    requested = normalize_records(masked_records, current, desired.domain)
    rrsets = [" ".join(record.rrset) for record in requested if record.key not in existing]
    return [f"records: {rrset} {WRITES_MASK}" for rrset in dict.fromkeys(rrsets)]


def _find_ttl_warnings(zone: Zone | None, desired: DesiredZone) -> list[str]:
    """Name the sets that get several TTLs, of which a name server serves one (RFC 2181).

    A zone that has the records with these TTLs already is no reason to warn in every run.
    """
    if desired.state != "present":
        return []
    current = NEW_ZONE if zone is None else zone
    existing = set()
    for record in list_records(current, desired.domain):
        existing.add(record.identity)

    requested = normalize_records(desired.records or (), current, desired.domain)
    warnings = []
    for rrset, records in group_by_rrset(requested).items():
        ttls = set()
        identities = set()
        for record in records:
            identities.add(record.identity)
            if record.ttl is not None:
                ttls.add(record.ttl)
        if len(ttls) < 2 or identities <= existing:
            continue
        listed = ", ".join(map(str, sorted(ttls)))
        problem = (
            f"these records have the TTLs {listed}, and a name server serves one for all of them"
        )
        label = " ".join(rrset)
        warnings.append(f"records: {label}: {problem}. Give them the same TTL.")
    return warnings


def find_protect_warnings(zone: Zone | None, desired: DesiredZone) -> list[str]:
    """Name the entries of protect for a set that neither the zone nor the task has.

    Args:
        zone: The zone as it is; None where its domain is still to be created, whose records nobody
            knows.
        desired: What the task wants of it, located.

    Returns:
        One warning at most. Patterns for hosts may match nothing, and so may the default entries.
    """
    if zone is None or not desired.purge:
        return []
    requested = normalize_records(desired.records or (), zone, desired.domain)
    records = list_records(zone, desired.domain)
    rrsets = {record.rrset for record in (*records, *requested)}

    unused = []
    for pattern in normalize_records(desired.protect, zone, desired.domain):
        entry = f"{pattern.host} {pattern.type}"
        is_pattern = find_entry_form(pattern.host) is EntryForm.PATTERN
        may_match_nothing = is_pattern or entry in PROTECTED
        if not may_match_nothing and not any(matches_pattern(rrset, pattern) for rrset in rrsets):
            unused.append(entry)
    if not unused:
        return []
    entries = abbreviate(unused, MAX_LISTED)
    problem = f"not in the zone {desired.format_label()}, so nothing is protected by it"
    return [f"protect: {entries}: {problem}. Correct the entry, or take it out."]

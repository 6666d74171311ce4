# SPDX-License-Identifier: GPL-3.0-or-later
"""From a zone and what is desired of it to one request. Pure: dictionaries in, a ZonePlan out.
Private to the collection.

The panel takes complete zones only (docs/panel_api.md#complete-zones), so a plan carries all
records: those that the task does not name exactly as the panel showed them.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, NamedTuple

from .._errors import Conflict, raise_collected
from .._plan.masked_texts import WRITES_MASK, IsMaskedForm, refuse_masked_texts
from .._problems import NOTHING_WRITTEN, Problem, abbreviate
from .._secrets.secret_forms import MASK
from .._values.value_types import contains
from .desired_zone import PROTECTED, DesiredZone
from .record_options import RECORD_FIELDS
from .record_types import has_wildcard
from .record_values import Record, find_cname_conflicts, list_records, normalize_records

# What check mode takes for the zone of a domain that an earlier task is about to create.
NEW_ZONE: dict[str, Any] = {
    "is_custom_dns": False,
    "is_dns_disabled": False,
    "dkim_record": None,
    "records": {"soa": {}, "other": []},
}
# The records of the panel's default zones have this TTL (docs/panel_api.md#usual-ttl).
_DEFAULT_TTL = 86400
_MAX_LISTED = 10
_MAX_LINE = 100

Zone = Mapping[str, Any]
RRset = tuple[str, str]
"""Names a record set: its host and type."""
RecordKey = tuple[str, str, str]
"""Names a value in its record set: host, type and value in normal form."""


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
    before = {name: zone.get(name) for name in switches}
    if before == switches:
        return ZonePlan(zone, before=before, after=before)
    # The panel decides which records a default zone has (docs/panel_api.md#default-zones).
    predicted = {
        **zone,
        "is_custom_dns": False,
        **switches,
        "records": {**zone["records"], "other": []},
    }
    body = switches if method == "PUT" else {}
    entries = _list_changed_rrsets(list_records(zone, desired.domain), [])
    return ZonePlan(predicted, method, body, before, switches, entries)


def _plan_records(zone: Zone, desired: DesiredZone) -> ZonePlan:
    """Plan a change of records and of the SOA record."""
    _refuse_disabled_dns(zone, desired)
    records = list_records(zone, desired.domain)
    requested = normalize_records(desired.records or (), zone, desired.domain)
    _refuse_unusual_values(zone, records, requested, desired)

    managed = managed_rrsets(zone, records, requested, desired)
    planned = planned_records(records, requested, managed, desired)
    plan = zone_change(zone, records, planned, managed, desired)
    if not plan.is_change:
        return plan

    refuse_cname_conflicts(records, planned, desired)
    if desired.purge:
        enforce_purge_limit(records, planned, plan.entries, desired)
    return plan


# The steps of a plan


def _refuse_disabled_dns(zone: Zone, desired: DesiredZone) -> None:
    """Raise Conflict for records of a zone that would ignore them."""
    manages_records = desired.records is not None or bool(desired.soa)
    if zone.get("is_dns_disabled") and manages_records:
        advice = "Enable it first with a separate task, is_dns_disabled: false, which brings the panel's default records."
        raise Conflict(
            "its DNS is disabled.",
            desired.subject,
            option="is_dns_disabled",
            written=NOTHING_WRITTEN,
            advice=advice,
        )


def _refuse_unusual_values(
    zone: Zone,
    records: Sequence[Record],
    requested: Sequence[Record],
    desired: DesiredZone,
) -> None:
    """Raise OptionError for what the options refuse, unless the zone has it or it shall go."""
    if desired.state == "absent":
        return
    problems: list[Problem] = []
    current_soa = zone["records"]["soa"]
    for name, refused in desired.unusual_soa.items():
        if not _has_same_soa_value(desired.soa[name], current_soa.get(name)):
            problems += refused

    existing_keys = {record.key for record in records}
    for index, refused in desired.unusual_records.items():
        if requested[index].key not in existing_keys:
            problems += refused

    existing_conflicts = find_cname_conflicts(records)
    for host, problem in desired.cname_conflicts.items():
        if host not in existing_conflicts:
            problems.append(problem)
    raise_collected([replace(problem, written=NOTHING_WRITTEN) for problem in problems])


def managed_rrsets(
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
            if not host.endswith(".") and not any(_matches(rrset, pattern) for pattern in patterns):
                managed.add(rrset)
    return managed


def _matches(rrset: RRset, pattern: Record) -> bool:
    """Tell whether host and type of a set match the shell patterns of an entry of protect."""
    host, record_type = rrset
    if not fnmatch.fnmatchcase(host, pattern.host):
        return False
    return fnmatch.fnmatchcase(record_type, pattern.type)


def planned_records(
    records: Sequence[Record],
    requested: Sequence[Record],
    managed: Set[RRset],
    desired: DesiredZone,
) -> list[Record]:
    """Return the records that the zone will have.

    What does not change is the same object as in ``records``, where it is. New values come at the
    end. After a purge the requested order holds, so that a zone put back from ``records_before``
    looks as it did.
    """
    if desired.state == "absent":
        return _remove_records(records, requested)

    request = _collect_request(records, requested, appends=desired.append)
    identities = {record.identity for record in records}
    planned = []
    for record in records:
        if record.key in request.values:
            adapted = _adapt(record, request)
            gets_other_ttl = adapted.ttl != record.ttl
            # A zone may have a value twice, with two TTLs: with the same one it is there once.
            if gets_other_ttl and adapted.identity in identities:
                continue
            identities.add(adapted.identity)
            planned.append(adapted)
        elif desired.append or record.rrset not in managed:
            planned.append(record)
    planned += _make_new_records(records, request)

    if desired.purge:
        positions = {key: position for position, key in enumerate(request.values)}
        planned.sort(key=lambda record: positions.get(record.key, -1))
    return planned


def _remove_records(records: Iterable[Record], requested: Iterable[Record]) -> list[Record]:
    removed_keys = set()
    removed_rrsets = set()
    for record in requested:
        if "value" in record.fields:
            removed_keys.add(record.key)
        else:
            # A record without a value stands for its set.
            removed_rrsets.add(record.rrset)

    return [
        record
        for record in records
        if record.key not in removed_keys and record.rrset not in removed_rrsets
    ]


class _RequestedRecords(NamedTuple):
    """What a task lists, by what it is compared with.

    Attributes:
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


def _adapt(record: Record, request: _RequestedRecords) -> Record:
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
        return record
    return record._replace(fields={**record.fields, **changes}, ttl=ttl)


def _make_new_records(records: Sequence[Record], request: _RequestedRecords) -> list[Record]:
    """Return the requested values that the zone does not have, each with a TTL."""
    existing_keys = {record.key for record in records}
    rrsets = _group_by_rrset(records)
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


def _group_by_rrset(records: Iterable[Record]) -> dict[RRset, list[Record]]:
    rrsets: dict[RRset, list[Record]] = {}
    for record in records:
        rrsets.setdefault(record.rrset, []).append(record)
    return rrsets


def _find_usual_ttl(records: Iterable[Record], default: int) -> int:
    """Return the most frequent TTL of records."""
    counts = Counter(record.ttl for record in records if isinstance(record.ttl, int))
    if not counts:
        return default
    return counts.most_common(1)[0][0]


def zone_change(
    zone: Zone,
    records: Sequence[Record],
    planned: Sequence[Record],
    managed: Set[RRset],
    desired: DesiredZone,
) -> ZonePlan:
    """Make the plan that gives a zone its records.

    Args:
        zone: The zone as it is.
        records: Its records.
        planned: The records that it will have, as ``planned_records`` returns them.
        managed: The record sets that the task decides about, which the diff shows.
        desired: What the task wants of it.
    """
    soa = zone["records"]["soa"]
    new_soa = _plan_soa(soa, desired)
    entries = _list_changed_rrsets(records, planned)
    before = _describe_managed_part(records, soa, managed, desired)
    if not entries and new_soa == soa:
        return ZonePlan(zone, before=before, after=before)

    after = _describe_managed_part(planned, new_soa, managed, desired)
    # Nothing but records is sent, since is_dns_disabled beside them would make the panel ignore
    # them (docs/panel_api.md#complete-zones).
    content = {"soa": new_soa, "other": [dict(record.fields) for record in planned]}
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
        if not _has_same_soa_value(value, soa.get(name))
    }
    return {**soa, **changes}


def _has_same_soa_value(requested: Any, current: Any) -> bool:
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
    part: dict[str, Any] = {}
    if desired.records is not None:
        part["records"] = display_records(record for record in records if record.rrset in managed)
    if desired.soa:
        part["soa"] = {name: soa.get(name) for name in desired.soa}
    return part


def _list_changed_rrsets(
    records: Sequence[Record],
    planned: Sequence[Record],
) -> list[dict[str, Any]]:
    """Return the sets in which something changes, each with its values before and after."""
    current_rrsets = _group_by_rrset(records)
    planned_rrsets = _group_by_rrset(planned)
    entries = []
    for rrset in sorted({*current_rrsets, *planned_rrsets}):
        current = current_rrsets.get(rrset, [])
        new = planned_rrsets.get(rrset, [])
        if _holds_same_objects(current, new):
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


def _holds_same_objects(current: Sequence[Record], planned: Sequence[Record]) -> bool:
    """Tell whether a set stays: ``planned_records`` returns what does not change as it is."""
    if len(current) != len(planned):
        return False
    return {id(record) for record in current} == {id(record) for record in planned}


def _list_values(records: Iterable[Record]) -> list[str]:
    return sorted(str(record.fields["value"]) for record in records)


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
        f"a CNAME allows no other record on its host, but {host} in the zone of {desired.label()} would have "
        f"{abbreviate_lines(lines)}.",
        option="records",
        written=NOTHING_WRITTEN,
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
    for entry in plan.entries:
        rrset = f"{entry['host']} {entry['type']}"
        before += [f"{rrset} {value}" for value in entry["before"]]
        after += [f"{rrset} {value}" for value in entry["after"]]
    refuse_masked_texts({"records": after}, {"records": before}, is_masked_form)

    content = plan.body.get("records", {})
    refuse_masked_texts({"soa": content.get("soa")}, zone["records"], is_masked_form)


def enforce_purge_limit(
    records: Sequence[Record],
    planned: Iterable[Record],
    entries: Iterable[Mapping[str, Any]],
    desired: DesiredZone,
) -> None:
    """Raise Conflict if a purge removes more of a zone than its limit allows.

    A record counts as removed when its set gets smaller; another value instead of it is a change.
    """
    limit = desired.max_delete_percent
    count = len(records)
    removed = sum(max(0, len(entry["before"]) - len(entry["after"])) for entry in entries)
    if removed * 100 <= limit * count:
        return

    percent = -(-removed * 100 // count)  # rounded up
    lines = display_records(_list_removed(records, planned))
    raise Conflict(
        f"the purge would delete {removed} of {count} records of {desired.label()} ({percent} %, limit "
        f"{limit} %): {abbreviate_lines(lines)}.",
        option="max_delete_percent",
        written=NOTHING_WRITTEN,
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


# What a task says of a zone


def find_warnings(zone: Zone | None, desired: DesiredZone) -> list[str]:
    """Return the warnings about a task that depend on what the zone has.

    Args:
        zone: The zone as it is; None where its domain is still to be created.
        desired: What the task wants of it, located.
    """
    warnings = find_protect_warnings(zone, desired)
    warnings += _find_ttl_warnings(zone, desired)
    warnings += _find_mask_warnings(zone, desired)
    return warnings


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
    for rrset, records in _group_by_rrset(requested).items():
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
        may_match_nothing = has_wildcard(pattern.host) or entry in PROTECTED
        if not may_match_nothing and not any(_matches(rrset, pattern) for rrset in rrsets):
            unused.append(entry)
    if not unused:
        return []
    entries = abbreviate(unused, _MAX_LISTED)
    problem = f"not in the zone {desired.label()}, so nothing is protected by it"
    return [f"protect: {entries}: {problem}. Correct the entry, or take it out."]


def display_records(records: Iterable[Record]) -> list[str]:
    """Return a line for each record, in the order of hosts, types and values."""
    return [record.line for record in sorted(records, key=_order_for_display)]


def _order_for_display(record: Record) -> RecordKey:
    return record.host, record.type, str(record.fields["value"])


def abbreviate_lines(lines: Iterable[str]) -> str:
    """Return the first records of a list, and of each as much as a message has room for."""
    short_lines = []
    for line in lines:
        is_short = len(line) <= _MAX_LINE
        short_lines.append(line if is_short else line[: _MAX_LINE - 1] + "…")
    return abbreviate(short_lines, _MAX_LISTED, "; ")

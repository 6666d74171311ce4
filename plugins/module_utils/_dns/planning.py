# SPDX-License-Identifier: GPL-3.0-or-later
"""From a zone and what is wanted of it to one request. Pure: dictionaries in, a ZonePlan out. Private to the collection.

The panel takes complete zones only (docs/panel_api.md#complete-zones), so a plan carries all
records: those that the task does not name exactly as the panel showed them.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from .._errors import Conflict, OptionError, raise_collected
from .._problems import NOTHING_WRITTEN, Problem, abbreviate
from .._values.value_types import contains
from .record_types import has_wildcard
from .record_values import Record, find_cname_conflicts, list_records, normalize_records
from .wanted_zone import PROTECTED, RECORD_MEMBERS, SOA_MEMBERS, WantedZone

# What check mode takes for the zone of a domain that an earlier task is about to create.
NEW_ZONE: dict[str, Any] = {
    "is_custom_dns": False,
    "is_dns_disabled": False,
    "dkim_record": None,
    "records": {"soa": {}, "other": []},
}
# The records of the panel's default zones have this TTL (docs/panel_api.md#usual-ttl).
_USUAL_TTL = 86400
_MOST_LISTED, _LONGEST_LISTED = 10, 100

Zone = Mapping[str, Any]
Key = tuple[str, ...]  # that of a set and the value in its comparable form, or that of a set


class ZonePlan(NamedTuple):
    """One change of one zone.

    zone: as it will be. method: PUT, DELETE, or empty for no change. body: of the PUT. before, after: the managed part, for the diff. entries:
    the record sets that change; of a zone that is reset or switched off all of them, though some may be among the default ones.
    """

    zone: Zone
    method: str = ""
    body: Mapping[str, Any] = {}
    before: Mapping[str, Any] = {}
    after: Mapping[str, Any] = {}
    entries: Sequence[Mapping[str, Any]] = ()

    @property
    def is_change(self) -> bool:
        return bool(self.method)


def plan_zone(zone: Zone | None, wanted: WantedZone) -> ZonePlan:
    """The change that makes the zone what is wanted (located); None is the zone of a domain that is still to be created.

    Raises Conflict where the change is refused; the message says why and that nothing was written.
    """
    zone = NEW_ZONE if zone is None else zone
    if wanted.state == "default":
        after = {"is_custom_dns": False, "is_dns_disabled": False}
    elif wanted.is_dns_disabled is not None:
        after = {"is_dns_disabled": wanted.is_dns_disabled}
    else:
        return _plan_records(zone, wanted)
    before = {name: zone.get(name) for name in after}
    if before == after:
        return ZonePlan(zone, before=before, after=before)
    # The panel decides which records a default zone has (docs/panel_api.md#default-zones).
    predicted = {**zone, "is_custom_dns": False, **after, "records": {**zone["records"], "other": []}}
    entries = _entries(list_records(zone, wanted.domain), [])
    method, body = ("DELETE", {}) if wanted.state == "default" else ("PUT", after)
    return ZonePlan(predicted, method, body, before, after, entries)


def _plan_records(zone: Zone, wanted: WantedZone) -> ZonePlan:
    if zone.get("is_dns_disabled") and (wanted.records is not None or wanted.soa):
        raise Conflict(
            "its DNS is disabled.",
            wanted.subject,
            option="is_dns_disabled",
            written=NOTHING_WRITTEN,
            advice="Enable it first with a separate task, is_dns_disabled: false, which brings the panel's default records.",
        )
    records, soa = list_records(zone, wanted.domain), zone["records"]["soa"]
    _refuse_unusual(zone, records, wanted)
    given = normalize_records(wanted.records or (), zone, wanted.domain)
    managed = {one.rrset for one in given}
    if wanted.purge:
        patterns = [pattern.rrset for pattern in normalize_records(wanted.protect, zone, wanted.domain)]
        sets = {record.rrset for record in records}
        managed |= {key for key in sets if not any(_fits(key, pattern) for pattern in patterns)}
    if wanted.state == "absent":
        # A record without a value stands for its set.
        gone = {one.key if "value" in one.fields else one.rrset for one in given}
        planned = [one for one in records if gone.isdisjoint((one.rrset, one.key))]
    else:
        planned = _replaced(records, given, managed, wanted)
    entries = _entries(records, planned)
    # What is the same in another spelling stays as it is shown.
    new_soa = {**soa, **{name: one for name, one in wanted.soa.items() if _plain(one) != _plain(soa.get(name))}}
    sides: list[dict[str, Any]] = []  # the managed part before and after
    for some, own in ((records, soa), (planned, new_soa)):
        part = {} if wanted.records is None else {"records": lines_of(one for one in some if one.rrset in managed)}
        sides.append({**part, **({"soa": {name: own.get(name) for name in wanted.soa}} if wanted.soa else {})})
    before, after = sides
    if not entries and new_soa == soa:
        return ZonePlan(zone, before=before, after=before)
    for host in sorted(find_cname_conflicts(planned) - find_cname_conflicts(records)):
        raise Conflict(
            f"a CNAME allows no other record on its host, but {host} in the zone of {wanted.label()} would have "
            f"{listed(lines_of(one for one in planned if one.host == host))}.",
            option="records",
            written=NOTHING_WRITTEN,
            advice="Remove the others first (state: absent), or use purge.",
        )
    if wanted.purge:
        _limit_purge(records, planned, entries, wanted)
    # Nothing but records is sent, since is_dns_disabled beside them would make the panel ignore
    # them (docs/panel_api.md#complete-zones).
    body = {"soa": new_soa, "other": [dict(record.fields) for record in planned]}
    predicted = {**zone, "is_custom_dns": True, "is_dns_disabled": False, "records": {**zone["records"], **body}}
    return ZonePlan(predicted, "PUT", {"records": body}, before, after, entries)


def _fits(key: Key, pattern: Key) -> bool:
    """Tells whether host and type of a set fit the patterns for them."""
    return all(map(fnmatch.fnmatchcase, key, pattern))


def protect_warnings(zone: Zone | None, wanted: WantedZone) -> list[str]:
    """Says which entries of protect name a set that neither the zone nor the task has, so that they protect nothing.

    Args:
        zone: The zone as it is; None where its domain is still to be created, whose records nobody knows.
        wanted: What the task wants of it, located.

    Returns:
        One warning at most. Patterns for hosts may fit nothing, and so may the default entries.
    """
    if zone is None or not wanted.purge:
        return []
    listed_records = normalize_records(wanted.records or (), zone, wanted.domain)
    sets = {record.rrset for record in (*list_records(zone, wanted.domain), *listed_records)}
    missing = []
    for pattern in normalize_records(wanted.protect, zone, wanted.domain):
        name = " ".join(pattern.rrset)
        is_pattern = has_wildcard(pattern.host) or name in PROTECTED
        if not is_pattern and not any(_fits(key, pattern.rrset) for key in sets):
            missing.append(name)
    if not missing:
        return []
    named = abbreviate(missing, _MOST_LISTED)
    problem = f"not in the zone {wanted.label()}, so nothing is protected by it"
    return [f"protect: {named}: {problem}. Correct the entry, or take it out."]


def _refuse_unusual(zone: Zone, records: Sequence[Record], wanted: WantedZone) -> None:
    """Raises OptionError for what the options refuse, but for what the zone has already, and for records that shall go."""
    if wanted.state == "absent":
        return
    problems: list[Problem] = []
    for place, refused in wanted.unusual.items():
        if isinstance(place, str):
            is_there = _plain(wanted.soa[place]) == _plain(zone["records"]["soa"].get(place))
        else:
            (given,) = normalize_records([(wanted.records or ())[place]], zone, wanted.domain)
            is_there = any(one.key == given.key for one in records)
        problems += () if is_there else refused

    shared = find_cname_conflicts(records)
    problems += [problem for host, problem in wanted.shared_hosts.items() if host not in shared]
    raise_collected([replace(problem, written=NOTHING_WRITTEN) for problem in problems])


def _replaced(
    records: Sequence[Record], given: Iterable[Record], managed: Set[Key], wanted: WantedZone
) -> list[Record]:
    """What stays is as the panel shows it and where it is, new values come at the end. After a purge the given order holds, so that a zone
    put back from ``records_before`` looks as it did."""
    sets = _by_set(records)
    values: dict[Key, Record] = {}  # each value once
    ttls: dict[Key, int] = {}  # by value, and for the others of its set
    given_ttls: set[tuple[Key, int]] = set()  # a zone may have a value twice, with two TTLs
    for one in given:
        values.setdefault(one.key, one)
        # Values that are added get the TTL of their set.
        if one.ttl is not None and not (wanted.append and one.rrset in sets):
            ttls.setdefault(one.key, one.ttl)
            ttls.setdefault(one.rrset, one.ttl)
            given_ttls.add((one.key, one.ttl))

    def adapted(old: Record) -> Record:
        if old.key not in values:
            return old
        return _adapted(old, values[old.key], {} if (old.key, old.ttl) in given_ttls else ttls)

    planned = [adapted(old) for old in records if old.key in values or wanted.append or old.rrset not in managed]
    there, usual = {one.key for one in records}, _usual_ttl(records, _USUAL_TTL)
    for key, one in values.items():
        if key not in there:
            ttl = ttls.get(key, ttls.get(one.rrset))
            if ttl is None:  # 0 is one
                ttl = _usual_ttl(sets.get(one.rrset, ()), usual)
            planned.append(one._replace(fields={**one.fields, "host": one.host, "ttl": ttl}, ttl=ttl))
    if wanted.purge:
        place = {key: index for index, key in enumerate(values)}
        planned.sort(key=lambda one: place.get(one.key, -1))
    return planned


def _by_set(records: Iterable[Record]) -> dict[Key, list[Record]]:
    sets: dict[Key, list[Record]] = {}
    for one in records:
        sets.setdefault(one.rrset, []).append(one)
    return sets


def _usual_ttl(records: Iterable[Record], otherwise: int) -> int:
    counts = Counter(one.ttl for one in records if isinstance(one.ttl, int))
    return counts.most_common(1)[0][0] if counts else otherwise


def _adapted(old: Record, one: Record, ttls: Mapping[Key, int]) -> Record:
    """The record as it is shown, with the TTL and the further fields that are given."""
    given = {name: one.fields[name] for name in one.fields.keys() - RECORD_MEMBERS}
    ttl = ttls.get(old.key, ttls.get(old.rrset, old.ttl))
    if ttl != old.ttl:
        given["ttl"] = ttl
    return old if contains(old.fields, given) else old._replace(fields={**old.fields, **given}, ttl=ttl)


def lines_of(records: Iterable[Record]) -> list[str]:
    return [record.line for record in sorted(records, key=lambda r: (r.host, r.type, str(r.fields["value"])))]


def listed(lines: Sequence[str]) -> str:
    shown = [line if len(line) <= _LONGEST_LISTED else line[: _LONGEST_LISTED - 1] + "…" for line in lines]
    return abbreviate(shown, _MOST_LISTED, "; ")


def _entries(records: Sequence[Record], planned: Sequence[Record]) -> list[dict[str, Any]]:
    """The sets in which something changes, each with its values before and after."""
    stay = set(map(id, records)).intersection(map(id, planned))
    changed = {one.rrset for one in (*records, *planned) if id(one) not in stay}
    sides = [_by_set(one for one in side if one.rrset in changed) for side in (records, planned)]
    entries = []
    for key in sorted(changed):
        old, new = (side.get(key, []) for side in sides)
        was, becomes = (sorted(str(one.fields["value"]) for one in side) for side in (old, new))
        ttl = (new or old)[0].ttl
        entries.append({"host": key[0], "type": key[1], "ttl": ttl, "before": was, "after": becomes})
    return entries


def _plain(shown: Any) -> Any:
    return shown.strip().rstrip(".").lower() if isinstance(shown, str) else shown


def _limit_purge(
    records: Sequence[Record], planned: Iterable[Record], entries: Iterable[Mapping[str, Any]], wanted: WantedZone
) -> None:
    """A record counts as removed when its set gets smaller; another value in its place is a change."""
    limit, count = wanted.max_delete_percent, len(records)
    removed = sum(max(0, len(one["before"]) - len(one["after"])) for one in entries)
    if removed * 100 <= limit * count:
        return
    percent, stay = -(-removed * 100 // count), {one.key for one in planned}
    raise Conflict(
        f"the purge would delete {removed} of {count} records of {wanted.label()} ({percent} %, limit "
        f"{limit} %): {listed(lines_of(one for one in records if one.key not in stay))}.",
        option="max_delete_percent",
        written=NOTHING_WRITTEN,
        advice=f"Add the missing records, or set max_delete_percent: {percent}.",
        removed=removed,
        records=count,
        limit=limit,
    )


def shortfall(before: Zone, plan: ZonePlan, after: Zone, wanted: WantedZone) -> dict[str, list[Any]]:
    """Compares the zone after the write with the plan; records that others added meanwhile are no shortfall.

    lost: foreign records and fields of the SOA record. lost_records: the records among them, as the panel had shown them. unmet: what the
    task wanted, in words or lines.
    """
    switches = {one: plan.zone[one] for one in ("is_dns_disabled", "is_custom_dns") if one in plan.zone}
    unmet = [f"{name}: {one}".lower() for name, one in switches.items() if after.get(name) not in (one, None)]
    unmet = unmet or ["the zone is not as the task requires"]
    # A switch that the panel does not show is as it was sent.
    shown = {**plan.after, **{name: one for name, one in after.items() if one is not None}}
    with suppress(Conflict, OptionError):
        again = plan_zone(shown, wanted._replace(max_delete_percent=100))
        missing = set(again.after.get("records", ())).difference(again.before.get("records", ()))
        unmet = sorted(missing) if missing or not again.is_change else unmet
    sent = plan.body.get("records", {"soa": {}, "other": []})
    old, new = ({one.identity for one in list_records(zone, wanted.domain)} for zone in (before, after))
    gone = old - new
    lost = [one for one in normalize_records(sent["other"], after, wanted.domain) if one.identity in gone]
    soa = {name: one for name, one in sent["soa"].items() if name in SOA_MEMBERS and name not in wanted.soa}
    fields = [f"SOA {name} {one}" for name, one in soa.items() if one != after["records"]["soa"].get(name)]
    return {"lost": [one.line for one in lost] + fields, "lost_records": [one.fields for one in lost], "unmet": unmet}

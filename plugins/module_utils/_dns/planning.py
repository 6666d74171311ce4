# SPDX-License-Identifier: GPL-3.0-or-later
"""From a zone and what is wanted of it to one request. Pure: dictionaries in, a ZonePlan out. Private to the collection.

The panel takes complete zones only (interface, "DNS"), so a plan carries all records: those that the task does not name exactly as the
panel showed them.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from .._errors import Conflict, first_of
from .._values.value_types import contains
from .record_values import (
    Record,
    cnames_beside_others,
    comparable_record,
    comparable_ttl,
    comparable_value,
    dkim_text,
    flag,
    records_of,
)
from .wanted_zone import SOA_MEMBERS, SOA_NAMES, WantedRecord, WantedZone

# What check mode takes for the zone of a domain that an earlier task is about to create.
NEW_ZONE: dict[str, Any] = {
    "is_custom_dns": False,
    "is_dns_disabled": False,
    "dkim_record": None,
    "records": {"soa": {}, "other": []},
}
_USUAL_TTL = 86400  # of the panel's default zones (facts.md section 7)
_MOST_LISTED, _LONGEST_LISTED = 10, 100

Zone = Mapping[str, Any]
SetKey = tuple[str, str]  # (host relative to the zone, type)
Sets = dict[SetKey, list[Record]]


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
    before = {name: flag(zone, name) for name in after}
    if before == after:
        return ZonePlan(zone, before=before, after=before)
    # Which records the panel puts into a default zone is not known beforehand.
    predicted = {**zone, "is_custom_dns": False, **after, "records": {**zone["records"], "other": []}}
    entries = _entries(_in_sets(records_of(zone, wanted.domain)), {})
    method, body = ("DELETE", {}) if wanted.state == "default" else ("PUT", after)
    return ZonePlan(predicted, method, body, before, after, entries)


def _plan_records(zone: Zone, wanted: WantedZone) -> ZonePlan:
    if flag(zone, "is_dns_disabled") and (wanted.records is not None or wanted.soa):
        raise Conflict(
            f"zone {wanted.label()}: its DNS is disabled. Nothing was written. Enable it first with a separate task, is_dns_disabled: false, "
            "which brings the panel's default records.",
            option="is_dns_disabled",
        )
    records, soa = records_of(zone, wanted.domain), dict(zone["records"].get("soa") or {})
    managed, planned = _planned(records, wanted, dkim_text(zone))
    ids = [set(map(id, some)) for some in (records, planned)]
    changed = {one.set for one in (*records, *planned) if not all(id(one) in some for some in ids)}
    old, new = (_in_sets(one for one in some if one.set in changed) for some in (records, planned))
    hosts = {host for host, _kind in changed}
    was, becomes = (cnames_beside_others(one[1:4] for one in some if one.host in hosts) for some in (records, planned))
    for host in sorted(becomes - was):
        raise Conflict(
            f"records: a CNAME allows no other record on its host, but {host} in the zone of {wanted.label()} would have "
            f"{listed(lines_of(one for one in planned if one.host == host))}. Nothing was written. Remove the others first (state: absent), "
            "or use purge.",
            option="records",
        )
    if wanted.purge:
        _limit_purge(old, new, len(records), wanted)
    wanted_soa = dict(wanted.soa)
    for name, value in wanted.soa.items():
        if name in soa and _soa_member(name, value) == _soa_member(name, soa[name]):
            wanted_soa[name] = soa[name]
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    if wanted.records is not None:
        before["records"], after["records"] = (
            lines_of(one for one in some if one.set in managed) for some in (records, planned)
        )
    if wanted.soa:
        before["soa"], after["soa"] = {name: soa.get(name) for name in wanted.soa}, wanted_soa
    if not changed and contains(soa, wanted_soa):
        return ZonePlan(zone, before=before, after=before)
    # Nothing but records is sent: is_dns_disabled beside them would make the panel ignore them.
    body = {"soa": {**soa, **wanted_soa}, "other": [dict(record.shown) for record in planned]}
    predicted = {**zone, "is_custom_dns": True, "is_dns_disabled": False, "records": {**zone["records"], **body}}
    return ZonePlan(predicted, "PUT", {"records": body}, before, after, _entries(old, new))


def _planned(records: Sequence[Record], wanted: WantedZone, dkim: str | None) -> tuple[set[SetKey], list[Record]]:
    """The record sets that the task manages, and the whole zone as it shall be.

    What stays is as the panel shows it and where it is, new values come at the end. After a purge the given order holds, so that a zone put
    back from ``records_before`` looks as it did. dkim: what its placeholder stands for.
    """
    sets = _in_sets(records)
    given: dict[tuple[str, str, str], WantedRecord] = {}  # each value once, in comparable form
    ttls: dict[SetKey, int] = {}  # one that a record of the task gives counts for the others of its set
    for one in wanted.records or ():
        key = one.host, one.type, comparable_value(one.type, one.value, wanted.domain, dkim)
        if one.ttl is not None:
            ttls.setdefault(key[:2], one.ttl)
        if key not in given or given[key].ttl is None:
            given[key] = one
    managed = {key[:2] for key in given}
    if wanted.state == "absent":
        whole = {(one.host, one.type) for one in given.values() if one.value is None}
        return managed, [one for one in records if one.set not in whole and one[1:4] not in given]
    if wanted.purge:
        managed |= {key for key in sets if not _is_protected(key, wanted)}
    planned, missing = [], dict(given)
    for record in records:
        key = record[1:4]
        missing.pop(key, None)
        if key in given:
            # Values that are added get the TTL of their set.
            ttl = None if wanted.append else given[key].ttl or ttls.get(record.set)
            planned.append(_adapted(record, given[key], ttl))
        elif wanted.append or record.set not in managed:
            planned.append(record)
    for key, one in missing.items():
        ttl = None if wanted.append and key[:2] in sets else one.ttl or ttls.get(key[:2])
        if ttl is None:
            usual = Counter(other.ttl for other in sets.get(key[:2], records) if isinstance(other.ttl, int))
            ttl = usual.most_common(1)[0][0] if usual else _USUAL_TTL
        new = {"host": one.host, "ttl": ttl, "type": one.type, "value": one.value, **one.further}
        planned.append(Record(new, *key, ttl))
    if wanted.purge:
        place = {key: index for index, key in enumerate(given)}
        planned.sort(key=lambda record: place.get(record[1:4], -1))
    return managed, planned


def _is_protected(key: SetKey, wanted: WantedZone) -> bool:
    return any(all(map(fnmatch.fnmatchcase, key, patterns)) for patterns in wanted.protect)


def _adapted(record: Record, one: WantedRecord, ttl: int | None) -> Record:
    members = {name: value for name, value in one.further.items() if not contains(record.shown, {name: value})}
    if ttl not in (None, record.ttl):
        members["ttl"] = ttl
    shown = {**record.shown, **members}
    return record._replace(shown=shown, ttl=comparable_ttl(shown.get("ttl"))) if members else record


def _in_sets(records: Iterable[Record]) -> Sets:
    sets: Sets = {}
    for record in records:
        sets.setdefault(record.set, []).append(record)
    return sets


def lines_of(records: Iterable[Record]) -> list[str]:
    return [record.line for record in sorted(records, key=lambda r: (r.host, r.type, str(r.shown["value"])))]


def listed(lines: Sequence[str]) -> str:
    shown = [line if len(line) <= _LONGEST_LISTED else line[: _LONGEST_LISTED - 1] + "…" for line in lines]
    return first_of(shown, _MOST_LISTED, "; ")


def _entries(before: Sets, after: Sets) -> list[dict[str, Any]]:
    entries = []
    for host, kind in sorted({**before, **after}):
        old, new = before.get((host, kind), []), after.get((host, kind), [])
        was, becomes = (sorted(str(one.shown["value"]) for one in found) for found in (old, new))
        entries.append({"host": host, "type": kind, "ttl": (new or old)[0].ttl, "before": was, "after": becomes})
    return entries


def _soa_member(name: str, shown: Any) -> Any:
    return str(shown).strip().rstrip(".").lower() if name in SOA_NAMES else comparable_ttl(shown)


def _limit_purge(old: Sets, new: Sets, count: int, wanted: WantedZone) -> None:
    """A record counts as removed when its set gets smaller; another value in its place is a change."""
    limit = wanted.max_delete_percent
    removed = sum(max(0, len(found) - len(new.get(key, ()))) for key, found in old.items())
    if removed * 100 <= limit * count:
        return
    percent = -(-removed * 100 // count)
    left = {record[1:4] for found in new.values() for record in found}
    lines = lines_of(record for found in old.values() for record in found if record[1:4] not in left)
    raise Conflict(
        f"max_delete_percent: the purge would delete {removed} of {count} records of {wanted.label()} ({percent} %, limit "
        f"{limit} %): {listed(lines)}. Nothing was written. Add the missing records, or set max_delete_percent: {percent}.",
        option="max_delete_percent",
        removed=removed,
        records=count,
        limit=limit,
    )


class Shortfall(NamedTuple):
    """What a zone lacks after a write. lost: foreign records and fields of the SOA record. unmet: what the task wanted, in words or lines.

    lost_records: the foreign records, as the panel had shown them.
    """

    lost: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    lost_records: tuple[Mapping[str, Any], ...] = ()


def shortfall(before: Zone, plan: ZonePlan, after: Zone, wanted: WantedZone) -> Shortfall:
    """Compares the zone after the write with the plan; records that others added meanwhile are no shortfall."""
    if "records" not in plan.body:
        wrong = [name for name, value in plan.after.items() if flag(after, name) not in (value, None)]
        return Shortfall(unmet=tuple(f"{name} is {flag(after, name)}".lower() for name in wrong))
    dkim = dkim_text(after)
    there, foreign = ({one[1:] for one in records_of(zone, wanted.domain)} for zone in (after, before))
    planned = [comparable_record(shown, wanted.domain, dkim) for shown in plan.body["records"]["other"]]
    missing = [record for record in planned if record[1:] not in there]
    lost = [record for record in missing if record[1:] in foreign]
    unmet = [record.line for record in missing if record[1:] not in foreign]
    soa_before, soa_after = (zone["records"].get("soa") or {} for zone in (before, after))
    own = [name for name in SOA_MEMBERS if name in soa_before and name not in wanted.soa]
    changed = [name for name in own if comparable_ttl(soa_before[name]) != comparable_ttl(soa_after.get(name))]
    is_met = False
    with suppress(Conflict):
        is_met = not plan_zone(after, wanted._replace(max_delete_percent=100)).is_change
    if not unmet and not is_met:
        unmet = ["the zone is not as the task wants it"]
    lost_lines = (*(one.line for one in lost), *(f"SOA {name} {soa_before[name]}" for name in changed))
    return Shortfall(lost_lines, tuple(unmet), tuple(one.shown for one in lost))

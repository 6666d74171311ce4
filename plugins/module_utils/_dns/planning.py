# SPDX-License-Identifier: GPL-3.0-or-later
"""From a zone and what is wanted of it to one request. Pure: dictionaries in, a ZonePlan out. Private to the collection.

The panel takes complete zones only (interface, "DNS"), so a plan carries all records: those that the task does not name exactly as the
panel showed them.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from .._errors import Conflict, first_of
from .._values.value_types import contains
from .record_values import (
    APEX,
    Record,
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

    method: PUT, DELETE, or empty for no change. body: of the PUT. rest: switches that are sent where the panel leaves them as they were; some
    bring the default records back and leave DNS off. before, after: the managed part, for the diff. zone: as it will be. entries: the record
    sets that change, with their values; of a zone that is reset or switched off all of them go, though some may be among the default ones.
    """

    zone: Zone
    method: str = ""
    body: Mapping[str, Any] = {}
    rest: Mapping[str, bool] = {}
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
    if wanted.state == "default":
        return ZonePlan(predicted, "DELETE", {}, {"is_dns_disabled": False}, before, after, entries)
    return ZonePlan(predicted, "PUT", after, {}, before, after, entries)


def _plan_records(zone: Zone, wanted: WantedZone) -> ZonePlan:
    if flag(zone, "is_dns_disabled") and (wanted.records is not None or wanted.soa):
        raise Conflict(
            f"zone {wanted.label()}: its DNS is disabled. Nothing was written. Enable it first with a separate task, is_dns_disabled: false, "
            "which brings the panel's default records.",
            option="is_dns_disabled",
        )
    records, dkim = records_of(zone, wanted.domain), dkim_text(zone)
    there, soa = _in_sets(records), dict(zone["records"].get("soa") or {})
    target = _wanted_sets(wanted, records, there, dkim)
    changed = [
        key
        for key, found in target.items()
        if [one.shown for one in found] != [one.shown for one in there.get(key, [])]
    ]
    planned = _arranged(records, target, wanted, dkim) if changed else records
    _refuse_cname_beside_others(records, planned, {host for host, _kind in changed}, wanted)
    old, new = ({key: sets.get(key, []) for key in changed} for sets in (there, target))
    if wanted.purge:
        _limit_purge(old, new, len(records), wanted)

    wanted_soa = {
        name: soa[name] if name in soa and _soa_member(name, value) == _soa_member(name, soa[name]) else value
        for name, value in wanted.soa.items()
    }
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    if wanted.records is not None:
        before["records"], after["records"] = (
            lines_of(record for record in some if record.set in target) for some in (records, planned)
        )
    if wanted.soa:
        before["soa"], after["soa"] = {name: soa.get(name) for name in wanted.soa}, wanted_soa
    if not changed and contains(soa, wanted_soa):
        return ZonePlan(zone, before=before, after=before)
    # Nothing but records is sent: is_dns_disabled beside them would make the panel ignore them.
    body = {"soa": {**soa, **wanted_soa}, "other": [dict(record.shown) for record in planned]}
    predicted = {**zone, "is_custom_dns": True, "is_dns_disabled": False, "records": {**zone["records"], **body}}
    return ZonePlan(predicted, "PUT", {"records": body}, {}, before, after, _entries(old, new))


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


def _refuse_cname_beside_others(
    records: Sequence[Record], planned: Sequence[Record], hosts: set[str], wanted: WantedZone
) -> None:
    for host in sorted(_cnames_beside_others(planned, hosts) - _cnames_beside_others(records, hosts)):
        lines = lines_of(record for record in planned if record.host == host)
        raise Conflict(
            f"records: a CNAME allows no other record on its host, but {host} in the zone of {wanted.label()} would have "
            f"{listed(lines)}. Nothing was written. Remove the others first (state: absent), or use purge.",
            option="records",
        )


def _cnames_beside_others(records: Sequence[Record], hosts: set[str]) -> set[str]:
    values = {(record.host, record.type, record.value) for record in records if record.host in hosts}
    counts = Counter(host for host, _kind, _value in values)
    return {host for host, kind, _value in values if kind == "CNAME" and (counts[host] > 1 or host == APEX)}


def _limit_purge(old: Sets, new: Sets, count: int, wanted: WantedZone) -> None:
    """A record counts as removed when its set gets smaller; another value in its place is a change."""
    removed = sum(max(0, len(old[key]) - len(new[key])) for key in old)
    if removed * 100 <= wanted.max_delete_percent * count:
        return
    percent = -(-removed * 100 // count)
    lines = lines_of(r for key in old for r in old[key] if all(r.value != one.value for one in new[key]))
    raise Conflict(
        f"max_delete_percent: the purge would delete {removed} of {count} records of {wanted.label()} ({percent} %, limit "
        f"{wanted.max_delete_percent} %): {listed(lines)}. Nothing was written. Add the missing records, or set max_delete_percent: {percent}.",
        option="max_delete_percent",
        removed=removed,
        records=count,
        limit=wanted.max_delete_percent,
    )


def _wanted_sets(wanted: WantedZone, records: Sequence[Record], there: Sets, dkim: str | None) -> Sets:
    """The record sets that the task manages, as they shall be; all others are foreign to it. dkim: what its placeholder stands for."""
    given: dict[SetKey, dict[str, WantedRecord]] = {}  # by the value in comparable form, once each
    for record in wanted.records or ():
        values = given.setdefault((record.host, record.type), {})
        value = comparable_value(record.type, record.value, wanted.domain, dkim)
        if value not in values or values[value].ttl is None:
            values[value] = record
    target: Sets = {}
    for key, values in given.items():
        current = there.get(key, [])
        if wanted.state != "absent":
            target[key] = _with(values, current, wanted.append, records)
        elif any(record.value is None for record in values.values()):
            target[key] = []
        else:
            target[key] = [record for record in current if record.value not in values]
    for key in there if wanted.purge else ():
        if key not in given and not any(all(map(fnmatch.fnmatchcase, key, one)) for one in wanted.protect):
            target[key] = []
    return target


def _with(
    given: Mapping[str, WantedRecord], current: list[Record], append: bool, records: Sequence[Record]
) -> list[Record]:
    """The given values: those that are there as the panel shows them and in its order, then the new ones.

    A TTL that one record of the task gives counts for the others of the set that give none. With ``append`` a set that is there keeps its
    TTL, since all records of a set have the same. records: of the whole zone, whose most frequent TTL a new set without one gets.
    """
    keeps_ttl = append and bool(current)
    common = None if keeps_ttl else next((one.ttl for one in given.values() if one.ttl is not None), None)
    target = []
    for shown in current:
        match = given.get(shown.value)
        if match is not None:
            target.append(_adapted(shown, None if keeps_ttl else match.ttl or common, match.further))
        elif append:
            target.append(shown)
    ttls = [one.ttl for one in current or records if isinstance(one.ttl, int)]
    usual = common or next((ttl for ttl, _number in Counter(ttls).most_common(1)), _USUAL_TTL)
    there = {shown.value for shown in current}
    for value, one in given.items():
        if value not in there:
            ttl = usual if keeps_ttl else one.ttl or usual
            new = {"host": one.host, "ttl": ttl, "type": one.type, "value": one.value, **one.further}
            target.append(Record(new, one.host, one.type, value, ttl))
    return target


def _adapted(record: Record, ttl: int | None, further: Mapping[str, Any]) -> Record:
    members = {name: value for name, value in further.items() if not contains(record.shown, {name: value})}
    if ttl is not None and ttl != record.ttl:
        members["ttl"] = ttl
    shown = {**record.shown, **members}
    return record._replace(shown=shown, ttl=comparable_ttl(shown.get("ttl"))) if members else record


def _arranged(records: Sequence[Record], target: Sets, wanted: WantedZone, dkim: str | None) -> Sequence[Record]:
    """The whole zone as it shall be: foreign records where they are, each set in the place of its first record, new sets at the end.

    After a purge the given order holds instead, so that a zone put back from ``records_before`` looks as it did.
    """
    if wanted.purge:
        given = [(o.host, o.type, comparable_value(o.type, o.value, wanted.domain, dkim)) for o in wanted.records or ()]
        place = {one: index for index, one in reversed(list(enumerate(given)))}
        foreign = [record for record in records if record.set not in target]
        managed = chain.from_iterable(target.values())
        return foreign + sorted(managed, key=lambda record: place[record.host, record.type, record.value])
    left = dict(target)
    planned = [left.pop(record.set, []) if record.set in target else [record] for record in records]
    return list(chain(*planned, *left.values()))


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
    unmet = [record.line for record in missing if record not in lost]
    soa_before, soa_after = before["records"].get("soa") or {}, after["records"].get("soa") or {}
    own = [name for name in SOA_MEMBERS if name in soa_before and name not in wanted.soa]
    changed = [name for name in own if comparable_ttl(soa_before[name]) != comparable_ttl(soa_after.get(name))]
    try:
        is_met = not plan_zone(after, wanted._replace(max_delete_percent=100)).is_change
    except Conflict:
        is_met = False
    if not unmet and not is_met:
        unmet.append("the zone is not as the task wants it")
    lost_lines = (*(one.line for one in lost), *(f"SOA {name} {soa_before[name]}" for name in changed))
    return Shortfall(lost_lines, tuple(unmet), tuple(one.shown for one in lost))

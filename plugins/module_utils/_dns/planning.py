# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a zone and what is wanted of it to one request. Pure: dictionaries in, a ZonePlan out. Private to the collection.

The panel takes complete zones only (interface, "DNS"), so a plan carries all records: those that the task does not name exactly as the
panel showed them.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
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
_RESET = {"is_custom_dns": False, "is_dns_disabled": False}
_MOST_LISTED, _LONGEST_LISTED = 10, 100

SetKey = tuple[str, str]  # (host relative to the zone, type)
Sets = Mapping[SetKey, list[Record]]
Given = Sequence[tuple[str, WantedRecord]]  # each with its value in comparable form


class ZonePlan(NamedTuple):
    """One change of one zone.

    method: PUT, DELETE, or empty for no change. body: of the PUT. rest: switches that are sent where the panel leaves them as they were; some
    bring the default records back and leave DNS off. before, after: the managed part, for the diff. zone: as it will be. entries: the record
    sets that change, with their values; of a zone that is reset or switched off all of them go, though some may be among the default ones.
    """

    zone: Mapping[str, Any]
    method: str = ""
    body: Mapping[str, Any] = {}
    rest: Mapping[str, bool] = {}
    before: Mapping[str, Any] = {}
    after: Mapping[str, Any] = {}
    entries: Sequence[Mapping[str, Any]] = ()

    @property
    def is_change(self) -> bool:
        return bool(self.method)

    @property
    def difference(self) -> tuple[Any, ...]:
        return self.before, self.after, self.entries


def plan_zone(zone: Mapping[str, Any] | None, wanted: WantedZone) -> ZonePlan:
    """The change that makes the zone what is wanted (located); None is the zone of a domain that is still to be created.

    Raises Conflict where the change is refused; the message says why and that nothing was written.
    """
    zone = NEW_ZONE if zone is None else zone
    if wanted.state == "default":
        return _plan_switches(zone, wanted, "DELETE", _RESET)
    if wanted.is_dns_disabled is not None:
        return _plan_switches(zone, wanted, "PUT", {"is_dns_disabled": wanted.is_dns_disabled})
    return _plan_records(zone, wanted)


def _plan_switches(zone: Mapping[str, Any], wanted: WantedZone, method: str, after: Mapping[str, bool]) -> ZonePlan:
    before = {name: flag(zone, name) for name in after}
    if before == after:
        return ZonePlan(zone, before=before, after=before)
    # Which records the panel puts into a default zone is not known beforehand.
    predicted = {**zone, "is_custom_dns": False, **after, "records": {**zone["records"], "other": []}}
    body, rest = (after, {}) if method == "PUT" else ({}, {"is_dns_disabled": False})
    entries = _entries(_in_sets(records_of(zone, wanted.domain)), {})
    return ZonePlan(predicted, method, body, rest, before, after, entries)


def _in_sets(records: Iterable[Record]) -> dict[SetKey, list[Record]]:
    sets: dict[SetKey, list[Record]] = {}
    for record in records:
        sets.setdefault(record.set, []).append(record)
    return sets


def lines_of(records: Iterable[Record]) -> list[str]:
    """Readable lines, sorted by host and type."""
    return [record.line for record in sorted(records, key=lambda r: (r.host, r.type, str(r.shown["value"])))]


def listed(lines: Sequence[str]) -> str:
    """Lines in one sentence, cut short where there are many or long ones."""
    shown = [line if len(line) <= _LONGEST_LISTED else line[: _LONGEST_LISTED - 1] + "…" for line in lines]
    return first_of(shown, _MOST_LISTED, "; ")


def _entries(before: Sets, after: Sets) -> list[dict[str, Any]]:
    entries = []
    for host, kind in sorted({**before, **after}):
        old, new = before.get((host, kind), []), after.get((host, kind), [])
        values = {
            side: sorted(str(one.shown["value"]) for one in found) for side, found in (("before", old), ("after", new))
        }
        entries.append({"host": host, "type": kind, "ttl": (new or old)[0].ttl, **values})
    return entries


def _plan_records(zone: Mapping[str, Any], wanted: WantedZone) -> ZonePlan:
    if flag(zone, "is_dns_disabled") and (wanted.records is not None or wanted.soa):
        raise Conflict(
            f"zone {wanted.label()}: its DNS is disabled. Nothing was written. Enable it first with a separate task, is_dns_disabled: false, "
            "which brings the panel's default records.",
            option="is_dns_disabled",
        )
    current = records_of(zone, wanted.domain)
    dkim = dkim_text(zone)
    sets = _managed_sets(wanted, current, dkim, _usual_ttl(zone, current))
    planned = _arranged(current, sets, wanted, dkim)
    _refuse_cname_beside_others(current, planned, sets.changed, wanted)
    _guard_deletions(sets, current, wanted)

    soa = dict(zone["records"].get("soa") or {})
    wanted_soa = {
        name: soa[name] if name in soa and _same_soa(name, value, soa[name]) else value
        for name, value in wanted.soa.items()
    }
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    if wanted.records is not None:
        before["records"] = lines_of(record for record in current if record.set in sets.target)
        after["records"] = lines_of(record for record in planned if record.set in sets.target)
    if wanted.soa:
        before["soa"] = {name: soa.get(name) for name in wanted.soa}
        after["soa"] = wanted_soa
    if not sets.changed and contains(soa, wanted_soa):
        return ZonePlan(zone, before=before, after=before)
    # Nothing but records is sent: is_dns_disabled beside them would make the panel ignore them.
    records = {"soa": {**soa, **wanted_soa}, "other": [dict(record.shown) for record in planned]}
    predicted = {**zone, "is_custom_dns": True, "is_dns_disabled": False, "records": {**zone["records"], **records}}
    old, new = ({key: side[key] for key in sets.changed} for side in (sets.current, sets.target))
    return ZonePlan(predicted, "PUT", {"records": records}, before=before, after=after, entries=_entries(old, new))


def _same_soa(name: str, wanted: Any, shown: Any) -> bool:
    if name in SOA_NAMES:
        return isinstance(shown, str) and wanted.rstrip(".").lower() == shown.strip().rstrip(".").lower()
    return bool(wanted == comparable_ttl(shown))


def _usual_ttl(zone: Mapping[str, Any], current: list[Record]) -> int:
    counts = Counter(record.ttl for record in current if isinstance(record.ttl, int))
    if counts:
        return counts.most_common(1)[0][0]
    ttl = comparable_ttl((zone["records"].get("soa") or {}).get("ttl"))
    return ttl if isinstance(ttl, int) else _USUAL_TTL


def _refuse_cname_beside_others(
    current: Sequence[Record], planned: Sequence[Record], changed: Set[SetKey], wanted: WantedZone
) -> None:
    for host in sorted(_cnames_beside_others(planned, changed) - _cnames_beside_others(current, changed)):
        lines = lines_of(record for record in planned if record.host == host)
        raise Conflict(
            f"records: a CNAME allows no other record on its host, but {host} in the zone of {wanted.label()} would have "
            f"{listed(lines)}. Nothing was written. Remove the others first (state: absent), or use purge.",
            option="records",
        )


def _cnames_beside_others(records: Sequence[Record], changed: Set[SetKey]) -> set[str]:
    """The hosts, among those of these sets, that have a CNAME and anything else."""
    hosts = {host for host, _kind in changed}
    values = {(record.host, record.type, record.value) for record in records if record.host in hosts}
    counts = Counter(host for host, _kind, _value in values)
    return {host for host, kind, _value in values if kind == "CNAME" and (counts[host] > 1 or host == APEX)}


def _guard_deletions(sets: _Sets, current: list[Record], wanted: WantedZone) -> None:
    """A record counts as removed when its set gets smaller; another value in its place is a change."""
    if not wanted.purge:
        return
    removed = sum(max(0, len(sets.current[key]) - len(sets.target[key])) for key in sets.changed)
    if removed * 100 <= wanted.max_delete_percent * len(current):
        return
    percent = -(-removed * 100 // len(current))
    kept = {(record.set, record.value) for target in sets.target.values() for record in target}
    lines = lines_of(r for key in sets.changed for r in sets.current[key] if (r.set, r.value) not in kept)
    raise Conflict(
        f"max_delete_percent: the purge would delete {removed} of {len(current)} records of {wanted.label()} ({percent} %, limit "
        f"{wanted.max_delete_percent} %): {listed(lines)}. Nothing was written. Add the missing records, or set max_delete_percent: {percent}.",
        option="max_delete_percent",
        removed=removed,
        records=len(current),
        limit=wanted.max_delete_percent,
    )


class _Sets(NamedTuple):
    """The record sets that a task manages, as they are and as they shall be; all others are foreign to it."""

    current: Sets
    target: Sets
    changed: Set[SetKey]


def _managed_sets(wanted: WantedZone, records: Sequence[Record], dkim: str | None, usual_ttl: int) -> _Sets:
    """records: the whole zone. dkim: what the DKIM placeholder stands for. usual_ttl: for new sets without a TTL."""
    sets = _in_sets(records)
    given: dict[SetKey, list[tuple[str, WantedRecord]]] = {}
    for record in wanted.records or ():
        value = comparable_value(record.type, record.value, wanted.domain, dkim)
        given.setdefault((record.host, record.type), []).append((value, record))
    target: dict[SetKey, list[Record]] = {}
    for key, entries in given.items():
        if wanted.state == "absent":
            target[key] = _without(entries, sets.get(key, []))
        else:
            target[key] = _with(entries, sets.get(key, []), wanted.append, usual_ttl)
    if wanted.purge:
        target |= {key: [] for key in sets if key not in given and not _is_protected(key, wanted)}
    current = {key: sets.get(key, []) for key in target}
    changed = {key for key in target if [one.shown for one in target[key]] != [one.shown for one in current[key]]}
    return _Sets(current, target, changed)


def _is_protected(key: SetKey, wanted: WantedZone) -> bool:
    return any(all(map(fnmatch.fnmatchcase, key, pattern)) for pattern in wanted.protect)


def _without(given: Given, current: list[Record]) -> list[Record]:
    if any(record.value is None for _value, record in given):
        return []
    values = {value for value, _record in given}
    return [record for record in current if record.value not in values]


def _with(given: Given, current: list[Record], append: bool, usual_ttl: int) -> list[Record]:
    """The given values: those that are there as the panel shows them and in its order, then the new ones.

    A TTL that one record of the task gives counts for the others of the set that give none. With ``append`` a set that is there keeps its
    TTL, since all records of a set have the same.
    """
    keeps_ttl = append and bool(current)
    ttls = [] if keeps_ttl else [record.ttl for _value, record in given if record.ttl is not None]
    wanted: dict[str, WantedRecord] = {}
    for value, record in given:
        if value not in wanted or wanted[value].ttl is None:
            wanted[value] = record
    target: list[Record] = []
    for shown in current:
        match = wanted.get(shown.value)
        if match is not None:
            own = None if keeps_ttl else match.ttl
            target.append(_adapted(shown, own or (ttls[0] if ttls else None), match.further))
        elif append:
            target.append(shown)
    ttl = ttls[0] if ttls else current[0].ttl if current and isinstance(current[0].ttl, int) else usual_ttl
    there = {shown.value for shown in current}
    return target + [
        _new(record, value, ttl if keeps_ttl else record.ttl or ttl)
        for value, record in wanted.items()
        if value not in there
    ]


def _adapted(record: Record, ttl: int | None, further: Mapping[str, Any]) -> Record:
    members = {name: value for name, value in further.items() if not contains(record.shown, {name: value})}
    if ttl is not None and ttl != record.ttl:
        members["ttl"] = ttl
    shown = {**record.shown, **members}
    return record._replace(shown=shown, ttl=comparable_ttl(shown.get("ttl"))) if members else record


def _new(given: WantedRecord, value: str, ttl: int) -> Record:
    shown = {"host": given.host, "ttl": ttl, "type": given.type, "value": given.value, **given.further}
    return Record(shown, given.host, given.type, value, ttl)


def _arranged(records: Sequence[Record], sets: _Sets, wanted: WantedZone, dkim: str | None) -> Sequence[Record]:
    """The whole zone as it shall be. Foreign records and values that stay keep their place, new values follow their set.

    After a purge the given order holds instead, so that a zone put back from ``records_before`` looks as it did.
    """
    if not sets.changed:
        return records
    if wanted.purge:
        place: dict[tuple[str, str, str], int] = {}
        for index, one in enumerate(wanted.records or ()):
            value = comparable_value(one.type, one.value, wanted.domain, dkim)
            place.setdefault((one.host, one.type, value), index)
        managed = chain.from_iterable(sets.target.values())
        foreign = [record for record in records if record.set not in sets.target]
        return foreign + sorted(managed, key=lambda record: place[(record.host, record.type, record.value)])
    waiting = {key: list(target) for key, target in sets.target.items()}
    last = {record.set: index for index, record in enumerate(records)}
    planned: list[Record] = []
    for index, record in enumerate(records):
        target = waiting.get(record.set)
        if target is None:
            planned.append(record)
            continue
        if target and target[0].value == record.value:
            planned.append(target.pop(0))
        if index == last[record.set]:
            planned += waiting.pop(record.set)
    return [*planned, *chain.from_iterable(waiting.values())]


class Shortfall(NamedTuple):
    """What a zone lacks after a write. lost: foreign records and fields of the SOA record. unmet: what the task wanted, in words or lines.

    lost_records: the foreign records, as the panel had shown them.
    """

    lost: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    lost_records: tuple[Mapping[str, Any], ...] = ()


def shortfall(before: Mapping[str, Any], plan: ZonePlan, after: Mapping[str, Any], wanted: WantedZone) -> Shortfall:
    """Compares the zone after the write with the plan; records that others added meanwhile are no shortfall."""
    if "records" not in plan.body:
        wrong = [name for name, value in plan.after.items() if flag(after, name) not in (value, None)]
        return Shortfall(unmet=tuple(f"{name} is {flag(after, name)}".lower() for name in wrong))
    dkim = dkim_text(after)
    there = {(r.set, r.value, r.ttl) for r in records_of(after, wanted.domain)}
    foreign = {(r.set, r.value, r.ttl) for r in records_of(before, wanted.domain)}
    planned = [comparable_record(shown, wanted.domain, dkim) for shown in plan.body["records"]["other"]]
    missing = [record for record in planned if (record.set, record.value, record.ttl) not in there]
    lost = [record for record in missing if (record.set, record.value, record.ttl) in foreign]
    unmet = [record.line for record in missing if record not in lost]
    soa_before, soa_after = before["records"].get("soa") or {}, after["records"].get("soa") or {}
    lost_soa = (
        f"SOA {name} {soa_before[name]}"
        for name in SOA_MEMBERS
        if name in soa_before
        and name not in wanted.soa
        and comparable_ttl(soa_before[name]) != comparable_ttl(soa_after.get(name))
    )
    if not unmet and not _holds(after, wanted):
        unmet.append("the zone is not as the task wants it")
    return Shortfall((*(one.line for one in lost), *lost_soa), tuple(unmet), tuple(one.shown for one in lost))


def _holds(after: Mapping[str, Any], wanted: WantedZone) -> bool:
    try:
        return not plan_zone(after, wanted._replace(max_delete_percent=100)).is_change
    except Conflict:
        return False

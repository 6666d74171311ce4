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
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._errors import Conflict
from .._values.json_values import contains
from .record_values import APEX, comparable_ttl, comparable_value, dkim_text
from .wanted_zone import SOA_MEMBERS, SOA_NAMES, WantedRecord, WantedZone
from .zone import NEW_ZONE, Record, SetKey, comparable_record, flag, in_sets, lines_of, listed, records_of

USUAL_TTL = 86400  # of the panel's default zones (facts.md section 7)
_RESET = {"is_custom_dns": False, "is_dns_disabled": False}
Sets = Mapping[SetKey, list[Record]]


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
    entries = _entries(in_sets(records_of(zone, wanted.domain)), {})
    return ZonePlan(predicted, method, body, rest, before, after, entries)


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
    sets = _ManagedSets(wanted, current, dkim_text(zone), _usual_ttl(zone, current))
    planned = sets.arranged()
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
    return ttl if isinstance(ttl, int) else USUAL_TTL


def _refuse_cname_beside_others(
    current: list[Record], planned: list[Record], changed: Iterable[tuple[str, str]], wanted: WantedZone
) -> None:
    for host in sorted({host for host, _kind in changed}):
        if _has_cname_beside_others(current, host) or not _has_cname_beside_others(planned, host):
            continue
        lines = lines_of(record for record in planned if record.host == host)
        raise Conflict(
            f"records: a CNAME allows no other record on its host, but {host} in the zone of {wanted.label()} would have "
            f"{listed(lines)}. Nothing was written. Remove the others first (state: absent), or use purge.",
            option="records",
        )


def _has_cname_beside_others(records: list[Record], host: str) -> bool:
    here = [record for record in records if record.host == host]
    values = {(record.type, record.value) for record in here}
    return any(kind == "CNAME" for kind, _value in values) and (len(values) > 1 or host == APEX)


def _guard_deletions(sets: _ManagedSets, current: list[Record], wanted: WantedZone) -> None:
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


class _ManagedSets:
    """The sets that a task manages, now (``current``) and as they shall be (``target``); all others are foreign to it.

    records: the whole zone. dkim: what the DKIM placeholder stands for. usual_ttl: for new sets without a ttl.
    """

    def __init__(self, wanted: WantedZone, records: list[Record], dkim: str | None, usual_ttl: int) -> None:
        self._wanted, self._records, self._dkim, self._usual_ttl = wanted, records, dkim, usual_ttl
        given: dict[SetKey, list[WantedRecord]] = {}
        for record in wanted.records or ():
            given.setdefault((record.host, record.type), []).append(record)
        sets = in_sets(records)
        become = self._without if wanted.state == "absent" else self._with
        self.target = {key: become(entries, sets.get(key, [])) for key, entries in given.items()}
        if wanted.purge:
            self.target.update({key: [] for key in sets if key not in given and not self._is_protected(key)})
        self.current = {key: sets.get(key, []) for key in self.target}
        self.changed = {key for key, target in self.target.items() if _shown(target) != _shown(self.current[key])}

    def _is_protected(self, key: SetKey) -> bool:
        return any(_fits(key, pattern) for pattern in self._wanted.protect)

    def _comparable(self, record: WantedRecord) -> str:
        return comparable_value(record.type, record.value, self._wanted.domain, self._dkim)

    def _without(self, given: list[WantedRecord], current: list[Record]) -> list[Record]:
        if any(record.value is None for record in given):
            return []
        values = {self._comparable(record) for record in given}
        return [record for record in current if record.value not in values]

    def _with(self, given: list[WantedRecord], current: list[Record]) -> list[Record]:
        """The given values: those that are there as the panel shows them and in its order, then the new ones.

        A ttl that one record of the task gives counts for the others of the set that give none. With ``append`` a set that is there keeps its
        ttl, since all records of a set have the same.
        """
        keeps_ttl = self._wanted.append and bool(current)
        ttls = [] if keeps_ttl else [record.ttl for record in given if record.ttl is not None]
        wanted: dict[str, WantedRecord] = {}
        for record in given:
            value = self._comparable(record)
            if wanted.setdefault(value, record).ttl is None:
                wanted[value] = record
        target: list[Record] = []
        for shown in current:
            match = wanted.get(shown.value)
            if match is not None:
                own = None if keeps_ttl else match.ttl
                target.append(_adapted(shown, own or (ttls[0] if ttls else None), match.further))
            elif self._wanted.append:
                target.append(shown)
        ttl = ttls[0] if ttls else current[0].ttl if current and isinstance(current[0].ttl, int) else self._usual_ttl
        there = {shown.value for shown in current}
        return target + [
            _new(record, value, ttl if keeps_ttl else record.ttl or ttl)
            for value, record in wanted.items()
            if value not in there
        ]

    def arranged(self) -> list[Record]:
        """The whole zone as it shall be. Foreign records and values that stay keep their place, new values follow their set.

        After a purge the given order holds instead, so that a zone put back from ``records_before`` looks as it did.
        """
        if not self.changed:
            return self._records
        if self._wanted.purge:
            return self._in_given_order()
        waiting = {key: list(target) for key, target in self.target.items()}
        last = {record.set: index for index, record in enumerate(self._records)}
        planned: list[Record] = []
        for index, record in enumerate(self._records):
            target = waiting.get(record.set)
            if target is None:
                planned.append(record)
                continue
            if target and target[0].value == record.value:
                planned.append(target.pop(0))
            if index == last[record.set]:
                planned += waiting.pop(record.set)
        return planned + [record for target in waiting.values() for record in target]

    def _in_given_order(self) -> list[Record]:
        foreign = [record for record in self._records if record.set not in self.target]
        place: dict[tuple[str, str, str], int] = {}
        for index, record in enumerate(self._wanted.records or ()):
            place.setdefault((record.host, record.type, self._comparable(record)), index)
        managed = [record for target in self.target.values() for record in target]
        return foreign + sorted(managed, key=lambda record: place[(record.host, record.type, record.value)])


def _shown(records: list[Record]) -> list[Mapping[str, Any]]:
    return [record.shown for record in records]


def _adapted(record: Record, ttl: int | None, further: Mapping[str, Any]) -> Record:
    members = {name: value for name, value in further.items() if not contains(record.shown, {name: value})}
    if ttl is not None and ttl != record.ttl:
        members["ttl"] = ttl
    return record.with_members(members) if members else record


def _new(given: WantedRecord, value: str, ttl: int) -> Record:
    shown = {"host": given.host, "ttl": ttl, "type": given.type, "value": given.value, **given.further}
    return Record(shown, given.host, given.type, value, ttl)


def _fits(key: SetKey, pattern: tuple[str, str]) -> bool:
    return all(fnmatch.fnmatchcase(part, given) for part, given in zip(key, pattern))


class Shortfall(NamedTuple):
    """What a zone lacks after a write. lost: foreign records and SOA members. unmet: what the task wanted, in words or lines.

    lost_records: the foreign records, as the panel had shown them.
    """

    lost: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    lost_records: tuple[Mapping[str, Any], ...] = ()


def shortfall(before: Mapping[str, Any], plan: ZonePlan, after: Mapping[str, Any], wanted: WantedZone) -> Shortfall:
    """Compares the zone after the write with the plan; records that others added meanwhile are no shortfall."""
    if "records" not in plan.body:
        return _shortfall_of_flags(plan, after)
    dkim = dkim_text(after)
    there = Counter((r.set, r.value, r.ttl) for r in records_of(after, wanted.domain))
    foreign = {(r.set, r.value, r.ttl) for r in records_of(before, wanted.domain)}
    lost: list[str] = []
    unmet: list[str] = []
    lost_records: list[Mapping[str, Any]] = []
    for shown in plan.body["records"]["other"]:
        record = comparable_record(shown, wanted.domain, dkim)
        identity = (record.set, record.value, record.ttl)
        if there[identity]:
            continue
        if identity in foreign:
            lost.append(record.line)
            lost_records.append(shown)
        else:
            unmet.append(record.line)
    soa_before, soa_after = before["records"].get("soa") or {}, after["records"].get("soa") or {}
    for name in SOA_MEMBERS:
        is_foreign = name in soa_before and name not in wanted.soa
        if is_foreign and comparable_ttl(soa_before[name]) != comparable_ttl(soa_after.get(name)):
            lost.append(f"SOA {name} {soa_before[name]}")
    if not unmet and not _holds(after, wanted):
        unmet.append("the zone is not as the task wants it")
    return Shortfall(tuple(lost), tuple(unmet), tuple(lost_records))


def _shortfall_of_flags(plan: ZonePlan, after: Mapping[str, Any]) -> Shortfall:
    wrong = [name for name, value in plan.after.items() if flag(after, name) not in (value, None)]
    return Shortfall(unmet=tuple(f"{name} is {flag(after, name)}".lower() for name in wrong))


def _holds(after: Mapping[str, Any], wanted: WantedZone) -> bool:
    try:
        return not plan_zone(after, wanted._replace(max_delete_percent=100)).is_change
    except Conflict:
        return False

# SPDX-License-Identifier: GPL-3.0-or-later
"""From a zone and what is wanted of it to one request. Pure: dictionaries in, a ZonePlan out. Private to the collection.

The panel takes complete zones only (interface, "DNS"), so a plan carries all records: those that the task does not name exactly as the
panel showed them.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from typing import Any, NamedTuple, Optional

from .._errors import Conflict, first_of
from .._values.value_types import contains
from .record_values import Record, cnames_beside_others, records_of
from .wanted_zone import RECORD_MEMBERS, SOA_MEMBERS, WantedZone

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
Change = tuple[
    Optional[Record], Optional[Record]
]  # a record before and after, the same where it stays; None where there is none


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
    # Which records the panel puts into a default zone is not known beforehand.
    predicted = {**zone, "is_custom_dns": False, **after, "records": {**zone["records"], "other": []}}
    entries = _entries([(one, None) for one in records_of(zone, wanted.domain)])
    method, body = ("DELETE", {}) if wanted.state == "default" else ("PUT", after)
    return ZonePlan(predicted, method, body, before, after, entries)


def _plan_records(zone: Zone, wanted: WantedZone) -> ZonePlan:
    if zone.get("is_dns_disabled") and (wanted.records is not None or wanted.soa):
        raise Conflict(
            f"zone {wanted.label()}: its DNS is disabled. Nothing was written. Enable it first with a separate task, is_dns_disabled: false, "
            "which brings the panel's default records.",
            option="is_dns_disabled",
        )
    records, soa = records_of(zone, wanted.domain), zone["records"]["soa"]
    given = records_of(zone, wanted.domain, wanted.records or ())
    managed = {one.set for one in given}
    if wanted.purge:
        managed |= {key for key in {one.set for one in records} if not _is_protected(key, wanted)}
    changes = _removed(records, given) if wanted.state == "absent" else _replaced(records, given, managed, wanted)
    planned = [new for _old, new in changes if new is not None]
    entries = _entries(changes)
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    if wanted.records is not None:
        before["records"], after["records"] = (
            lines_of(one for one in some if one.set in managed) for some in (records, planned)
        )
    if wanted.soa:
        before["soa"] = {name: soa.get(name) for name in wanted.soa}
        # What is the same in another spelling stays as it is shown.
        after["soa"] = {
            name: soa[name] if name in soa and _plain(soa[name]) == _plain(value) else value
            for name, value in wanted.soa.items()
        }
    if not entries and before.get("soa") == after.get("soa"):
        return ZonePlan(zone, before=before, after=before)
    for host in sorted(cnames_beside_others(planned) - cnames_beside_others(records)):
        raise Conflict(
            f"records: a CNAME allows no other record on its host, but {host} in the zone of {wanted.label()} would have "
            f"{listed(lines_of(one for one in planned if one.host == host))}. Nothing was written. Remove the others first (state: absent), "
            "or use purge.",
            option="records",
        )
    if wanted.purge:
        _limit_purge(changes, entries, len(records), wanted)
    # Nothing but records is sent: is_dns_disabled beside them would make the panel ignore them.
    body = {"soa": {**soa, **after.get("soa", {})}, "other": [dict(record.shown) for record in planned]}
    predicted = {**zone, "is_custom_dns": True, "is_dns_disabled": False, "records": {**zone["records"], **body}}
    return ZonePlan(predicted, "PUT", {"records": body}, before, after, entries)


def _removed(records: Iterable[Record], given: Iterable[Record]) -> list[Change]:
    """A record without a value stands for its set."""
    gone = {one.key if "value" in one.shown else one.set for one in given}
    return [(one, None if one.set in gone or one.key in gone else one) for one in records]


def _replaced(
    records: Sequence[Record], given: Iterable[Record], managed: Set[SetKey], wanted: WantedZone
) -> list[Change]:
    """What stays is as the panel shows it and where it is, new values come at the end. After a purge the given order holds, so that a zone
    put back from ``records_before`` looks as it did."""
    values: dict[tuple[str, ...], Record] = {}  # each value once
    ttls: dict[tuple[str, ...], int] = {}  # by value, and for the others of its set
    sets: dict[SetKey, list[Record]] = {}
    for one in records:
        sets.setdefault(one.set, []).append(one)
    for one in given:
        values.setdefault(one.key, one)
        # Values that are added get the TTL of their set.
        if one.ttl is not None and not (wanted.append and one.set in sets):
            ttls.setdefault(one.key, one.ttl)
            ttls.setdefault(one.set, one.ttl)
    changes: list[Change] = []
    for old in records:
        stays = old if wanted.append or old.set not in managed else None
        changes.append((old, _adapted(old, values[old.key], ttls) if old.key in values else stays))
    there, usual = {one.key for one in records}, _usual_ttl(records, _USUAL_TTL)
    for key, one in values.items():
        if key not in there:
            ttl = ttls.get(key, ttls.get(one.set)) or _usual_ttl(sets.get(one.set, ()), usual)
            changes.append((None, one._replace(shown={**one.shown, "ttl": ttl}, ttl=ttl)))
    if wanted.purge:
        place = {key: index for index, key in enumerate(values)}
        changes.sort(key=lambda change: place.get(change[1].key, -1) if change[1] else -1)
    return changes


def _is_protected(key: SetKey, wanted: WantedZone) -> bool:
    return any(all(map(fnmatch.fnmatchcase, key, patterns)) for patterns in wanted.protect)


def _usual_ttl(records: Iterable[Record], otherwise: int) -> int:
    counts = Counter(one.ttl for one in records if isinstance(one.ttl, int))
    return counts.most_common(1)[0][0] if counts else otherwise


def _adapted(old: Record, one: Record, ttls: Mapping[tuple[str, ...], int]) -> Record:
    """The record as it is shown, with the TTL and the further fields that are given."""
    further = {name: one.shown[name] for name in one.shown.keys() - RECORD_MEMBERS}
    ttl = ttls.get(old.key, ttls.get(old.set, old.ttl))
    if ttl == old.ttl and contains(old.shown, further):
        return old
    return old._replace(shown={**old.shown, **further, **({} if ttl is None else {"ttl": ttl})}, ttl=ttl)


def lines_of(records: Iterable[Record]) -> list[str]:
    return [record.line for record in sorted(records, key=lambda r: (r.host, r.type, str(r.shown["value"])))]


def listed(lines: Sequence[str]) -> str:
    shown = [line if len(line) <= _LONGEST_LISTED else line[: _LONGEST_LISTED - 1] + "…" for line in lines]
    return first_of(shown, _MOST_LISTED, "; ")


def _entries(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """The sets in which something changes, each with its values before and after."""
    changed = {one.set for change in changes if change[0] is not change[1] for one in change if one}
    sets: dict[SetKey, tuple[list[Record], list[Record]]] = {key: ([], []) for key in sorted(changed)}
    for change in changes if changed else ():
        for side, one in enumerate(change):
            if one and one.set in sets:
                sets[one.set][side].append(one)
    entries = []
    for (host, kind), (old, new) in sets.items():
        was, becomes = (sorted(str(one.shown["value"]) for one in side) for side in (old, new))
        entries.append({"host": host, "type": kind, "ttl": (new or old)[0].ttl, "before": was, "after": becomes})
    return entries


def _plain(shown: Any) -> Any:
    return shown.strip().rstrip(".").lower() if isinstance(shown, str) else shown


def _limit_purge(
    changes: Iterable[Change], entries: Iterable[Mapping[str, Any]], count: int, wanted: WantedZone
) -> None:
    """A record counts as removed when its set gets smaller; another value in its place is a change."""
    limit = wanted.max_delete_percent
    removed = sum(max(0, len(one["before"]) - len(one["after"])) for one in entries)
    if removed * 100 <= limit * count:
        return
    percent = -(-removed * 100 // count)
    lines = lines_of(old for old, new in changes if old is not None and new is None)
    raise Conflict(
        f"max_delete_percent: the purge would delete {removed} of {count} records of {wanted.label()} ({percent} %, limit "
        f"{limit} %): {listed(lines)}. Nothing was written. Add the missing records, or set max_delete_percent: {percent}.",
        option="max_delete_percent",
        removed=removed,
        records=count,
        limit=limit,
    )


def shortfall(before: Zone, plan: ZonePlan, after: Zone | None, wanted: WantedZone) -> dict[str, list[Any]]:
    """Compares the zone after the write with the plan; records that others added meanwhile are no shortfall.

    lost: foreign records and fields of the SOA record. lost_records: the records among them, as the panel had shown them. unmet: what the
    task wanted, in words or lines.
    """
    if after is None:
        return {"lost": [], "lost_records": [], "unmet": ["the zone is not there any more"]}
    if "records" not in plan.body:
        shown = {name: after.get(name) for name in plan.after}
        unmet = [f"{name} is {shown[name]}".lower() for name in shown if shown[name] not in (plan.after[name], None)]
        return {"lost": [], "lost_records": [], "unmet": unmet}
    there, foreign = ({one[1:] for one in records_of(zone, wanted.domain)} for zone in (after, before))
    missing = [one for one in records_of(after, wanted.domain, plan.body["records"]["other"]) if one[1:] not in there]
    lost = [record for record in missing if record[1:] in foreign]
    unmet = [record.line for record in missing if record[1:] not in foreign]
    was, becomes = before["records"]["soa"], after["records"]["soa"]
    own = [name for name in SOA_MEMBERS if name in was and name not in wanted.soa]
    lines = [one.line for one in lost] + [f"SOA {name} {was[name]}" for name in own if was[name] != becomes.get(name)]
    is_met = False
    with suppress(Conflict):
        is_met = not plan_zone(after, wanted._replace(max_delete_percent=100)).is_change
    if not unmet and not is_met:
        unmet = ["the zone is not as the task wants it"]
    return {"lost": lines, "lost_records": [one.shown for one in lost], "unmet": unmet}

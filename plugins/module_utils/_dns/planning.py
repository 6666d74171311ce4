# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a zone and what is wanted of it to one request. Pure: dictionaries in, a ZonePlan out. Private to the collection.

The panel takes complete zones only (interface, "DNS"), so a plan carries all records: those that the task does not name exactly as the
panel showed them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._errors import Conflict
from .._values.json_values import contains
from .record_values import APEX, comparable_ttl, dkim_text, value_lacks_dot
from .sets import ManagedSets
from .wanted_zone import SOA_NAMES, WantedZone
from .zone import NEW_ZONE, Record, SetKey, flag, in_sets, lines_of, listed, records_of

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
    warnings: tuple[str, ...] = ()
    entries: Sequence[Mapping[str, Any]] = ()

    @property
    def is_change(self) -> bool:
        return bool(self.method)

    @property
    def difference(self) -> tuple[Any, ...]:
        """What a person approves of it."""
        return self.before, self.after, self.entries


def plan_zone(zone: Mapping[str, Any] | None, wanted: WantedZone) -> ZonePlan:
    """The change that makes the zone what is wanted (located); None is the zone of a domain that is still to be created.

    Raises Conflict where the change is refused; the message says why and that nothing was written.
    """
    if zone is None:
        zone = NEW_ZONE
    if wanted.state == "default":
        return _plan_reset(zone, wanted)
    if wanted.is_dns_disabled is not None:
        return _plan_switch(zone, wanted, wanted.is_dns_disabled)
    return _plan_records(zone, wanted)


def _plan_reset(zone: Mapping[str, Any], wanted: WantedZone) -> ZonePlan:
    before = {name: flag(zone, name) for name in _RESET}
    if before == _RESET:
        return ZonePlan(zone, before=before, after=before)
    return ZonePlan(
        _without_records(zone, _RESET),
        "DELETE",
        rest={"is_dns_disabled": False},
        before=before,
        after=_RESET,
        entries=_entries(in_sets(records_of(zone, wanted.domain)), {}),
    )


def _plan_switch(zone: Mapping[str, Any], wanted: WantedZone, is_disabled: bool) -> ZonePlan:
    before = {"is_dns_disabled": flag(zone, "is_dns_disabled")}
    after = {"is_dns_disabled": is_disabled}
    if before == after:
        return ZonePlan(zone, before=before, after=before)
    predicted = _without_records(zone, {"is_custom_dns": False, **after})
    entries = _entries(in_sets(records_of(zone, wanted.domain)), {})
    return ZonePlan(predicted, "PUT", body=after, before=before, after=after, entries=entries)


def _entries(before: Sets, after: Sets) -> list[dict[str, Any]]:
    """What becomes of each of these record sets, by host and type."""
    entries = []
    for host, kind in sorted({**before, **after}):
        old, new = before.get((host, kind), []), after.get((host, kind), [])
        values = {
            side: sorted(str(one.shown["value"]) for one in found) for side, found in (("before", old), ("after", new))
        }
        entries.append({"host": host, "type": kind, "ttl": (new or old)[0].ttl, **values})
    return entries


def _without_records(zone: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    """The zone after a reset; which records the panel puts into a default zone is not known beforehand."""
    return {**zone, **flags, "records": {**zone["records"], "other": []}}


def _plan_records(zone: Mapping[str, Any], wanted: WantedZone) -> ZonePlan:
    if flag(zone, "is_dns_disabled") and (wanted.records is not None or wanted.soa):
        raise Conflict(
            f"DNS of {wanted.label()} is disabled, so it has no records to manage. Enable it first with a task of its own, "
            "is_dns_disabled: false, which brings the panel's default records. Nothing was written.",
            option="is_dns_disabled",
        )
    current = records_of(zone, wanted.domain)
    sets = ManagedSets(wanted, current, dkim_text(zone), _usual_ttl(zone, current))
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
    warnings = (*_dot_warnings(current, planned, wanted), *_protection_warnings(sets, wanted))
    if not sets.changed and contains(soa, wanted_soa):
        return ZonePlan(zone, before=before, after=before, warnings=warnings)
    # Nothing but records is sent: is_dns_disabled beside them would make the panel ignore them.
    records = {"soa": {**soa, **wanted_soa}, "other": [dict(record.shown) for record in planned]}
    predicted = {**zone, "is_custom_dns": True, "is_dns_disabled": False, "records": {**zone["records"], **records}}
    old, new = ({key: side[key] for key in sets.changed} for side in (sets.current, sets.target))
    return ZonePlan(
        predicted,
        "PUT",
        {"records": records},
        before=before,
        after=after,
        warnings=warnings,
        entries=_entries(old, new),
    )


def _same_soa(name: str, wanted: Any, shown: Any) -> bool:
    if name in SOA_NAMES:
        return isinstance(shown, str) and wanted.rstrip(".").lower() == shown.strip().rstrip(".").lower()
    return bool(wanted == comparable_ttl(shown))


def _usual_ttl(zone: Mapping[str, Any], current: list[Record]) -> int:
    """The ttl of most of the zone's records, for a new set without one."""
    counts = Counter(record.ttl for record in current if isinstance(record.ttl, int))
    if counts:
        return counts.most_common(1)[0][0]
    ttl = comparable_ttl((zone["records"].get("soa") or {}).get("ttl"))
    return ttl if isinstance(ttl, int) else USUAL_TTL


def _refuse_cname_beside_others(
    current: list[Record], planned: list[Record], changed: Iterable[tuple[str, str]], wanted: WantedZone
) -> None:
    """DNS allows no other record beside a CNAME; what was so before the task is left alone."""
    for host in sorted({host for host, _kind in changed}):
        if _has_cname_beside_others(current, host) or not _has_cname_beside_others(planned, host):
            continue
        lines = lines_of(record for record in planned if record.host == host)
        raise Conflict(
            f"records: a CNAME allows no other record on its host, but {host} in the zone of {wanted.label()} would have "
            f"{listed(lines)}. Remove what shall not be there first (state: absent), or use purge. Nothing was written.",
            option="records",
        )


def _has_cname_beside_others(records: list[Record], host: str) -> bool:
    here = [record for record in records if record.host == host]
    values = {(record.type, record.value) for record in here}
    return any(kind == "CNAME" for kind, _value in values) and (len(values) > 1 or host == APEX)


def _guard_deletions(sets: ManagedSets, current: list[Record], wanted: WantedZone) -> None:
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
        f"max_delete_percent: the purge would remove {removed} of the {len(current)} records of {wanted.label()} ({percent} %), "
        f"and the limit is {wanted.max_delete_percent} %. Nothing was written. If that is meant, set max_delete_percent: {percent}; "
        f"otherwise give the records that shall stay, or protect them. Would go or get another value: {listed(lines)}.",
        option="max_delete_percent",
        removed=removed,
        records=len(current),
        limit=wanted.max_delete_percent,
    )


def _protection_warnings(sets: ManagedSets, wanted: WantedZone) -> Iterable[str]:
    for pattern in sets.protecting_nothing() if wanted.purge else ():
        yield f"protect: {pattern} fits no records of {wanted.label()}, so it protects nothing. Look at its spelling."


def _dot_warnings(current: list[Record], planned: list[Record], wanted: WantedZone) -> Iterable[str]:
    """What names without a dot at their end mean to name servers; panels and users leave it out, so no difference is made of it."""
    before = {(record.set, record.value): record for record in current}
    given = {(record.host, record.type, record.value) for record in wanted.records or ()}
    if wanted.state != "present":
        return
    for record in planned:
        value = str(record.shown["value"])
        if not value_lacks_dot(record.type, value):
            continue
        where = f"{record.host} {record.type} {value}"
        if (record.set, record.value) not in before:
            yield (
                f"{where}: the name has no dot at its end, so name servers may read it as relative to the zone. "
                "Write it with a dot if it is complete."
            )
        elif (record.host, record.type, value + ".") in given:
            yield (
                f"{where}: the panel shows the name without the dot at its end, and the task counts it as the same. If name servers read it "
                "as relative to the zone, remove it (state: absent) and add it again."
            )

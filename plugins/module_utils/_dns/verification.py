# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a written zone holds what the plan promised. Pure. Private to the collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._errors import Conflict
from .planning import ZonePlan, plan_zone
from .record_values import comparable_ttl, dkim_text
from .wanted_zone import SOA_MEMBERS, WantedZone
from .zone import comparable_record, flag, records_of


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

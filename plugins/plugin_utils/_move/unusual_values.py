# SPDX-License-Identifier: GPL-3.0-or-later
"""What the source of a move has and an option refuses, so that only a panel which has it keeps it.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

from ...module_utils._dns.records import Record, find_cname_conflicts, list_records
from ...module_utils._dns.zone_change import has_same_soa_value
from ...module_utils._items.desired_items import get_item_reader
from ...module_utils._items.zone_options import LeftOut, leave_refused_sets
from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._problems import Problem, as_clause
from ...module_utils._schema.field_paths import get_value
from ...module_utils._schema.fields import UnusualValue

Item = dict[str, Any]
# The objects of the target, by kind and key.
Target = Mapping[str, Mapping[str, Item]]


def leave_unusual_values(
    resources: MutableMapping[str, list[Item]],
    target: Target,
    zones_on_target: Sequence[Item],
) -> list[dict[str, Any]]:
    """Take out of new objects what the target would refuse, since it would stand in the way of all.

    Args:
        resources: The objects of the client; the caller may change the items themselves, and their
            fields are replaced here.
        target: What the target has.
        zones_on_target: The zones of the client there, as ``panel_resources_info`` has them.

    Returns:
        What is left out, with ``kind``, ``key``, ``option`` and ``reason``.
    """
    zones = {zone["domain"]: zone for zone in zones_on_target}
    omissions = []
    for kind, items in resources.items():
        for item in items:
            key = KINDS[kind].format_key(item) or ""
            if kind == DNS:
                left_out = _leave_records(item, zones.get(key, {}))
            else:
                left_out = _leave_values(kind, item, target.get(kind, {}).get(key))
            omissions += [
                {"kind": kind, "key": key, "option": option, "reason": reason}
                for option, reason in left_out.items()
            ]
    return omissions


def _leave_values(kind: str, item: Item, existing: Item | None) -> LeftOut:
    """Take values out of an object. Its name stays, since without it there is none."""
    desired, _mistakes = get_item_reader(kind).read(item)
    left_out: LeftOut = {}
    for unusual in getattr(desired, "unusual", ()):
        if unusual.path[0] in KINDS[kind].key_options or unusual.is_in(existing):
            continue
        _remove_value(item, unusual)
        left_out.setdefault(".".join(unusual.path), _explain([unusual.problem]))
    return left_out


def _remove_value(item: Item, unusual: UnusualValue) -> None:
    """Take a value, or an entry of a list, out of an object, whose fields may be shared."""
    holder = item
    for name in unusual.path[:-1]:
        holder[name] = dict(holder[name])
        holder = holder[name]
    name = unusual.path[-1]
    values = get_value(item, unusual.path)
    if isinstance(values, list):
        holder[name] = [value for value in values if value != unusual.value]
    else:
        del holder[name]


def _leave_records(item: Item, zone_on_target: Item) -> LeftOut:
    """Take record sets and fields of the SOA record out of a zone."""
    desired, _mistakes = get_item_reader(DNS).read(item)
    left_out: LeftOut = {}
    if desired is None or "records" not in item:
        return left_out

    domain = item["domain"]
    existing = _list_item_records(zone_on_target, domain)
    existing_keys = {record.key for record in existing}
    new_conflicts = desired.cname_conflicts.keys() - find_cname_conflicts(existing)
    reasons = []
    for index, record in enumerate(_list_item_records(item, domain)):
        problems: list[Problem] = []
        if record.key not in existing_keys:
            problems += desired.unusual_records.get(index, ())
        if record.type == "CNAME" and record.host in new_conflicts:
            problems.append(desired.cname_conflicts[record.host])
        reasons.append(_explain(problems))
    leave_refused_sets(item, reasons, left_out)

    left_out.update(_leave_soa_fields(item, desired.unusual_soa, zone_on_target))
    return left_out


def _leave_soa_fields(
    item: Item, unusual_fields: Mapping[str, Sequence[Problem]], zone_on_target: Item
) -> LeftOut:
    """Take the unusual fields of the SOA record out of a zone, unless the target has them."""
    left_out: LeftOut = {}
    soa_on_target = zone_on_target.get("soa") or {}
    for name, problems in unusual_fields.items():
        if not has_same_soa_value(item["soa"][name], soa_on_target.get(name)):
            item["soa"] = {field: value for field, value in item["soa"].items() if field != name}
            left_out[f"soa.{name}"] = _explain(problems)
    return left_out


def _list_item_records(item: Item, domain: str) -> list[Record]:
    """Return the records of the options of a zone in normal form."""
    return list_records({"records": {"other": item.get("records") or []}}, domain)


def _explain(problems: Sequence[Problem]) -> str:
    """Return why something is refused; empty where it is not."""
    return as_clause(problems[0].cause) if problems else ""

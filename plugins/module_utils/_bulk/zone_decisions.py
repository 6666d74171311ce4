# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides what is done with the zone of one item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._dns.located_zone import LocatedZone, ZoneState
from .._dns.planning import plan_zone
from .._dns.zone_change import ZonePlan, display_changed_rrsets
from .._dns.zone_guards import refuse_masked_records
from .._dns.zone_warnings import find_warnings
from .._items.desired_items import Item
from .._kinds.registry import DNS, KINDS
from .._kinds.tables import DOMAIN
from .._sources.kind_objects import is_planned
from .._values.names import DomainName
from .actions import Action, ZoneChange
from .object_names import find_client_name
from .plan_state import PlanState, Unchanged, get_identity_of


def decide_zone(state: PlanState, item: Item, read: LocatedZone) -> None:
    """Decide what is done with the zone of an item.

    Args:
        state: What is known of the plan.
        item: The item.
        read: The zone as it was read.
    """
    desired = read.desired
    domains = state.source.get_objects(DOMAIN)
    name = desired.domain or item.key
    # Two items would both write the whole zone, and the last one would take back what the other
    # one did.
    state.claim(item, (KINDS[DNS].path, DomainName().normalize(name)))
    plan = plan_zone(read.zone, desired)
    refuse_masked_records(read.zone, plan, state.source.session.secrets.is_masked_form)
    for warning in (*desired.warnings, *find_warnings(read.known_zone, desired)):
        state.warn(item, warning)

    # The panel decides which records a new zone has (docs/panel_api.md#default-zones), so those
    # that have to go are looked for when there is a zone.
    is_planned_zone = read.state is ZoneState.PLANNED
    removes_records = desired.purge or desired.state == "absent"
    is_change = plan.is_change or (is_planned_zone and removes_records)
    domain: Mapping[str, Any] = {}
    if is_change or is_planned_zone or domains.has_list:
        domain = domains.find_by_key({"domain": name}) or {}
    identity = get_identity_of(DOMAIN, domain)
    if domain:
        state.require([identity], item)

    domain_id = domain.get("id")
    if not is_change:
        shown_id = None if is_planned(domain_id) else domain_id
        state.add_unchanged(Unchanged(DNS, name, shown_id))
        return
    username = find_client_name(state.source, DOMAIN, domain) or desired.client
    displayed = _display_zone(plan, username)
    needs = state.list_actions_before([identity])
    change = ZoneChange(read, plan)
    state.add_actions([Action(DNS, name, change, displayed, item, domain_id, needs)])


def _display_zone(plan: ZonePlan, username: str | None) -> dict[str, Any]:
    """Return what a plan shows of a change of a zone, whose entries say which records change."""
    before = dict(plan.before)
    after = dict(plan.after)
    before.pop("records", None)
    after.pop("records", None)
    entries = display_changed_rrsets(plan)
    return {"client": username, "before": before, "after": after, "entries": entries}

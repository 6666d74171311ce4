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
from .._errors import PanelError
from .._items.desired_items import Item
from .._kinds.registry import DNS, KINDS
from .._kinds.tables import DOMAIN
from .._sources.kind_objects import is_planned
from .._values.names import DomainName
from .actions import Action, ZoneChange
from .object_names import find_client_name
from .plan_state import ItemOutcome, PlanState, Unchanged, get_identity_of


def decide_zone(state: PlanState, item: Item, read: LocatedZone) -> ItemOutcome:
    """Return what is done with the zone of an item.

    Args:
        state: What is decided about the items before; it is only read.
        item: The item.
        read: The zone as it was read.
    """
    desired = read.desired
    name = desired.domain or item.key
    outcome = ItemOutcome(item)
    # What was found out before a mistake is a part of the outcome too.
    try:
        # Two items would both write the whole zone, and the last one would take back what the
        # other one did.
        identity = (KINDS[DNS].path, DomainName().normalize(name))
        state.refuse_claimed(item, identity)
        outcome = outcome._replace(claimed=identity)
        plan = plan_zone(read.zone, desired)
        refuse_masked_records(read.zone, plan, state.source.session.secrets.is_masked_form)
        warnings = (*desired.warnings, *find_warnings(read.known_zone, desired))
        outcome = outcome._replace(warnings=warnings)

        is_change = _is_change(read, plan)
        domain = _find_domain(state, read, name, is_change)
        if domain:
            outcome = outcome._replace(required=(get_identity_of(DOMAIN, domain),))
        if is_change:
            action = _make_action(state, item, name, ZoneChange(read, plan), domain)
            return outcome._replace(decision=action)
        domain_id = domain.get("id")
        shown_id = None if is_planned(domain_id) else domain_id
        return outcome._replace(decision=Unchanged(DNS, name, shown_id))
    except PanelError as error:
        return outcome._replace(error=error)


def _is_change(read: LocatedZone, plan: ZonePlan) -> bool:
    """Tell whether a zone changes, or will when it is there: the panel decides which records a new
    one has (docs/panel_api.md#default-zones), so those that have to go are looked for then.
    """
    removes_records = read.desired.purge or read.desired.state == "absent"
    return plan.is_change or (read.state is ZoneState.PLANNED and removes_records)


def _find_domain(
    state: PlanState, read: LocatedZone, name: str, is_change: bool
) -> Mapping[str, Any]:
    """Return the domain of a zone; nothing where it is not there, or not worth a request."""
    domains = state.source.get_objects(DOMAIN)
    if is_change or read.state is ZoneState.PLANNED or domains.has_list:
        return domains.find_by_key({"domain": name}) or {}
    return {}


def _make_action(
    state: PlanState, item: Item, name: str, change: ZoneChange, domain: Mapping[str, Any]
) -> Action:
    """Return the action that changes a zone.

    Args:
        state: What is decided about the items before.
        item: The item of the zone.
        name: The name of the zone.
        change: What is done.
        domain: The domain of the zone, as far as it is known.
    """
    username = find_client_name(state.source, DOMAIN, domain) or change.located.desired.client
    displayed = _display_zone(change.plan, username)
    needs = state.list_actions_before([get_identity_of(DOMAIN, domain)])
    return Action(DNS, name, change, displayed, item, domain.get("id"), needs)


def _display_zone(plan: ZonePlan, username: str | None) -> dict[str, Any]:
    """Return what a plan shows of a change of a zone, whose entries say which records change."""
    before = dict(plan.before)
    after = dict(plan.after)
    before.pop("records", None)
    after.pop("records", None)
    entries = display_changed_rrsets(plan)
    return {"client": username, "before": before, "after": after, "entries": entries}

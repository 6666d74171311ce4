# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides what is done with the object of one item.

Every object is decided by the code of its single module. The state of the plan gets what was
decided, and puts the object into the source as it will be, so that later objects can refer to it.
What is to be deleted is only marked.
"""

from __future__ import annotations

from collections.abc import Collection

from .._errors import OptionError, PanelError
from .._items.desired_items import Item
from .._kinds.registry import BY_PATH, TABLES
from .._plan.object_plan import CREATE, DELETE, NONE, ObjectPlan
from .._plan.prepare import prepare
from .._problems import OptionPath
from .._resolve.resolution import locate_object
from .._schema.desired_object import DesiredObject
from .._schema.field_paths import get_value
from .._schema.fields import RequestedReference
from .._schema.kind import Kind
from .._sources.kind_objects import Identity
from .actions import Action, ObjectName
from .object_names import find_client_name, name_object_of
from .plan_state import (
    ItemOutcome,
    LeftOut,
    MarkedObject,
    PlannedObject,
    PlanState,
    Unchanged,
    get_identity_of,
    refuse_without_id,
)


def decide_object(state: PlanState, item: Item) -> ItemOutcome:
    """Return what is done with the object of an item.

    Args:
        state: What is decided about the items before; it is only read.
        item: The item.
    """
    kind = TABLES[item.plural]
    outcome = ItemOutcome(item)
    # What was found out before a mistake is a part of the outcome too.
    try:
        omitted = _list_references_left_out(state, item)
        if omitted:
            options = ", ".join(reference.option for reference in omitted)
            warning = f"{options} is not set, since that object is left out."
            outcome = outcome._replace(warnings=(warning,))
        location = locate_object(kind, _without_references(item.desired, omitted), state.source)
        if location.current is not None:
            identity = get_identity_of(kind, location.current)
            state.refuse_claimed(item, identity)
            outcome = outcome._replace(claimed=identity)
        try:
            plan = prepare(location, state.source)
        except OptionError as error:
            if item.is_absent or not _is_about_secret(kind, error.problem.path):
                raise
            return _leave_out(outcome, error.option)

        outcome = outcome._replace(warnings=(*outcome.warnings, *plan.warnings))
        if not item.is_absent:
            outcome = outcome._replace(required=plan.dependencies)
        return _complete(state, outcome, plan)
    except PanelError as error:
        return outcome._replace(error=error)


def _complete(state: PlanState, outcome: ItemOutcome, plan: ObjectPlan) -> ItemOutcome:
    """Return the outcome with what the plan of the object does."""
    item = outcome.item
    if plan.action == DELETE:
        current = dict(plan.current or {})
        refuse_without_id(state.source, plan.kind, current)
        return outcome._replace(decision=MarkedObject(item, current))
    if plan.action == NONE:
        key = name_object_of(state.source, item, plan.current)
        return outcome._replace(decision=Unchanged(item.plural, key, plan.identifier))
    planned = _plan_action(state, item, plan)
    identity = get_identity_of(plan.kind, planned.future)
    return outcome._replace(decision=planned, claimed=identity)


def _list_references_left_out(state: PlanState, item: Item) -> list[RequestedReference]:
    """Return the references of an item to objects that are left out."""
    return [
        reference
        for reference in item.desired.references
        if (BY_PATH[reference.field.kind_path].plural, reference.name) in state.left_out
    ]


def _without_references(
    desired: DesiredObject, omitted: Collection[RequestedReference]
) -> DesiredObject:
    """Return what is desired without some references."""
    if not omitted:
        return desired
    kept = [reference for reference in desired.references if reference not in omitted]
    return desired._replace(references=tuple(kept))


def _is_about_secret(kind: Kind, option_path: OptionPath) -> bool:
    """Tell whether it is an option that holds a secret, or a group that cannot be given without
    one.
    """
    secrets = [path for path, field in kind.walk_fields() if field.secret and field.required]
    return any(option_path in (path[:1], path) for path in secrets)


def _leave_out(outcome: ItemOutcome, option: str) -> ItemOutcome:
    """Return the outcome without an object that needs a secret.

    An export has no secrets, nor what the panel shows incompletely; a rebuild goes on without
    the objects that need it, and says so.
    """
    problem = f"it is not on this panel and cannot be created without {option}, so it is left out."
    warning = f"{problem} Add that, and run again."
    return outcome._replace(decision=LeftOut(option), warnings=(*outcome.warnings, warning))


def _plan_action(state: PlanState, item: Item, plan: ObjectPlan) -> PlannedObject:
    """Return the action that carries out a plan, and the object as it will be."""
    kind = plan.kind
    name = item.plural, name_object_of(state.source, item, plan.owned)
    username = find_client_name(state.source, kind, {**(plan.current or {}), **plan.body})
    needs = _find_needed_actions(state, plan) - {name}
    identifier = state.source.make_planned_id() if plan.action == CREATE else plan.identifier
    displayed = {"client": username, "before": plan.before, "after": plan.after}
    action = Action(*name, plan, displayed, item, identifier, needs)
    future = {**(plan.outcome or {}), "id": identifier}
    return PlannedObject(action, future, _list_released(plan))


def _find_needed_actions(state: PlanState, plan: ObjectPlan) -> frozenset[ObjectName]:
    """Return the actions that have to be done before a plan is carried out."""
    kind = plan.kind
    identities = set(plan.dependencies)
    if kind.rules.keep_last is not None and plan.body.get(kind.rules.keep_last) is False:
        # The actions that make others what the panel may not lose the last one of.
        identities |= {
            get_identity_of(kind, candidate)
            for candidate in state.source.get_objects(kind).list_all()
            if candidate.get(kind.rules.keep_last)
        }
    return state.list_actions_before(identities)


def _list_released(plan: ObjectPlan) -> tuple[Identity, ...]:
    """Return what an object refers to before its plan is carried out."""
    released = []
    for path, field in plan.kind.walk_fields():
        referred = get_value(plan.current, path)
        if field.kind_path and referred:
            released.append((field.kind_path, referred))
    return tuple(released)

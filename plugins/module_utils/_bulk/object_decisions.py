# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides what is done with the object of one item.

What the panel shows exactly as an item has it is not planned (``_note_unchanged``), since that is
most of what there is. Every other object is decided by the code of its single module, and put into
the source as it will be, so that later objects can refer to it. What is to be deleted is only
marked.
"""

from __future__ import annotations

from collections.abc import Sequence

from .._errors import OptionError
from .._items.desired_items import Item
from .._kinds.registry import BY_PATH, TABLES
from .._plan.object_plan import CREATE, DELETE, NONE, ObjectPlan
from .._plan.prepare import prepare
from .._problems import OptionPath
from .._resolve.resolution import locate_object
from .._schema.desired_object import DesiredObject
from .._schema.field_paths import Path, get_value
from .._schema.kind import Kind
from .._sources.checked_answers import PanelObject
from .._sources.snapshot_source import SnapshotSource
from .._values.value_types import contains
from .actions import Action
from .object_names import find_client_name, name_object_of
from .plan_state import PlanState, Unchanged, get_identity_of


def decide_object(state: PlanState, item: Item) -> None:
    """Decide what is done with the object of an item."""
    if _note_unchanged(state, item):
        return

    kind = TABLES[item.plural]
    desired = _without_left_out(state, item)
    location = locate_object(kind, desired, state.source)
    if location.current is not None:
        state.claim(item, get_identity_of(kind, location.current))
    try:
        plan = prepare(location, state.source)
    except OptionError as error:
        if item.is_absent or not _is_about_secret(kind, error.problem.path):
            raise
        _leave_out(state, item, error.option)
        return

    for warning in plan.warnings:
        state.warn(item, warning)
    if not item.is_absent:
        state.require(plan.dependencies, item)
    if plan.action == DELETE:
        state.mark_for_deletion(kind, item, dict(plan.current or {}))
    elif plan.action == NONE:
        key = name_object_of(state.source, item, plan.current)
        state.add_unchanged(Unchanged(item.plural, key, plan.identifier))
    else:
        _add(state, item, plan)


def _note_unchanged(state: PlanState, item: Item) -> bool:
    """Tell whether the panel shows letter by letter what an item wants, and note that.

    This is a second comparison beside that of the fields, and the faster one. It may say no of what
    is right, and must end as a plan with nothing to change would.
    """
    kind = TABLES[item.plural]
    desired = item.desired
    if item.is_absent or state.left_out or desired.needs_careful_comparison():
        return False

    ids = _find_exact_ids(state.source, desired)
    if ids is None:
        return False
    owners = {path[0]: identifier for path, identifier in ids.items()}
    current = _find_only_candidate(
        state.source.get_objects(kind).list_candidates({**desired.key, **owners})
    )
    if current is None:
        return False
    if any(get_value(current, path) != identifier for path, identifier in ids.items()):
        return False

    flags = kind.creation_flags
    compared = {
        name: value
        for name, value in desired.values.items()
        if name in current or name not in flags
    }
    if not contains(current, compared):
        return False

    state.claim(item, get_identity_of(kind, current))
    for reference in desired.references:
        if ids[reference.path]:
            state.require([(reference.field.collection, ids[reference.path])], item)
    key = name_object_of(state.source, item, current)
    state.add_unchanged(Unchanged(item.plural, key, current["id"]))
    return True


def _find_exact_ids(source: SnapshotSource, desired: DesiredObject) -> dict[Path, int] | None:
    """Return the ids of what an item refers to by name; None where one cannot be told without
    care.
    """
    ids: dict[Path, int] = {}
    for reference in desired.references:
        objects = source.get_objects_at(reference.field.collection)
        target = None
        if reference.name is not None:
            target = _find_only_candidate(
                objects.list_candidates({objects.kind.name_field: reference.name})
            )
        if reference.reapply or (target is None and reference.id != 0):
            return None
        ids[reference.path] = 0 if target is None else target["id"]
    return ids


def _find_only_candidate(candidates: Sequence[PanelObject]) -> PanelObject | None:
    """Return the object where there is exactly one, with its id."""
    if len(candidates) != 1 or candidates[0].get("id") is None:
        return None
    return candidates[0]


def _without_left_out(state: PlanState, item: Item) -> DesiredObject:
    """Return what an item wants without references to objects that are left out."""
    desired = item.desired
    omitted = [
        reference
        for reference in desired.references
        if (BY_PATH[reference.field.collection].plural, reference.name) in state.left_out
    ]
    if not omitted:
        return desired
    options = ", ".join(reference.option for reference in omitted)
    state.warn(item, f"{options} is not set, since that object is left out.")
    kept = [reference for reference in desired.references if reference not in omitted]
    return desired._replace(references=tuple(kept))


def _is_about_secret(kind: Kind, option_path: OptionPath) -> bool:
    """Tell whether it is an option that holds a secret, or a group that cannot be given without
    one.
    """
    secrets = [path for path, field in kind.walk_fields() if field.secret and field.required]
    return any(option_path in (path[:1], path) for path in secrets)


def _leave_out(state: PlanState, item: Item, option: str) -> None:
    """Go on without an object that needs a secret.

    An export has no secrets, nor what the panel shows incompletely; a rebuild goes on without
    the objects that need it, and says so.
    """
    result = {
        "id": None,
        "result": "skipped",
        "msg": f"{option}: not given, and needed to create it.",
    }
    state.leave_out(item, result)
    problem = f"it is not on this panel and cannot be created without {option}, so it is left out."
    state.warn(item, f"{problem} Add that, and run again.")


def _add(state: PlanState, item: Item, plan: ObjectPlan) -> None:
    """Add an action to the plan, and put the object into the source as it will be."""
    kind = plan.kind
    objects = state.source.get_objects(kind)
    name = item.plural, name_object_of(state.source, item, plan.owned)
    username = find_client_name(state.source, kind, {**(plan.current or {}), **plan.body})
    identities = set(plan.dependencies)
    if kind.rules.keep_last is not None and plan.body.get(kind.rules.keep_last) is False:
        # The actions that make others what the panel may not lose the last one of.
        identities |= {
            get_identity_of(kind, candidate)
            for candidate in objects.list_all()
            if candidate.get(kind.rules.keep_last)
        }
    needs = state.list_actions_before(identities) - {name}

    identifier = state.source.make_planned_id() if plan.action == CREATE else plan.identifier
    outcome = {**(plan.outcome or {}), "id": identifier}
    objects.put(outcome)
    released = []
    for path, field in kind.walk_fields():
        referred = get_value(plan.current, path)
        if field.collection and referred:
            released.append((field.collection, referred))

    displayed = {"client": username, "before": plan.before, "after": plan.after}
    action = Action(*name, plan, displayed, item, identifier, needs)
    state.add_change(item, action, get_identity_of(kind, outcome), released)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries out the plan of one object: one request, or none."""

from __future__ import annotations

from typing import Any

from .._errors import Conflict, Reached, RequestError, name_subject_in_errors
from .._operation.defects import as_panel_error
from .._plan.object_plan import CREATE, DELETE, UPDATE, ObjectPlan, merge_fields
from .._plan.prepare import prepare
from .._problems import Written
from .._resolve.references import ObjectQuery
from .._resolve.resolution import locate_again
from .._sources.checked_answers import PanelObject
from .._sources.kind_objects import KindObjects, LockedList
from .._sources.live_source import LiveSource
from .._sources.object_source import ObjectSource
from .applied import Applied
from .creation import RUN_AGAIN, Creation, make_outcome_unknown
from .outcomes import Created, Exists


class ExistsByNow(Conflict):
    """Ends a task whose approved plan creates an object that somebody else has made in the
    meantime; it is left alone.
    """


def apply(
    plan: ObjectPlan,
    source: ObjectSource[Any],
    locked: LockedList | None = None,
    is_exact: bool = False,
) -> Applied:
    """Carry out a plan.

    Args:
        plan: What is done.
        source: Where the object is, and where it is noted afterwards.
        locked: What the panel has of the keys that no other task may create now; without it, a
            creation waits for its own lock.
        is_exact: Whether an object that exists by now is a failure, since its creation was
            approved.

    Returns:
        What became of it; never raises, except for the end of the process.
    """
    if plan.action == CREATE:
        return _create(plan, source, locked, is_exact)
    try:
        if plan.action == DELETE:
            return _delete(plan, source)
        if plan.action == UPDATE:
            return _update(plan, source)
    except Exception as fault:
        return Applied(plan, plan.identifier, error=as_panel_error(fault))
    return Applied(plan, plan.identifier)


def _delete(plan: ObjectPlan, source: ObjectSource[Any]) -> Applied:
    """Delete the object."""
    with name_subject_in_errors(plan.label):
        is_deleted = source.get_objects(plan.kind).delete(plan.identifier)
    if is_deleted:
        return Applied(plan, plan.identifier)
    # Someone else did it.
    nothing = ObjectPlan(plan.kind, plan.desired, plan.label, current=plan.current)
    return Applied(nothing, plan.identifier)


def _update(plan: ObjectPlan, source: ObjectSource[Any]) -> Applied:
    """Change the object."""
    objects = source.get_objects(plan.kind)
    body = source.with_real_ids(dict(plan.body))
    changed_object = merge_fields(plan.current or {}, body)
    with name_subject_in_errors(plan.label):
        try:
            password = objects.update(plan.identifier, body)
        except RequestError as fault:
            if not plan.generates_password or not fault.may_have_written:
                raise
            advice = f"{RUN_AGAIN} with regenerate_password: true."
            written = Written.MAYBE_NEW_PASSWORD
            raise make_outcome_unknown(fault, advice, written) from fault
    return _note(Applied(plan, plan.identifier, password), objects, changed_object)


def _create(
    plan: ObjectPlan, source: ObjectSource[Any], locked: LockedList | None, is_exact: bool
) -> Applied:
    """Create the object, or do what the plan wants to one that exists by now."""
    creation = Creation(plan, source)
    try:
        outcome = _run_creation(creation, plan, source, locked)
        if isinstance(outcome, Exists):
            return _apply_to_existing(plan, outcome.existing, source, is_exact)
    except Exception as fault:
        error = as_panel_error(fault)
        reached = error.reached or Reached()
        return Applied(plan, reached.identifier, reached.password, error=error)

    applied = Applied(plan, outcome.identifier, outcome.password, warnings=outcome.warnings)
    new_object = {**creation.body, "id": outcome.identifier}
    return _note(applied, source.get_objects(plan.kind), new_object)


def _note(applied: Applied, objects: KindObjects, actual: PanelObject) -> Applied:
    """Note an object as the panel has it by now. Where that fails, it is written all the same, and
    a password that the panel has generated is not lost.
    """
    try:
        objects.put(actual)
    except Exception as fault:
        error = as_panel_error(fault)
        error.reached = Reached(
            is_changed=True, password=applied.password, identifier=applied.identifier
        )
        return applied._replace(error=error)
    return applied


def _run_creation(
    creation: Creation, plan: ObjectPlan, source: ObjectSource[Any], locked: LockedList | None
) -> Created | Exists:
    """Run the creation under a lock, its own unless another one is held already."""
    objects = source.get_objects(plan.kind)
    with name_subject_in_errors(plan.label, Written.NOTHING):
        if locked is not None and objects.normalize_key(creation.body) in locked:
            return creation.run(locked)
        with objects.lock_creation([creation.body]) as own_list:
            return creation.run(own_list)


def _apply_to_existing(
    plan: ObjectPlan, existing: PanelObject, source: ObjectSource[Any], is_exact: bool
) -> Applied:
    """Make an object that someone else has created what is desired.

    This calls ``apply`` once more, and no further: the plan for an object that is there creates
    nothing.
    """
    if is_exact:
        raise ExistsByNow(
            f"it exists by now, with id {existing.get('id')}: someone created it after the plan "
            "was made. expected_checksum allows only its creation, so nothing was written for it.",
            subject=plan.label,
            advice="Plan again.",
        )
    source.get_objects(plan.kind).put(dict(existing))
    session = source.session
    requested = tuple([reference.requested for reference in plan.references])
    request = ObjectQuery(plan.kind, plan.desired._replace(references=requested), plan.label)
    # What the object refers to is asked for again, since the lists are older than the object.
    new_plan = prepare(locate_again(request, existing), LiveSource(lambda: session))
    applied = apply(new_plan, source)
    new_warnings = [warning for warning in new_plan.warnings if warning not in plan.warnings]
    return applied._replace(existed=True, warnings=(*new_warnings, *applied.warnings))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides about one object: resolves, plans, and asks whether the panel would refuse the plan.
Writes nothing.
"""

from __future__ import annotations

from typing import Any

from .._errors import make_conflict, name_subject_in_errors
from .._problems import Written
from .._resolve.resolution import Location, Resolution, resolve
from .._resolve.surroundings import Neighbour, Surroundings, Surveyor
from .._secrets.secret_forms import MASK
from .._sources.object_source import ObjectSource
from .masked_texts import refuse_masked_key, refuse_masked_texts, warn_of_masks
from .object_plan import CREATE, UPDATE, ObjectPlan, plan_object
from .preflight import foresee_problems, list_copy_warnings, removes_switch


def prepare(location: Location, source: ObjectSource[Any]) -> ObjectPlan:
    """Return the plan for an object that was located.

    Raises:
        PanelError: An option is wrong, or the panel would refuse the change.
    """
    request = location.request
    with name_subject_in_errors(request.label, Written.NOTHING):
        resolution = resolve(location, source)
        _refuse_masked_key(resolution, source)
        plan = plan_object(request.kind, request.desired, resolution)
        if plan.action == UPDATE:
            secrets = source.session.secrets
            refuse_masked_texts(plan.body, plan.current, secrets.is_masked_form)
        surroundings = _survey(plan, resolution, source)
    problems = foresee_problems(plan, surroundings)
    if problems:
        raise make_conflict(problems[0])

    looked_up = surroundings.looked_up
    warnings = [*looked_up.warnings, *list_copy_warnings(plan, surroundings), *plan.warnings]
    warnings += warn_of_masks(plan.body, plan.current or {})
    return plan._replace(
        dependencies=looked_up.dependencies, warnings=tuple(dict.fromkeys(warnings))
    )


def _refuse_masked_key(resolution: Resolution, source: ObjectSource[Any]) -> None:
    """Raise OptionError where the task names an object as results show it, with a mask in the place
    of a secret. Without it a second one would be created, or the one to delete count as gone.
    """
    kind = resolution.request.kind
    desired = resolution.request.desired
    is_masked = any(MASK in str(name) for name in desired.key.values())
    if resolution.current is not None or not is_masked:
        return

    key = dict(desired.key)
    for reference in resolution.references:
        key[reference.requested.field.name] = reference.resolved_id
    items = source.get_objects(kind).filter_by_key({})
    refuse_masked_key(key, kind.key, items, source.session.secrets.is_masked_form)


def _survey(plan: ObjectPlan, resolution: Resolution, source: ObjectSource[Any]) -> Surroundings:
    """Read what decides whether the panel would refuse the plan; nothing more once something is
    refused.
    """
    surveyor = Surveyor(resolution, source, plan.body, plan.owned)
    neighbours: tuple[Neighbour, ...] = ()
    if plan.action in (CREATE, UPDATE):
        neighbours = surveyor.find_neighbours()
    surroundings = Surroundings(neighbours, looked_up=surveyor.get_looked_up())
    is_refused = bool(neighbours) and neighbours[-1].is_refused
    if is_refused or plan.identifier is None:
        return surroundings

    if plan.action == UPDATE:
        surroundings = surroundings._replace(copies=surveyor.find_copies())
    field = plan.kind.rules.keep_last
    if field is not None and removes_switch(plan, field):
        surroundings = surroundings._replace(is_last=surveyor.is_last(field))
    return surroundings

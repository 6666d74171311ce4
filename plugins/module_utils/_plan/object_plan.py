# SPDX-License-Identifier: GPL-3.0-or-later
"""The change of one object, from what is wanted of it and what there is. Pure.

The plan is the only source of ``changed``, of the diff, of check mode and of what is sent.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .._errors import OptionError
from .._problems import NOTHING_WRITTEN
from .._resolve.references import Dependency
from .._resolve.resolution import Resolution
from .._schema.desired_object import DesiredObject
from .._schema.difference import SECRET_CHANGES, SECRET_GENERATED, Difference, mark_secret_changes
from .._schema.field_paths import has_value, set_value
from .._schema.fields import ResolvedReference
from .._schema.kind import Kind
from .._secrets.redaction import (
    is_secret_in_extra,
    partly_masked_texts,
    without_secrets,
    without_secrets_in_extra,
)
from .._values.value_types import contains

NONE, CREATE, UPDATE, DELETE = "none", "create", "update", "delete"


@dataclass(frozen=True)
class ObjectPlan:
    """One change of one object.

    kind: The kind of the object.
    desired: What the task wants of it.
    label: The object in words, such as ``client acme``.
    action: What is done: one of the four above.
    current: The object as it is; None where it is not there.
    references: What its options refer to.
    body: What is sent.
    before: The managed fields as they are, for the diff.
    after: The managed fields as they will be, for the diff.
    outcome: The object as it will be, secrets included; None once deleted.
    generates_password: Whether the answer must bring a password.
    warnings: What the operator should know.
    dependencies: The objects that it counts on.
    """

    kind: Kind
    desired: DesiredObject
    label: str
    action: str = NONE
    current: Mapping[str, Any] | None = None
    references: tuple[ResolvedReference, ...] = ()
    body: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    outcome: Mapping[str, Any] | None = None
    generates_password: bool = False
    warnings: tuple[str, ...] = ()
    dependencies: tuple[Dependency, ...] = ()

    @property
    def identifier(self) -> Any:
        """Return the id of the object; None where it is still to be created."""
        return (self.current or {}).get("id")

    @property
    def sets_password(self) -> bool:
        """Tell whether the body has a password, or asks the panel for one; a hash is none."""
        return "password" in self.body

    @property
    def partly_masked_texts(self) -> list[tuple[tuple[str, ...], str]]:
        """Return the texts of the body that the diff does not show as they are, each with its path;
        none of secret options.
        """
        extra = {name: value for name, value in self.body.items() if name in self.desired.extra}
        declared = {name: value for name, value in self.body.items() if name not in extra}
        return [*partly_masked_texts(declared), *partly_masked_texts(extra, is_secret_in_extra)]

    @property
    def owned(self) -> Mapping[str, Any]:
        """Return the object as it is, or what creates it, which says whose it is."""
        return self.current or self.body


def plan_object(kind: Kind, desired: DesiredObject, resolution: Resolution) -> ObjectPlan:
    """Return the change that makes an object what is wanted.

    Args:
        kind: Its kind.
        desired: What the task wants of it.
        resolution: The object as it is, and what its options refer to.

    Raises:
        Conflict: The change would need another object.
        OptionError: An option is missing to create the object, or its fields contradict each other.
    """
    plan = ObjectPlan(
        kind,
        desired,
        resolution.request.label,
        current=resolution.current,
        references=resolution.references,
    )
    current = plan.current
    if current is None and not desired.is_present:
        return plan
    if current is None:
        plan = _plan_creation(plan, resolution.inherited)
    elif desired.is_present:
        plan = _plan_update(plan, current)
    else:
        return _plan_deletion(plan, current)
    _refuse_contradictions(plan)
    return plan


def merged(current: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object after a write of ``body``: dictionaries are merged field by field,
    everything else is replaced.
    """
    # What the panel derives from an old value would contradict the new one.
    result = {
        name: value
        for name, value in current.items()
        if name[:-5] not in body or not name.endswith("_utf8")
    }
    for name, value in body.items():
        old = result.get(name)
        result[name] = (
            merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
        )
    return result


def fields_of_deleted(kind: Kind, current: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the table that the object shows, for the diff of a deletion."""
    names = [declared.name for declared in (*kind.key, *kind.fields) if declared.name in current]
    return dict(without_secrets({name: current[name] for name in names}))


def _new_difference(plan: ObjectPlan, current: Mapping[str, Any]) -> Difference:
    name = current.get(plan.kind.name_field, plan.desired.label())
    if len(plan.kind.key) > 1:
        name = plan.desired.label()
    return Difference(f"{plan.kind.title} {name}", current)


def _plan_deletion(plan: ObjectPlan, current: Mapping[str, Any]) -> ObjectPlan:
    difference = _new_difference(plan, current)
    for reference in plan.references:
        reference.requested.field.refuse_another(reference, current, difference)
    return replace(plan, action=DELETE, before=fields_of_deleted(plan.kind, current))


def _plan_creation(plan: ObjectPlan, inherited: Mapping[str, Any]) -> ObjectPlan:
    kind = plan.kind
    desired = plan.desired
    key = {
        declared.name: desired.key[declared.name]
        for declared in kind.key
        if declared.name in desired.key
    }
    if desired.new_name is not None:
        key[kind.name_field] = desired.new_name

    body: dict[str, Any] = copy.deepcopy({**inherited, **key, **desired.values})
    after: dict[str, Any] = copy.deepcopy({**key, **desired.values})
    for reference in plan.references:
        set_value(body, reference.path, reference.resolved_id)
        set_value(after, reference.requested.displayed_path, reference.requested.name_or_id)
    _complete_creation(plan, body, after)

    body.update(copy.deepcopy(dict(desired.extra)))
    secrets = desired.password.body()
    after.update({**desired.extra, **dict.fromkeys(list(secrets)[:1], SECRET_CHANGES)})
    return replace(
        plan,
        action=CREATE,
        body={**body, **secrets},
        after=without_secrets_in_extra(mark_secret_changes(after), desired.extra, SECRET_CHANGES),
        outcome={"id": None, **body},
        generates_password=kind.password is not None and not secrets,
    )


def _complete_creation(plan: ObjectPlan, body: dict[str, Any], after: dict[str, Any]) -> None:
    """Add fields that take their value from another one; raise OptionError for one that
    is missing.
    """
    for path, declared in plan.kind.walk_fields():
        if declared.default_from in body and declared.name not in body:
            body[declared.name] = after[declared.name] = body[declared.default_from]
        if declared.required and not has_value(body, path):
            label = f"{plan.kind.title} {plan.desired.label()}"
            missing = (*path[:-1], declared.option)
            if not has_value(body, path[:-1]):
                missing = path[:-1]  # the group, of which nothing is given
            raise OptionError(
                ".".join(missing),
                f"missing; it is needed to create the {label}, which is not on this panel.",
            )


def _plan_update(plan: ObjectPlan, current: Mapping[str, Any]) -> ObjectPlan:
    kind = plan.kind
    desired = plan.desired
    difference = _new_difference(plan, current)
    references: dict[str, Any] = {}
    for reference in plan.references:
        set_value(references, reference.path, reference)
    wanted = merged(desired.values, references)
    for declared in (*kind.fields, *kind.key):
        if declared.name in wanted:
            declared.compare(wanted[declared.name], current, (), difference)

    name = current.get(kind.name_field)
    if desired.new_name not in (None, name):
        difference.record((kind.name_field,), desired.new_name, name)
    for name, value in desired.extra.items():
        if name not in current:
            difference.warn_unseen(f"{name} (from extra)")
        is_same = name in current and contains(current[name], value)
        difference.record((name,), value, current.get(name), is_same)
    desired.password.compare(difference)

    after = mark_secret_changes(difference.after, difference.before)
    changed = {name: value for name, value in desired.extra.items() if name in difference.body}
    unchanged = {name: value for name, value in desired.extra.items() if name not in changed}
    after = without_secrets_in_extra(after, changed, SECRET_CHANGES)
    after = without_secrets_in_extra(after, unchanged)
    if difference.generates:
        after["password"] = SECRET_GENERATED
    return replace(
        plan,
        action=UPDATE if difference.body else NONE,
        body=difference.body,
        before=without_secrets_in_extra(without_secrets(difference.before), desired.extra),
        after=after,
        outcome=merged(current, difference.body),
        generates_password=difference.generates,
        warnings=tuple(difference.warnings),
    )


def _refuse_contradictions(plan: ObjectPlan) -> None:
    """Raise OptionError for fields that are sent and contradict others of the object."""
    find_wrong = plan.kind.rules.find_contradictions
    if find_wrong is None or plan.action not in (CREATE, UPDATE):
        return
    # What the object had before is not the task's mistake.
    before = list(find_wrong(plan.current)) if plan.current is not None else []
    for option, cause in find_wrong(plan.outcome or {}):
        if option.partition(".")[0] in plan.body and (option, cause) not in before:
            raise OptionError(option, cause, written=NOTHING_WRITTEN)

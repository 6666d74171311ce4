# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans the change of one object, from what is desired of it and what there is. Pure.

The plan is the only source of ``changed``, of the diff, of check mode and of what is sent.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Set
from typing import Any, NamedTuple

from .._errors import OptionError
from .._problems import Written
from .._resolve.resolution import Resolution
from .._schema.desired_object import DesiredObject
from .._schema.difference import (
    SECRET_CHANGES,
    SECRET_GENERATED,
    ComparedObject,
    Difference,
    FieldChange,
    collect_difference,
    compare_value,
    mark_secret_changes,
)
from .._schema.field_paths import Path, has_value, set_value
from .._schema.fields import ResolvedReference
from .._schema.kind import Kind
from .._secrets.redaction import find_partly_masked_texts, remove_secrets, remove_secrets_in_extra
from .._secrets.secret_forms import is_secret_in_extra
from .._sources.kind_objects import Identity
from .._values.value_types import contains

Fields = Mapping[str, Any]
"""Values by the names of their fields."""
NONE = "none"
CREATE = "create"
UPDATE = "update"
DELETE = "delete"


class ObjectPlan(NamedTuple):
    """Describes one change of one object.

    kind: The kind of the object.
    desired: What the task wants of it.
    label: The object in words, such as ``client acme``.
    action: What is done: NONE, CREATE, UPDATE or DELETE.
    current: The object as it is; None where it is not there.
    references: What its options refer to.
    body: What is sent.
    before: The managed fields as they are, for the diff.
    after: The managed fields as they will be, for the diff.
    outcome: The object as it will be, secrets included; None once deleted.
    generates_password: Whether the answer must bring a password.
    warnings: What the operator should know.
    dependencies: The objects that it counts on.
    listed_ids: As of ``Location``.
    """

    kind: Kind
    desired: DesiredObject
    label: str
    action: str = NONE
    current: Fields | None = None
    references: tuple[ResolvedReference, ...] = ()
    body: Fields = {}
    before: Fields = {}
    after: Fields = {}
    outcome: Fields | None = None
    generates_password: bool = False
    warnings: tuple[str, ...] = ()
    dependencies: tuple[Identity, ...] = ()
    listed_ids: Set[Any] | None = None

    @property
    def identifier(self) -> Any:
        """Return the id of the object; None where it is still to be created."""
        return (self.current or {}).get("id")

    @property
    def sets_password(self) -> bool:
        """Tell whether the body has a password, or asks the panel for one; a hash is none."""
        return "password" in self.body

    @property
    def partly_masked_texts(self) -> list[tuple[Path, str]]:
        """Return the texts of the body that the diff does not show as they are, each with its path;
        none of secret options.
        """
        extra = {}
        declared = {}
        for name, value in self.body.items():
            if name in self.desired.extra:
                extra[name] = value
            else:
                declared[name] = value
        return [
            *find_partly_masked_texts(declared),
            *find_partly_masked_texts(extra, is_secret_in_extra),
        ]

    @property
    def owned(self) -> Fields:
        """Return the object as it is, or what creates it, which says whose it is."""
        return self.current or self.body


def plan_object(kind: Kind, desired: DesiredObject, resolution: Resolution) -> ObjectPlan:
    """Return the change that makes an object what is desired.

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
        listed_ids=resolution.listed_ids,
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


def merge_fields(current: Fields, body: Fields) -> dict[str, Any]:
    """Return the object after a write of ``body``: dictionaries are merged field by field,
    everything else is replaced.
    """
    result = {name: value for name, value in current.items() if not _is_outdated(name, body)}
    for name, value in body.items():
        old = result.get(name)
        if isinstance(old, dict) and isinstance(value, dict):
            result[name] = merge_fields(old, value)
        else:
            result[name] = value
    return result


def _is_outdated(name: str, body: Fields) -> bool:
    """Tell whether the panel derives a field from one that is written, whose new value it would
    contradict.
    """
    return name.endswith("_utf8") and name.removesuffix("_utf8") in body


def collect_fields_of_deleted(kind: Kind, current: Fields) -> dict[str, Any]:
    """Return the fields of the table that the object shows, for the diff of a deletion."""
    fields: dict[str, Any] = {}
    for field in (*kind.key, *kind.fields):
        if field.name in current:
            fields[field.name] = current[field.name]
    return dict(remove_secrets(fields))


def _label_current(plan: ObjectPlan, current: Fields) -> ComparedObject:
    """Return the object that is compared, in the words of messages."""
    name = current.get(plan.kind.name_field, plan.desired.format_label())
    if len(plan.kind.key) > 1:
        name = plan.desired.format_label()
    return ComparedObject(f"{plan.kind.title} {name}", current)


def _plan_deletion(plan: ObjectPlan, current: Fields) -> ObjectPlan:
    """Return the deletion; raises Conflict where another object is meant than there is."""
    compared = _label_current(plan, current)
    for reference in plan.references:
        reference.requested.field.refuse_another(reference, current, compared)
    return plan._replace(action=DELETE, before=collect_fields_of_deleted(plan.kind, current))


def _plan_creation(plan: ObjectPlan, inherited: Fields) -> ObjectPlan:
    """Return the creation; raises OptionError where an option is missing for it."""
    kind = plan.kind
    desired = plan.desired
    requested = _make_key_of_new(plan)
    requested.update(desired.values)

    body: dict[str, Any] = copy.deepcopy({**inherited, **requested})
    after: dict[str, Any] = copy.deepcopy(requested)
    for reference in plan.references:
        set_value(body, reference.path, reference.resolved_id)
        set_value(after, reference.requested.displayed_path, reference.requested.name_or_id)
    _complete_creation(plan, body, after)

    body.update(copy.deepcopy(dict(desired.extra)))
    after.update(desired.extra)
    secrets = desired.password.build_body()
    after.update(_mark_first(secrets))
    return plan._replace(
        action=CREATE,
        body={**body, **secrets},
        after=remove_secrets_in_extra(mark_secret_changes(after), desired.extra, SECRET_CHANGES),
        outcome={"id": None, **body},
        generates_password=kind.password is not None and not secrets,
    )


def _make_key_of_new(plan: ObjectPlan) -> dict[str, Any]:
    """Return the fields of the natural key that a new object gets."""
    kind = plan.kind
    desired = plan.desired
    key: dict[str, Any] = {}
    for field in kind.key:
        if field.name in desired.key:
            key[field.name] = desired.key[field.name]

    if desired.new_name is not None:
        key[kind.name_field] = desired.new_name
    return key


def _complete_creation(plan: ObjectPlan, body: dict[str, Any], after: dict[str, Any]) -> None:
    """Add fields that take their value from another one; raise OptionError for one that
    is missing.
    """
    for path, field in plan.kind.walk_fields():
        if field.default_from in body and field.name not in body:
            default = body[field.default_from]
            body[field.name] = default
            after[field.name] = default
        if field.required and not has_value(body, path):
            missing = (*path[:-1], field.option)
            if not has_value(body, path[:-1]):
                missing = path[:-1]  # the group, of which nothing is given
            label = f"{plan.kind.title} {plan.desired.format_label()}"
            form = ""
            if field.type.choices:
                form = f" It must be {field.type.form}."
            raise OptionError(
                f"missing; it is needed to create the {label}, which is not on this panel.{form}",
                option=missing,
            )


def _plan_update(plan: ObjectPlan, current: Fields) -> ObjectPlan:
    """Return the change of an object that exists, or that nothing is done."""
    desired = plan.desired
    compared = _label_current(plan, current)
    difference = collect_difference(
        [
            *_compare_fields(plan, compared),
            *_compare_name(plan, current),
            *_compare_extra(desired.extra, compared),
        ]
    )
    secrets = desired.password.list_changes(current.get("password_hash"))
    body = {**difference.body, **secrets}

    return plan._replace(
        action=UPDATE if body else NONE,
        body=body,
        before=remove_secrets_in_extra(remove_secrets(difference.before), desired.extra),
        after=_display_after(plan, difference, secrets),
        outcome=merge_fields(current, body),
        generates_password=desired.password.regenerate,
        warnings=difference.warnings,
    )


def _compare_fields(plan: ObjectPlan, compared: ComparedObject) -> list[FieldChange]:
    """Return what has to be sent of fields and references."""
    references: dict[str, Any] = {}
    for reference in plan.references:
        set_value(references, reference.path, reference)

    desired = merge_fields(plan.desired.values, references)
    changes: list[FieldChange] = []
    for field in (*plan.kind.fields, *plan.kind.key):
        if field.name in desired:
            changes += field.compare(desired[field.name], compared.fields, (), compared, changes)
    return changes


def _compare_name(plan: ObjectPlan, current: Fields) -> list[FieldChange]:
    """Return the change of the name, if the object gets another one."""
    name_field = plan.kind.name_field
    name = current.get(name_field)
    if plan.desired.new_name in (None, name):
        return []
    return [compare_value((name_field,), plan.desired.new_name, name)]


def _compare_extra(extra: Fields, compared: ComparedObject) -> list[FieldChange]:
    """Return what has to be sent of the option extra."""
    changes = []
    for name, value in extra.items():
        is_visible = name in compared.fields
        if not is_visible:
            changes.append(compared.warn_unseen((name,), " (from extra)"))
        is_same = is_visible and contains(compared.fields[name], value)
        changes.append(compare_value((name,), value, compared.fields.get(name), is_same))
    return changes


def _mark_first(secrets: Fields) -> dict[str, str]:
    """Return the mark that the diff has for what is sent of the password: one, however many hashes
    there are; none where nothing is sent.
    """
    if not secrets:
        return {}
    first = next(iter(secrets))
    return {first: SECRET_CHANGES}


def _display_after(plan: ObjectPlan, difference: Difference, secrets: Fields) -> dict[str, Any]:
    """Return the fields as they will be, for the diff, with marks in the place of secrets.

    Args:
        plan: What is desired.
        difference: What changes beside the password.
        secrets: What is sent of the password, of which the diff has the first, without its value.
    """
    displayed = dict(difference.after)
    displayed.update(_mark_first(secrets))

    after = mark_secret_changes(displayed, difference.before)
    unchanged = dict(plan.desired.extra)
    sent = {**difference.body, **secrets}
    changed = {name: unchanged.pop(name) for name in plan.desired.extra if name in sent}
    after = remove_secrets_in_extra(after, changed, SECRET_CHANGES)
    after = remove_secrets_in_extra(after, unchanged)

    if plan.desired.password.regenerate:
        after["password"] = SECRET_GENERATED
    return after


def _refuse_contradictions(plan: ObjectPlan) -> None:
    """Raise OptionError for fields that are sent and contradict others of the object."""
    find_wrong = plan.kind.rules.find_contradictions
    if find_wrong is None or plan.action not in (CREATE, UPDATE):
        return

    earlier: list[tuple[Path, str]] = []
    if plan.current is not None:
        # What the object had before is not the task's mistake.
        earlier = list(find_wrong(plan.current))
    for path, cause in find_wrong(plan.outcome or {}):
        if path[0] in plan.body and (path, cause) not in earlier:
            raise OptionError(cause, option=path, written=Written.NOTHING)

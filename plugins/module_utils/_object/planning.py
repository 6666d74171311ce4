# SPDX-License-Identifier: GPL-3.0-or-later
"""From the wanted and the current object to one change. Pure: dictionaries in, a Plan out. Private to the collection.

The plan is the only source of ``changed``, of the diff, of check mode and of what is sent.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._errors import OptionError
from .._schema.fields import SECRET_CHANGES, Difference, Resolved, put, without_secrets_but_marks
from .._schema.kind import Kind, Wanted
from .._secrets.redaction import without_secrets
from .._values.value_types import contains

NONE, CREATE, UPDATE, DELETE = "none", "create", "update", "delete"


class Plan(NamedTuple):
    """One change of one object.

    action: one of the four above. body: what is sent. before, after: the managed members, for the diff.
    outcome: the object as it will be, secrets included; None once deleted. generates: whether the answer must bring a password.
    """

    action: str
    body: Mapping[str, Any] = {}
    before: Mapping[str, Any] = {}
    after: Mapping[str, Any] = {}
    outcome: Mapping[str, Any] | None = None
    generates: bool = False
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Without the members, among which secrets are."""
        return f"Plan({self.action})"

    @property
    def object(self) -> Mapping[str, Any] | None:
        """The object as it will be, without secrets."""
        shown: Mapping[str, Any] | None = without_secrets(self.outcome)
        return shown


def merged(current: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """The object after a write of ``body``: dictionaries are merged member by member, everything else is replaced."""
    # What the panel derives from an old value would contradict the new one.
    result = {name: value for name, value in current.items() if name[:-5] not in body or not name.endswith("_utf8")}
    for name, value in body.items():
        old = result.get(name)
        result[name] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result


def make_plan(
    kind: Kind,
    wanted: Wanted,
    current: Mapping[str, Any] | None,
    resolved: Mapping[tuple[str, ...], Resolved],
    inherited: Mapping[str, Any] | None = None,
) -> Plan:
    """The change that makes ``current`` (None: not there) what is wanted.

    ``resolved`` has an entry for the path of each wanted reference; ``inherited`` has ids of other objects for a creation.
    Raises Conflict where the change would need another object, OptionError where an option is missing to create one.
    """
    if current is None:
        return _plan_creation(kind, wanted, resolved, inherited or {}) if wanted.is_present else Plan(NONE)

    def label() -> str:
        return wanted.label() if len(kind.key) > 1 else str(current.get(kind.name_member, wanted.label()))

    difference = Difference(kind.title, label, current)
    if wanted.is_present:
        return _plan_update(kind, wanted, difference, resolved)
    for reference in wanted.references:
        if reference.path in resolved:
            reference.row.refuse_another(reference._replace(target=resolved[reference.path]), difference)
    return Plan(DELETE, before=deleted(kind, current))


def deleted(kind: Kind, current: Mapping[str, Any]) -> dict[str, Any]:
    """The members of the table that the object shows, for the diff of a deletion."""
    names = [row.name for row in (*kind.key, *kind.rows) if row.name in current]
    shown: dict[str, Any] = without_secrets({name: current[name] for name in names})
    return shown


def _plan_creation(
    kind: Kind, wanted: Wanted, resolved: Mapping[tuple[str, ...], Resolved], inherited: Mapping[str, Any]
) -> Plan:
    key = {row.name: wanted.key[row.name] for row in kind.key if row.name in wanted.key}
    if wanted.new_name is not None:
        key[kind.name_member] = wanted.new_name
    body: dict[str, Any] = copy.deepcopy({**inherited, **key, **wanted.values})
    after: dict[str, Any] = {**key, **without_secrets_but_marks(wanted.values)}
    for reference in wanted.references:
        put(body, reference.path, resolved[reference.path].id)
        put(after, reference.shown_path, reference.given)
    for row in kind.rows:
        if row.default_from in body and row.name not in body:
            body[row.name] = after[row.name] = body[row.default_from]
        for option in row.lacking(body):
            label = f"{kind.title} {wanted.label()}"
            raise OptionError(option, f"missing; it is needed to create the {label}, which is not on this panel.")
    body.update(copy.deepcopy(dict(wanted.extra)))
    after.update(wanted.extra)
    secrets = wanted.password.body()
    after.update(dict.fromkeys(list(secrets)[:1], SECRET_CHANGES))
    return Plan(
        CREATE,
        body={**body, **secrets},
        after=without_secrets_but_marks(after),
        outcome={"id": None, **body},
        generates=kind.password is not None and not secrets,
    )


def _plan_update(
    kind: Kind, wanted: Wanted, difference: Difference, resolved: Mapping[tuple[str, ...], Resolved]
) -> Plan:
    current = difference.current
    leads: dict[str, Any] = {}
    for reference in wanted.references:
        put(leads, reference.path, reference._replace(target=resolved[reference.path]))
    wants = merged(wanted.values, leads) if leads else wanted.values
    for row in (*kind.rows, *kind.key):
        if row.name in wants:
            row.compare(wants[row.name], current, (), difference)
    name = current.get(kind.name_member)
    if wanted.new_name not in (None, name):
        difference.record((kind.name_member,), wanted.new_name, name)
    for name, value in wanted.extra.items():
        if name not in current:
            problem = (
                f"The panel does not show {name} (from extra) of the {difference.object}; it is sent in every run."
            )
            difference.warnings.append(problem)
        difference.record((name,), value, current.get(name), name in current and contains(current[name], value))
    wanted.password.compare(difference)
    before, warnings = without_secrets(difference.before), tuple(difference.warnings)
    if not difference.body:
        return Plan(NONE, outcome=current, warnings=warnings, before=before, after=before)
    return Plan(
        UPDATE,
        body=difference.body,
        before=before,
        after=without_secrets_but_marks(difference.after, difference.before),
        outcome=merged(current, difference.body),
        generates=difference.generates,
        warnings=warnings,
    )

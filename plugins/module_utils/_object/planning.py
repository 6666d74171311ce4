# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the wanted and the current object to one change. Pure: dictionaries in, a Plan out. Private to the collection.

The plan is the only source of ``changed``, of the diff, of check mode and of what is sent.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._errors import OptionError
from .._rows.difference import (
    SECRET_CHANGES,
    Difference,
    Resolved,
    given_value,
    password_body,
    put,
    shown_path,
    without_secrets_but_marks,
)
from .._rows.options import Wanted
from .._rows.tables import Field, Group, Kind, Reference
from .._secrets.redaction import without_secrets


class Plan(NamedTuple):
    """One change of one object.

    action: none, create, update or delete. body: what is sent. before, after: the managed members, for the diff.
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


def make_plan(
    kind: Kind,
    wanted: Wanted,
    current: Mapping[str, Any] | None,
    resolved: Mapping[tuple[str, ...], Resolved],
    ambient: Mapping[str, Any] | None = None,
) -> Plan:
    """The change that makes ``current`` (None: not there) what is wanted.

    ``resolved`` has an entry for the path of each wanted reference; ``ambient`` holds inherited ids for a creation.
    Raises Conflict where the change would need another object, OptionError where an option is missing to create one.
    """
    if not wanted.is_present:
        if current is None:
            return Plan("none")
        Difference(kind, wanted, current, resolved).refuse_another()
        return Plan("delete", before=deleted(kind, current))
    if current is None:
        return _plan_creation(kind, wanted, resolved, ambient or {})
    return _plan_update(kind, wanted, current, resolved)


def deleted(kind: Kind, current: Mapping[str, Any]) -> dict[str, Any]:
    """The members of the table that the object shows, for the diff of a deletion."""
    names = [row.name for row in (*kind.key, *kind.rows) if row.name in current]
    shown: dict[str, Any] = without_secrets({name: current[name] for name in names})
    return shown


def _plan_creation(
    kind: Kind, wanted: Wanted, resolved: Mapping[tuple[str, ...], Resolved], ambient: Mapping[str, Any]
) -> Plan:
    key = {row.name: wanted.key[row.name] for row in kind.key if isinstance(row, Field) and row.name in wanted.key}
    if wanted.new_name is not None:
        key[kind.name_member] = wanted.new_name
    body: dict[str, Any] = {**copy.deepcopy(dict(ambient)), **key, **copy.deepcopy(dict(wanted.values))}
    after: dict[str, Any] = {**key, **without_secrets_but_marks(wanted.values)}
    for reference in wanted.references:
        put(body, reference.path, resolved[reference.path].id)
        put(after, shown_path(reference), given_value(reference))
    for row in kind.rows:
        if isinstance(row, Field) and row.default_from in body and row.name not in body:
            body[row.name] = after[row.name] = body[row.default_from]
        for option in _lacking(row, body):
            label = f"{kind.title} {wanted.label()}"
            raise OptionError(option, f"missing; it is needed to create the {label}, which is not on this panel.")
    body.update(copy.deepcopy(dict(wanted.extra)))
    after.update(wanted.extra)
    secrets: dict[str, Any] = {}
    password = wanted.password
    if password.is_given:
        secrets = password_body(wanted)
        after[next(iter(secrets))] = SECRET_CHANGES
    return Plan(
        "create",
        body={**body, **secrets},
        after=without_secrets_but_marks(after),
        outcome={"id": None, **body},
        generates=kind.password is not None and not password.is_given,
    )


def _plan_update(
    kind: Kind, wanted: Wanted, current: Mapping[str, Any], resolved: Mapping[tuple[str, ...], Resolved]
) -> Plan:
    difference = Difference(kind, wanted, current, resolved)
    managed = {*wanted.values, *(reference.path[0] for reference in wanted.references)}
    for row in (*kind.rows, *kind.key):
        if row.name in managed:
            difference.compare(row)
    difference.compare_name()
    difference.compare_extra()
    difference.compare_password()
    before = without_secrets(difference.before)
    if not difference.body:
        return Plan(
            "none",
            outcome=current,
            warnings=tuple(difference.warnings),
            before=before,
            after=before,
        )
    return Plan(
        "update",
        body=difference.body,
        before=before,
        after=without_secrets_but_marks(difference.after, difference.before),
        outcome=merged(current, difference.body),
        generates=difference.generates,
        warnings=tuple(difference.warnings),
    )


def _lacking(row: Any, body: Mapping[str, Any], path: str = "") -> list[str]:
    """The options that are needed to create the object and not in the body, dotted inside of a group."""
    option = path + (row.option if isinstance(row, Reference) else row.name)
    if row.name not in body:
        return [option] if row.required else []
    if isinstance(row, Group):
        return [name for member in row.members for name in _lacking(member, body[row.name], f"{option}.")]
    return []


def merged(current: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """The object after a write of ``body``: dictionaries are merged, everything else is replaced."""
    result = dict(current)
    for name, value in body.items():
        old = result.get(name)
        result[name] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result

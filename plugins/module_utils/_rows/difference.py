# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of an object differs from what is wanted, member by member. Pure. Private to the collection."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._errors import Conflict
from .._secrets.redaction import without_secrets
from .._values.collections import contains
from .._values.ids import read_id
from .options import Wanted, WantedReference
from .tables import Change, Field, Group, Kind, Reference

SECRET_CHANGES = "(a secret, which changes)"
_MISSING = object()


class Resolved(NamedTuple):
    """The object that a reference leads to. ``id`` is None where it does not exist yet, which only check mode accepts.

    ``before``: the name of the one that is referred to now, where it is known. ``instead``: in the words of a message, what the object on
    the panel refers to and what it shall, where that is a conflict.
    """

    id: int | None
    object: Mapping[str, Any] | None = None
    before: str | None = None
    instead: tuple[str, str] | None = None


class Difference:
    """Collects, row by row, what has to be sent, and the two sides of the diff, in which secrets still are."""

    def __init__(
        self, kind: Kind, wanted: Wanted, current: Mapping[str, Any], resolved: Mapping[tuple[str, ...], Resolved]
    ) -> None:
        self.kind, self.wanted, self.current, self.resolved = kind, wanted, current, resolved
        self.references = {reference.path: reference for reference in wanted.references}
        self.body: dict[str, Any] = {}
        self.before: dict[str, Any] = {}
        self.after: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.generates = False

    def compare(self, row: Any) -> None:
        if isinstance(row, Group):
            self._compare_group(row)
        elif isinstance(row, Reference):
            self._compare_reference(row, (row.member,), self.current)
        elif row.name in self.wanted.values:
            self._compare_field(row, (row.name,), self.wanted.values[row.name], self.current)

    def _compare_group(self, group: Group) -> None:
        wanted = self.wanted.values.get(group.name, {})
        current = self.current.get(group.name)
        current = current if isinstance(current, dict) else {}
        for member in group.members:
            if isinstance(member, Reference):
                self._compare_reference(member, (group.name, member.member), current)
            elif member.name in wanted:
                self._compare_field(member, (group.name, member.name), wanted[member.name], current)
        changed = self.body.get(group.name)
        if changed is None:
            return
        self._switch_off_alternatives(group, wanted, current, changed)
        # Whether the panel merges or replaces a nested object is only known for some; with all members sent both do the same.
        for member in group.members:
            if (
                member.repeat
                and not getattr(member, "secret", False)
                and member.name in current
                and member.name not in changed
                and _is_repeatable(member, current[member.name])
            ):
                changed[member.name] = _repeated(member, {**current, **changed})

    def _switch_off_alternatives(
        self, group: Group, wanted: Mapping[str, Any], current: Mapping[str, Any], changed: dict[str, Any]
    ) -> None:
        """Sends the others as off beside the one that the task wants: a panel that merges would keep them, and may refuse two."""
        for chosen, off in group.alternatives:
            reference = self.references.get((group.name, chosen))
            value = self.resolved[reference.path].id if reference else wanted.get(chosen, off)
            if value == off:
                continue
            for name, value_off in group.alternatives:
                if name == chosen or name in changed:
                    continue
                is_off = str(current.get(name) or value_off) == str(value_off)
                if not is_off:
                    self._record((group.name, name), value_off, current[name], value_off, is_same=False)
                changed[name] = value_off

    def _compare_field(self, row: Field, path: tuple[str, ...], wanted: Any, holder: Mapping[str, Any]) -> None:
        option = ".".join(path)
        shown = row.name in holder
        value = holder.get(row.name)
        if row.change is not Change.FREE:
            if shown and not row.type.same(wanted, value):
                self._refuse_or_warn(row.change, option, wanted, value, row.elsewhere)
            return
        if shown:
            is_same = row.type.same(wanted, value)
        elif row.unchanged_with is not None:
            is_same = (*path[:-1], row.unchanged_with) not in self._changed_paths()
        else:
            is_same = row.type.same(wanted, None)
            if not is_same:
                self.warnings.append(
                    f"The panel does not show {option} of the {self.kind.title} {self._label()}, so whether it is right "
                    "already cannot be told: it is sent again in every run."
                )
        if row.secret:
            self._record(path, None if is_same else SECRET_CHANGES, None, wanted, is_same, is_secret=True)
        else:
            self._record(path, wanted, value, wanted, is_same)

    def _compare_reference(self, row: Reference, path: tuple[str, ...], holder: Mapping[str, Any]) -> None:
        reference = self.references.get(path)
        if reference is None:
            return
        target = self.resolved[path]
        shown = shown_id(row, holder)
        if row.change is not Change.FREE:
            if is_another(target, shown):
                given = given_value(reference)
                named = f"{given} (id {target.id})" if reference.name is not None and target.id is not None else given
                there, wanted = target.instead or (f"{row.noun} id {shown}", named)
                self._refuse_or_warn(row.change, reference.option, wanted, there)
            return
        if shown in (_MISSING, None) and row.alike is not None and target.object is not None:
            is_same = row.alike(self.current, target.object)
        else:
            is_same = _same_id(target.id, 0 if shown in (_MISSING, None) and row.empty_is_zero else shown)
        before = None if shown is _MISSING else shown
        if is_same and reference.reapply and self._is_outdated(row, target):
            given = before if given_value(reference) is None else given_value(reference)
            self._record(
                path, given, f"{given} (as it was)", target.id, is_same=False, shown_path=shown_path(reference)
            )
            return
        if not reference.is_given:
            return
        if reference.name is not None:
            before = reference.name if is_same else target.before or (f"id {before}" if before is not None else None)
        self._record(path, given_value(reference), before, target.id, is_same, shown_path=shown_path(reference))

    def refuse_another(self) -> None:
        """Raises Conflict where an object that shall go is somebody else's, or elsewhere, than the task says."""
        for reference in self.wanted.references:
            row, target = reference.reference, self.resolved.get(reference.path)
            shown = shown_id(row, self.current)
            if target is None or not row.tells_which or not is_another(target, shown):
                continue
            there, wanted = target.instead or (
                f"the {row.noun} with id {shown}",
                f"{row.noun} {given_value(reference)}",
            )
            raise Conflict(
                f"{reference.option}: the {self.kind.title} {self._label()} belongs to {there}, the task says {wanted}. It was not deleted. "
                "Correct the task. Nothing was written.",
                option=reference.option,
            )

    def _is_outdated(self, row: Reference, target: Resolved) -> bool:
        """Whether the object has something else than it would get from the one that it refers to."""
        if row.alike is None or target.object is None:
            return False
        if not {own for _other, own in row.alike_by} <= self.current.keys():
            self.warnings.append(
                f"{row.reapply}: the panel does not show what the {self.kind.title} {self._label()} got from its {row.noun}, so whether that "
                "is up to date cannot be told, and it was not assigned again."
            )
            return False
        return not row.alike(self.current, target.object)

    def _record(
        self,
        path: tuple[str, ...],
        after: Any,
        before: Any,
        sent: Any,
        is_same: bool,
        shown_path: tuple[str, ...] | None = None,
        is_secret: bool = False,
    ) -> None:
        where = shown_path or path
        if not is_same:
            put(self.body, path, copy.deepcopy(sent))
        if is_secret:
            if not is_same:
                put(self.after, where, after)
            return
        # A value that is right already is shown as the panel writes it, so that the diff has no line for it.
        put(self.before, where, before)
        put(self.after, where, before if is_same else after)

    def _changed_paths(self) -> set[tuple[str, ...]]:
        return {(name, member) for name, value in self.body.items() if isinstance(value, dict) for member in value} | {
            (name,) for name in self.body
        }

    def _refuse_or_warn(self, change: Change, option: str, wanted: Any, value: Any, elsewhere: str = "") -> None:
        if change is Change.AT_CREATION:
            self.warnings.append(
                f"{option} counts only when a {self.kind.title} is created; {self._label()} exists with {value!r} and keeps it. "
                f"{elsewhere}".strip()
            )
            return
        raise Conflict(
            f"{option}: the {self.kind.title} {self._label()} exists with {value}, the task wants {wanted}. The panel cannot "
            "change that on an existing object. Correct the task. Nothing was written.",
            option=option,
        )

    def _label(self) -> str:
        if len(self.kind.key) > 1:
            return self.wanted.label()
        return str(self.current.get(self.kind.name_member, self.wanted.label()))

    def compare_name(self) -> None:
        new_name = self.wanted.new_name
        member = self.kind.name_member
        if new_name is not None and self.current.get(member) != new_name:
            self._record((member,), new_name, self.current.get(member), new_name, is_same=False)

    def compare_extra(self) -> None:
        for name, wanted in self.wanted.extra.items():
            shown = name in self.current
            value = self.current.get(name)
            if not shown:
                self.warnings.append(
                    f"The panel does not show {name} (from extra) of the {self.kind.title} {self._label()}; it is sent in every run."
                )
            self._record((name,), wanted, value, wanted, is_same=shown and contains(value, wanted))

    def compare_password(self) -> None:
        password = self.wanted.password
        if password.regenerate:
            self.body["password"] = None
            self.after["password"] = SECRET_CHANGES
            self.generates = True
        elif password.is_given and self._password_changes():
            secrets = password_body(self.wanted)
            self.body.update(secrets)
            self.after[next(iter(secrets))] = SECRET_CHANGES

    def _password_changes(self) -> bool:
        password = self.wanted.password
        shown = self.current.get("password_hash")
        if password.password_hash is not None and isinstance(shown, str) and shown:
            return shown != password.password_hash
        return password.always


def password_body(wanted: Wanted) -> dict[str, Any]:
    """The password members as they are sent, the one that names the change in a diff first."""
    password = wanted.password
    if password.password is not None:
        return {"password": password.password}
    body = {"password_hash": password.password_hash}
    if password.password_hash_os is not None:
        body["password_hash_os"] = password.password_hash_os
    return body


def without_secrets_but_marks(value: Mapping[str, Any], earlier: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A side of a diff without secrets; of one that is another than on the ``earlier`` side a mark is left that it changes."""
    earlier = earlier or {}
    kept: dict[str, Any] = without_secrets(dict(value))
    for name, member in value.items():
        before = earlier.get(name)
        if name not in kept:
            if member is not None and member != before:
                kept[name] = SECRET_CHANGES
        elif isinstance(member, str) and kept[name] != member != before and kept[name] == without_secrets(before):
            # Only what is masked in the text is another.
            kept[name] = SECRET_CHANGES
        elif isinstance(member, dict):
            kept[name] = without_secrets_but_marks(member, before if isinstance(before, dict) else None)
    return kept


def given_value(reference: WantedReference) -> Any:
    return reference.name if reference.name is not None else reference.id


def shown_path(reference: WantedReference) -> tuple[str, ...]:
    option = reference.option if reference.is_given else reference.reference.member
    return tuple(option.split("."))


def shown_id(row: Reference, holder: Mapping[str, Any]) -> Any:
    """What the panel shows of a reference; the empty one is written as 0."""
    shown = holder.get(row.member, _MISSING)
    return 0 if shown is None and row.empty_is_zero else shown


def is_another(target: Resolved, shown: Any) -> bool:
    """Whether the panel shows that an object refers to another one."""
    return shown is not _MISSING and not _same_id(target.id, shown)


def _same_id(wanted: Any, current: Any) -> bool:
    return wanted is not None and current is not _MISSING and str(wanted) == str(current)


def _is_repeatable(member: Field | Reference, shown: Any) -> bool:
    """Whether it is what can be sent; a panel may show something else than an id."""
    return isinstance(member, Field) or shown is None or read_id(shown, least=0) is not None


def _repeated(member: Field | Reference, holder: Mapping[str, Any]) -> Any:
    """What is sent of a member that does not change."""
    only_with = getattr(member, "only_with", None)
    if only_with is not None and holder.get(only_with[0]) != only_with[1]:
        return None
    return copy.deepcopy(holder[member.name])


def put(target: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        target = target.setdefault(name, {})
    target[path[-1]] = value

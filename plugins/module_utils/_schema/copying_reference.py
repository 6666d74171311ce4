# SPDX-License-Identifier: GPL-3.0-or-later
"""A reference to an object of which the holder keeps copies, as a client of its hosting plan. The
copies tell whether the two belong together where the panel does not show the id. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .._values.value_types import Boolean, contains, parse_option
from .difference import ComparedObject, FieldChange, compare_value
from .field_paths import Path
from .fields import (
    OptionValues,
    Reference,
    RequestedReference,
    ResolvedReference,
    display_reference_before,
)


class _ReferenceState(Enum):
    """Says how a reference of an object stands to the desired one."""

    SAME = "same"
    OUTDATED = "outdated"
    """It is the same, but the object does not have what it gets from the referenced one."""

    ANOTHER = "another"


@dataclass(frozen=True)
class CopyingReference(Reference):
    """Declares a reference to an object of which the holder gets copies.

    copies: The fields of the referenced object that this object gets copies of, each with the field
        that has the copy.
    reapply: The option that refers to the same object again where the copies differ.
    """

    copies: Mapping[str, str] = field(default_factory=dict)
    reapply: str = ""

    @property
    def copy_fields(self) -> tuple[str, ...]:
        """Return the fields in which the object keeps copies."""
        return tuple(self.copies.values())

    def has_copies_of(self, holder: Mapping[str, Any], referenced: Mapping[str, Any]) -> bool:
        """Tell whether an object has what it gets from the referenced one."""
        copied = {name: copy for name, copy in self.copies.items() if name in referenced}
        if not copied:
            return False
        return all(contains(holder.get(copy), referenced[name]) for name, copy in copied.items())

    def list_needed_fields(self, reference: RequestedReference, actual: Any) -> list[Path]:
        """Return the fields that were copied, where these tell whether it is the desired one."""
        if reference.reapply or actual is None:
            return [(name,) for name in self.copies]
        return []

    def describe_arguments(self) -> dict[str, dict[str, Any]]:
        """Return how Ansible describes the options of the reference."""
        arguments = super().describe_arguments()
        if self.reapply:
            arguments[self.reapply] = {"type": "bool", "default": False}
        return arguments

    def read(self, requested: Mapping[str, Any], path: Path, target: OptionValues) -> None:
        """Add to the target which object the options name; raise OptionError."""
        reapply = False
        if self.reapply in requested:
            reapply = parse_option(Boolean(), self.reapply, requested[self.reapply])

        reference = self.read_reference(requested, path)
        if reference is not None:
            target.references.append(reference._replace(reapply=reapply))
        elif reapply:
            id_path = (*path, self.name)
            current_one = RequestedReference(self, id_path, (self.reapply,), reapply=True)
            target.references.append(current_one)

    def compare(
        self,
        desired: ResolvedReference,
        holder: Mapping[str, Any],
        path: Path,
        compared: ComparedObject,
        earlier: Sequence[FieldChange],
    ) -> list[FieldChange]:
        """Return what has to be sent so that the object refers to another one, or to the same one
        again.
        """
        actual = holder.get(self.name)
        if not self._is_told_by_copies(desired, actual):
            return super().compare(desired, holder, path, compared, earlier)

        path = (*path, self.name)
        state = self._judge(desired, actual, compared.fields)
        is_same = state is _ReferenceState.SAME
        changes = []
        if is_same:
            changes += self._list_unseen_copies(desired.requested, path, compared)

        after = desired.requested.name_or_id
        if state is _ReferenceState.OUTDATED and after is None:
            after = actual
        if after is None:
            return changes

        displayed = (desired.requested.displayed_path, after)
        before = f"{after} (as it was)"
        if state is not _ReferenceState.OUTDATED:
            before = display_reference_before(desired, actual, is_same, after)
        changes.append(compare_value(path, desired.resolved_id, before, is_same, displayed))
        return changes

    def _is_told_by_copies(self, desired: ResolvedReference, actual: Any) -> bool:
        """Tell whether what the object got from another one says whether it is the desired one."""
        is_same = self.equals(desired.resolved_id, actual)
        may_be_outdated = actual is None or (is_same and desired.requested.reapply)
        return may_be_outdated and desired.resolved is not None

    def _judge(
        self, desired: ResolvedReference, actual: Any, current: Mapping[str, Any]
    ) -> _ReferenceState:
        """Tell whether the object has what it gets from the desired one."""
        if self._has_visible_copies(desired.resolved or {}, current):
            return _ReferenceState.SAME
        if self.equals(desired.resolved_id, actual):
            return _ReferenceState.OUTDATED
        return _ReferenceState.ANOTHER

    def _has_visible_copies(
        self, referenced: Mapping[str, Any], current: Mapping[str, Any]
    ) -> bool:
        """Tell whether the object has, as far as the panel shows it, what it gets from the
        referenced one.
        """
        if self.name in current and current[self.name] is None:
            return self.has_copies_of(current, referenced)

        visible = {
            name: referenced[name]
            for name, copy in self.copies.items()
            if copy in current and name in referenced
        }
        return not visible or self.has_copies_of(current, visible)

    def _list_unseen_copies(
        self, requested: RequestedReference, path: Path, compared: ComparedObject
    ) -> list[FieldChange]:
        """Return the warning that the panel does not show all that the object got from another
        one, if so.
        """
        current = compared.fields
        is_shown_as_none = self.name in current and current[self.name] is None
        if is_shown_as_none or current.keys() >= set(self.copy_fields):
            return []
        unseen = f"which {self.noun} the {compared.label} has, or all that it got from it"
        not_assigned = requested.name_or_id or f"the {self.noun}"
        warning = f"The panel does not show {unseen}, so {not_assigned} was not assigned."
        return [FieldChange(path, warning=warning)]

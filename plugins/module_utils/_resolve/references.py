# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the objects that an object refers to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from .._errors import Conflict, PanelError, UnknownReference
from .._kinds.registry import BY_PATH
from .._kinds.tables import CLIENT, DOMAIN, PLAN
from .._problems import ProblemForm, Written, format_path
from .._schema.copying_reference import CopyingReference
from .._schema.desired_object import DesiredObject
from .._schema.field_paths import Path, get_value
from .._schema.fields import OWNER, Mutability, RequestedReference, ResolvedReference
from .._schema.kind import Kind
from .._sources.checked_answers import PanelObject
from .._sources.kind_objects import Identity
from .._sources.object_source import ObjectSource
from .._values.near_names import ask_for_near_names, find_near_name
from .._values.value_types import read_id


class ObjectQuery(NamedTuple):
    """What is asked for of one object.

    kind: The kind of the object.
    desired: What the task wants of it.
    label: The object in words, such as ``client acme``.
    assumes_missing: Whether a missing reference is only warned about, since an earlier task of a
        run in check mode may be about to create it.
    """

    kind: Kind
    desired: DesiredObject
    label: str
    assumes_missing: bool = False


class LookedUp(NamedTuple):
    """What was looked up for one object.

    objects: By path and by id or name what options refer to.
    dependencies: The objects that it counts on, in the order in which they were looked up.
    warnings: What was assumed.
    """

    objects: Mapping[tuple[str, Any], PanelObject] = {}
    dependencies: tuple[Identity, ...] = ()
    warnings: tuple[str, ...] = ()


class ReferenceFinder:
    """Looks up what one object refers to, each only once."""

    def __init__(
        self, source: ObjectSource[Any], request: ObjectQuery, looked_up: LookedUp
    ) -> None:
        """Go on from what was looked up before."""
        self._source = source
        self._request = request
        self._objects = dict(looked_up.objects)
        self._dependencies = list(looked_up.dependencies)
        self._warnings = list(looked_up.warnings)

    def get_looked_up(self) -> LookedUp:
        """Return everything that was looked up by now."""
        return LookedUp(self._objects, tuple(self._dependencies), tuple(self._warnings))

    def find(
        self,
        option_path: Path,
        path: str,
        name: str | None,
        identifier: int | None = None,
        needed_fields: Iterable[Path] = (),
    ) -> PanelObject:
        """Return what an option refers to.

        Args:
            option_path: Leads to the option.
            path: The path of the kind.
            name: The name of the object; None where it is named by its id.
            identifier: Its id.
            needed_fields: Of the fields that are needed, which a list may leave out.

        Raises:
            UnknownReference: It is not there.
        """
        named: Any = identifier if name is None else name
        question = (path, named)
        if question not in self._objects:
            actual: PanelObject | None = self._source.find(path, name, identifier, needed_fields)
            self._objects[question] = actual or self._build_placeholder(option_path, path, named)

        target: PanelObject = self._objects[question]
        self._dependencies.append((path, target["id"]))
        return target

    def find_domain_of_address(self, option: str, name: str) -> PanelObject:
        """Return the domain of an address, which belongs to the same client
        (docs/panel_api.md#domain-of-a-mailbox)."""
        return self.find((option,), DOMAIN.path, name, None, [(OWNER,), ("is_email_domain",)])

    def is_owner_of_any(self, identifier: Any, owner_id: Any) -> bool:
        """Tell whether anything that was looked up belongs to the client with this id. owner_id:
        reads the owner of an object.
        """
        return any(owner_id(actual) == identifier for actual in self._objects.values())

    def _advise_on_missing(self, path: str, named: Any) -> str:
        """Return what to do about an object that is not there."""
        ending = ask_for_near_names([str(named)], self._list_candidates(path))
        return f"Create it first, or correct the name{ending}"

    def _suggest_name(self, path: str, named: Any) -> str:
        """Return a question where the name of an object that was read anyway is near; else empty."""
        near_name = find_near_name(str(named), self._list_candidates(path))
        return f"Did you mean {near_name}? " if near_name else ""

    def _list_candidates(self, path: str) -> list[str]:
        """Return the names of which one may be meant: those that were read anyway, and those of all
        hosting plans, since a panel has few of these.
        """
        objects = self._source.get_objects_at(path)
        # That the list cannot be read must not become another failure.
        with suppress(PanelError):
            if path == PLAN.path and not objects.list_names_read():
                objects.list_all()
        names: list[str] = objects.list_names_read()
        return names

    def _build_placeholder(self, option_path: Path, path: str, named: Any) -> PanelObject:
        """Return what stands for an object that is not there, but will be."""
        identifier = self._source.make_planned_id()
        if option_path[0] in self._request.kind.rules.addresses:
            owner = self._source.find_expected_owner(named)
            if owner is not None:
                self._dependencies.append((CLIENT.path, owner))
                return {"id": identifier, OWNER: owner}

        kind = BY_PATH[path]
        missing: tuple[str, str] | None = None
        advice = self._advise_on_missing(path, named)
        may_be_assumed = self._request.assumes_missing and self._request.desired.is_present
        cause = f"there is no {kind.title} {named} on this panel."
        if isinstance(named, str):
            missing = (kind.plural, named)
        else:
            cause = f"there is no {kind.title} with id {named} on this panel."
            advice = "Give the name of one that is there."
            may_be_assumed = False

        if not may_be_assumed:
            error = UnknownReference(
                cause,
                option=option_path,
                written=Written.NOTHING,
                advice=advice,
                form=ProblemForm.MISMATCH,
            )
            error.missing = missing
            raise error
        self._warnings.append(
            f"{format_path(option_path)}: {cause} {self._suggest_name(path, named)}"
            "Check mode assumes that an earlier task creates it; if not, the real run fails here."
        )
        return {"id": identifier, OWNER: identifier}

    def resolve(
        self, reference: RequestedReference, current: Mapping[str, Any] | None
    ) -> ResolvedReference:
        """Return what a reference leads to, and the name of what the object refers to now where it
        is known, or a conflict.

        Args:
            reference: As an option names it.
            current: The object that has it; None where it is still to be made.
        """
        actual = get_value(current, reference.path)
        identifier = reference.id
        if reference.name_or_id is None:
            identifier = self._read_current_id(reference, actual)

        resolved = self._find_target(reference, identifier, actual, is_new=current is None)
        if actual and self._needs_current_name(resolved, actual):
            current_name = self._source.find_name_of(reference.field.kind_path, actual)
            return resolved._replace(current_name=current_name)
        return resolved

    def _read_current_id(self, reference: RequestedReference, actual: Any) -> int:
        """Return the id of what the object refers to now, for a task that refers to it again."""
        identifier = read_id(actual)
        if identifier is None:
            # Only such an option refers to an object again without a name.
            field: Any = reference.field
            cause = (
                f"the panel does not show which {field.noun} the {self._request.label} has. "
                f"Give {field.option} too."
            )
            raise Conflict(cause, option=field.reapply, written=Written.NOTHING)
        return identifier

    def _needs_current_name(self, resolved: ResolvedReference, actual: Any) -> bool:
        """Tell whether a message or a diff may have the name of what the object refers to now, or
        whether the name costs no request.
        """
        field = resolved.requested.field
        if self._source.get_objects_at(field.kind_path).has_list:
            return True
        is_same = field.equals(resolved.resolved_id, actual)
        return field.change is Mutability.IDENTITY and not is_same

    def _find_target(
        self, reference: RequestedReference, identifier: int | None, actual: Any, is_new: bool
    ) -> ResolvedReference:
        field = reference.field
        path = field.kind_path
        needed_fields: list[Path] = []
        if not is_new and isinstance(field, CopyingReference):
            needed_fields = field.list_needed_fields(reference, actual)
        if identifier is not None and not needed_fields:
            # 0 refers to nothing.
            if identifier:
                self._dependencies.append((path, identifier))
            return ResolvedReference(reference, identifier)

        target = self.find(reference.option_path, path, reference.name, identifier, needed_fields)
        if self._source.is_assumed(target["id"]):
            return ResolvedReference(reference, target["id"])
        return ResolvedReference(reference, target["id"], target)

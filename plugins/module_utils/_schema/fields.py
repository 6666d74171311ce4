# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of an object, and its references to other objects. They read their options and compare
their values. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from .._errors import OptionError
from .._problems import Problem, format_path
from .._values.answer_forms import IDENTIFIER, AnswerForm
from .._values.value_types import Integer, SetOf, ValueType, parse_option, read_tolerantly
from .difference import ComparedObject, FieldChange, compare_value
from .field_paths import Path, get_value

OWNER = "id_user"  # the field that says to which client an object belongs
_OF_ITS_FIELDS = ValueType()  # of a group: each of its fields has its own


class Mutability(Enum):
    """What may happen to a field of an object that exists."""

    FREE = "free"
    """It can be changed."""

    AT_CREATION = "at creation"
    """It is a flag of creation; what another value would mean later is not defined, so it warns."""

    IDENTITY = "identity"
    """Another value would be another object, so it is an error."""


@dataclass(frozen=True)
class Field:
    """Declares one field of a kind.

    name: The API's own name.
    type: The type of its values.
    change: What may happen to it later.
    required: Whether it is needed to create the object.
    secret: Whether no message may show it.
    default_from: The option from which it takes its value on creation, when it is omitted.
    unchanged_with: The sibling with which it counts as unchanged, where the panel does not show it.
    only_with: The sibling and its value with which it applies; with another value it is null.
    kind_path: The path of the kind of the object that it names; empty where it names none.
    """

    name: str
    type: ValueType = _OF_ITS_FIELDS
    change: Mutability = Mutability.FREE
    required: bool = False
    secret: bool = False
    default_from: str | None = None
    unchanged_with: str | None = None
    only_with: tuple[str, Any] | None = None
    kind_path: str = ""

    @property
    def option(self) -> str:
        """Return the option that people set."""
        return self.name

    @property
    def options(self) -> tuple[str, ...]:
        """Return the options that set it, each once."""
        return tuple(dict.fromkeys((self.option, self.name)))

    @property
    def identifies_object(self) -> bool:
        """Tell whether it says which object is meant, so that another value is a mistake also where
        the object shall go.
        """
        is_fixed = self.change is Mutability.IDENTITY or self.name == OWNER
        return bool(self.kind_path) and is_fixed

    @property
    def answer_form(self) -> AnswerForm:
        """Return what a panel may show in this field."""
        return self.type.answer_form

    def normalize(self, actual: Any) -> Any:
        """Return a form that is the same for equal values."""
        return self.type.normalize(actual)

    def equals(self, desired: Any, actual: Any) -> bool:
        """Tell whether the panel's value is the desired one."""
        return self.type.equals(desired, actual)

    def applies_beside(self, siblings: Mapping[str, Any]) -> bool:
        """Tell whether the field applies beside the others of its object or group."""
        if self.only_with is None:
            return True
        sibling, value = self.only_with
        return bool(siblings.get(sibling) == value)

    def describe_arguments(self) -> dict[str, dict[str, Any]]:
        """Return how Ansible describes the options of the field."""
        argument = self.type.describe_argument()
        if self.secret:
            argument["no_log"] = True
        return {self.name: argument}

    def read(self, requested: Mapping[str, Any], path: Path, target: OptionValues) -> None:
        """Add to the target what the options say of this field; raise OptionError.

        Args:
            requested: The options of the object, or of the group that the field is in.
            path: The path of this group.
            target: What is read.
        """
        if self.name not in requested:
            return
        value = requested[self.name]
        try:
            # Most values are right.
            target.values[self.name] = self.type.parse(value)
        except (ValueError, TypeError, ArithmeticError):
            self._read_tolerantly(value, (*path, self.name), target)

    def _read_tolerantly(self, value: Any, path: Path, target: OptionValues) -> None:
        target.values[self.name], refused = read_tolerantly(self.type, path, value, self.secret)
        entry_type = self.type
        if isinstance(entry_type, SetOf):
            entry_type = entry_type.item
        target.unusual += [
            UnusualValue(path, entry, entry_type, problem) for entry, problem in refused
        ]

    def compare(
        self,
        desired: Any,
        holder: Mapping[str, Any],
        path: Path,
        compared: ComparedObject,
        earlier: Sequence[FieldChange],
    ) -> list[FieldChange]:
        """Return what has to be sent, displayed and warned of.

        Args:
            desired: What the task wants.
            holder: The object, or the group of it that the field is in.
            path: The path of this group.
            compared: The whole object.
            earlier: The changes of the fields of the same group that were compared before.
        """
        path = (*path, self.name)
        actual = holder.get(self.name)
        is_visible = self.name in holder
        is_same = self.equals(desired, actual)

        if self.change is not Mutability.FREE:
            if is_visible and not is_same:
                return [self._keep(path, desired, actual, compared)]
            return []

        changes = []
        if not is_visible and self.unchanged_with is not None:
            sibling = (*path[:-1], self.unchanged_with)
            is_same = not any(change.is_sent and change.path == sibling for change in earlier)
        elif not is_visible and not is_same:
            changes.append(compared.warn_unseen(path))
        changes.append(compare_value(path, desired, actual, is_same))
        return changes

    def _keep(self, path: Path, desired: Any, actual: Any, compared: ComparedObject) -> FieldChange:
        """Refuse another value of a field that cannot be changed, or warn that it stays."""
        if self.change is Mutability.IDENTITY:
            compared.refuse(path, desired, actual)
        warning = (
            f"{format_path(path)} counts only at creation; "
            f"the {compared.label} exists with {actual!r} and keeps it."
        )
        return FieldChange(path, warning=warning)


@dataclass(frozen=True)
class Reference(Field):
    """Declares a pair of options for another object: ``option`` takes its name, ``name`` (the API's
    own) its id. ``type`` parses its name.

    option: The option that takes a name.
    noun: What it refers to, in words.
    empty_is_zero: Whether an empty name means none, which the API writes as 0.
    inherit: The reference, or the address, to the object whose own one a new object takes where
        this is omitted.
    """

    option: str = ""
    noun: str = ""
    empty_is_zero: bool = False
    inherit: str = ""

    @property
    def answer_form(self) -> AnswerForm:
        """Return the form of the id of the other object."""
        return IDENTIFIER

    @property
    def least_id(self) -> int:
        """Return the smallest id that the option takes."""
        if self.empty_is_zero:
            return 0
        return 1

    @property
    def copy_fields(self) -> tuple[str, ...]:
        """Return the fields in which the object keeps copies of what it refers to; none where the
        id alone tells which it is.
        """
        return ()

    def normalize(self, actual: Any) -> str:
        """Return the id as it is compared."""
        if actual is None and self.empty_is_zero:
            return "0"
        return str(actual)

    def equals(self, desired: Any, actual: Any) -> bool:
        """Tell whether the panel's id is the desired one."""
        return desired is not None and str(desired) == self.normalize(actual)

    def describe(self, identifier: Any, name: Any = None) -> str:
        """Return what has this id, in the words of a message."""
        is_none = str(identifier) == "0"
        if is_none and self.name == OWNER:
            return "the server itself"
        if is_none:
            return f"no {self.noun}"
        if name:
            return f"the {self.noun} {name}"
        return f"the {self.noun} with id {identifier}"

    def describe_arguments(self) -> dict[str, dict[str, Any]]:
        """Return how Ansible describes the options of the reference."""
        return {self.option: self.type.describe_argument(), self.name: {"type": "int"}}

    def read(self, requested: Mapping[str, Any], path: Path, target: OptionValues) -> None:
        """Add to the target which object the options name; raise OptionError."""
        reference = self.read_reference(requested, path)
        if reference is not None:
            target.references.append(reference)

    def read_reference(self, requested: Mapping[str, Any], path: Path) -> RequestedReference | None:
        """Return which object the options name; None where they name none. Raises OptionError."""
        id_path = (*path, self.name)
        name_path = (*path, self.option)
        name = requested.get(self.option)
        identifier = requested.get(self.name)

        if name is not None and identifier is not None:
            raise OptionError(
                f"excludes {format_path(id_path)}; give one of the two.", option=name_path
            )
        if name == "" and self.empty_is_zero:
            return RequestedReference(self, id_path, name_path, id=0)
        if name is not None:
            # Whether there is an object with an unusual name shows when it is looked for.
            name, _unusual = read_tolerantly(self.type, name_path, name)
            return RequestedReference(self, id_path, name_path, name=name)
        if identifier is not None:
            identifier = parse_option(Integer(self.least_id), id_path, identifier)
            return RequestedReference(self, id_path, id_path, id=identifier)
        return None

    def compare(
        self,
        desired: ResolvedReference,
        holder: Mapping[str, Any],
        path: Path,
        compared: ComparedObject,
        earlier: Sequence[FieldChange],
    ) -> list[FieldChange]:
        """Return what has to be sent so that the object refers to another one."""
        del earlier  # other fields do not matter for a reference
        if self.change is not Mutability.FREE:
            self.refuse_another(desired, holder, compared)
            return []

        after = desired.requested.name_or_id
        if after is None:
            return []

        actual = holder.get(self.name)
        is_same = self.equals(desired.resolved_id, actual)
        displayed = (desired.requested.displayed_path, after)
        before = display_reference_before(desired, actual, is_same, after)
        path = (*path, self.name)
        return [compare_value(path, desired.resolved_id, before, is_same, displayed)]

    def refuse_another(
        self, desired: ResolvedReference, holder: Mapping[str, Any], compared: ComparedObject
    ) -> None:
        """Raise Conflict where an object is somebody else's, or elsewhere, than the task says."""
        if self.name not in holder or self.equals(desired.resolved_id, holder[self.name]):
            return

        requested = desired.requested
        compared.refuse(
            requested.option_path,
            self.describe(requested.id, requested.name),
            self.describe(self.normalize(holder[self.name]), desired.current_name),
        )


def display_reference_before(
    reference: ResolvedReference, identifier: Any, is_same: bool, after: Any
) -> Any:
    """Return what the diff has before: the name of the object that is referred to now, or what is
    known of it.

    Args:
        reference: The desired reference.
        identifier: The id of the object that is referred to now.
        is_same: Whether it is the desired one.
        after: What the diff has after.
    """
    if reference.requested.name is None:
        return identifier
    if is_same:
        return after
    if reference.current_name:
        return reference.current_name
    if identifier is None:
        return None
    return f"id {identifier}"


def declare_reference(
    option: str, value_type: ValueType, noun: str = "", name: str = "", **further: Any
) -> Reference:
    """Return the reference with the options OPTION and id_OPTION.

    Args:
        option: The option that takes a name.
        value_type: The type of the name.
        noun: What it refers to, as in its path, where that is not the option.
        name: The field with the id, where that is not id_OPTION.
        further: Other attributes of the reference.
    """
    noun = noun or option.replace("_", " ")
    name = name or f"id_{option}"
    path = f"/{noun.replace(' ', '-')}s"
    return Reference(name, value_type, option=option, kind_path=path, noun=noun, **further)


# What is read of options


class RequestedReference(NamedTuple):
    """Another object that an option names. At most one of ``name`` and ``id`` is set.

    field: The reference.
    path: The path of the field in the body.
    option_path: Leads to the option that names it.
    name: Its name.
    id: Its id.
    reapply: Whether it is referred to again where the two are not alike; then neither may be set,
        for the one that it is already.
    """

    field: Reference
    path: Path
    option_path: Path
    name: str | None = None
    id: int | None = None
    reapply: bool = False

    @property
    def name_or_id(self) -> Any:
        """Return what names it; None for the one that it is already."""
        if self.name is not None:
            return self.name
        return self.id

    @property
    def displayed_path(self) -> Path:
        """Return where a diff shows it: at the option that names it."""
        if self.name_or_id is None:
            return (self.field.name,)
        return self.option_path

    @property
    def option(self) -> str:
        """Return the option that names it, in the words of messages."""
        return format_path(self.option_path)


class ResolvedReference(NamedTuple):
    """What an option refers to.

    requested: The reference as an option names it.
    resolved_id: The id of the object, which is a planned one where the object does not exist yet.
    resolved: The object, where it was read.
    current_name: The name of the object that is referred to now, where it is known and another one.
    """

    requested: RequestedReference
    resolved_id: Any
    resolved: Mapping[str, Any] | None = None
    current_name: Any = None

    @property
    def path(self) -> Path:
        """Return the path of the field that has the id."""
        return self.requested.path


class UnusualValue(NamedTuple):
    """What an option refuses, unless the object has it already.

    path: The path of the field that has it, or has it in its list.
    value: The value as it was written.
    value_type: The type of the value, or of an entry of the list.
    problem: What is wrong with it.
    """

    path: Path
    value: Any
    value_type: ValueType
    problem: Problem

    def is_in(self, current: Mapping[str, Any] | None) -> bool:
        """Tell whether an object has it, so that it stays as it is."""
        actual = get_value(current, self.path)
        entries = [actual]
        if isinstance(actual, list):
            entries = actual
        return any(self.value_type.equals(self.value, entry) for entry in entries)


@dataclass
class OptionValues:
    """Collects what options say.

    values: The values by field, nested as in the API.
    references: The other objects that are named.
    unusual: What only an object that has it already keeps.
    """

    values: dict[str, Any] = field(default_factory=dict)
    references: list[RequestedReference] = field(default_factory=list)
    unusual: list[UnusualValue] = field(default_factory=list)


def read_fields(
    fields: Iterable[Field], requested: Mapping[str, Any], path: Path, target: OptionValues
) -> list[Problem]:
    """Read what options say of each field, and return all that is wrong with it.

    Args:
        fields: Those that are read.
        requested: The options of the object, or of the group that the fields are in.
        path: The path of this group.
        target: What is read.
    """
    problems: list[Problem] = []
    for declared in fields:
        try:  # not with, which thousands of items are slower by
            declared.read(requested, path, target)
        except OptionError as error:  # noqa: PERF203
            problems += error.problems
    return problems

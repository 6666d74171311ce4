# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of a table: fields, references to other objects, and groups of fields. They read their options and compare their values, and
collect what differs. Pure. Private to the collection.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, NoReturn

from .._errors import Conflict, OptionError, raise_collected
from .._problems import NOTHING_WRITTEN, Problem, option_problem
from .._secrets.redaction import without_secrets
from .._values.answer_forms import IDENTIFIER, SWITCH, TEXT, AnswerForm, Fields
from .._values.value_types import (
    Boolean,
    Integer,
    SetOf,
    ValueType,
    contains,
    parse_option,
    read_tolerantly,
)

SECRET_CHANGES = "(new)"
SECRET_GENERATED = "(generated)"  # the panel makes the new one
OWNER = "id_user"  # the member that says to which client an object belongs
NOT_THERE = object()
_NO_TYPE: Any = None  # of a group

Path = tuple[str, ...]  # leads to a member of an object, through the groups that it is in


def get_value(holder: Any, path: Path, missing: Any = None) -> Any:
    """Return the value that a path leads to, or ``missing``."""
    for name in path:
        if not isinstance(holder, Mapping) or name not in holder:
            return missing
        holder = holder[name]
    return holder


def has_value(holder: Any, path: Path) -> bool:
    """Tell whether a path leads to a value."""
    return get_value(holder, path, NOT_THERE) is not NOT_THERE


def set_value(holder: dict[str, Any], path: Path, value: Any) -> None:
    """Set the value that a path leads to, and make the groups on its way."""
    for name in path[:-1]:
        holder = holder.setdefault(name, {})
    holder[path[-1]] = value


class Difference:
    """What has to be sent to change ``current``, and the two sides of the diff, in which secrets still are. object: it, in words."""

    def __init__(self, words: str, current: Mapping[str, Any]) -> None:
        self.object = words
        self.current = current
        self.body: dict[str, Any] = {}
        self.before: dict[str, Any] = {}
        self.after: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.generates = False  # whether the answer must bring a password

    def record(
        self, path: Path, sent: Any, before: Any, is_same: bool = False, shown: Any = None
    ) -> None:
        """Sends a value unless it is the same. shown: where in the diff, and as what, if that is another place or value."""
        where, after = shown or (path, sent)
        if not is_same:
            set_value(self.body, path, copy.deepcopy(sent))
        # A value that is right already is shown as the panel writes it, so that the diff has no line for it.
        set_value(self.before, where, before)
        set_value(self.after, where, before if is_same else after)

    def warn_unseen(self, member: str) -> None:
        """Warn of a member that the panel does not show."""
        self.warnings.append(
            f"The panel does not show {member} of the {self.object}: it is sent again in every run."
        )

    def refuse(self, option: str, wanted: Any, actual: Any) -> NoReturn:
        """Raise Conflict, since the panel keeps what is there."""
        cause = f"the {self.object} exists with {actual}, the task requires {wanted}, and the panel cannot change that."
        raise Conflict(
            cause,
            option=option,
            written=NOTHING_WRITTEN,
            advice="Correct the task.",
            is_written_last=True,
        )


def mark_secret_changes(
    value: Mapping[str, Any], earlier: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A side of a diff without secrets; of one that is another than on the ``earlier`` side a mark is left that it changes."""
    kept: dict[str, Any] = without_secrets(dict(value))
    for name, member in value.items():
        before = (earlier or {}).get(name)
        if isinstance(member, dict) and name in kept:
            kept[name] = mark_secret_changes(member, before if isinstance(before, dict) else None)
        elif (
            member not in (None, before)
            and without_secrets({name: before}).get(name) == kept.get(name) != member
        ):
            # Only what is masked, in the field or in its text, is another.
            kept[name] = SECRET_CHANGES
    return kept


class Change(Enum):
    """What may happen to a member of an object that exists."""

    FREE = "free"  # it can be changed
    AT_CREATION = "at creation"  # a flag of creation; what another value would mean later is not defined, so it warns
    IDENTITY = "identity"  # another value would be another object, so it is an error


@dataclass(frozen=True)
class Field:
    """A row of a table: one member, under the API's own name.

    ``required``: needed to create the object. ``default_from``: on creation, takes the value of that other option when it is omitted.
    ``unchanged_with``: where the panel does not show this member, it counts as unchanged while that sibling is unchanged. ``only_with``: the
    sibling and its value with which this member counts; with another value it is null.
    """

    name: str
    type: ValueType = _NO_TYPE
    change: Change = Change.FREE
    required: bool = False
    secret: bool = False
    default_from: str | None = None
    unchanged_with: str | None = None
    only_with: tuple[str, Any] | None = None
    collection: str = ""  # the path of the kind of the object that it names

    @property
    def option(self) -> str:
        return self.name

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.option, self.name)))

    @property
    def identifies_object(self) -> bool:
        """Whether it tells which object is meant, so that another value is a mistake also where the object shall go."""
        return bool(self.collection) and (self.change is Change.IDENTITY or self.name == OWNER)

    @property
    def answer_form(self) -> AnswerForm:
        """What a panel may show in this field."""
        return self.type.answer_form

    def normalize(self, shown: Any) -> Any:
        return self.type.normalize(shown)

    def equals(self, wanted: Any, shown: Any) -> bool:
        return self.type.equals(wanted, shown)

    def applies_beside(self, holder: Mapping[str, Any]) -> bool:
        """Tell whether the member counts beside the others of its object or group."""
        return self.only_with is None or holder.get(self.only_with[0]) == self.only_with[1]

    def describe_arguments(self) -> dict[str, dict[str, Any]]:
        return {
            self.name: {
                **self.type.describe_argument(),
                **({"no_log": True} if self.secret else {}),
            }
        }

    def read(
        self, given: Mapping[str, Any], path: Path, values: dict[str, Any], beside: ReadBeside
    ) -> None:
        """Adds what is given of this member, checked, to the values or beside them; raises OptionError."""
        if self.name not in given:
            return
        try:
            # What most are: right.
            values[self.name] = self.type.parse(given[self.name])
            return
        except (ValueError, TypeError, ArithmeticError):
            where = (*path, self.name)
        values[self.name], kept = read_tolerantly(
            self.type, ".".join(where), given[self.name], self.secret
        )
        entry_type = self.type.item if isinstance(self.type, SetOf) else self.type
        beside.unusual += [
            UnusualValue(where, value, entry_type, problem) for value, problem in kept
        ]

    def compare(
        self, wanted: Any, holder: Mapping[str, Any], path: Path, difference: Difference
    ) -> None:
        """Add to the difference what has to be sent.

        holder: the object, or the group of it that the member is in.
        """
        path = (*path, self.name)
        option = ".".join(path)
        actual = holder.get(self.name)
        is_visible = self.name in holder
        is_same = self.equals(wanted, actual)

        if self.change is not Change.FREE:
            if is_visible and not is_same:
                self._keep(option, wanted, actual, difference)
            return

        if not is_visible and self.unchanged_with is not None:
            is_same = not has_value(difference.body, (*path[:-1], self.unchanged_with))
        elif not is_visible and not is_same:
            difference.warn_unseen(option)
        difference.record(path, wanted, actual, is_same)

    def _keep(self, option: str, wanted: Any, actual: Any, difference: Difference) -> None:
        """Refuse another value of a member that cannot be changed, or warn that it stays."""
        if self.change is Change.IDENTITY:
            difference.refuse(option, wanted, actual)
        difference.warnings.append(
            f"{option} counts only at creation; the {difference.object} exists with {actual!r} and keeps it."
        )


@dataclass(frozen=True)
class Reference(Field):
    """A pair of options for another object: ``option`` takes its name, ``name`` (the API's own) its id.

    ``collection`` is the other kind's path, ``type`` parses its name. ``empty_is_zero``: an empty name means none, which the API
    writes as 0. ``inherit``: the reference, or the address, to the object whose own one a new object takes where this is omitted.
    ``copies``: members of the referenced object, each with the one of this object that is copied from it: they tell whether the two belong
    together where the object does not show the id. ``reapply``: the option that refers to the same one again where they differ.
    """

    option: str = ""
    noun: str = ""
    empty_is_zero: bool = False
    inherit: str = ""
    copies: Mapping[str, str] = field(default_factory=dict)
    reapply: str = ""

    def has_copies_of(self, holder: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
        """Whether an object has what it gets from the other one."""
        pairs = [
            (holder.get(own), other[name]) for name, own in self.copies.items() if name in other
        ]
        return bool(pairs) and all(contains(actual, expected) for actual, expected in pairs)

    @property
    def answer_form(self) -> AnswerForm:
        """The id of the other object."""
        return IDENTIFIER

    def normalize(self, shown: Any) -> str:
        return "0" if shown is None and self.empty_is_zero else str(shown)

    def equals(self, wanted: Any, shown: Any) -> bool:
        return wanted is not None and str(wanted) == self.normalize(shown)

    def describe_arguments(self) -> dict[str, dict[str, Any]]:
        reapply = {self.reapply: {"type": "bool", "default": False}} if self.reapply else {}
        return {self.option: self.type.describe_argument(), self.name: {"type": "int"}, **reapply}

    def read(
        self, given: Mapping[str, Any], path: Path, values: dict[str, Any], beside: ReadBeside
    ) -> None:
        del values
        named_by, by_id = ".".join((*path, self.option)), ".".join((*path, self.name))
        name, identifier = given.get(self.option), given.get(self.name)
        reapply = self.reapply in given and parse_option(
            Boolean(), self.reapply, given[self.reapply]
        )
        if name is not None and identifier is not None:
            raise OptionError(named_by, f"excludes {by_id}; give one of the two.")
        if name == "" and self.empty_is_zero:
            name, identifier = None, 0
        elif name is not None:
            name = parse_option(self.type, named_by, name)
        elif identifier is not None:
            named_by, identifier = (
                by_id,
                parse_option(Integer(0 if self.empty_is_zero else 1), by_id, identifier),
            )
        elif reapply:
            named_by = self.reapply
        else:
            return
        beside.references.append(
            RequestedReference(self, (*path, self.name), named_by, name, identifier, reapply)
        )

    def compare(
        self,
        wanted: ResolvedReference,
        holder: Mapping[str, Any],
        path: Path,
        difference: Difference,
    ) -> None:
        """Add to the difference what has to be sent so that the object refers to another one."""
        if self.change is not Change.FREE:
            self.refuse_another(wanted, holder, difference)
            return
        requested = wanted.requested
        name = requested.name_or_id
        before = holder.get(self.name)
        is_same = self.equals(wanted.resolved_id, before)
        is_outdated = False
        may_be_outdated = before is None or (is_same and requested.reapply)
        if may_be_outdated and self.copies and wanted.resolved is not None:
            has_copies = self._has_copies(requested, wanted.resolved, difference)
            is_outdated = is_same and not has_copies
            is_same = has_copies

        if is_outdated:
            if name is None:
                name = before
            before = f"{name} (as it was)"
        elif requested.name is not None and is_same:
            before = name
        elif requested.name is not None:
            before = _current_name(wanted, before)
        if name is not None:
            displayed = (requested.displayed_path, name)
            difference.record((*path, self.name), wanted.resolved_id, before, is_same, displayed)

    def _has_copies(
        self, requested: RequestedReference, other: Mapping[str, Any], difference: Difference
    ) -> bool:
        """Whether the object has, as far as the panel shows it, what it gets from the other one; warns where not all is shown."""
        current = difference.current
        if self.name in current and current[self.name] is None:
            return self.has_copies_of(current, other)
        shown = {
            name: other[name]
            for name, own in self.copies.items()
            if own in current and name in other
        }
        if shown and not self.has_copies_of(current, shown):
            return False
        if not current.keys() >= set(self.copies.values()):
            unseen = f"which {self.noun} the {difference.object} has, or all that it got from it"
            given = requested.name_or_id or f"the {self.noun}"
            difference.warnings.append(
                f"The panel does not show {unseen}, so {given} was not assigned."
            )
        return True

    def refuse_another(
        self, wanted: ResolvedReference, holder: Mapping[str, Any], difference: Difference
    ) -> None:
        """Raise Conflict where an object is somebody else's, or elsewhere, than the task says."""
        requested, actual = wanted.requested, self.normalize(holder.get(self.name))
        if self.name in holder and not self.equals(wanted.resolved_id, actual):
            words = self.describe(requested.id, requested.name)
            difference.refuse(requested.option, words, self.describe(actual, wanted.current_name))

    def describe(self, identifier: Any, name: Any = None) -> str:
        """What has this id, in the words of a message."""
        if str(identifier) == "0":
            return "the server itself" if self.name == OWNER else f"no {self.noun}"
        return f"the {self.noun} {name}" if name else f"the {self.noun} with id {identifier}"


def _current_name(wanted: ResolvedReference, identifier: Any) -> Any:
    """Return the name of the object that is referred to now, or what is known of it."""
    if wanted.current_name:
        return wanted.current_name
    return None if identifier is None else f"id {identifier}"


def declare_reference(
    option: str, value_type: ValueType, noun: str = "", name: str = "", **further: Any
) -> Reference:
    """The options OPTION and id_OPTION. noun: what it refers to, as in its path; name: of the id; where they are not those of the option."""
    noun = noun or option.replace("_", " ")
    path = f"/{noun.replace(' ', '-')}s"
    return Reference(
        name or f"id_{option}", value_type, option=option, collection=path, noun=noun, **further
    )


class UnusualValue(NamedTuple):
    """What an option refuses, unless the object has it already.

    path: Leads to the member that has it, or has it in its list. value: As it was written. value_type: Of the value, or of an entry of the
    list. problem: What is wrong with it.
    """

    path: Path
    value: Any
    value_type: ValueType
    problem: Problem

    def is_in(self, current: Mapping[str, Any] | None) -> bool:
        """Tells whether an object has it, so that it stays as it is."""
        member = get_value(current, self.path)
        entries = member if isinstance(member, list) else [member]
        return any(self.value_type.equals(self.value, entry) for entry in entries)


@dataclass
class ReadBeside:
    """What is read of options beside values: references to other objects, and what only an object that has it already keeps."""

    references: list[RequestedReference] = field(default_factory=list)
    unusual: list[UnusualValue] = field(default_factory=list)


def read_fields(
    rows: Iterable[Field],
    given: Mapping[str, Any],
    path: Path,
    values: dict[str, Any],
    beside: ReadBeside,
) -> list[Problem]:
    """Read what is given of each row, and return all that is wrong with it."""
    problems: list[Problem] = []
    for row in rows:
        try:  # not with, which thousands of items are slower by
            row.read(given, path, values, beside)
        except OptionError as error:  # noqa: PERF203
            problems += error.problems
    return problems


class RequestedReference(NamedTuple):
    """Another object that an option names. At most one of ``name`` and ``id`` is set; ``path`` leads to the member in the body.

    ``reapply``: whether it is referred to again where the two are not alike; then neither may be set, for the one that it is already.
    """

    field: Reference
    path: Path
    option: str
    name: str | None = None
    id: int | None = None
    reapply: bool = False

    @property
    def name_or_id(self) -> Any:
        return self.name if self.name is not None else self.id

    @property
    def displayed_path(self) -> Path:
        """Return where a diff shows it: at the option that names it."""
        return tuple((self.field.name if self.name_or_id is None else self.option).split("."))


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


@dataclass(frozen=True)
class Group(Field):
    """A nested dictionary, managed member by member. ``clearable``: an empty dictionary clears all of its members.

    ``alternatives``: members of which at most one is on, each with the value that means off; switching one on switches the others off.
    ``read_only``: members that the panel shows and nobody sets; they are accepted, so that what was read can be given, and ignored.
    """

    fields: tuple[Field, ...] = ()
    clearable: bool = False
    alternatives: tuple[tuple[str, Any], ...] = ()
    read_only: tuple[str, ...] = ()

    @property
    def answer_form(self) -> Fields:
        """The forms of all fields that the panel shows in it; of those that nobody sets, the name tells a switch from a text."""
        shown = {name: SWITCH if name.startswith("is_") else TEXT for name in self.read_only}
        return Fields({**shown, **{member.name: member.answer_form for member in self.fields}})

    def describe_arguments(self) -> dict[str, dict[str, Any]]:
        members = {
            option: argument
            for member in self.fields
            for option, argument in member.describe_arguments().items()
        }
        members.update({name: {"type": "raw"} for name in self.read_only})
        return {self.name: {"type": "dict", "options": members}}

    def read(
        self, given: Mapping[str, Any], path: Path, values: dict[str, Any], beside: ReadBeside
    ) -> None:
        value = given.get(self.name)
        if not isinstance(value, dict):
            raise OptionError(self.name, "must be a dictionary.")
        members = {
            name: member
            for name, member in value.items()
            if member is not None and name not in self.read_only
        }
        if not members:
            if not value.keys().isdisjoint(self.read_only):
                return
            if not self.clearable:
                raise OptionError(
                    self.name,
                    "an empty dictionary would change nothing; list the fields to change.",
                )
            members = {member.name: "" for member in self.fields}
        inner: dict[str, Any] = {}
        inside = ReadBeside()
        problems = read_fields(self.fields, members, (*path, self.name), inner, inside)
        raise_collected([*problems, *self._wrong_siblings(inner, inside.references)])
        beside.references += inside.references
        beside.unusual += inside.unusual
        if inner:
            values[self.name] = inner

    def _wrong_siblings(
        self, inner: Mapping[str, Any], references: Iterable[RequestedReference]
    ) -> Iterator[Problem]:
        off = dict(self.alternatives)
        on = [
            f"{self.name}.{name}"
            for name, value_off in off.items()
            if inner.get(name, value_off) != value_off
        ]
        on += [
            one.option
            for one in references
            if one.name_or_id != off.get(one.field.name, one.name_or_id)
        ]
        if len(on) > 1:
            yield option_problem(on[0], f"excludes {on[1]}; give one of the two.")
        for member in self.fields:
            sibling, value = member.only_with or ("", None)
            if inner.get(member.name) is not None and inner.get(sibling, value) != value:
                cause = f"counts only with {self.name}.{sibling}: {value}; omit it, or clear it."
                yield option_problem(f"{self.name}.{member.name}", cause)

    def compare(
        self,
        wanted: Mapping[str, Any],
        holder: Mapping[str, Any],
        path: Path,
        difference: Difference,
    ) -> None:
        """Add to the difference what has to be sent so that the group has the wanted members."""
        path = (*path, self.name)
        current = holder.get(self.name)
        if not isinstance(current, dict):
            current = {}
        for member in self.fields:
            if member.name in wanted:
                member.compare(wanted[member.name], current, path, difference)

        changed = difference.body.get(self.name)
        if changed is None:
            return
        if any(changed.get(name, off) != off for name, off in self.alternatives):
            self._switch_others_off(wanted, current, changed, difference)
        self._complete(wanted, current, changed)

    def _switch_others_off(
        self,
        wanted: Mapping[str, Any],
        current: Mapping[str, Any],
        changed: dict[str, Any],
        difference: Difference,
    ) -> None:
        """Send the alternatives that are not wanted as off.

        A panel that merges would keep them on beside the one that is switched on, and may refuse two.
        """
        for name, off in self.alternatives:
            if name in wanted:
                continue
            if str(current.get(name) or off) != str(off):
                difference.record((self.name, name), off, current[name])
            changed[name] = off

    def _complete(
        self, wanted: Mapping[str, Any], current: Mapping[str, Any], changed: dict[str, Any]
    ) -> None:
        """Send all fields that the panel shows, and the secrets that the task has.

        A panel may replace a nested object rather than merge it (docs/panel_api.md#nested-objects).
        """
        for member in self.fields:
            name = member.name
            if name in changed:
                continue
            if member.secret:
                if name in wanted:
                    changed[name] = wanted[name]
                continue
            if name not in current:
                continue
            is_counted = member.applies_beside({**current, **changed})
            changed[name] = current[name] if is_counted else None

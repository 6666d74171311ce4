# SPDX-License-Identifier: GPL-3.0-or-later
"""A row of a table that is one field, which reads its option and compares its value; and the difference that rows collect. Pure.

Private to the collection.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from enum import Enum
from typing import Any

from .._errors import NOTHING_WRITTEN, Conflict
from .._secrets.redaction import without_secrets
from .._values.value_types import ValueType, parsed

SECRET_CHANGES = "(new)"

Path = tuple[str, ...]  # leads to a member of an object, through the groups that it is in
Leaves = Iterator[tuple[Path, "Field"]]


def has(holder: Any, path: Path) -> bool:
    for name in path:
        if not isinstance(holder, Mapping) or name not in holder:
            return False
        holder = holder[name]
    return True


def value_at(holder: Any, path: Path) -> Any:
    for name in path:
        holder = holder.get(name) if isinstance(holder, Mapping) else None
    return holder


def put(holder: dict[str, Any], path: Path, value: Any) -> None:
    for name in path[:-1]:
        holder = holder.setdefault(name, {})
    holder[path[-1]] = value


class Difference:
    """What has to be sent to change ``current``, and the two sides of the diff, in which secrets still are. object: it, in words."""

    def __init__(self, words: str, current: Mapping[str, Any]) -> None:
        self.object, self.current = words, current
        self.body: dict[str, Any] = {}
        self.before: dict[str, Any] = {}
        self.after: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.generates = False  # whether the answer must bring a password

    def record(self, path: Path, sent: Any, before: Any, is_same: bool = False, shown: Any = None) -> None:
        """Sends a value unless it is the same. shown: where in the diff, and as what, if that is another place or value."""
        where, after = shown or (path, sent)
        if not is_same:
            put(self.body, path, copy.deepcopy(sent))
        # A value that is right already is shown as the panel writes it, so that the diff has no line for it.
        put(self.before, where, before)
        put(self.after, where, before if is_same else after)

    def warn_unseen(self, member: str) -> None:
        self.warnings.append(f"The panel does not show {member} of the {self.object}: it is sent again in every run.")

    def refuse(self, option: str, wanted: Any, there: Any) -> None:
        """Raises Conflict, since the panel keeps what is there."""
        problem = f"the {self.object} exists with {there}, the task wants {wanted}, and the panel cannot change that. Correct the task."
        raise Conflict(f"{option}: {problem} {NOTHING_WRITTEN}", option=option)


def without_secrets_but_marks(value: Mapping[str, Any], earlier: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A side of a diff without secrets; of one that is another than on the ``earlier`` side a mark is left that it changes."""
    kept: dict[str, Any] = without_secrets(dict(value))
    for name, member in value.items():
        before = (earlier or {}).get(name)
        if isinstance(member, dict) and name in kept:
            kept[name] = without_secrets_but_marks(member, before if isinstance(before, dict) else None)
        elif member not in (None, before) and without_secrets({name: before}).get(name) == kept.get(name) != member:
            # Only what is masked, in the field or in its text, is another.
            kept[name] = SECRET_CHANGES
    return kept


class Change(Enum):
    """What may happen to a member of an object that exists."""

    FREE = "free"  # it can be changed
    AT_CREATION = "at creation"  # a flag of creation; what another value would mean later is not defined, so it warns
    IDENTITY = "identity"  # another value would be another object, so it is an error


class Row:
    """A row of a table. ``name`` is the API's own; ``required``: needed to create the object.

    ``collection``: the path of the kind of the object that it names; empty where it names none.
    """

    name: str
    collection: str = ""
    change: Change = Change.FREE
    required: bool = False
    secret: bool = False
    default_from: str | None = None

    @property
    def option(self) -> str:
        return self.name

    @property
    def options(self) -> tuple[str, ...]:
        return (self.option,)

    @property
    def tells_which(self) -> bool:
        """Whether it tells which object is meant, so that another value is a mistake also where the object shall go."""
        return False

    def is_told_by(self, shown: Set[str]) -> bool:
        """Whether the members that are shown of an object tell what it is compared by."""
        return self.name in shown or self.change is Change.AT_CREATION

    def lacking(self, body: Mapping[str, Any], prefix: str = "") -> list[str]:
        """The options that are needed to create the object and not in its body."""
        return [prefix + self.option] if self.required and self.name not in body else []


@dataclass(frozen=True)
class Field(Row):
    """One member, under the API's own name.

    ``default_from``: on creation, takes the value of that other option when it is omitted. ``unchanged_with``: where the panel does not show
    this member, it counts as unchanged while that sibling is unchanged. ``only_with``: the sibling and its value with which this member
    counts; with another value it is null.
    """

    name: str
    type: ValueType
    change: Change = Change.FREE
    required: bool = False
    secret: bool = False
    default_from: str | None = None
    unchanged_with: str | None = None
    only_with: tuple[str, Any] | None = None

    def leaves(self) -> Leaves:
        yield (self.name,), self

    def shown(self, holder: Mapping[str, Any]) -> Any:
        return holder.get(self.name)

    def comparable(self, shown: Any) -> Any:
        return self.type.comparable(shown)

    def same(self, wanted: Any, shown: Any) -> bool:
        return self.type.same(wanted, shown)

    def counts(self, holder: Mapping[str, Any]) -> bool:
        return self.only_with is None or holder.get(self.only_with[0]) == self.only_with[1]

    def arguments(self) -> dict[str, dict[str, Any]]:
        return {self.name: {**self.type.argument(), **({"no_log": True} if self.secret else {})}}

    def read(self, given: Mapping[str, Any], path: Path, values: dict[str, Any], references: list[Any]) -> None:
        """Adds what is given of this member, checked, to the values or the references; raises OptionError."""
        del references
        if self.name in given:
            option = ".".join((*path, self.name)) if path else self.name
            values[self.name] = parsed(self.type, option, given[self.name], self.secret)

    def compare(self, wanted: Any, holder: Mapping[str, Any], path: Path, difference: Difference) -> None:
        """Adds to the difference what has to be sent; holder: the object, or the group of it that the member is in."""
        path = (*path, self.name)
        option, value, is_shown = ".".join(path), holder.get(self.name), self.name in holder
        is_same = self.same(wanted, value)
        if self.change is Change.IDENTITY and is_shown and not is_same:
            difference.refuse(option, wanted, value)
        elif self.change is Change.AT_CREATION and is_shown and not is_same:
            kept = f"{option} counts only at creation; the {difference.object} exists with {value!r} and keeps it."
            difference.warnings.append(kept)
        if self.change is not Change.FREE:
            return
        if not is_shown and self.unchanged_with is not None:
            is_same = not has(difference.body, (*path[:-1], self.unchanged_with))
        elif not is_shown and not is_same:
            difference.warn_unseen(option)
        if self.secret and not is_same:
            put(difference.body, path, wanted)
            put(difference.after, path, SECRET_CHANGES)
        elif not self.secret:
            difference.record(path, wanted, value, is_same)

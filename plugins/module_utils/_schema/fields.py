# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a row of a table is, and the row that is one field, which reads its option and compares its value. Private to the collection."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from enum import Enum
from typing import Any, Callable

from .._values.value_types import ValueType, parsed
from .difference import Difference, Path


class Change(Enum):
    """What may happen to a member of an object that exists."""

    FREE = "free"  # it can be changed
    AT_CREATION = "at creation"  # a flag of creation; what another value would mean later is not defined, so it warns
    IDENTITY = "identity"  # another value would be another object, so it is an error


class Row:
    """A row of a table. ``name`` is the API's own. What is said here holds for most rows; those that differ say it themselves."""

    name: str
    required: bool = False  # needed to create the object
    change: Change = Change.FREE
    secret: bool = False
    default_from: str | None = None
    only_with: tuple[str, Any] | None = None

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

    @property
    def refers_to(self) -> str:
        """The path of the kind of the object that it names; empty where it names none."""
        return ""

    def is_told_by(self, shown: Set[str]) -> bool:
        """Whether the members that are shown of an object tell what it is compared by."""
        return self.name in shown or self.change is Change.AT_CREATION

    def lacking(self, body: Mapping[str, Any], prefix: str = "") -> list[str]:
        """The options that are needed to create the object and not in its body."""
        return [prefix + self.option] if self.required and self.name not in body else []


class Member(Row):
    """A row that is one member of an object: a field, or a reference."""

    type: ValueType

    def leaves(self) -> Iterator[tuple[Path, Member]]:
        """The members with their paths."""
        yield (self.name,), self

    def shown(self, holder: Mapping[str, Any]) -> Any:
        return holder.get(self.name)

    @property
    def is_typed(self) -> bool:
        return type(self.type).typed is not ValueType.typed

    def typed(self, shown: Any) -> Any:
        return self.type.typed(shown)

    def comparable(self, shown: Any) -> Any:
        return self.type.comparable(shown)

    def same(self, wanted: Any, shown: Any) -> bool:
        return self.type.same(wanted, shown)

    def sent(self, wanted: Any) -> Any:
        return wanted

    def is_repeatable(self, shown: Any) -> bool:
        """Whether what the panel shows can be sent beside a changed sibling."""
        del shown
        return not self.secret

    def counts(self, holder: Mapping[str, Any]) -> bool:
        return self.only_with is None or holder.get(self.only_with[0]) == self.only_with[1]

    def repeated(self, holder: Mapping[str, Any]) -> Any:
        """What is sent of it beside a changed sibling. holder: the group as it will be."""
        return copy.deepcopy(holder[self.name]) if self.counts(holder) else None

    def rewritten(self, value: Any, how: Callable[[ValueType, Any], Any]) -> Any:
        """An option's value in another spelling, which ``how`` tells of each type of values."""
        return how(self.type, value)


@dataclass(frozen=True)
class Field(Member):
    """One member, under the API's own name.

    ``required``: needed to create the object. ``default_from``: on creation, takes the value of that other option when it is omitted.
    ``unchanged_with``: where the panel does not show this member, it counts as unchanged while that sibling is unchanged.
    ``only_with``: the sibling and its value with which this member counts; with another value it is null. ``elsewhere``: for flags of
    creation, what changes it on an object that exists.
    """

    name: str
    type: ValueType
    change: Change = Change.FREE
    required: bool = False
    secret: bool = False
    default_from: str | None = None
    unchanged_with: str | None = None
    only_with: tuple[str, Any] | None = None
    elsewhere: str = ""

    def arguments(self) -> dict[str, dict[str, Any]]:
        return {self.name: {**self.type.argument(), **({"no_log": True} if self.secret else {})}}

    def read(self, given: Mapping[str, Any], path: Path, values: dict[str, Any], references: list[Any]) -> None:
        del references
        if self.name in given:
            values[self.name] = parsed(self.type, ".".join((*path, self.name)), given[self.name], self.secret)

    def compare(self, wanted: Any, holder: Mapping[str, Any], path: Path, difference: Difference) -> None:
        path = (*path, self.name)
        option = ".".join(path)
        is_shown, value = self.name in holder, holder.get(self.name)
        if self.change is not Change.FREE:
            if is_shown and not self.same(wanted, value):
                if self.change is Change.IDENTITY:
                    difference.refuse(option, wanted, value)
                difference.warn_of_flag(option, value, self.elsewhere)
            return
        if is_shown:
            is_same = self.same(wanted, value)
        elif self.unchanged_with is not None:
            is_same = not difference.sends((*path[:-1], self.unchanged_with))
        else:
            is_same = self.same(wanted, None)
            if not is_same:
                difference.warnings.append(
                    f"The panel does not show {option} of the {difference.object}: it is sent again in every run."
                )
        if not self.secret:
            difference.record(path, wanted, value, is_same)
        elif not is_same:
            difference.record_secret(path, wanted)

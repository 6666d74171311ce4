# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every row of a table does: its options, and its part of what is wanted, of a difference and of a body. Private to the collection."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Set
from enum import Enum
from typing import Any, Callable

from .._values.base import ValueType
from .difference import Difference
from .exported import CannotBeNamed, NameOf, Said
from .nested import Path


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
        """What a playbook calls it."""
        return self.name

    @property
    def options(self) -> tuple[str, ...]:
        """All options that say it, of which one is given."""
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

    def leaves(self) -> Iterator[tuple[Path, Member]]:
        """Its members with their paths; a row that is no group is the only one."""
        raise NotImplementedError

    def arguments(self) -> dict[str, dict[str, Any]]:
        """Ansible's description of its options."""
        raise NotImplementedError

    def read(self, given: Mapping[str, Any], path: Path, values: dict[str, Any], references: list[Any]) -> None:
        """Adds what the options say, checked, to the values or to the references; raises OptionError. path: of the group that it is in."""
        raise NotImplementedError

    def compare(self, wanted: Any, holder: Mapping[str, Any], path: Path, difference: Difference) -> None:
        """Adds to the difference what has to be sent. holder: the object or its group, at this path."""
        raise NotImplementedError

    def rewritten(self, value: Any, how: Callable[[ValueType, Any], Any]) -> Any:
        """An option's value in another spelling, which ``how`` tells of each type of values."""
        raise NotImplementedError

    def exported(self, shown: Mapping[str, Any], said: Said, prefix: str = "") -> Any:
        """What its option takes to mean what the panel shows; None where that is left out. prefix: of the group that it is in."""
        raise NotImplementedError

    def lacking(self, body: Mapping[str, Any], prefix: str = "") -> list[str]:
        """The options that are needed to create the object and not in its body."""
        return [prefix + self.option] if self.required and self.name not in body else []


class Member(Row):
    """A row that is one member of an object: a field, or a reference."""

    type: ValueType

    def leaves(self) -> Iterator[tuple[Path, Member]]:
        yield (self.name,), self

    def shown(self, holder: Mapping[str, Any]) -> Any:
        """What the panel shows of it."""
        return holder.get(self.name)

    def comparable(self, shown: Any) -> Any:
        """A normal form that is equal for equal values, whatever a panel may show."""
        return self.type.comparable(shown)

    def same(self, wanted: Any, shown: Any) -> bool:
        """Whether what the panel shows is the wanted value already."""
        return self.type.same(wanted, shown)

    def sent(self, wanted: Any) -> Any:
        """What is sent for what is wanted."""
        return wanted

    def is_repeatable(self, shown: Any) -> bool:
        """Whether what the panel shows can be sent beside a changed sibling."""
        raise NotImplementedError

    def counts(self, holder: Mapping[str, Any]) -> bool:
        """Whether it has a meaning beside the value of its sibling."""
        return self.only_with is None or holder.get(self.only_with[0]) == self.only_with[1]

    def repeated(self, holder: Mapping[str, Any]) -> Any:
        """What is sent of it beside a changed sibling. holder: the group as it will be."""
        return copy.deepcopy(holder[self.name]) if self.counts(holder) else None

    def rewritten(self, value: Any, how: Callable[[ValueType, Any], Any]) -> Any:
        return how(self.type, value)

    def value_of(self, shown: Mapping[str, Any], name_of: NameOf) -> Any:
        """What the option takes to mean what the panel shows; None where nothing does."""
        raise NotImplementedError

    def why_unnamed(self, shown: Mapping[str, Any]) -> str:
        """Why nothing does."""
        raise NotImplementedError

    def key_of(self, shown: Mapping[str, Any], name_of: NameOf) -> Any:
        """What names an object in an item; raises CannotBeNamed."""
        value = self.value_of(shown, name_of)
        if value is None:
            raise CannotBeNamed(self.why_unnamed(shown))
        return value

    def label(self, shown: Mapping[str, Any], name_of: NameOf) -> str:
        """What the panel shows, in the words of a warning."""
        raise NotImplementedError


def rewritten(rows: Iterable[Row], values: Mapping[str, Any], how: Callable[[ValueType, Any], Any]) -> dict[str, Any]:
    """The options of these rows, each value in another spelling; what no row has stays."""
    by_option = {row.option: row for row in rows}
    return {
        name: by_option[name].rewritten(value, how) if name in by_option else value for name, value in values.items()
    }

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words in which a kind of object is declared. Private to the collection.

A kind is a table: its path, its natural key, and a row for each option. Single modules, info modules and everything that handles many
objects at once read the same table.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple

from .._values.base import ValueType
from .field import Field
from .fields import OWNER, Reference
from .group import Group
from .nested import Path
from .password import Password
from .row import Change, Member, Row

__all__ = [
    "OWNER",
    "Change",
    "Field",
    "Group",
    "Kind",
    "Needed",
    "Password",
    "Reference",
    "Row",
    "Taken",
]

_ANY = ValueType()


class Needed(NamedTuple):
    """Objects of another kind that a member of an object counts on: they have to be there, and to belong to its owner.

    ``names``: tells their names from the members of the object. ``member``, ``type``: what names them. ``having``: a member, the value
    that it must not have, and what is wrong then. ``may_lack``: whether they need not be there, and only must not be somebody else's.
    """

    option: str
    collection: str
    noun: str
    member: str
    type: ValueType
    names: Callable[[Mapping[str, Any]], Iterable[str]]
    having: tuple[str, Any, str]
    may_lack: bool = False

    @property
    def shown(self) -> frozenset[str]:
        """The members that are looked at."""
        return frozenset([OWNER, self.having[0]])


class Taken(NamedTuple):
    """Names that an object takes up, and that another object may have: ``names`` tells them from the members.

    ``among``: the members of the others in which they may be, each one name or a list of them, of this ``type``; without any the others are
    looked up by their own name. ``cure``: what to do about it, a sentence.
    """

    option: str
    collection: str
    names: Callable[[Mapping[str, Any]], Iterable[str]]
    why: str
    among: tuple[str, ...] = ()
    type: ValueType = _ANY
    cure: str = "Correct the task."

    def names_of(self, found: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """What an object has up to now: the member and the name, comparable."""
        shown = ((member, found.get(member)) for member in self.among)
        return [
            (member, self.type.comparable(name))
            for member, value in shown
            for name in (value if isinstance(value, list) else [value])
            if isinstance(name, str)
        ]


@dataclass(frozen=True)
class Kind:
    """A kind of object.

    singular, plural: the result keys, and the names of its module and of its list. path: below the API's base. key: the rows of the
    natural key. by_name: whether the API has /name/{name} (otherwise the list is searched). is_unique: whether the panel itself refuses
    a second object with this key. is_inferred: whether its paths are known from clients of the API only, so that 404 may say that the
    panel has no such path. sorts: what a list can be sorted by, the default first; empty where the interface does not say. needs: what
    has to be there for a member that is sent. takes: the names that no other object may have. wrong: the option and the problem of
    everything in a new object that the panel refuses. part_of: the plural of the kind whose objects have one each, with their ids; such
    a part is neither made nor deleted on its own. domain_of: tells from the natural key the domain that an object goes with.
    is_of_site: whether the roles site and sites take a list of them.
    """

    singular: str
    plural: str
    title: str
    path: str
    key: tuple[Field | Reference, ...]
    rows: tuple[Field | Reference | Group, ...]
    by_name: bool = True
    is_unique: bool = True
    is_inferred: bool = False
    renames: bool = False
    has_status: bool = False
    password: Password | None = None
    sorts: tuple[str, ...] = ()
    keep_last: str | None = None
    needs: tuple[Needed, ...] = ()
    takes: tuple[Taken, ...] = ()
    wrong: Callable[[Mapping[str, Any]], Iterable[tuple[str, str]]] | None = None
    part_of: str = ""
    domain_of: Callable[[Mapping[str, Any]], str] | None = None
    is_of_site: bool = False

    @property
    def module(self) -> str:
        """The module that manages one object."""
        return f"panel_{self.singular}"

    @functools.cached_property
    def references(self) -> tuple[Reference, ...]:
        """All rows for other objects, also those inside of groups."""
        rows = (*self.key, *(row for _path, row in self.leaves()))
        return tuple(row for row in rows if isinstance(row, Reference))

    @property
    def owner(self) -> Reference | None:
        """The row that says to which client an object belongs, and with whom it goes; None where it belongs to nobody."""
        return next((row for row in self.references if row.name == OWNER), None)

    @property
    def above(self) -> tuple[str, ...]:
        """The members that say which object of the same kind it is in, and goes with."""
        return tuple(row.name for row in self.references if row.collection == self.path)

    @functools.cached_property
    def named_by(self) -> tuple[str, ...]:
        """The options that name an object together, each reference by its name."""
        return tuple(row.option for row in self.key)

    def key_of(self, options: Mapping[str, Any]) -> str | None:
        """The natural key in the panel's spelling, its parts joined with a colon; None where the options do not name the object by it."""
        parts = [options.get(name) for name in self.named_by]
        if any(part is None or part == "" for part in parts):
            return None
        return ":".join(row.type.stored(str(part)) for row, part in zip(self.key, parts))

    def comparable_key(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """The members that name an object of the panel, each in its normal form; references by their ids."""
        return {row.name: row.comparable(found.get(row.name)) for row in self.key}

    def by_id(self, options: Mapping[str, Any], identifier: Any) -> dict[str, Any]:
        """The options with the object named by its id. Parts of a composite key stay: beside an id they are members like any other."""
        instead = self.named_by if len(self.key) == 1 else ()
        return {**{name: value for name, value in options.items() if name not in instead}, "id": identifier}

    @functools.cached_property
    def flags_of_creation(self) -> frozenset[str]:
        """The members that count only when an object is created."""
        return frozenset(row.name for row in self.rows if row.change is Change.AT_CREATION)

    def leaves(self) -> Iterator[tuple[Path, Member]]:
        """The members behind the rows with their paths, those of groups one by one."""
        for row in self.rows:
            yield from row.leaves()

    def needs_of(self, members: Mapping[str, Any]) -> list[Needed]:
        """What an object needs for these of its members."""
        return [need for need in self.needs if need.option in members]

    @property
    def name_member(self) -> str:
        """The member that names an object; for composite keys the last one."""
        return self.key[-1].name

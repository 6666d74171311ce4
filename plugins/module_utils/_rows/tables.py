# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words in which a kind of object is declared. Private to the collection.

A kind is a table: its path, its natural key, and a row for each option. Single modules, info modules and everything that handles many
objects at once read the same table.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from enum import Enum
from typing import Any, Callable, NamedTuple, Union

from .._values.base import ValueType

_ANY = ValueType()
OWNER = "id_user"  # the member that says to which client an object belongs


class Change(Enum):
    """What may happen to a member of an object that exists."""

    FREE = "free"  # it can be changed
    AT_CREATION = "at creation"  # a flag of creation; what another value would mean later is not defined, so it warns
    IDENTITY = "identity"  # another value would be another object, so it is an error


class Field(NamedTuple):
    """One member, under the API's own name.

    ``required``: needed to create the object. ``default_from``: on creation, takes the value of that other option when it is omitted.
    ``unchanged_with``: where the panel does not show this member, it counts as unchanged while that sibling is unchanged.
    ``repeat``: whether it may be sent unchanged beside a changed sibling. ``only_with``: the sibling and its value with which this
    member counts; with another value it is null. ``elsewhere``: for flags of creation, what changes it on an object that exists.
    """

    name: str
    type: ValueType
    change: Change = Change.FREE
    required: bool = False
    secret: bool = False
    default_from: str | None = None
    unchanged_with: str | None = None
    repeat: bool = True
    only_with: tuple[str, Any] | None = None
    elsewhere: str = ""


class Inherit(NamedTuple):
    """Where an omitted reference comes from on creation: ``member`` of the object that ``reference`` or ``name_of`` leads to."""

    member: str
    reference: str = ""
    collection: str = ""
    name_of: Callable[[Mapping[str, Any]], str] | None = None


class Reference(NamedTuple):
    """A pair of options for another object: ``option`` takes its name, ``member`` (the API's own) its id.

    ``collection`` is the other kind's path, ``type`` parses its name. ``empty_is_zero``: an empty name means none, which the API
    writes as 0. ``alike``: tells from the object and the referenced one whether they belong together where the object does not
    show the id; ``alike_by``: pairs of the members of the referenced object and of this one that it looks at. ``same_owner``: whether
    the panel refuses one that belongs to another client; what belongs to the server itself is everybody's. ``fits``: the member that
    names the other object, and what is wrong with a new object that refers to one with this name ("" for nothing). ``reapply``: the
    option that refers to the same one again where they are not ``alike``.
    """

    option: str
    member: str
    collection: str
    noun: str
    type: ValueType
    change: Change = Change.FREE
    required: bool = False
    empty_is_zero: bool = False
    inherit: Inherit | None = None
    alike: Callable[[Mapping[str, Any], Mapping[str, Any]], bool] | None = None
    alike_by: tuple[tuple[str, str], ...] = ()
    repeat: bool = True
    same_owner: bool = False
    fits: tuple[str, Callable[[Mapping[str, Any], str], str]] | None = None
    reapply: str = ""

    @property
    def name(self) -> str:
        return self.member

    @property
    def tells_which(self) -> bool:
        """Whether it tells which object is meant, so that another value is a mistake also where the object shall go."""
        return self.change is Change.IDENTITY or self.member == "id_user"

    def is_told_by(self, shown: Set[str]) -> bool:
        """Whether the members that are shown of an object tell what it refers to."""
        return self.member in shown or (self.alike is not None and {own for _other, own in self.alike_by} <= shown)


class Group(NamedTuple):
    """A nested dictionary, managed member by member. ``clearable``: an empty dictionary clears all of its members.

    ``alternatives``: members of which at most one is on, each with the value that means off; switching one on switches the others off.
    ``shown``: members that the panel shows and nobody sets; they are accepted, so that what was read can be given, and ignored.
    """

    name: str
    members: tuple[Field | Reference, ...]
    clearable: bool = False
    required: bool = False
    alternatives: tuple[tuple[str, Any], ...] = ()
    shown: tuple[str, ...] = ()

    def problem(self) -> str:
        return "an empty dictionary would change nothing; name the members to change"


Row = Union[Field, Reference, Group]


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
        return frozenset(["id_user", self.having[0]])


class Taken(NamedTuple):
    """Names that an object takes up, and that another object may have: ``names`` tells them from the members.

    ``among``: the members of the others in which they may be, each one name or a list of them, of this ``type``; without any the others are
    looked up by their own name. ``cure``: what to do about it, a sentence.
    """

    option: str
    collection: str
    noun: str
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


class Copied(NamedTuple):
    """Objects of another kind that keep what they once got from one of this kind: ``member`` has its id, otherwise ``alike`` tells.

    ``alike_by``: the members that they got, and their names there. ``what``: the word for these. ``option``: what brings them up to date.
    """

    collection: str
    named_by: str
    noun: str
    member: str
    alike: Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
    alike_by: tuple[tuple[str, str], ...]
    what: str
    option: str


class Password(NamedTuple):
    """How a kind takes passwords. ``hash_os``: a hash needs to be accompanied by password_hash_os (interface, clients)."""

    hash_os: bool = False


@dataclass(frozen=True)
class Kind:
    """A kind of object.

    singular, plural: the result keys, and the names of its module and of its list. path: below the API's base. key: the rows of the
    natural key. by_name: whether the API has /name/{name} (otherwise the list is searched). is_unique: whether the panel itself refuses
    a second object with this key. is_inferred: whether its paths are known from clients of the API only, so that 404 may say that the
    panel has no such path. sorts: what a list can be sorted by, the default first; empty where the interface does not say. needs: what
    has to be there for a member that is sent. takes: the names that no other object may have. wrong: the option and the problem of
    everything in a new object that the panel refuses. copied: who keeps what it once got from one. part_of: the plural of the kind
    whose objects have one each, with their ids; such a part is neither made nor deleted on its own. domain_of: tells from the natural
    key the domain that an object goes with. is_of_site: whether the roles site and sites take a list of them.
    """

    singular: str
    plural: str
    title: str
    path: str
    key: tuple[Field | Reference, ...]
    rows: tuple[Row, ...]
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
    copied: Copied | None = None
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
        inner = (member for row in self.rows if isinstance(row, Group) for member in row.members)
        return tuple(row for row in (*self.key, *self.rows, *inner) if isinstance(row, Reference))

    @property
    def owner(self) -> Reference | None:
        """The row that says to which client an object belongs, and with whom it goes; None where it belongs to nobody."""
        return next((row for row in self.references if row.member == OWNER), None)

    @property
    def above(self) -> tuple[str, ...]:
        """The members that say which object of the same kind it is in, and goes with."""
        return tuple(row.member for row in self.references if row.collection == self.path)

    @functools.cached_property
    def named_by(self) -> tuple[str, ...]:
        """The options that name an object together, each reference by its name."""
        return tuple(row.option if isinstance(row, Reference) else row.name for row in self.key)

    def key_of(self, options: Mapping[str, Any]) -> str | None:
        """The natural key in the panel's spelling, its parts joined with a colon; None where the options do not name the object by it."""
        parts = [options.get(name) for name in self.named_by]
        if any(part is None or part == "" for part in parts):
            return None
        return ":".join(row.type.stored(str(part)) for row, part in zip(self.key, parts))

    def comparable_key(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """The members that name an object of the panel, each in its normal form; references by their ids."""
        return {
            row.name: row.type.comparable(found.get(row.name)) if isinstance(row, Field) else found.get(row.name)
            for row in self.key
        }

    def by_id(self, options: Mapping[str, Any], identifier: Any) -> dict[str, Any]:
        """The options with the object named by its id. Parts of a composite key stay: beside an id they are members like any other."""
        instead = self.named_by if len(self.key) == 1 else ()
        return {**{name: value for name, value in options.items() if name not in instead}, "id": identifier}

    @functools.cached_property
    def flags_of_creation(self) -> frozenset[str]:
        """The members that count only when an object is created."""
        return frozenset(row.name for row in self.rows if isinstance(row, Field) and row.change is Change.AT_CREATION)

    def needs_of(self, members: Mapping[str, Any]) -> list[Needed]:
        """What an object needs for these of its members."""
        return [need for need in self.needs if need.option in members]

    @property
    def name_member(self) -> str:
        """The member that names an object; for composite keys the last one."""
        return self.key[-1].name

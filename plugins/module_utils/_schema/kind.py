# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of object: the table that declares it, its options in Ansible's words, and what a task wants of one object. Private to the collection."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple

from .._errors import OptionError
from .._values.value_types import ByteSize, ValueType, parsed, size_in_units
from .fields import SECRET_CHANGES, Change, Difference, Field, Path, Row
from .rows import OWNER, AnyRow, Group, Reference, WantedReference

__all__ = ["OWNER", "Change", "Field", "Group", "Kind", "Needed", "Password", "Reference", "Row"]


class Needed(NamedTuple):
    """Objects of another kind that a member of an object counts on: they have to be there, and to belong to its owner.

    ``names``: tells their names from the members of the object. ``member``, ``type``: what names them. ``having``: a member, the value
    that it must not have, and what is wrong then.
    """

    option: str
    collection: str
    noun: str
    member: str
    type: ValueType
    names: Callable[[Mapping[str, Any]], Iterable[str]]
    having: tuple[str, Any, str]

    @property
    def shown(self) -> frozenset[str]:
        return frozenset([OWNER, self.having[0]])


@dataclass(frozen=True)
class Kind:
    """A kind of object.

    singular, plural: the result keys, and the names of its module and of its list. path: below the API's base. key: the rows of the
    natural key. by_name: whether the API has /name/{name} (otherwise the list is searched). is_unique: whether the panel itself refuses
    a second object with this key. has_scheme: whether servers have rules for such names, by which a panel may keep another one than was
    sent. is_inferred: whether its paths are known from clients of the API only. sorts: what a list can be sorted by, the default first.
    needs: what has to be there for a member that is sent. wrong: the option and the problem of everything in a new object that the panel
    refuses. part_of: the plural of the kind whose objects have one each, with their ids. domain_of: tells from the natural key the domain
    that an object goes with. shown: members that the panel shows beside the rows, and nobody sets.
    """

    singular: str
    plural: str
    title: str
    path: str
    key: tuple[Field, ...]
    rows: tuple[AnyRow, ...]
    by_name: bool = True
    is_unique: bool = True
    has_scheme: bool = False
    is_inferred: bool = False
    renames: bool = False
    has_status: bool = False
    password: Password | None = None
    sorts: tuple[str, ...] = ()
    keep_last: str | None = None
    needs: tuple[Needed, ...] = ()
    wrong: Callable[[Mapping[str, Any]], Iterable[tuple[str, str]]] | None = None
    part_of: str = ""
    domain_of: Callable[[Mapping[str, Any]], str] | None = None
    shown: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        return f"panel_{self.singular}"

    @property
    def titles(self) -> str:
        return f"{self.title}{'es' if self.title.endswith('x') else 's'}"

    @functools.cached_property
    def references(self) -> tuple[Reference, ...]:
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
    def named_rows(self) -> tuple[tuple[frozenset[str], AnyRow], ...]:
        return tuple((frozenset(row.arguments()), row) for row in self.rows)

    @functools.cached_property
    def flags_of_creation(self) -> frozenset[str]:
        return frozenset(row.name for row in self.rows if row.change is Change.AT_CREATION)

    def leaves(self) -> Iterator[tuple[Path, Field]]:
        """The members behind the rows with their paths, those of groups one by one."""
        for row in self.rows:
            yield from row.leaves()

    @functools.cached_property
    def sizes(self) -> frozenset[Path]:
        return frozenset(path for path, row in self.leaves() if isinstance(row.type, ByteSize))

    def with_sizes_in_words(self, members: Mapping[str, Any], path: Path = ()) -> dict[str, Any]:
        """The members for a person, with numbers of bytes as people write them."""
        shown = dict(members)
        for name, value in members.items():
            here = (*path, name)
            if isinstance(value, Mapping):
                shown[name] = self.with_sizes_in_words(value, here)
            elif here in self.sizes and isinstance(value, int) and not isinstance(value, bool):
                shown[name] = size_in_units(value)
        return shown

    @property
    def name_member(self) -> str:
        return self.key[-1].name


_GIVEN = ("password", "password_hash", "password_hash_os")
CREDENTIALS_FILE = "credentials_file"
_OPTIONS = (*_GIVEN, "update_password", "regenerate_password", CREDENTIALS_FILE)


class WantedPassword(NamedTuple):
    """What a task says about the password. ``always``: update_password."""

    password: str | None = None
    password_hash: str | None = None
    password_hash_os: str | None = None
    always: bool = False
    regenerate: bool = False

    @property
    def is_given(self) -> bool:
        return self.password is not None or self.password_hash is not None

    def body(self) -> dict[str, Any]:
        if self.password is not None:
            return {"password": self.password}
        members = {"password_hash": self.password_hash, "password_hash_os": self.password_hash_os}
        return {name: value for name, value in members.items() if value is not None and self.is_given}

    def compare(self, difference: Difference) -> None:
        """Adds to the difference what has to be sent."""
        shown = difference.current.get("password_hash")
        is_readable = self.password_hash is not None and isinstance(shown, str) and shown
        if self.regenerate:
            difference.body["password"] = None
            difference.after["password"] = SECRET_CHANGES
            difference.generates = True
        elif self.is_given and (shown != self.password_hash if is_readable else self.always):
            body = self.body()
            difference.body.update(body)
            difference.after[next(iter(body))] = SECRET_CHANGES


NO_PASSWORD = WantedPassword()


class Password(NamedTuple):
    """How a kind takes passwords. ``hash_os``: a hash needs to be accompanied by password_hash_os (interface, clients)."""

    hash_os: bool = False

    def arguments(self) -> dict[str, dict[str, Any]]:
        on = {"type": "str", "choices": ["on_create", "always"], "default": "on_create", "no_log": False}
        return {
            **{name: {"type": "str", "no_log": True} for name in _GIVEN[: 3 if self.hash_os else 2]},
            "update_password": on,
            "regenerate_password": {"type": "bool", "default": False, "no_log": False},
            CREDENTIALS_FILE: {"type": "path"},
        }

    def read(self, given: Mapping[str, Any]) -> WantedPassword:
        """What the options say, checked; raises OptionError."""
        if given.keys().isdisjoint(_OPTIONS):
            return NO_PASSWORD
        if given.get(CREDENTIALS_FILE) is not None:
            # The controller's front end takes it out; nothing else may make a password that no file keeps.
            problem = "needs the action plugin of this module, which keeps the file on the controller."
            raise OptionError(CREDENTIALS_FILE, problem)
        regenerate = bool(given.get("regenerate_password"))
        for option in (one for one in _GIVEN if one in given):
            problem = ""
            if given[option] == "":
                problem = "is empty, which would make the panel generate a new password. Omit it, or set regenerate_password: true."
            elif str(given[option]).endswith("\n"):
                problem = "ends with a line break, as echo adds one; take it away."
            elif regenerate:
                # Not one of Ansible's constraints, which would refuse false too.
                problem = "excludes regenerate_password: true; give one of the two."
            if problem:
                raise OptionError(option, problem)
        secrets = {option: given.get(option) for option in _GIVEN}
        return WantedPassword(**secrets, always=given.get("update_password") == "always", regenerate=regenerate)


_NEVER_EXTRA = frozenset(["id", "password", "password_hash", "password_hash_os"])


class Wanted(NamedTuple):
    """What a task wants of one object, checked. ``values`` nest as in the API; omitted members are not there."""

    is_present: bool = True
    id: int | None = None
    key: Mapping[str, Any] = {}
    new_name: str | None = None
    values: Mapping[str, Any] = {}
    references: tuple[WantedReference, ...] = ()
    extra: Mapping[str, Any] = {}
    password: WantedPassword = NO_PASSWORD

    def label(self) -> str:
        if self.id is not None:
            return f"with id {self.id}"
        return ":".join(str(value) for value in self.key.values())


def argument_spec(kind: Kind) -> dict[str, dict[str, Any]]:
    """The options of the module that manages one object of this kind, without the connection."""
    options: dict[str, dict[str, Any]] = {
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "id": {"type": "int"},
        "extra": {"type": "dict"},
        "read_back": {"type": "bool", "default": False},
    }
    if kind.renames:
        options["new_name"] = {"type": "str"}
    if kind.has_status:
        options["wait"] = {"type": "bool", "default": False}
        options["wait_timeout"] = {"type": "int", "default": 120}
    for row in (*kind.key, *kind.rows):
        options.update(row.arguments())
    if kind.password is not None:
        options.update(kind.password.arguments())
    return options


def constraints(kind: Kind) -> dict[str, Any]:
    exclusive = [list(row.options) for row in (*kind.rows, *kind.key) if len(row.options) > 1]
    if len(kind.key) == 1:
        exclusive.append(["id", kind.key[0].option])
    required_together = []
    if kind.password is not None:
        exclusive.append(["password", "password_hash"])
        if kind.password.hash_os:
            required_together.append(["password_hash", "password_hash_os"])
    return {
        "mutually_exclusive": exclusive,
        "required_one_of": [["id", *kind.key[0].options]],
        "required_together": required_together,
    }


def read_wanted(kind: Kind, params: Mapping[str, Any]) -> Wanted:
    """The wanted object; raises OptionError, which names the option and the accepted form, before anything is sent."""
    given = {name: value for name, value in params.items() if value is not None}
    is_present, identifier = given.get("state", "present") == "present", given.get("id")
    references: list[WantedReference] = []
    key = _read_key(kind, given, references)
    # Named by id, the parts of a composite key are members like any other.
    values: dict[str, Any] = {} if identifier is None else key
    for names, row in kind.named_rows:
        if not names.isdisjoint(given) and (is_present or row.tells_which):
            row.read(given, (), values, references)
    new_name = given.get("new_name") if kind.renames else None
    return Wanted(
        is_present=is_present,
        id=identifier,
        key=key if identifier is None else {},
        new_name=None if new_name is None else parsed(kind.key[-1].type, "new_name", new_name),
        values=values,
        references=tuple(references),
        extra=_read_extra(kind, given) if is_present else {},
        password=kind.password.read(given) if is_present and kind.password is not None else NO_PASSWORD,
    )


def _read_key(kind: Kind, given: Mapping[str, Any], references: list[WantedReference]) -> dict[str, Any]:
    identifier = given.get("id")
    if identifier is not None and identifier < 1:
        raise OptionError("id", f"{identifier} is not the id of an object; ids are whole numbers from 1.")
    found: dict[str, Any] = {}
    for row in kind.key if identifier is None or len(kind.key) > 1 else ():
        row.read(given, (), found, references)
    found.update({reference.row.option: reference.given for reference in references})
    missing = [name for name in kind.named_by if name not in found]
    if identifier is None and missing:
        raise OptionError(missing[0], f"missing; {kind.titles} are named by {' + '.join(kind.named_by)}, or by id.")
    return {name: found[name] for name in kind.named_by if name in found}


def _read_extra(kind: Kind, given: Mapping[str, Any]) -> dict[str, Any]:
    extra = given.get("extra") or {}
    if not isinstance(extra, dict):
        raise OptionError("extra", "must be a dictionary of further fields.")
    for name in extra:
        if not isinstance(name, str):
            raise OptionError("extra", f"the field {name!r} is not a text.")
        rows = (*kind.key, *kind.rows)
        if name in _NEVER_EXTRA or any(name == row.name or name in row.arguments() for row in rows):
            raise OptionError("extra", f"{name} is a separate option; give it there.")
    return dict(extra)

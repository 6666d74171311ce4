# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of object: the table that declares it, its options in Ansible's words, and what a task wants of one object. Private to the collection."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple

from .._errors import OptionError, collect_problems, raise_collected
from .._problems import Problem, option_problem
from .._values.answer_forms import IDENTIFIER, AnswerForm, Fields, declare_numbers
from .._values.names import DomainName
from .._values.sizes import ByteSize, format_size_as_option
from .._values.value_types import Boolean, Choice, Integer, ValueType, parse_option
from .fields import (
    OWNER,
    SECRET_CHANGES,
    Change,
    Difference,
    Field,
    Group,
    Path,
    ReadBeside,
    Reference,
    RequestedReference,
    UnusualValue,
    declare_reference,
    get_value,
    read_fields,
    set_value,
)

__all__ = [
    "OWNER",
    "Change",
    "Field",
    "Group",
    "Kind",
    "Password",
    "Reference",
    "declare_reference",
]


def domain_in(address: Any) -> str:
    """The domain of an e-mail address, in punycode."""
    return str(address).rpartition("@")[2]


@dataclass(frozen=True)
class Kind:
    """A kind of object.

    singular, plural: the result keys, and the names of its module and of its list. title: in messages. path: below the API's base. The last
    three follow from the first where nothing else is said. key: the rows of the natural key. by_name: whether the API has /name/{name}
    (otherwise the list is searched). is_unique: whether the panel itself refuses a second object with this key. has_scheme: whether servers
    have rules for such names, by which a panel may keep another one than was sent.
    is_inferred: whether its paths are inferred (docs/panel_api.md#inferred-paths), so that a 404
    proves nothing. sorts: what a list can be sorted by, the default first. addresses: the members
    with e-mail addresses, whose domains have to be there, with e-mail and of the same client.
    wrong: the option and the problem of everything in a new object that the panel refuses.
    part_of: the plural of the kind whose objects have one each, with their ids. shown: members that the panel shows
    beside the rows, and nobody sets, each with its form.
    """

    singular: str
    key: tuple[Field, ...]
    fields: tuple[Field, ...] = ()
    plural: str = ""
    title: str = ""
    path: str = ""
    by_name: bool = True
    is_unique: bool = True
    has_scheme: bool = False
    is_inferred: bool = False
    is_renamable: bool = False
    has_status: bool = False
    password: Password | None = None
    sorts: tuple[str, ...] = ()
    keep_last: str | None = None
    addresses: tuple[str, ...] = ()
    wrong: Callable[[Mapping[str, Any]], Iterable[tuple[str, str]]] | None = None
    part_of: str = ""
    read_only: Mapping[str, AnswerForm] = field(default_factory=dict)

    def __post_init__(self) -> None:
        plural = self.plural or f"{self.singular}s"
        names = {
            "plural": plural,
            "title": self.singular.replace("_", " "),
            "path": f"/{plural.replace('_', '-')}",
        }
        for name, value in names.items():
            object.__setattr__(self, name, getattr(self, name) or value)

    @property
    def module(self) -> str:
        return f"panel_{self.singular}"

    @property
    def titles(self) -> str:
        return f"{self.title}{'es' if self.title.endswith('x') else 's'}"

    def list_domains(self, member: str, members: Mapping[str, Any]) -> list[str]:
        """The domains of the addresses in a member, or in each of its list; once each."""
        value = members.get(member)
        return list(
            dict.fromkeys(
                domain_in(one) for one in (value if isinstance(value, list) else [value]) if one
            )
        )

    @functools.cached_property
    def references(self) -> tuple[Reference, ...]:
        rows = (*self.key, *(row for _path, row in self.walk_fields()))
        return tuple(row for row in rows if isinstance(row, Reference))

    @property
    def owner(self) -> Reference | None:
        """The row that says to which client an object belongs, and with whom it goes; None where it belongs to nobody."""
        return next((row for row in self.references if row.name == OWNER), None)

    @functools.cached_property
    def answer_form(self) -> Fields:
        """The forms of all fields of such an object in an answer."""
        status = declare_numbers("status") if self.has_status else {}
        rows = {row.name: row.answer_form for row in (*self.key, *self.fields)}
        return Fields({"id": IDENTIFIER, **status, **self.read_only, **rows})

    @functools.cached_property
    def key_options(self) -> tuple[str, ...]:
        return tuple(row.option for row in self.key)

    def format_key(self, options: Mapping[str, Any]) -> str | None:
        """The natural key in the panel's spelling, its parts joined with a colon; None where the options do not name the object by it."""
        parts = [(row, options.get(row.option)) for row in self.key]
        if any(part is None or part == "" for _row, part in parts):
            return None
        return ":".join(
            str(row.type.normalize(one) if isinstance(row.type, DomainName) else one)
            for row, one in parts
        )

    def read_domain(self, found: Mapping[str, Any]) -> str | None:
        """The domain that an object is in by its name; None where its name is no address."""
        row = self.key[-1]
        return domain_in(row.normalize(found.get(row.name))) if row.name in self.addresses else None

    @functools.cached_property
    def field_by_option(self) -> dict[str, Field]:
        """The row that reads an option; rows of the key are read always."""
        return {option: row for row in self.fields for option in row.describe_arguments()}

    @functools.cached_property
    def plain(self) -> dict[str, ValueType]:
        """The types of options that are no members of the object."""
        return {**_PLAIN, **({"new_name": self.key[-1].type} if self.is_renamable else {})}

    @functools.cached_property
    def creation_flags(self) -> frozenset[str]:
        return frozenset(row.name for row in self.fields if row.change is Change.AT_CREATION)

    def walk_fields(self) -> Iterator[tuple[Path, Field]]:
        """The members behind the rows with their paths, those of groups one by one."""
        for row in self.fields:
            if isinstance(row, Group):
                yield from (((row.name, member.name), member) for member in row.fields)
            else:
                yield (row.name,), row

    @functools.cached_property
    def size_paths(self) -> frozenset[Path]:
        return frozenset(path for path, row in self.walk_fields() if isinstance(row.type, ByteSize))

    def display_sizes(self, members: Mapping[str, Any]) -> dict[str, Any]:
        """The members for a person, with numbers of bytes as people write them."""
        # Not by deepcopy, which copies Ansible's templar with each value of a template.
        shown: dict[str, Any] = {
            name: dict(one) if isinstance(one, Mapping) else one for name, one in members.items()
        }
        for path in self.size_paths:
            value = get_value(members, path)
            if isinstance(value, int) and not isinstance(value, bool):
                set_value(shown, path, format_size_as_option(value))
        return shown

    @property
    def name_field(self) -> str:
        return self.key[-1].name


_GIVEN = ("password", "password_hash", "password_hash_os")
CREDENTIALS_FILE = "credentials_file"
_OPTIONS = (*_GIVEN, "update_password", "regenerate_password", CREDENTIALS_FILE)


class DesiredPassword(NamedTuple):
    """What a task says about the password. ``always``: update_password."""

    password: str | None = None
    password_hash: str | None = None
    password_hash_os: str | None = None
    always: bool = False
    regenerate: bool = False

    def body(self) -> dict[str, Any]:
        given = {name: value for name, value in zip(_GIVEN, self) if value is not None}
        return {"password": self.password} if self.password is not None else given

    @property
    def is_compared(self) -> bool:
        """Tell whether more is said than the password of a new object."""
        return self._replace(password=None) != NO_PASSWORD

    def compare(self, difference: Difference) -> None:
        """Adds to the difference what has to be sent."""
        shown, body = difference.current.get("password_hash"), self.body()
        is_readable = self.password_hash is not None and isinstance(shown, str) and shown
        difference.generates = self.regenerate
        if self.regenerate:
            body = {"password": None}
        elif not (shown != self.password_hash if is_readable else self.always):
            return
        difference.body.update(body)
        difference.after.update(dict.fromkeys(list(body)[:1], SECRET_CHANGES))


NO_PASSWORD = DesiredPassword()
_PLAIN: dict[str, ValueType] = {
    "state": Choice("present", "absent"),
    "id": Integer(1),
    "update_password": Choice("on_create", "always"),
    "regenerate_password": Boolean(),
}


class Password(NamedTuple):
    """How a kind takes passwords. An empty one is refused, since the panel would generate another
    (docs/panel_api.md#generated-passwords).

    hash_os: whether password_hash_os has to accompany a hash
    (docs/panel_api.md#password-hashes).
    """

    hash_os: bool = False

    def describe_arguments(self) -> dict[str, dict[str, Any]]:
        return {
            **{
                name: {"type": "str", "no_log": True} for name in _GIVEN[: 3 if self.hash_os else 2]
            },
            "update_password": {
                **_PLAIN["update_password"].describe_argument(),
                "default": "on_create",
                "no_log": False,
            },
            "regenerate_password": {"type": "bool", "default": False, "no_log": False},
            CREDENTIALS_FILE: {"type": "path"},
        }

    def read(self, given: Mapping[str, Any]) -> DesiredPassword:
        """What the options say, checked; raises OptionError."""
        secrets = {option: given.get(option) for option in _GIVEN}
        regenerate = bool(given.get("regenerate_password"))
        is_double = secrets["password"] is not None and secrets["password_hash"] is not None
        # The controller's front end takes the file out; nothing else may make a password that no file keeps.
        no_plugin = (
            "needs the action plugin of this module, which keeps the file on the controller."
        )
        wrong = [
            (CREDENTIALS_FILE in given, CREDENTIALS_FILE, no_plugin),
            (is_double, "password", "excludes password_hash; give one of the two."),
        ]
        for option, secret in secrets.items():
            wrong += [
                (secret == "", option, "is empty, which would make the panel generate a new password. Omit it, or set regenerate_password: true."),
                (str(secret).endswith("\n"), option, "ends with a line break, as echo adds one; take it away."),
                (bool(secret) and regenerate, option, "excludes regenerate_password: true; give one of the two."),
            ]  # fmt: skip
        for option, other in (_GIVEN[1:], _GIVEN[:0:-1]) if self.hash_os else ():
            is_alone = secrets[option] is None and secrets[other] is not None
            wrong.append((is_alone, option, f"missing; it is needed with {other}."))
        raise_collected(
            [option_problem(option, cause) for is_wrong, option, cause in wrong if is_wrong]
        )
        return DesiredPassword(
            **secrets, always=given.get("update_password") == "always", regenerate=regenerate
        )


class DesiredObject(NamedTuple):
    """What a task wants of one object, checked. ``values`` nest as in the API; omitted members are not there."""

    is_present: bool = True
    id: int | None = None
    key: Mapping[str, Any] = {}
    new_name: str | None = None
    values: Mapping[str, Any] = {}
    references: tuple[RequestedReference, ...] = ()
    unusual: tuple[UnusualValue, ...] = ()
    extra: Mapping[str, Any] = {}
    password: DesiredPassword = NO_PASSWORD

    def unusual_problems(self) -> list[Problem]:
        """Return what is wrong with an object that does not have yet what the options refuse."""
        return [unusual.problem for unusual in self.unusual]

    def needs_careful_comparison(self) -> bool:
        """Tell whether more is wanted than values and references of an object that is named by its key."""
        return bool(self.id or self.new_name or self.extra) or self.password.is_compared

    def label(self) -> str:
        """Return the name of the object in words."""
        return (
            f"with id {self.id}" if self.id is not None else ":".join(map(str, self.key.values()))
        )


def build_argument_spec(kind: Kind) -> dict[str, dict[str, Any]]:
    """The options of the module that manages one object of this kind, without the connection."""
    options: dict[str, dict[str, Any]] = {
        "state": {**_PLAIN["state"].describe_argument(), "default": "present"},
        "id": {"type": "int"},
        "extra": {"type": "dict"},
        "read_back": {"type": "bool", "default": False},
    }
    if kind.is_renamable:
        options["new_name"] = kind.key[-1].type.describe_argument()
    if kind.has_status:
        options["wait"] = {"type": "bool", "default": False}
        options["wait_timeout"] = {"type": "int", "default": 120}
    for row in (*kind.key, *kind.fields):
        options.update(row.describe_arguments())
    return {**options, **(kind.password.describe_arguments() if kind.password is not None else {})}


def read_desired(kind: Kind, params: Mapping[str, Any]) -> DesiredObject:
    """The wanted object; raises OptionError before anything is sent, which names each option that is wrong and the accepted form."""
    given = {name: value for name, value in params.items() if value is not None}
    problems: list[Problem] = []
    for name, value_type in kind.plain.items():
        if name in given:
            value, given[name] = given[name], None  # nothing follows from what is wrong
            with collect_problems(problems):
                given[name] = parse_option(value_type, name, value)
    is_present = given.get("state") != "absent"
    if "id" in given and len(kind.key) == 1 and kind.key_options[0] in given:
        problems.append(
            option_problem("id", f"excludes {kind.key_options[0]}; give one of the two.")
        )
    values: dict[str, Any] = {}
    beside = ReadBeside()
    managed = {
        row.name: row for row in map(kind.field_by_option.get, given) if row is not None
    }.values()
    rows = [*kind.key, *(row for row in managed if is_present or row.identifies_object)]
    problems += read_fields(rows, given, (), values, beside)
    key: dict[str, Any] = {}
    referred = {one.field.option: one.name_or_id for one in beside.references}
    # Named by id, the parts of a composite key are members like any other.
    for row in () if "id" in given else kind.key:
        key[row.option] = values.pop(row.name, referred.get(row.option))
        if key[row.option] is None and given.keys().isdisjoint(row.options):
            cause = f"missing; {kind.titles} are named by {' + '.join(kind.key_options)}, or by id."
            problems.append(option_problem(row.option, cause))
            break
    password, extra = NO_PASSWORD, {}
    if is_present and "extra" in given:
        with collect_problems(problems):
            extra = _checked_extra(kind, given["extra"])
    if is_present and kind.password is not None and not given.keys().isdisjoint(_OPTIONS):
        with collect_problems(problems):
            password = kind.password.read(given)
    raise_collected(problems)
    return DesiredObject(
        is_present=is_present,
        id=given.get("id"),
        key=key,
        new_name=given.get("new_name"),
        values=values,
        references=tuple(beside.references),
        unusual=tuple(beside.unusual),
        extra=extra,
        password=password,
    )


def _checked_extra(kind: Kind, extra: Any) -> dict[str, Any]:
    if not isinstance(extra, dict):
        raise OptionError("extra", "must be a dictionary of other fields.")
    for name in extra:
        if not isinstance(name, str):
            raise OptionError("extra", f"the field {name!r} is not a string.")
        if (
            name in ("id", *_GIVEN)
            or name in kind.field_by_option
            or any(name in row.options for row in kind.key)
        ):
            raise OptionError("extra", f"{name} is a separate option; give it there.")
    return dict(extra)

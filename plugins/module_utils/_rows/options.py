# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a table to Ansible's options, and from the options to the wanted values. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._errors import OptionError, raise_noted
from .._values.base import ValueType
from .._values.scalars import Integer
from .tables import Field, Group, Kind, Reference


class WantedReference(NamedTuple):
    """Another object that an option names. Exactly one of ``name`` and ``id`` is set; ``path`` leads to the member in the body.

    ``reapply``: whether it is referred to again where the two are not alike; then neither may be set, for the one that it is already.
    """

    reference: Reference
    path: tuple[str, ...]
    option: str
    name: str | None = None
    id: int | None = None
    reapply: bool = False

    @property
    def is_given(self) -> bool:
        return self.name is not None or self.id is not None


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


_NO_PASSWORD = WantedPassword()
_PASSWORD_OPTIONS = ("password", "password_hash", "password_hash_os", "update_password", "regenerate_password")


class Wanted(NamedTuple):
    """What a task wants of one object, checked. ``values`` nest as in the API; omitted members are not there."""

    is_present: bool = True
    id: int | None = None
    key: Mapping[str, Any] = {}
    new_name: str | None = None
    values: Mapping[str, Any] = {}
    references: tuple[WantedReference, ...] = ()
    extra: Mapping[str, Any] = {}
    password: WantedPassword = _NO_PASSWORD

    def label(self) -> str:
        """The object in the words of a message."""
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
        options.update(_arguments_of(row))
    if kind.password is not None:
        options["password"] = {"type": "str", "no_log": True}
        options["password_hash"] = {"type": "str", "no_log": True}
        options["update_password"] = {
            "type": "str",
            "choices": ["on_create", "always"],
            "default": "on_create",
            "no_log": False,
        }
        options["regenerate_password"] = {"type": "bool", "default": False, "no_log": False}
        if kind.password.hash_os:
            options["password_hash_os"] = {"type": "str", "no_log": True}
    return options


def constraints(kind: Kind) -> dict[str, Any]:
    """Ansible's constraints between these options."""
    exclusive = [[row.option, row.member] for row in kind.rows if isinstance(row, Reference)]
    required_together = []
    one_of = ["id", *key_options(kind.key[:1])]
    if len(kind.key) == 1:
        exclusive.append(["id", kind.key[0].name])
    else:
        exclusive += [[row.option, row.member] for row in kind.key if isinstance(row, Reference)]
    if kind.password is not None:
        exclusive.append(["password", "password_hash"])
        if kind.password.hash_os:
            required_together.append(["password_hash", "password_hash_os"])
    return {
        "mutually_exclusive": exclusive,
        "required_one_of": [one_of],
        "required_together": required_together,
    }


def key_options(rows: Iterable[Field | Reference]) -> list[str]:
    """The options that name an object; a reference has two."""
    names: list[str] = []
    for row in rows:
        names += [row.option, row.member] if isinstance(row, Reference) else [row.name]
    return names


def _arguments_of(row: Any) -> dict[str, dict[str, Any]]:
    if isinstance(row, Reference):
        reapply = {row.reapply: {"type": "bool", "default": False}} if row.reapply else {}
        return {row.option: row.type.argument(), row.member: {"type": "int"}, **reapply}
    if isinstance(row, Group):
        members: dict[str, Any] = {}
        exclusive: list[list[str]] = []
        for member in row.members:
            members.update(_arguments_of(member))
            if isinstance(member, Reference):
                exclusive.append([member.option, member.member])
        members.update({name: {"type": "raw"} for name in row.shown})
        group: dict[str, Any] = {"type": "dict", "options": members}
        if exclusive:
            group["mutually_exclusive"] = exclusive
        return {row.name: group}
    argument = row.type.argument()
    if row.secret:
        argument["no_log"] = True
    return {row.name: argument}


def as_given(params: Mapping[str, Any], given: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    """The checked options without the members that Ansible fills into nested dictionaries as null.

    An empty dictionary clears a group, one with nothing but omitted members says nothing; only ``given``, the options as the user wrote
    them, tells the two apart, and whether a number stands in the place of a text.
    """
    raise_noted(list(numbers_for_texts(given, spec)))
    result = dict(params)
    for name, specification in spec.items():
        value = params.get(name)
        if "options" not in specification or not isinstance(value, dict):
            continue
        members = {member: inner for member, inner in value.items() if inner is not None}
        result[name] = members if members or _is_empty_dictionary(given.get(name)) else None
    return result


_NUMBER_FOR_TEXT = "stands there as a number with a fraction, which loses the zeros at its end; write a text in quotes, or a whole number."


def numbers_for_texts(given: Mapping[str, Any], spec: Mapping[str, Any], prefix: str = "") -> Iterator[OptionError]:
    """One for each text that YAML has read as a number with a fraction, and so without the zeros at its end: 8.10 has become 8.1."""
    for name, specification in spec.items():
        value = given.get(name)
        if isinstance(value, float) and specification.get("type") == "str":
            shown = "" if specification.get("no_log") else f"{value} "
            yield OptionError(prefix + name, f"{shown}{_NUMBER_FOR_TEXT}")
        elif isinstance(value, Mapping) and "options" in specification:
            yield from numbers_for_texts(value, specification["options"], f"{prefix}{name}.")


def _is_empty_dictionary(value: Any) -> bool:
    """Also as a text, which is what extra variables on the command line are."""
    return value == {} or (isinstance(value, str) and value.replace(" ", "") == "{}")


def read_wanted(kind: Kind, params: Mapping[str, Any]) -> Wanted:
    """The wanted object; raises OptionError, which names the option and the accepted form, before anything is sent."""
    given = {name: value for name, value in params.items() if value is not None}
    is_present = given.get("state", "present") == "present"
    key, references = _read_key(kind, given)
    values: dict[str, Any] = {}
    if given.get("id") is not None:
        # Named by id, the parts of a composite key are members like any other.
        values, key = key, {}
    rows = kind.rows if is_present else [row for row in kind.rows if isinstance(row, Reference) and row.tells_which]
    for row in rows:
        if row.name in given or (isinstance(row, Reference) and (row.option in given or given.get(row.reapply))):
            _read_row(row, given, (), values, references)
    return Wanted(
        is_present=is_present,
        id=given.get("id"),
        key=key,
        new_name=_read_new_name(kind, given),
        values=values,
        references=tuple(references),
        extra=_read_extra(kind, given) if is_present else {},
        password=_read_password(kind, given) if is_present else _NO_PASSWORD,
    )


def parsed(value_type: ValueType, option: str, value: Any, secret: bool = False) -> Any:
    """The parsed value, or an OptionError that names the option, the value and the accepted form."""
    try:
        return value_type.parse(value)
    except (ValueError, TypeError, ArithmeticError):
        shown = "the given value" if secret or not value_type.is_shown else repr(value)
        if len(shown) > 80:
            shown = shown[:77] + "..."
        raise OptionError(option, f"{shown} is not accepted; it must be {value_type.form}.") from None


def _read_key(kind: Kind, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[WantedReference]]:
    key: dict[str, Any] = {}
    references: list[WantedReference] = []
    if given.get("id") is not None:
        if given["id"] < 1:
            raise OptionError("id", f"{given['id']} is not the id of an object; ids are whole numbers from 1.")
        if len(kind.key) == 1:
            return key, references
    for row in kind.key:
        if isinstance(row, Reference):
            wanted = read_reference(row, given, ())
            if wanted is not None:
                references.append(wanted)
                key[row.option] = wanted.name if wanted.name is not None else wanted.id
        elif row.name in given:
            key[row.name] = parsed(row.type, row.name, given[row.name])
    if given.get("id") is None and len(key) < len(kind.key):
        missing = [name for name in kind.named_by if name not in key]
        raise OptionError(missing[0], f"missing; {kind.title}s are named by {' + '.join(kind.named_by)}, or by id.")
    return key, references


def _read_row(
    row: Any, given: Mapping[str, Any], path: tuple[str, ...], values: dict[str, Any], references: list[WantedReference]
) -> None:
    if isinstance(row, Reference):
        wanted = read_reference(row, given, path)
        if given.get(row.reapply):
            wanted = (wanted or WantedReference(row, (*path, row.member), row.reapply))._replace(reapply=True)
        if wanted is not None:
            references.append(wanted)
    elif row.name not in given:
        return
    elif isinstance(row, Group):
        inner = _read_group(row, given[row.name], references)
        if inner:
            values[row.name] = inner
    else:
        values[row.name] = parsed(row.type, ".".join((*path, row.name)), given[row.name], row.secret)


def _read_group(row: Group, value: Any, references: list[WantedReference]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise OptionError(row.name, "must be a dictionary of its members.")
    given = {name: member for name, member in value.items() if member is not None and name not in row.shown}
    if not given:
        if not value.keys().isdisjoint(row.shown):
            return {}
        if not row.clearable:
            raise OptionError(row.name, row.problem() + ".")
        given = {member.name: "" for member in row.members}
    known = {name for member in row.members for name in _arguments_of(member)}
    unknown = sorted(str(name) for name in set(given) - known)
    if unknown:
        raise OptionError(
            f"{row.name}.{unknown[0]}", f"there is no such member; {row.name} has {', '.join(sorted(known))}."
        )
    inner: dict[str, Any] = {}
    for member in row.members:
        _read_row(member, given, (row.name,), inner, references)
    _check_alternatives(row, inner, references)
    for member in row.members:
        if isinstance(member, Field) and member.only_with and inner.get(member.name) is not None:
            sibling, value = member.only_with
            if inner.get(sibling, value) != value:
                raise OptionError(
                    f"{row.name}.{member.name}",
                    f"counts only with {row.name}.{sibling}: {value}; omit it, or clear it.",
                )
    return inner


def _check_alternatives(row: Group, inner: Mapping[str, Any], references: Iterable[WantedReference]) -> None:
    switched_on = [f"{row.name}.{name}" for name, off in row.alternatives if inner.get(name, off) != off]
    alternatives: dict[tuple[str, ...], Any] = {(row.name, name): off for name, off in row.alternatives}
    for reference in references:
        off = alternatives.get(reference.path)
        if off is not None and (reference.name is not None or reference.id != off):
            switched_on.append(reference.option)
    if len(switched_on) > 1:
        raise OptionError(switched_on[0], f"excludes {switched_on[1]}; give one of the two.")


def read_reference(row: Reference, given: Mapping[str, Any], path: tuple[str, ...]) -> WantedReference | None:
    """The object that one of the two options names, None where neither is given; raises OptionError."""
    if row.option not in given and row.member not in given:
        return None
    option, member_option = (".".join((*path, name)) for name in (row.option, row.member))
    member_path = (*path, row.member)
    if row.option in given and row.member in given:
        raise OptionError(option, f"excludes {member_option}; give one of the two.")
    if row.option in given:
        if given[row.option] == "" and row.empty_is_zero:
            return WantedReference(row, member_path, option, id=0)
        return WantedReference(row, member_path, option, name=parsed(row.type, option, given[row.option]))
    least = 0 if row.empty_is_zero else 1
    try:
        number = Integer(least).parse(given[row.member])
    except ValueError:
        raise OptionError(
            member_option,
            f"{given[row.member]!r} is not the id of a {row.noun}; it must be a whole number from {least}.",
        ) from None
    return WantedReference(row, member_path, member_option, id=number)


def _read_new_name(kind: Kind, given: Mapping[str, Any]) -> str | None:
    if not kind.renames or given.get("new_name") is None:
        return None
    name: str = parsed(kind.key[-1].type, "new_name", given["new_name"])
    return name


def _read_extra(kind: Kind, given: Mapping[str, Any]) -> dict[str, Any]:
    extra = given.get("extra") or {}
    if not isinstance(extra, dict):
        raise OptionError("extra", "must be a dictionary of further members.")
    for name in extra:
        if not isinstance(name, str):
            raise OptionError("extra", f"the member {name!r} is not a text.")
        if any(name in _arguments_of(row) or name == row.name for row in (*kind.key, *kind.rows)) or name in (
            "id",
            "password",
            "password_hash",
            "password_hash_os",
        ):
            raise OptionError("extra", f"{name} is an option of its own; give it there.")
    return dict(extra)


def _read_password(kind: Kind, given: Mapping[str, Any]) -> WantedPassword:
    if kind.password is None or given.keys().isdisjoint(_PASSWORD_OPTIONS):
        return _NO_PASSWORD
    for option in ("password", "password_hash", "password_hash_os"):
        if given.get(option) == "":
            raise OptionError(
                option,
                "may not be empty, since an empty one makes the panel generate a new password. Omit it and the panel "
                "generates one on creation; regenerate_password: true asks for a new one later.",
            )
        # Not one of Ansible's constraints, which would refuse false too.
        if option in given and given.get("regenerate_password"):
            raise OptionError(option, "excludes regenerate_password: true; give one of the two.")
    return WantedPassword(
        password=given.get("password"),
        password_hash=given.get("password_hash"),
        password_hash_os=given.get("password_hash_os"),
        always=given.get("update_password") == "always",
        regenerate=bool(given.get("regenerate_password")),
    )

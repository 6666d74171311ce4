# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task wants of one object: its options in Ansible's words, and how they are read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._errors import OptionError, collect_problems, raise_if_any
from .._problems import Problem, describe_option_problem
from .._values.value_types import Choice, Integer, ValueType, parse_option
from .fields import Field, OptionValues, RequestedReference, UnusualValue, read_fields
from .kind import Kind
from .password_options import (
    NO_PASSWORD,
    PASSWORD_OPTIONS,
    REGENERATE_PASSWORD,
    SECRET_OPTIONS,
    UPDATE_PASSWORD,
    DesiredPassword,
)

_STATE = Choice("present", "absent")
# The options that are no fields of the object.
_TASK_OPTIONS: dict[str, ValueType] = {
    "state": _STATE,
    "id": Integer(1),
    "update_password": UPDATE_PASSWORD,
    "regenerate_password": REGENERATE_PASSWORD,
}


class DesiredObject(NamedTuple):
    """What a task wants of one object, checked.

    is_present: Whether the object shall be there.
    id: Its id, where it is named by that.
    key: Its natural key by option, where it is named by that.
    new_name: The name that it shall get.
    values: The desired fields, nested as in the API; those that are omitted are not there.
    references: The other objects that it shall refer to.
    unusual: What only an object that has it already keeps.
    extra: Other fields, which are sent as they are.
    password: What is said about its password.
    """

    is_present: bool = True
    id: int | None = None
    key: Mapping[str, Any] = {}
    new_name: str | None = None
    values: Mapping[str, Any] = {}
    references: tuple[RequestedReference, ...] = ()
    unusual: tuple[UnusualValue, ...] = ()
    extra: Mapping[str, Any] = {}
    password: DesiredPassword = NO_PASSWORD

    def list_unusual_problems(self) -> list[Problem]:
        """Return what is wrong with an object that does not have yet what the options refuse."""
        return [unusual.problem for unusual in self.unusual]

    def format_label(self) -> str:
        """Return the name of the object in words."""
        if self.id is not None:
            return f"with id {self.id}"
        return ":".join(map(str, self.key.values()))


def build_argument_spec(kind: Kind) -> dict[str, dict[str, Any]]:
    """Return the options of the module that manages one object of this kind, without those of the
    connection.
    """
    options: dict[str, dict[str, Any]] = {}
    for field in (*kind.key, *kind.fields):
        options.update(field.describe_arguments())
    if kind.is_renamable:
        options["new_name"] = kind.key[-1].type.describe_argument()
    if kind.password is not None:
        options.update(kind.password.describe_arguments())

    # Last, as messages list the names: every module has these.
    options["id"] = {"type": "int"}
    options["state"] = {**_STATE.describe_argument(), "default": "present"}
    options["extra"] = {"type": "dict"}
    options["read_back"] = {"type": "bool", "default": False}
    if kind.traits.has_status:
        options["wait"] = {"type": "bool", "default": False}
        options["wait_timeout"] = {"type": "int", "default": 120}
    return options


def read_desired(kind: Kind, params: Mapping[str, Any]) -> DesiredObject:
    """Return what a task wants of an object.

    Args:
        kind: The kind of the object.
        params: The options of its module; those that are None are omitted.

    Raises:
        OptionError: before anything is sent; it names each option that is wrong and the accepted
            form.
    """
    requested = {name: value for name, value in params.items() if value is not None}
    problems: list[Problem] = []
    _parse_task_options(kind, requested, problems)

    is_present = requested.get("state") != "absent"
    if "id" in requested and len(kind.key) == 1 and kind.key_options[0] in requested:
        cause = f"excludes {kind.key_options[0]}; give one of the two."
        problems.append(describe_option_problem("id", cause))

    option_values = OptionValues()
    fields = _list_fields_to_read(kind, requested, is_present)
    problems += read_fields(fields, requested, (), option_values)
    key: dict[str, Any] = {}
    # Named by id, the parts of a composite key are fields like any other.
    if "id" not in requested:
        key = _take_key(kind, requested, option_values, problems)

    extra: dict[str, Any] = {}
    password = NO_PASSWORD
    if is_present:
        extra = _read_extra(kind, requested, problems)
        password = _read_password(kind, requested, problems)

    raise_if_any(problems)
    return DesiredObject(
        is_present=is_present,
        id=requested.get("id"),
        key=key,
        new_name=requested.get("new_name"),
        values=option_values.values,
        references=tuple(option_values.references),
        unusual=tuple(option_values.unusual),
        extra=extra,
        password=password,
    )


def _parse_task_options(kind: Kind, requested: dict[str, Any], problems: list[Problem]) -> None:
    """Parse the options that are no fields, in place; those that are wrong become None, since
    nothing follows from them.
    """
    value_types = dict(_TASK_OPTIONS)
    if kind.is_renamable:
        value_types["new_name"] = kind.key[-1].type

    for name, value_type in value_types.items():
        if name not in requested:
            continue
        value = requested[name]
        requested[name] = None
        with collect_problems(problems):
            requested[name] = parse_option(value_type, name, value)


def _list_fields_to_read(kind: Kind, requested: Iterable[str], is_present: bool) -> list[Field]:
    """Return the fields of the key, and those that options set; of an object that shall go only
    what says which one it is.
    """
    fields = {}
    for option in requested:
        field = kind.field_by_option.get(option)
        if field is not None and (is_present or field.identifies_object):
            fields[field.name] = field
    return [*kind.key, *fields.values()]


def _take_key(
    kind: Kind,
    requested: Mapping[str, Any],
    option_values: OptionValues,
    problems: list[Problem],
) -> dict[str, Any]:
    """Take the natural key out of the values, and add a problem where a part of it is missing."""
    referenced = {
        reference.field.option: reference.name_or_id for reference in option_values.references
    }
    key: dict[str, Any] = {}
    for field in kind.key:
        option = field.option
        key[option] = option_values.values.pop(field.name, referenced.get(option))
        if key[option] is None and requested.keys().isdisjoint(field.options):
            names = " + ".join(kind.key_options)
            cause = f"missing; {kind.titles} are named by {names}, or by id."
            problems.append(describe_option_problem(option, cause))
            break

    return key


def _read_password(
    kind: Kind, requested: Mapping[str, Any], problems: list[Problem]
) -> DesiredPassword:
    if kind.password is None or requested.keys().isdisjoint(PASSWORD_OPTIONS):
        return NO_PASSWORD
    with collect_problems(problems):
        return kind.password.read(requested)
    return NO_PASSWORD


def _read_extra(
    kind: Kind, requested: Mapping[str, Any], problems: list[Problem]
) -> dict[str, Any]:
    if "extra" not in requested:
        return {}
    with collect_problems(problems):
        return _check_extra(kind, requested["extra"])
    return {}


def _check_extra(kind: Kind, extra: Any) -> dict[str, Any]:
    if not isinstance(extra, dict):
        raise OptionError("must be a dictionary of other fields.", option="extra")

    options = {"id", *SECRET_OPTIONS, *kind.field_by_option}
    for field in kind.key:
        options.update(field.options)

    for name in extra:
        if not isinstance(name, str):
            raise OptionError(f"the field {name!r} is not a string.", option="extra")
        if name in options:
            raise OptionError(f"{name} is a separate option; give it there.", option="extra")
    return dict(extra)

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a table to Ansible's options, and from the options to the wanted object. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._errors import OptionError
from .._values.base import parsed
from .fields import WantedReference
from .kind import Kind
from .password import NO_PASSWORD, WantedPassword

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
        options.update(row.arguments())
    if kind.password is not None:
        options.update(kind.password.arguments())
    return options


def constraints(kind: Kind) -> dict[str, Any]:
    """Ansible's constraints between these options."""
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
    is_present = given.get("state", "present") == "present"
    references: list[WantedReference] = []
    key = _read_key(kind, given, references)
    values: dict[str, Any] = {}
    if given.get("id") is not None:
        # Named by id, the parts of a composite key are members like any other.
        values, key = key, {}
    for row in kind.rows:
        if is_present or row.tells_which:
            row.read(given, (), values, references)
    return Wanted(
        is_present=is_present,
        id=given.get("id"),
        key=key,
        new_name=_read_new_name(kind, given),
        values=values,
        references=tuple(references),
        extra=_read_extra(kind, given) if is_present else {},
        password=kind.password.read(given) if is_present and kind.password is not None else NO_PASSWORD,
    )


def _read_key(kind: Kind, given: Mapping[str, Any], references: list[WantedReference]) -> dict[str, Any]:
    identifier = given.get("id")
    if identifier is not None:
        if identifier < 1:
            raise OptionError("id", f"{identifier} is not the id of an object; ids are whole numbers from 1.")
        if len(kind.key) == 1:
            return {}
    found: dict[str, Any] = {}
    for row in kind.key:
        row.read(given, (), found, references)
    found.update({reference.row.option: reference.given for reference in references})
    key = {name: found[name] for name in kind.named_by if name in found}
    if identifier is None and len(key) < len(kind.key):
        missing = next(name for name in kind.named_by if name not in key)
        raise OptionError(missing, f"missing; {kind.title}s are named by {' + '.join(kind.named_by)}, or by id.")
    return key


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
        rows = (*kind.key, *kind.rows)
        if name in _NEVER_EXTRA or any(name == row.name or name in row.arguments() for row in rows):
            raise OptionError("extra", f"{name} is an option of its own; give it there.")
    return dict(extra)

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds every mistake in the options of many objects without sending anything. Private to the collection.

Each object is checked by its own module's operation, which reads all options before it opens a connection. So what is accepted here is
what the module accepts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from ...module_utils._errors import OptionError, PanelError
from ...module_utils._http.connection import connection_argument_spec
from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.kind import Kind
from ...module_utils._secrets.redaction import Redactor, secrets_in
from ...module_utils._task.given import as_given
from ...module_utils._task.mistakes import Mistake
from ...module_utils._task.operation import Task
from ...module_utils._task.validation import check_values
from .._module_run.in_process import operation_of

CONNECTION_OPTIONS = tuple(connection_argument_spec())
LOST_PASSWORD = (
    "the panel would generate a password, and there is no file to keep it in, so nobody would know it. "
    "Give a password, or name a credentials file."
)


class _Connecting(Exception):
    """The operation has accepted all options and is about to send its first request."""


def mistakes_in(resources: Mapping[str, Any], keeps_passwords: bool) -> list[str]:
    """One sentence for each mistake, in the order of the objects; none holds a secret.

    resources: by plural kind a list of the options of single modules; keeps_passwords: whether there is a file for generated ones.
    """
    found = [f"{kind}: there is no such kind; there are {', '.join(KINDS)}." for kind in _unknown(resources)]
    for plural, kind in KINDS.items():
        items = resources.get(plural) or []
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            found.append(f"{plural}: must be a list of dictionaries.")
            continue
        first_place: dict[str, int] = {}
        for index, item in enumerate(items):
            key = kind.key_of(item)
            place = f"{plural}[{index}] ({_label(kind, item)})"
            found += [Mistake(place, mistake, ": ") for mistake in _mistakes_in_item(kind, item, keeps_passwords)]
            if key is not None and first_place.setdefault(key, index) != index:
                found.append(f"{place}: names the same object as {plural}[{first_place[key]}].")
    return found


def _unknown(resources: Mapping[str, Any]) -> list[str]:
    return [str(name) for name in resources if name not in KINDS]


def _label(kind: Kind, item: Mapping[str, Any]) -> str:
    parts = [str(item[name]) for name in kind.named_by if item.get(name) not in (None, "")]
    if parts:
        return ":".join(parts)
    return f"id {item['id']}" if item.get("id") is not None else "no name"


def _mistakes_in_item(kind: Kind, item: Mapping[str, Any], keeps_passwords: bool) -> Iterator[str]:
    given = {name: value for name, value in item.items() if name not in CONNECTION_OPTIONS}
    for name in sorted(set(item) - set(given), key=str):
        yield f"{name}: the connection is not an option of a single object."
    yield from _mistakes_in_options(kind.module, given)
    if kind.password and not keeps_passwords and makes_a_password(given):
        yield LOST_PASSWORD


def _mistakes_in_options(module: str, given: dict[str, Any]) -> list[str]:
    try:
        check_values(given)
    except OptionError as error:
        return [error.message.removesuffix(" Nothing was sent.")]
    operation, validator = operation_of(module)
    spec = validator.argument_spec
    validated = validator.validate(given)
    params = validated.validated_parameters
    redactor = Redactor(secrets_in(params, spec))
    if validated.error_messages:
        return [redactor.text(_as_sentence(message)) for message in validated.error_messages]
    try:
        operation.run(as_given(params, given, spec), Task(check_mode=True, connect=_refuse_to_connect))
    except _Connecting:
        return []
    except OptionError as error:
        return [redactor.text(one.message) for one in error.errors]
    except PanelError as error:
        return [redactor.text(error.message)]
    return []


def _refuse_to_connect() -> NoReturn:
    raise _Connecting


def _as_sentence(message: str) -> str:
    return message if message.endswith(".") else message + "."


def makes_a_password(given: Mapping[str, Any]) -> bool:
    """Whether the panel may have to generate a password. Whether the object exists already is not known here, and does not count."""
    if given.get("state") == "absent":
        return False
    # An object that is named by its id is never created.
    is_given = given.get("password") or given.get("password_hash") or given.get("id") is not None
    return bool(given.get("regenerate_password")) or not is_given

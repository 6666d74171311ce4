# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks everything of one customer before the first of its objects is written. Private to the collection.

Each object is checked by its own module's operation, which reads all options before it opens a connection. So what is accepted here is
what the module accepts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NoReturn

from ...module_utils._errors import OptionError, PanelError
from ...module_utils._http.connection_settings import connection_argument_spec
from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.kind import Kind
from ...module_utils._secrets.redaction import Redactor, secrets_in
from ...module_utils._task.mistakes import Mistake
from ...module_utils._task.operation import Task
from ...module_utils._task.validation import as_given, check_values
from .._jobs.encrypted_file import Edit, check_room
from .._jobs.job import Job
from .._jobs.job_failed import mistaken
from .._passwords.credentials_content import Name, begun
from .._passwords.credentials_file import LIST, Credential, CredentialsError, file_of_task
from .._passwords.generated_passwords import PasswordsAhead
from .._passwords.new_password import new_password
from .._run.in_process import operation_of
from .customers import LOST_PASSWORD, makes_a_password

CONNECTION_OPTIONS = tuple(connection_argument_spec())


def check_objects(job: Job) -> dict[str, Any]:
    """Looks at the options of all objects, and whether generated passwords could be kept; raises JobFailed with every mistake."""
    resources = job.arguments["resources"]
    file = file_of_task(job)
    mistakes = mistakes_in(resources, keeps_passwords=file is not None)
    if file is not None and not mistakes:
        try:
            file.check()
            names = PasswordsAhead(resources, "", lambda _kind, _index: None).names
            check_room([(file, _with_passwords_for(names))])
        except CredentialsError as error:
            mistakes.append(f"credentials_file: {error}")
    if mistakes:
        raise mistaken(mistakes)
    return {"mistakes": []}


def _with_passwords_for(names: Collection[Name]) -> Edit:
    """Makes of a file's content what it may have to hold: a password more for each of these objects that has none in it."""

    def edit(content: dict[str, Any]) -> dict[str, Any]:
        known = {(entry.get("kind"), entry.get("key")) for entry in content[LIST] if isinstance(entry, dict)}
        panel = "panel.with-a-long-name.example:443"  # which one it is, only the tasks after this one know
        return begun(content, [Credential(panel, *name, new_password()) for name in names if name not in known])

    return edit


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

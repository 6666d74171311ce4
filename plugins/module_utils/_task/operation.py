# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module does, apart from how Ansible starts it, and the only way out of a task: its result, error and diff without secrets.

Both front ends, the module and the action plugin, hand on exactly what ``perform`` returns. Private to the collection.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from .._errors import Defect, PanelError
from .._http.connection_settings import Connection, connection_argument_spec, read_connection
from .._secrets.redaction import Redactor, option_names, secrets_in, shown_arguments, texts_in
from .._secrets.terminal import with_harmless_words
from .validation import as_given

if TYPE_CHECKING:  # 0.1 s for a controller that runs each module as a process, a tenth of a play of one task
    from .._http.panel_client import PanelClient

# Under this name a module gets what Task calls planned; no option of any.
PLANNED = "_panel_planned"


def _say_nothing(text: str) -> None:
    """A module runs somewhere else, and nobody watches it."""


class Task:
    """The running task as an operation sees it. ``client`` opens the session on first use, so wrong options send nothing.

    say: shows a line to the person who waits, where that is possible. planned: the checksum of the plan that the front end has made for this
    task, the only one that is carried out; empty where it has made none.
    """

    def __init__(self, check_mode: bool, connect: Callable[[], PanelClient]) -> None:
        self.check_mode, self._connect = check_mode, connect
        self.warnings: list[str] = []
        self.planned = ""
        self.say: Callable[[str], None] = _say_nothing
        self._client: PanelClient | None = None

    @property
    def client(self) -> PanelClient:
        if self._client is None:
            self._client = self._connect()
        return self._client

    def warn(self, text: str) -> None:
        self.warnings.append(text)


class Outcome(NamedTuple):
    """What an operation reports. ``result`` holds its own result keys; before and after, members or a text, make the diff, or prepared does."""

    changed: bool
    result: Mapping[str, Any]
    before: Mapping[str, Any] | str = {}
    after: Mapping[str, Any] | str = {}
    generated_password: str | None = None
    skipped: bool = False
    prepared: str | None = None


class Operation(NamedTuple):
    """One module: its options (without the connection), the constraints between them, and what it does.

    summarized: options too long for Ansible to check and for people to read, which the operation checks itself and whose secrets it keeps
    out of everything; each with what is shown in its place.
    """

    options: Mapping[str, Mapping[str, Any]]
    run: Callable[[Mapping[str, Any], Task], Outcome]
    constraints: Mapping[str, Any] = {}
    summarized: Mapping[str, Callable[[Any], Any]] = {}

    def summary(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The options as they may be shown and checked by Ansible: the long ones in short."""
        return {
            name: self.summarized[name](value) if name in self.summarized and value is not None else value
            for name, value in params.items()
        }

    def whole(self, checked: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """The checked options with the long ones as they were given."""
        return {**checked, **{name: given[name] for name in self.summarized if given.get(name) is not None}}

    def arguments(self) -> dict[str, Any]:
        """Everything that AnsibleModule and the argument validator take."""
        return {
            "argument_spec": {
                **connection_argument_spec(),
                **{name: dict(spec) for name, spec in self.options.items()},
            },
            **self.constraints,
        }


WITHOUT_VALIDATION = (
    "validate_certs is false: anybody on the way to the panel can read and change what is sent, the API key included. "
    "Use ca_path for a private authority instead."
)


def perform(
    operation: Operation,
    params: Mapping[str, Any],
    given: Mapping[str, Any],
    check_mode: bool,
    diff_mode: bool,
    connect: Callable[[Connection], PanelClient],
    say: Callable[[str], None] | None = None,
    planned: str = "",
) -> dict[str, Any]:
    """The result of a task, with ``failed`` where it failed; never raises and never holds a secret, but for ``generated_password``.

    params: the options as Ansible checked and completed them; given: as the user wrote them; say, planned: as of Task.
    """
    argument_spec = operation.arguments()["argument_spec"]
    shown = operation.summary(params)
    secrets, arguments = secrets_in(shown, argument_spec), shown_arguments(shown, argument_spec)
    words = itertools.chain(texts_in(arguments), option_names(argument_spec))
    redactor = Redactor(secrets)
    task: Task | None = None
    try:
        options = as_given(params, given, argument_spec)
        connection = read_connection(params)
        task = Task(check_mode, lambda: _guarded(connect(connection), secrets, words))
        if say is not None:
            task.say = say
        task.planned = planned
        result = _result(operation.run(options, task), diff_mode)
        if connection.verify is False:
            task.warn(WITHOUT_VALIDATION)
    except PanelError as error:
        result = {"failed": True, "changed": False, **_failure(error, redactor)}
    except Exception as error:
        result = {"failed": True, "changed": False, **_failure(Defect(error), redactor)}
    if task is not None and task.warnings:
        result["warnings"] = [redactor.text(text) for text in dict.fromkeys(task.warnings)]
    result["invocation"] = {"module_args": arguments}
    return with_harmless_words(result)


def _guarded(client: PanelClient, secrets: Iterable[str], words: Iterable[str]) -> PanelClient:
    """The client, which from now on shows nothing of these secrets, and may show these words."""
    client.gate.hold(secrets)
    client.gate.allow(words)
    return client


def _result(outcome: Outcome, diff_mode: bool) -> dict[str, Any]:
    result: dict[str, Any] = {"changed": outcome.changed, **outcome.result}
    if outcome.skipped:
        result["skipped"] = True
    if diff_mode:
        sides = {"before": _side(outcome.before), "after": _side(outcome.after)}
        result["diff"] = sides if outcome.prepared is None else {"prepared": outcome.prepared}
    if outcome.generated_password is not None:
        result["generated_password"] = outcome.generated_password
    return result


def _side(side: Mapping[str, Any] | str) -> dict[str, Any] | str:
    return side if isinstance(side, str) else dict(side)


def _failure(error: PanelError, redactor: Redactor) -> dict[str, Any]:
    details = dict(error.details)
    # What was reached before the failure; only operations of several steps have it.
    reached: dict[str, Any] = details.pop("result", {})
    return {
        **reached,
        "msg": redactor.text(error.message),
        "error": redactor.value({"type": type(error).__name__, **details}),
    }

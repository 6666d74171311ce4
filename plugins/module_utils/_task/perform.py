# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs an operation and builds what a person gets to see: the result, the error, the diff, without secrets. Private to the collection.

Both front ends, the module and the action plugin, hand on exactly what ``perform`` returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

from .._errors import Defect, PanelError
from .._http.client import PanelClient
from .._http.connection import Connection, read_connection
from .._secrets.redaction import Redactor, secrets_in, shown_arguments, texts_in
from .._secrets.terminal import with_harmless_words
from .given import as_given
from .operation import Operation, Outcome, Task

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
    predicted: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The result of a task, with ``failed`` where it failed; never raises and never holds a secret, but for ``generated_password``.

    params: the options as Ansible checked and completed them; given: as the user wrote them; say, predicted: as of Task.
    """
    argument_spec = operation.arguments()["argument_spec"]
    shown = operation.summary(params)
    secrets, arguments = secrets_in(shown, argument_spec), shown_arguments(shown, argument_spec)
    redactor = Redactor(secrets)
    task: Task | None = None
    try:
        connection = read_connection(params)
        task = Task(check_mode, lambda: _guarded(connect(connection), secrets, arguments))
        if say is not None:
            task.say = say
        task.predicted = predicted or {}
        result = _result(operation.run(as_given(params, given, argument_spec), task), diff_mode)
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


def _guarded(client: PanelClient, secrets: list[str], arguments: Mapping[str, Any]) -> PanelClient:
    """The client, which from now on shows nothing of these secrets, and may show the values of these options."""
    client.gate.hold(secrets)
    client.gate.allow(texts_in(arguments))
    return client


def _result(outcome: Outcome, diff_mode: bool) -> dict[str, Any]:
    result: dict[str, Any] = {"changed": outcome.changed, **outcome.result}
    if outcome.skipped:
        result["skipped"] = True
    if diff_mode:
        result["diff"] = {"before": _side(outcome.before), "after": _side(outcome.after)}
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

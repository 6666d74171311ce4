# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a task, and is its only way out: result, error and diff, with messages and without secrets.

Both front ends, the module and the action plugin, hand on exactly what ``perform`` returns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import OptionError, PanelError
from .._http.connection_settings import Connection, read_connection
from .._log import log_end, log_into_file, log_start
from .._operation.defects import as_panel_error, report_defect
from .._operation.handover import (
    ON_EFFECTS,
    ON_MASKED_FIELDS,
    ON_PASSWORDS,
    ON_PLAN,
    ON_PROBLEMS,
    REPORTS,
    TaskRequest,
)
from .._operation.operation import Operation, Task
from .._operation.validation import check_options
from .._problems import Problem, format_message
from .._secrets.displayed_arguments import display_arguments
from .._secrets.redaction import Secrets, collect_secrets, collect_texts, with_harmless_words

# Loading it takes 0.1 s of a controller that runs each module as a process.
if TYPE_CHECKING:
    from .._http.panel_session import PanelSession

WITHOUT_VALIDATION = (
    "validate_certs is false: others on the network can read and change what is sent, the API key "
    "included. Use {} for a private authority instead."
)
# A result has these because they were asked for.
_ASKED_FOR = ("generated_password", "generated_passwords", "login_url")


def perform(
    operation: Operation,
    request: TaskRequest,
    connect: Callable[[Connection], PanelSession],
) -> dict[str, Any]:
    """Run an operation as a task.

    Args:
        operation: What the module does.
        request: What the user and the front end ask for.
        connect: Opens the session.

    Returns:
        The result of the task, with ``failed`` if it failed. It never holds a secret, except those
        that were asked for.
    """
    try:
        arguments = _validate(operation, request.options)
        encrypted_texts = request.handover.encrypted.get("texts", ())
        opener = _Opener(connect, [*arguments.secrets, *encrypted_texts])
        public_texts = frozenset(collect_texts(arguments.displayed))
        task = Task(
            request.check_mode,
            opener.open,
            request.handover,
            request.local,
            public_texts=public_texts,
            connect_to=connect,
        )

        with log_into_file(opener.mask, task.warn):
            log_start(request.check_mode)
            done = _execute(operation, arguments, task, opener, request.diff_mode)
            _wait_for_late_writes(task, opener)
            log_end(done.result)
        return _redact(done, arguments, task, opener)
    except Exception as fault:
        # What fails outside of the operation is a mistake of the collection, whatever its type.
        # The secrets of the task are not known here, so the result has none of its values.
        return {**report_defect(fault).as_result(), "invocation": {"module_args": {}}}


class _Arguments(NamedTuple):
    """Has the options of a task.

    completed: As Ansible completes them, the long ones in short; as they were written if they are
        refused.
    long: Those that the operation checks itself.
    displayed: As a result may have them.
    secrets: What they hold that no result may have.
    refused: What is wrong with them.
    """

    completed: Mapping[str, Any]
    long: Mapping[str, Any]
    displayed: Mapping[str, Any]
    secrets: Sequence[str]
    refused: OptionError | None


def _validate(operation: Operation, requested: Mapping[str, Any]) -> _Arguments:
    """Check the options, and find the secrets in them."""
    specification = operation.validator.argument_spec
    completed = operation.summarize_options(requested)
    refused: OptionError | None = None
    try:
        completed = check_options(completed, operation.validator)
    except OptionError as error:
        refused = error

    long_options = [name for name in operation.summarized if name in requested]
    return _Arguments(
        completed,
        long={name: requested[name] for name in long_options},
        displayed=display_arguments(completed, specification),
        secrets=collect_secrets(completed, specification),
        refused=refused,
    )


class _Opener:
    """Opens the session of a task on first use, and has the secrets that are known by then."""

    def __init__(
        self, connect: Callable[[Connection], PanelSession], secrets: Sequence[str]
    ) -> None:
        self._connect = connect
        self._secrets_of_options = secrets
        self.secrets = Secrets(secrets)
        self.connection: Connection | None = None
        self.say: Callable[[str], None] | None = None
        self.session: PanelSession | None = None

    def open(self) -> PanelSession:
        """Open the session with the checked options."""
        connection: Any = self.connection
        session = self._connect(connection)
        session.secrets.add(self._secrets_of_options)
        if self.say is not None:
            session.say = self.say
        self.secrets = session.secrets
        self.session = session
        return session

    def mask(self, text: str) -> str:
        """Return a text without the secrets that are known by now."""
        masked: str = self.secrets.mask(text)
        return masked


class _Done(NamedTuple):
    """Says what an operation came to.

    result: The result, with its secrets.
    problems: Why it failed, as the message of the result words them.
    error: Why it failed; None where it did not.
    """

    result: dict[str, Any]
    problems: tuple[Problem, ...] = ()
    error: PanelError | None = None


def _execute(
    operation: Operation, arguments: _Arguments, task: Task, opener: _Opener, diff_mode: bool
) -> _Done:
    """Run the operation; never raises."""
    try:
        if arguments.refused is not None:
            raise arguments.refused
        connection = read_connection(arguments.completed, task.handover.names)
        opener.connection = connection
        opener.say = task.local.say
        outcome = operation.run({**arguments.completed, **arguments.long}, task)
    except Exception as fault:
        error = as_panel_error(fault)
        error.name_options(task.handover.names)
        return _Done(error.as_result(), error.reported_problems, error)

    if connection.verify is False:
        task.warn(WITHOUT_VALIDATION.format(task.name_option("ca_path")))
    result = {"changed": outcome.changed, **outcome.result}
    if diff_mode:
        result["diff"] = outcome.build_diff()
    return _Done(result)


def _wait_for_late_writes(task: Task, opener: _Opener) -> None:
    """Let the task end, well or not, when nothing of it can take effect over what a later task
    writes.
    """
    if opener.session is None:
        return
    seconds = opener.session.wait_for_late_writes()
    if seconds > 0:
        task.warn(
            "The panel did not say what became of a write of this task, whose time is over. For "
            f"{math.ceil(seconds)} s more it may take effect over what a later task writes."
        )


def _redact(done: _Done, arguments: _Arguments, task: Task, opener: _Opener) -> dict[str, Any]:
    """Return the result without secrets, with its warnings and arguments."""
    result = done.result
    secrets = opener.secrets
    secrets.add(_list_generated_passwords(result))

    if result.get("failed"):
        redacted = dict(secrets.mask_value(result))
    else:
        # Secret fields of answers are not in results, so most tasks never look through all answers.
        redacted = dict(secrets.mask_given_value(result, public=task.public_texts))
    for name in _ASKED_FOR:
        if name in result:
            redacted[name] = result[name]

    if task.warnings and ON_PROBLEMS not in task.handover.reports:
        messages = [_format_warning(warning) for warning in _name_options_in_warnings(task)]
        redacted["warnings"] = [opener.mask(message) for message in messages]
    module_args = secrets.mask_given_value(arguments.displayed, task.public_texts)
    redacted["invocation"] = {"module_args": module_args}
    redacted = with_harmless_words(redacted)

    if task.handover.reports:
        redacted[REPORTS] = _make_reports(done, task, opener.mask)
    return redacted


def _make_reports(done: _Done, task: Task, mask: Callable[[str], str]) -> dict[str, Any]:
    """Return what a front end has asked for, without secrets."""
    problems = {}
    if ON_PROBLEMS in task.handover.reports:
        problems = _report_problems(done.problems, _name_options_in_warnings(task), mask)
    masked_fields = [
        masked._replace(name=mask(masked.name), field=mask(masked.field))._asdict()
        for masked in task.masked_fields
    ]
    return {
        ON_PROBLEMS: problems,
        ON_PASSWORDS: task.passwords_set,
        ON_PLAN: None if task.plan is None else task.plan.as_json(),
        ON_EFFECTS: _report_effects(done.error, task),
        ON_MASKED_FIELDS: masked_fields,
    }


def _list_generated_passwords(result: Mapping[str, Any]) -> list[str]:
    """Return the passwords that a result has because they were generated."""
    passwords = [entry["password"] for entry in result.get("generated_passwords") or ()]
    return [*passwords, result.get("generated_password") or ""]


# Messages


def _name_options_in_warnings(task: Task) -> list[str | Problem]:
    """Return the warnings of a task, each once, with options and items as a person typed them."""
    warnings = dict.fromkeys(task.warnings)
    return [
        warning if isinstance(warning, str) else warning.with_typed_names(task.handover.names)
        for warning in warnings
    ]


def _format_warning(warning: str | Problem) -> str:
    """Return a warning in words."""
    return warning if isinstance(warning, str) else format_message(warning)


def _report_problems(
    problems: Sequence[Problem], warnings: Iterable[str | Problem], mask: Callable[[str], str]
) -> dict[str, Any]:
    """Return what a front end puts into words itself, as data: all warnings, and the problems of a
    failure that is about items.
    """
    if not any(problem.item or problem.other_item for problem in problems):
        problems = ()
    return {
        "failure": [problem.with_texts(mask).as_json() for problem in problems],
        "warnings": [_report_warning(warning, mask) for warning in warnings],
    }


def _report_warning(warning: str | Problem, mask: Callable[[str], str]) -> str | dict[str, Any]:
    """Return a warning as data, without secrets; a text stays one."""
    if isinstance(warning, str):
        return mask(warning)
    return warning.with_texts(mask).as_json()


def _report_effects(error: PanelError | None, task: Task) -> dict[str, Any]:
    """Return what was written, as data: by the failure of the task, and for each object."""
    objects = [effect.as_json() for effect in task.effects]
    if error is None:
        return {"objects": objects}
    return {"failure": error.effect.value, "kept_as": error.kept_as, "objects": objects}

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module does, apart from how Ansible starts it, and the only way out of a task: its result, error and diff without secrets.

Both front ends, the module and the action plugin, hand on exactly what ``perform`` returns. Private to the collection.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from .._errors import Defect, PanelError, without_ending
from .._http.connection_settings import Connection, connection_argument_spec, read_connection
from .._secrets.panel_text import Secrets, on_one_line
from .._secrets.redaction import secrets_in, shown_arguments, texts_in
from .validation import as_given

if TYPE_CHECKING:  # 0.1 s for a controller that runs each module as a process, a tenth of a play of one task
    from .._http.panel_client import PanelClient

# Under this name a module gets what Task calls planned; no option of any.
PLANNED = "_panel_planned"


class Task:
    """The running task as an operation sees it. ``client`` opens the session on first use, so wrong options send nothing.

    say: shows a line to the person who waits, if that is possible. planned: the checksum of the plan that the front end made for this task,
    the only one that is carried out; empty if it made none.
    """

    def __init__(self, check_mode: bool, connect: Callable[[], PanelClient]) -> None:
        self.check_mode, self._connect, self.planned = check_mode, connect, ""
        # A module runs somewhere else, and no one watches it.
        self.say: Callable[[str], None] = lambda _text: None
        self.warnings: list[str] = []
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
        options = {name: dict(spec) for name, spec in self.options.items()}
        return {"argument_spec": {**connection_argument_spec(), **options}, **self.constraints}


WITHOUT_VALIDATION = (
    "validate_certs is false: others on the network can read and change what is sent, the API key included. "
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
    """The result of a task, with ``failed`` if it failed; never raises and never holds a secret, except those that were asked for.

    params: the options as Ansible checked and completed them; given: as the user wrote them; say, planned: as of Task.
    """
    argument_spec = operation.arguments()["argument_spec"]
    shown = operation.summary(params)
    known, arguments = secrets_in(shown, argument_spec), shown_arguments(shown, argument_spec)
    texts = frozenset(texts_in(arguments))
    secrets = Secrets(known)
    task: Task | None = None
    try:
        options = as_given(params, given, argument_spec)
        connection = read_connection(params)

        def connected() -> PanelClient:
            nonlocal secrets
            client = connect(connection)
            client.secrets.add(known)
            secrets = client.secrets
            return client

        task = Task(check_mode, connected)
        task.say, task.planned = say or task.say, planned
        outcome = operation.run(options, task)
        # Secret fields of answers are not in results, so most tasks never look through all answers.
        result = _told(_result(outcome, diff_mode), secrets, lambda told: secrets.without_given(told, texts))
        if connection.verify is False:
            task.warn(WITHOUT_VALIDATION)
    except Exception as fault:
        error = fault if isinstance(fault, PanelError) else Defect(fault)
        result = _told(_failure(error), secrets, secrets.value)
    if task is not None and task.warnings:
        result["warnings"] = [secrets.masked(text) for text in dict.fromkeys(task.warnings)]
    result["invocation"] = {"module_args": secrets.without_given(arguments, texts)}
    return with_harmless_words(result)


def _result(outcome: Outcome, diff_mode: bool) -> dict[str, Any]:
    result: dict[str, Any] = {"changed": outcome.changed, **outcome.result}
    if outcome.generated_password is not None:
        result["generated_password"] = outcome.generated_password
    if outcome.skipped:
        result["skipped"] = True
    if diff_mode:
        both = (("before", outcome.before), ("after", outcome.after))
        sides = {name: side if isinstance(side, str) else dict(side) for name, side in both}
        result["diff"] = sides if outcome.prepared is None else {"prepared": outcome.prepared}
    return result


def _failure(error: PanelError) -> dict[str, Any]:
    details = dict(error.details)
    # What was reached before the failure; only operations of several steps have it.
    reached: dict[str, Any] = details.pop("result", {})
    message = without_ending(error.message) if reached.get("changed") else error.message
    shown = {"msg": message, "error": {"type": type(error).__name__, **details}}
    return {"failed": True, "changed": False, **reached, **shown}


# A result has these because they were asked for.
_ASKED_FOR = ("generated_password", "generated_passwords", "login_url")


def _told(result: dict[str, Any], secrets: Secrets, masked: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """The result without secrets, except those that were asked for."""
    asked_for = {name: result[name] for name in _ASKED_FOR if name in result}
    made = [one["password"] for one in asked_for.get("generated_passwords") or ()]
    secrets.add([*made, asked_for.get("generated_password") or ""])
    return {**masked(result), **asked_for}


# Fields of results that are words for people, and not data; playbooks put them into messages too.
_WORDS = frozenset({
    "msg", "warnings", "deprecations", "lines", "failures", "mistakes", "generates", "differences", "left_out", "unread",
})  # fmt: skip


def with_harmless_words(result: dict[str, Any]) -> dict[str, Any]:
    """The result of a task; what Ansible prints as it is has gone through ``on_one_line``, diffs of text line by line."""
    harmless = {name: _harmless(result[name]) for name in _WORDS & result.keys()}
    if "diff" in result:
        harmless["diff"] = _harmless_diff(result["diff"])
    return {**result, **harmless}


def _harmless(value: Any) -> Any:
    if isinstance(value, dict):
        return {on_one_line(str(name)): _harmless(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_harmless(entry) for entry in value]
    return on_one_line(value) if isinstance(value, str) else value


def _harmless_diff(diff: Any) -> Any:
    if isinstance(diff, list):
        return [_harmless_diff(one) for one in diff]
    if not isinstance(diff, dict):
        return diff
    lines = {name: side.split("\n") for name, side in diff.items() if isinstance(side, str)}
    return {**diff, **{name: "\n".join(map(on_one_line, texts)) for name, texts in lines.items()}}

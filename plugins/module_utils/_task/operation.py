# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module does, apart from how Ansible starts it, and the only way out of a task: its result, error and diff without secrets.

Both front ends, the module and the action plugin, hand on exactly what ``perform`` returns. Private to the collection.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from .._errors import Defect, OptionError, PanelError
from .._http.connection_settings import Connection, connection_argument_spec, read_connection
from .._log import following, log_end, log_start
from .._problems import Problem, format_message, format_messages
from .._secrets.redaction import Secrets, mapped, on_one_line, secrets_in, shown_arguments, texts_in
from .validation import checked

if TYPE_CHECKING:  # 0.1 s for a controller that runs each module as a process, a tenth of a play of one task
    from .._http.panel_client import PanelClient

_SAID_EVERY = 5.0
# Under these names, no options of any, a module gets what its front end knows more than the user's options say; by the names of Task.
HANDED_ON = {
    "planned": "_panel_planned",
    "encrypted": "_panel_encrypted",
    "names": "_panel_names",
    "months": "_panel_months",
    "reports": "_panel_reports",
}
# Under this name a result has the reports that the front end asks for, as data. The front end takes them out.
REPORTS = "_panel_reports"
ON_PROBLEMS, ON_PASSWORDS = "problems", "passwords"


@dataclass
class Task:
    """The running task as an operation sees it. ``client`` opens the session on first use, so wrong options send nothing.

    say: shows a line to the person who waits; a module runs somewhere else, and no one watches it. planned: the checksum of the plan that
    the front end made for this task, the only one that is carried out; empty if it made none. encrypted: what the files of the task have
    encrypted, as `EncryptedValues.handed_on` has it. names: by option the variable of a role or playbook that sets it.
    months: those whose traffic an archive reads at once. reports: what the front end gets as data: ON_PROBLEMS, those about items, since it
    knows which files have them; ON_PASSWORDS, the kinds and keys of the objects that get a password.
    """

    check_mode: bool
    connect: Callable[[], PanelClient]
    say: Callable[[str], None] = lambda _text: None
    planned: str = ""
    encrypted: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    months: Sequence[str] = ()
    reports: Sequence[str] = ()
    warnings: list[str | Problem] = field(default_factory=list)
    passwords_set: list[tuple[str, str]] = field(default_factory=list)

    @cached_property
    def client(self) -> PanelClient:
        return self.connect()

    def name_of(self, option: str) -> str:
        """Return what messages call an option: the variable that the operator wrote, or the option itself."""
        return self.names.get(option, option)

    def warn(self, warning: str | Problem) -> None:
        """Add a warning to the result."""
        self.warnings.append(warning)


def progress(results: Iterable[Any], words: str, total: int, say: Callable[[str], None]) -> Iterator[Any]:
    """The results of long work as they come, of which it says at most once in five seconds how many there are. words: such as "lists read"."""
    last = time.monotonic()
    for number, result in enumerate(results, 1):
        if time.monotonic() - last >= _SAID_EVERY:
            last = time.monotonic()
            say(f"{number} of {total} {words}")
        yield result


class Outcome(NamedTuple):
    """What an operation reports. ``result`` holds its own result keys; before and after, members or a text, make the diff, or prepared does."""

    changed: bool
    result: Mapping[str, Any]
    before: Mapping[str, Any] | str = {}
    after: Mapping[str, Any] | str = {}
    prepared: str | None = None


@dataclass(frozen=True)
class Operation:
    """One module: its options (without the connection), the constraints between them, and what it does.

    summarized: options too long for Ansible to check and for people to read, which the operation checks itself and whose secrets it keeps
    out of everything; each with what is shown in its place.
    """

    options: Mapping[str, Mapping[str, Any]]
    run: Callable[[Mapping[str, Any], Task], Outcome]
    constraints: Mapping[str, Any] = field(default_factory=dict)
    summarized: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)

    def summary(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The options as they may be shown and checked by Ansible: the long ones in short."""
        long = (name for name in self.summarized if params.get(name) is not None)
        return {**params, **{name: self.summarized[name](params[name]) for name in long}}

    @cached_property
    def validator(self) -> ArgumentSpecValidator:
        return ArgumentSpecValidator({**connection_argument_spec(), **self.options}, **self.constraints)


WITHOUT_VALIDATION = (
    "validate_certs is false: others on the network can read and change what is sent, the API key included. "
    "Use ca_path for a private authority instead."
)
# A result has these because they were asked for.
_ASKED_FOR = ("generated_password", "generated_passwords", "login_url")


def perform(
    operation: Operation,
    given: Mapping[str, Any],
    check_mode: bool,
    diff_mode: bool,
    connect: Callable[[Connection], PanelClient],
    **further: Any,
) -> dict[str, Any]:
    """The result of a task, with ``failed`` if it failed; never raises and never holds a secret, except those that were asked for.

    given: the options as the user wrote them; further: say and what HANDED_ON names, as of Task.
    """
    spec = operation.validator.argument_spec
    shown, refused = operation.summary(given), None
    try:
        shown = checked(shown, operation.validator)
    except OptionError as error:
        refused = error
    arguments = shown_arguments(shown, spec)
    known = [*secrets_in(shown, spec), *further.get("encrypted", {}).get("texts", ())]
    texts, secrets = frozenset(texts_in(arguments)), Secrets(known)

    def connected() -> PanelClient:
        nonlocal secrets
        client = connect(connection)
        client.secrets.add(known)
        secrets = client.secrets
        return client

    task = Task(check_mode, connected, **further)
    problems: tuple[Problem, ...] = ()

    def mask(text: str) -> str:
        return secrets.masked(text)

    with following(mask, task.warn):
        log_start(check_mode)
        try:
            if refused is not None:
                raise refused
            connection = read_connection(shown)
            long = {name: given[name] for name in operation.summarized if name in given}
            outcome = operation.run({**shown, **long}, task)
            sides = {"before": outcome.before, "after": outcome.after}
            diff = {"diff": sides if outcome.prepared is None else {"prepared": outcome.prepared}} if diff_mode else {}
            result = {"changed": outcome.changed, **outcome.result, **diff}
            if connection.verify is False:
                task.warn(WITHOUT_VALIDATION)
            # Secret fields of answers are not in results, so most tasks never look through all answers.
            masked: Callable[[Any], dict[str, Any]] = partial(secrets.without_given, shown=texts)
        except Exception as fault:
            if isinstance(fault, OptionError):
                fault.name_options(task.names)
            failure = fault if isinstance(fault, PanelError) else Defect(fault)
            problems = _problems_of(failure)
            result, masked = _failure(failure, problems), secrets.value
        log_end(result)
    made = [one["password"] for one in result.get("generated_passwords") or ()]
    secrets.add([*made, result.get("generated_password") or ""])
    told = {**masked(result), **{name: result[name] for name in _ASKED_FOR if name in result}}
    if task.warnings:
        told["warnings"] = [secrets.masked(_text_of(warning)) for warning in dict.fromkeys(task.warnings)]
    told["invocation"] = {"module_args": secrets.without_given(arguments, texts)}
    done = with_harmless_words(told)
    if task.reports:
        problems_as_data = _reported_problems(problems, task.warnings, mask)
        done[REPORTS] = {ON_PROBLEMS: problems_as_data, ON_PASSWORDS: task.passwords_set}
    return done


def _text_of(warning: str | Problem) -> str:
    return warning if isinstance(warning, str) else format_message(warning)


def _reported_problems(
    problems: Sequence[Problem], warnings: Iterable[str | Problem], mask: Callable[[str], str]
) -> dict[str, Any]:
    """Return the problems of a task that are about items, as data, for a front end that words them again."""
    about_items = [warning for warning in dict.fromkeys(warnings) if isinstance(warning, Problem)]
    if not any(problem.item or problem.other_item for problem in problems):
        problems = ()
    return {
        "failure": [problem.with_texts(mask).as_json() for problem in problems],
        "warnings": [warning.with_texts(mask).as_json() for warning in about_items],
    }


def _problems_of(error: PanelError) -> tuple[Problem, ...]:
    """Return the problems of a failure, as its message words them."""
    if not error.details.get("result", {}).get("changed"):
        return error.problems
    return tuple([problem.without_nothing_written() for problem in error.problems])


def _failure(error: PanelError, problems: Sequence[Problem]) -> dict[str, Any]:
    details = dict(error.details)
    # What was reached before the failure; only operations of several steps have it.
    reached: dict[str, Any] = details.pop("result", {})
    field = error.listed_in and f"error.{error.listed_in}"
    if error.listed_in:
        details[error.listed_in] = list(dict.fromkeys(map(format_message, problems)))
    shown = {"msg": format_messages(problems, field), "error": {"type": type(error).__name__, **details}}
    return {"failed": True, "changed": False, **reached, **shown}


# Fields of results that are words for people, and not data; playbooks put them into messages too.
_WORDS = frozenset({
    "msg", "warnings", "deprecations", "lines", "failures", "mistakes", "generates", "differences", "left_out", "unread",
})  # fmt: skip


def with_harmless_words(result: dict[str, Any]) -> dict[str, Any]:
    """The result of a task; what Ansible prints as it is has gone through ``on_one_line``, diffs line by line."""
    harmless = {name: mapped(result[name], on_one_line) for name in _WORDS & result.keys()}
    if "diff" in result:
        harmless["diff"] = mapped(result["diff"], lambda text: "\n".join(map(on_one_line, text.split("\n"))))
    return {**result, **harmless}

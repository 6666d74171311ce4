# SPDX-License-Identifier: GPL-3.0-or-later
"""Defines the types of errors. Each carries its problems as data (``_problems.py``); messages are
made where a task ends, and for what a result says of single objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypedDict

from ._problems import (
    OptionPath,
    Problem,
    ProblemForm,
    TypedNames,
    Written,
    as_option_path,
    format_message,
    format_messages,
    join_problems,
)

# Only what checks types knows it on every Python that runs modules.
if TYPE_CHECKING:
    from typing_extensions import Unpack


def is_caused_by(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Tell whether an error of a kind is behind another, whatever the libraries made of it."""
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False


class Effect(Enum):
    """What a task that failed has done of what it was to do."""

    NOTHING = "nothing"
    WRITTEN = "written"
    UNKNOWN = "unknown"


class Reached(NamedTuple):
    """Says what a task had reached when it failed.

    is_changed: Whether something was written.
    fields: What the result has of it.
    password: The password that the panel generated.
    kept_as: The name under which the panel keeps a new object; empty where it is the one that was
        sent.
    identifier: The id of a new object; None where it is not known, or is none of the error's.
    """

    is_changed: bool = False
    fields: Mapping[str, Any] = {}
    password: str | None = None
    kept_as: str = ""
    identifier: Any = None


class ErrorDetails(TypedDict, total=False):
    """Has what the dictionary ``error`` of a result says beside type and option. RETURN of the
    modules documents it.
    """

    # Of a request.
    method: str
    path: str
    attempts: int
    status: Any
    code: str
    message: str

    # Of an object, and of what is deleted.
    id: Any
    kept_as: str
    objects: Sequence[Any]
    deletes: int
    limit: int

    # Of a plan that was approved.
    expected: str
    checksum: str

    # Of a zone.
    records: int
    removed: int
    lost: Sequence[str]
    lost_records: Sequence[Any]
    unmet: Sequence[str]
    nameservers: Sequence[str]

    # Of a directory.
    directory_panel: str
    panel: str
    kept: int


class PanelError(Exception):
    """Ends a task.

    problems: What went wrong, mostly one.
    details: What the ``error`` dictionary of the result has beside type and option, so that
        playbooks can branch on it.
    reached: What was reached before the failure; None where the error says nothing of it.
    """

    # What results call the type, where that is not the name of the class.
    public_name: ClassVar[str] = ""
    # Whether nothing was written where an error of this type ends the first attempt.
    means_nothing_written: ClassVar[bool] = False
    # The field of ``error`` that has the messages of all problems, where there may be thousands.
    listed_in = ""

    def __init__(
        self,
        cause: str = "",
        /,
        *,
        subject: str = "",
        option: str | OptionPath = "",
        written: Written = Written.NOT_IN_QUESTION,
        written_detail: str = "",
        advice: str = "",
        form: ProblemForm = ProblemForm.FAILURE,
        reached: Reached | None = None,
        **details: Unpack[ErrorDetails],
    ) -> None:
        """Describe the problem; the arguments are fields of ``Problem``, and all others but
        ``reached`` are details.
        """
        super().__init__(cause)
        self.reached = reached

        problem = Problem(
            as_option_path(option),
            subject,
            cause=cause,
            written=written,
            written_detail=written_detail,
            advice=advice,
            form=form,
        )
        self.problems: tuple[Problem, ...] = (problem,)
        self.details: dict[str, Any] = {**details}
        self._typed_names: TypedNames = {}

    @property
    def type_name(self) -> str:
        """Return what results call the type of the error."""
        return self.public_name or type(self).__name__

    @property
    def has_changed(self) -> bool:
        """Tell whether the task is known to have written something."""
        return self.reached is not None and self.reached.is_changed

    @property
    def may_have_written(self) -> bool:
        """Tell whether a write may have taken effect, in this attempt or an earlier one."""
        return self.problem.written.is_open

    @property
    def kept_as(self) -> str:
        """Return the name under which the panel keeps a new object; empty where it is the one that
        was sent.
        """
        if self.reached is None:
            return ""
        return self.reached.kept_as

    @property
    def effect(self) -> Effect:
        """Return what was done of what the task was to do; UNKNOWN where any attempt leaves it
        open.
        """
        if self.has_changed:
            return Effect.WRITTEN
        if not self.means_nothing_written or self.may_have_written or self._was_repeated:
            return Effect.UNKNOWN
        return Effect.NOTHING

    @property
    def _was_repeated(self) -> bool:
        """Tell whether a request was sent before the one that failed."""
        return False

    @property
    def is_from_panel(self) -> bool:
        """Tell whether the panel itself has answered so, in its own form of an error, and nothing
        in between.
        """
        return not self.details.keys().isdisjoint(("code", "message"))

    @property
    def problem(self) -> Problem:
        """Return the first problem, which mostly is the only one."""
        return self.problems[0]

    def amend(self, **changes: Any) -> None:
        """Change fields of the first problem, for example the subject that its caller knows."""
        self.problems = (replace(self.problem, **changes), *self.problems[1:])

    def name_options(self, names: TypedNames) -> None:
        """Let the messages call each option and item by what a person typed, where a role or
        playbook says it.
        """
        self._typed_names = names

    def __str__(self) -> str:
        return format_messages(self._named_problems, self.listed_in and f"error.{self.listed_in}")

    @property
    def _named_problems(self) -> tuple[Problem, ...]:
        """Return the problems with options and items called as a person typed them."""
        return tuple([problem.with_typed_names(self._typed_names) for problem in self.problems])

    @property
    def reported_details(self) -> dict[str, Any]:
        """Return what the result says of the error beside its type: the option of the first
        problem, by its own name for playbooks, and the details. Listed messages name their options.
        """
        option = self.problem.option
        if not option or self.listed_in:
            return self.details
        return {"option": option, **self.details}

    @property
    def reported_problems(self) -> tuple[Problem, ...]:
        """Return the problems for the result of a task: where something was written, none says that
        nothing was.
        """
        if not self.has_changed:
            return self._named_problems
        return tuple([problem.without_nothing_written() for problem in self._named_problems])

    def as_result(self) -> dict[str, Any]:
        """Return the result of the task that it ends, with what was reached before it."""
        failure = {"type": self.type_name, **self.reported_details}
        if self.listed_in:
            messages = _format_without_nothing_written(self.reported_problems)
            failure_fields = list_messages(failure, self.listed_in, messages)
        else:
            failure_fields = {"msg": format_messages(self.reported_problems), "error": failure}
        return {
            "failed": True,
            "changed": self.has_changed,
            **_get_fields_of(self.reached),
            **failure_fields,
        }

    def format_for_comparison(self) -> str:
        """Return the message for a place where nothing is written anyway."""
        messages = _format_without_nothing_written(self._named_problems)
        if self.listed_in:
            return join_problems(
                messages, f"error.{self.listed_in}", written=Written.NOT_IN_QUESTION
            )
        return " ".join(messages)


def _format_without_nothing_written(problems: Iterable[Problem]) -> list[str]:
    """Return the message of each problem for a place that says once what was written."""
    return [format_message(problem.without_nothing_written()) for problem in problems]


def list_messages(
    failure: Mapping[str, Any], field: str, messages: Iterable[str]
) -> dict[str, Any]:
    """Return the fields of a result that say why a task failed, where there may be thousands of
    reasons.

    Args:
        failure: The field ``error``, without the messages.
        field: Its field that has all messages.
        messages: The reasons.
    """
    distinct = list(dict.fromkeys(messages))
    return {
        "msg": join_problems(distinct, f"error.{field}"),
        "error": {**failure, field: distinct},
    }


def _get_fields_of(reached: Reached | None) -> dict[str, Any]:
    """Return what the result of a failure has of what was reached before it; only operations of
    several steps reach something.
    """
    if reached is None:
        return {}
    if not reached.password:
        return dict(reached.fields)
    return {**reached.fields, "generated_password": reached.password}


class OptionError(PanelError):
    """Says that a value given by the user is wrong, and nothing was sent. The option is empty in
    Ansible's words.
    """

    means_nothing_written = True

    def __init__(
        self,
        cause: str,
        /,
        *,
        option: str | OptionPath,
        written: Written = Written.NOT_IN_QUESTION,
        advice: str = "",
    ) -> None:
        super().__init__(cause, option=option, written=written, advice=advice)

    @property
    def option(self) -> str:
        """Return the option as messages name it, the first one of several."""
        return self.problem.option


@contextmanager
def collect_problems(problems: list[Problem]) -> Iterator[None]:
    """Add what is wrong with options in here to the list, so that the next can be checked too;
    ``raise_if_any`` has to follow.
    """
    try:
        yield
    except OptionError as error:
        problems += error.problems


def raise_if_any(problems: Iterable[Problem]) -> None:
    """Raise OptionError with all of the problems, if there are any."""
    collected = tuple(problems)
    if collected:
        first = collected[0]
        error = OptionError(first.cause, option=first.path)
        error.problems = collected
        raise error


class UnknownReference(PanelError):
    """Says that an option names an object that is not on the panel.

    missing: Plural kind and name of the object; None where the option has no name of it.
    """

    means_nothing_written = True
    missing: tuple[str, str] | None = None


class Conflict(PanelError):
    """Says that what is on the panel cannot become what the task describes without destroying
    something; nothing was written.
    """

    means_nothing_written = True


def make_conflict(problem: Problem) -> Conflict:
    """Return the error that carries a problem which was foreseen."""
    error = Conflict(problem.cause, option=problem.path)
    error.problems = (problem,)
    return error


class MissingLibrary(PanelError):
    """Says that a Python library which the collection needs is not installed where the module
    runs.
    """

    means_nothing_written = True


class RequestError(PanelError):
    """Says that a request did not end as it should.

    details: ``method``, ``path``, ``attempts`` always; ``status``, ``code`` and ``message`` if the
        panel answered.
    """

    @property
    def status(self) -> int | None:
        """Return the status of the last response; None where none came."""
        status: int | None = self.details.get("status")
        return status

    @property
    def method(self) -> str:
        """Return the method of the request."""
        return str(self.details.get("method", ""))

    @property
    def _was_repeated(self) -> bool:
        attempts: int = self.details.get("attempts") or 0
        return attempts > 1


@contextmanager
def name_subject_in_errors(
    subject: str = "", written: Written = Written.NOT_IN_QUESTION
) -> Iterator[None]:
    """Name what the requests in here are about in the error of one that fails; an outer name counts
    for more than an inner one.

    Args:
        subject: The object, as ``mailbox info@acme.example``; empty where each request names its
            own.
        written: What the task has written by then, where the error of the request does not say it.
    """
    try:
        yield
    except RequestError as error:
        problem = error.problem
        error.amend(subject=subject or problem.subject)
        if problem.written is Written.NOT_IN_QUESTION:
            error.amend(written=written)
        raise


class Unreachable(RequestError):
    """Says that there was no connection; the request did not reach the panel."""

    means_nothing_written = True


class TimeIsUp(RequestError):
    """Says that the time that Ansible gives the task was over; the request was not sent."""

    means_nothing_written = True


class Denied(RequestError):
    """Says that the panel answered 401 or 403. A key that got 401 is not sent again by the same
    loop, because the panel bans addresses that fail often (docs/panel_api.md#refused-keys).
    """

    means_nothing_written = True


class Refused(RequestError):
    """Says that the panel understood the request and said no (400, 404 and other 4xx)."""

    means_nothing_written = True


class ServerFailed(RequestError):
    """Says that the panel failed, and went on failing for as long as the task may repeat."""


class UnexpectedAnswer(RequestError):
    """Says that the answer is not what the API describes: HTML, broken JSON, another form, a
    redirect.
    """


class OutcomeUnknown(RequestError):
    """Says that a write was sent and its answer was lost: it may or may not have taken effect.

    may_complete_later: Whether it may also still do so, since no answer said that the request
        ended.
    wait: The seconds of Retry-After, if an answer had it.
    """

    may_complete_later = False
    wait: float | None = None

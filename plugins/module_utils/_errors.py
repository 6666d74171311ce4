# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong, as types. Private to the collection.

A message says in at most three sentences and 60 words, beside the panel's own: the object or option, what failed, why in the panel's
words, what was written, what to do. It never holds a request body, a header or a secret.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Callable

NOTHING_WRITTEN = "Nothing was written."
_ENDS = (".", "!", "?", "…", '."', '!"', '?"', '…"')


def in_words(about: str, why: str = "", written: str = "", advice: str = "") -> str:
    """A message: the object or option and what failed, why (the panel's words in quotes), what was written, what to do."""
    parts = (f"{about}: {why}" if why else about, written, advice)
    return " ".join(part if part.endswith(_ENDS) else f"{part}." for part in parts if part)


class PanelError(Exception):
    """Ends a task. ``details`` becomes the ``error`` dictionary of the result, so that playbooks can branch on it.

    ``subject``: the object that it is about, as ``mailbox info@acme.example``, with which its message begins; empty where that begins with an
    option or has it in its words. ``may_have_written``: whether a write may have taken effect, in this attempt or an earlier one.
    """

    may_have_written = False

    def __init__(self, message: str, subject: str = "", /, **details: Any) -> None:
        super().__init__(message)
        self.subject = subject
        self.details = details
        self._message = message

    @property
    def message(self) -> str:
        """Tells people what went wrong, what was written and what to do."""
        return f"{self.subject}: {self._message}" if self.subject else self._message

    def reword(self, change: Callable[[str], str]) -> None:
        """Changes each part of the message, such as a place in a list into a file and its line."""
        self.subject = change(self.subject)
        self._message = change(self._message)

    def __str__(self) -> str:
        return self.message


class OptionError(PanelError):
    """A value given by the user is wrong; nothing was sent. errors: one for each, where several are wrong. option: empty in Ansible's words."""

    def __init__(self, option: str, problem: str, errors: Sequence[OptionError] = ()) -> None:
        self.option, self.problem = option, problem
        self.errors: Sequence[OptionError] = errors or (self,)
        super().__init__(f"{option}: {problem}" if option else problem, **({"option": option} if option else {}))

    def name_options(self, names: Mapping[str, str]) -> None:
        """Call each option by the variable that sets it, where there is one. names: the variables, by option."""
        parts = [(_named(error.option, names), error.problem) for error in self.errors]
        if any(name != error.option for (name, _problem), error in zip(parts, self.errors)):
            self._message = " ".join(f"{name}: {problem}" if name else problem for name, problem in parts)


def _named(option: str, names: Mapping[str, str]) -> str:
    """Return the path of an option, such as purge[0], that begins with the variable which sets the option."""
    first = option.partition(".")[0].partition("[")[0]
    return names.get(first, first) + option[len(first) :]


@contextmanager
def noted(errors: list[OptionError]) -> Iterator[None]:
    """What is wrong with options in here goes to the list, so that the next can be checked too; ``raise_noted`` has to follow."""
    try:
        yield
    except OptionError as error:
        errors += error.errors


def raise_noted(errors: Sequence[OptionError]) -> None:
    """Raises all of them as one."""
    if errors:
        problems = [errors[0].problem, *(error.message for error in errors[1:])]
        raise OptionError(errors[0].option, " ".join(problems), tuple(errors))


class UnknownReference(PanelError):
    """An option names an object that is not on the panel."""


class Conflict(PanelError):
    """What is on the panel cannot become what the task describes without destroying something; nothing was written."""


class MissingLibrary(PanelError):
    """A Python library that the collection needs is not installed where the module runs."""


class RequestError(PanelError):
    """A request did not end as it should.

    details: ``method``, ``path``, ``attempts`` always; ``status``, ``code`` and ``message`` if the panel answered.

    The message is put together from its parts, each of which may still change: the ``subject`` is what the task is about, as
    ``mailbox info@acme.example``; ``what`` happened to the request; what was ``written``; and the ``advice``.
    """

    def __init__(self, what: str, advice: str = "", written: str = "", subject: str = "", /, **details: Any) -> None:
        super().__init__(what, subject, **details)
        self.what = what
        self.advice = advice
        self.written = written

    def reword(self, change: Callable[[str], str]) -> None:
        super().reword(change)
        self.what = change(self.what)
        self.written = change(self.written)
        self.advice = change(self.advice)

    @property
    def message(self) -> str:
        if self.subject:
            return in_words(self.subject, self.what, self.written, self.advice)
        return in_words(self.what, "", self.written, self.advice)


@contextmanager
def about(subject: str = "", written: str = "") -> Iterator[None]:
    """Names what the requests in here are about in the error of one that fails; an outer name counts for more than an inner one.

    Args:
        subject: The object, as ``mailbox info@acme.example``; empty where each request names its own.
        written: What the task has written by then, where the error of the request does not say it.
    """
    try:
        yield
    except RequestError as error:
        error.subject = subject or error.subject
        error.written = error.written or written
        raise


class Unreachable(RequestError):
    """No connection; the request did not reach the panel."""


class TimeIsUp(RequestError):
    """The time that Ansible gives the task was over; the request was not sent."""


class Denied(RequestError):
    """401 or 403. A key that got 401 is not sent again by the same loop, because the panel bans
    addresses that fail often (docs/panel_api.md#refused-keys)."""


class Refused(RequestError):
    """The panel understood the request and said no (400, 404 and other 4xx)."""


class ServerFailed(RequestError):
    """The panel failed, and went on failing for as long as the task may repeat."""


class UnexpectedAnswer(RequestError):
    """The answer is not what the API describes: HTML, broken JSON, another form, a redirect."""


class OutcomeUnknown(RequestError):
    """A write was sent and its answer was lost: it may or may not have taken effect.

    is_under_way: it may also still do so, since no answer said that the request ended. wait: the seconds of Retry-After, where it came.
    """

    may_have_written = True
    is_under_way = False
    wait: float | None = None


class Defect(PanelError):
    """A mistake in the collection itself. Says where it is, without the values in the exception's text, which may be secret."""

    def __init__(self, error: Exception) -> None:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{frame.name} ({frame.filename.rsplit('/', 1)[-1]}:{frame.lineno})"
        super().__init__(
            f"A defect in the collection hosting.panel: {type(error).__name__} in {place}. "
            "Check the object on the panel, since it may have been written, and please report this line."
        )


MOST_TOLD = 50


def first_lines(lines: Sequence[str], most: int) -> list[str]:
    return [*lines[:most], *([f"and {len(lines) - most} more"] if len(lines) > most else [])]


def first_of(names: Sequence[str], most: int, between: str = ", ") -> str:
    """The first names in one text: ``a, b, and 3 more``."""
    return between.join(first_lines(names, most))


def told(mistakes: Iterable[str], member: str = "") -> str:
    """All mistakes in one text, each once. member: the field of the result that has those for which there is no room."""
    once = list(dict.fromkeys(mistakes))
    count = f"{len(once)} mistakes: " if len(once) > 1 else ""
    where = f" in {member}" if member else ""
    others = f" And {len(once) - MOST_TOLD} more{where}." if len(once) > MOST_TOLD else ""
    return f"{count}{' '.join(once[:MOST_TOLD])}{others} {NOTHING_WRITTEN}"


def without_ending(message: str) -> str:
    """The message of an error in a place that says itself what was written."""
    return message.replace(f" {NOTHING_WRITTEN}", "")

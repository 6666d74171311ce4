# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the errors of requests: their types, what was written, and what to do about it. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from .._errors import (
    Denied,
    OutcomeUnknown,
    Refused,
    RequestError,
    ServerFailed,
    UnexpectedAnswer,
    Unreachable,
)
from .._problems import Written, as_sentence
from .._secrets.redaction import LONGEST, mask_secrets
from .answers import Attempt, Form
from .repeats import Fault, may_complete_later

_BEFORE_THE_PANEL = "A web server or proxy before the panel answered, not its API: see its log."
_OTHER_FORM = (
    "The playbook hosting.panel.verify shows where this panel differs from the documentation."
)
_CHECK_FIRST = "Check the panel before you run the task again."
_RUN_AGAIN = "Run the task again."
_MAYBE_WRITTEN = {
    "POST": Written.MAYBE_CREATED,
    "PUT": Written.MAYBE_WRITTEN,
    "DELETE": Written.MAYBE_DELETED,
}
_REFUSED_BEFORE = (
    "a web server or proxy before the panel refuses this (mod_security, for example): see its log"
)


class Failure(NamedTuple):
    """Says how a request ended that got no answer.

    method: The method of the request.
    path: Its path, below the base of the API.
    attempts: How often it was sent.
    attempt: How the last attempt ended.
    name_option: Returns what messages call an option of the connection.
    wrote_before: Whether an earlier attempt at the same write may have taken effect, whatever the
        last one says.
    is_known: Whether a panel has answered this session before, so that its address and key are
        right.
    panel: Host and port of the panel.
    is_read: Whether the request only reads, whatever its method is.
    retry_time: The seconds that all repeats of the task may take.
    """

    method: str
    path: str
    attempts: int
    attempt: Attempt
    name_option: Callable[[str], str]
    wrote_before: bool = False
    is_known: bool = False
    panel: str = ""
    is_read: bool = False
    retry_time: int = 0

    @property
    def rules_method(self) -> str:
        """Return the method whose rules hold: that of a read, whatever it was sent with."""
        if self.is_read:
            return "GET"
        return self.method

    @property
    def error_type(self) -> type[RequestError]:
        """Return the type of the error."""
        attempt = self.attempt
        status = attempt.status
        if status in (401, 403):
            return Denied
        if attempt.fault is Fault.BUSY:
            return ServerFailed
        if attempt.rule.may_have_written:
            is_unknown = attempt.rule.outcome_is_unknown.get_for(self.rules_method)
            return OutcomeUnknown if is_unknown else ServerFailed
        if status is None:
            return _choose_error_without_answer(may_have_written=self.wrote_before)
        return Refused if attempt.api_error and 400 <= status < 500 else UnexpectedAnswer

    @property
    def may_have_written(self) -> bool:
        """Tell whether it is a write of which nobody knows whether it took effect."""
        if self.rules_method == "GET":
            return False
        return self.wrote_before or self._leaves_effect_open

    @property
    def _leaves_effect_open(self) -> bool:
        """Tell whether the last attempt leaves open what the panel did."""
        if self.attempt.rule.may_have_written:
            return True
        # A web server that knows no such path, or no such method, did nothing.
        return self.error_type is UnexpectedAnswer and self.attempt.status not in (404, 405)

    @property
    def has_wrong_address(self) -> bool:
        """Tell whether what answered may be no panel at all.

        Other statuses of errors come from what stands before a panel as well.
        """
        status = self.attempt.status or 0
        return not self.is_known and (status < 400 or status in (404, 405))


def _choose_error_without_answer(may_have_written: bool) -> type[RequestError]:
    """Return the type of the error of a request whose last attempt got no answer."""
    return OutcomeUnknown if may_have_written else Unreachable


def make_request_error(failure: Failure) -> RequestError:
    """Return the error for a request that got no answer."""
    attempt = failure.attempt
    error_type = failure.error_type
    headline = _format_headline(failure)
    cause = headline
    if attempt.problem:
        cause = f"{headline}: {attempt.problem}"

    details: dict[str, Any] = {
        "method": failure.method,
        "path": failure.path,
        "attempts": failure.attempts,
    }
    if attempt.status is not None:
        details["status"] = attempt.status
    details.update(attempt.api_error)

    written = _choose_written(failure.rules_method, failure.may_have_written)
    error = error_type(as_sentence(cause), advice=_advise(failure), written=written, **details)
    if isinstance(error, OutcomeUnknown):
        error.may_complete_later = may_complete_later(attempt.status)
        error.wait = attempt.wait
    return error


def _format_headline(failure: Failure) -> str:
    """Return which request failed and how, without the reason."""
    status = failure.attempt.status
    if failure.error_type in (Denied, Refused):
        verb = "was refused"
    elif status is None or status >= 400:
        verb = "failed"
    else:
        verb = "got an unexpected answer"

    headline = f"{failure.method} {failure.path} {verb}"
    if status is not None:
        headline += f" ({status})"
    if failure.attempts > 1:
        headline += f" after {failure.attempts} attempts"
        if failure.attempt.fault is Fault.NOT_SENT:
            headline += f" within {failure.name_option('retry_time')} ({failure.retry_time} s)"
    return headline


def _choose_written(method: str, is_unknown: bool) -> Written:
    """Return what a failed request has written."""
    if method == "GET":
        return Written.NOT_IN_QUESTION
    if is_unknown:
        return _MAYBE_WRITTEN[method]
    return Written.NOTHING


_ADVICE = {
    Refused: "Correct what the panel names and run the task again.",
    ServerFailed: "Try again later.",
}


def _advise(failure: Failure) -> str:
    """Return what to do, in one sentence."""
    error_type = failure.error_type
    if error_type is Denied:
        return _advise_on_key(failure)
    if failure.attempt.fault is Fault.BUSY:
        return _advise_on_pause(failure.attempt.wait)
    if error_type is not Refused and failure.may_have_written:
        # A second creation makes a second object; a second change or deletion changes nothing.
        return _CHECK_FIRST if failure.method == "POST" else _RUN_AGAIN

    if error_type is Unreachable:
        return _advise_on_address(failure)
    if error_type is UnexpectedAnswer:
        return _advise_on_another_form(failure)
    if error_type is OutcomeUnknown:
        return _advise_on_time(failure)
    return _ADVICE[error_type]


def _advise_on_pause(wait: float | None) -> str:
    """Return what to do where the panel has too much to do."""
    if not wait:
        return "Run again later."
    return f"Run again in {wait:.0f} s."


def _advise_on_time(failure: Failure) -> str:
    """Return what to do where the answer to a read was lost."""
    timeout = failure.name_option("timeout")
    retry_time = failure.name_option("retry_time")
    return f"Raise {timeout} or {retry_time} if the panel is slow."


def _advise_on_address(failure: Failure) -> str:
    """Return what to do where no panel was reached."""
    # Without a fault, the problem says what to check.
    if failure.attempt.fault is None:
        return ""
    if failure.is_known:
        return "Check that the panel runs."
    return f"Check {failure.name_option('api_url')}, and that the panel runs."


def _advise_on_key(failure: Failure) -> str:
    """Return what to do where the key does not get in."""
    attempt = failure.attempt
    is_write = failure.rules_method != "GET"
    alternative = "" if attempt.api_error else f", or {_REFUSED_BEFORE}"
    if attempt.status == 401:
        key = failure.name_option("api_key")
        where = f" on {failure.panel}" if failure.panel else ""
        return f"Check {key}: it is mistyped or deleted{where}{alternative}."
    if attempt.form is Form.PAGE:
        return f"{_REFUSED_BEFORE[0].upper()}{_REFUSED_BEFORE[1:]}."
    if failure.is_known and is_write and attempt.api_error:
        return "This key seems to be read-only: use one that may write."

    limits = "must not be used from this address"
    if is_write:
        limits = f"is read-only or {limits}"
    return (
        "The API is switched off (Configuration, API in the panel), "
        f"or this key {limits}{alternative}."
    )


def _advise_on_another_form(failure: Failure) -> str:
    """Return what to do about an answer to a read that no panel should give."""
    status = failure.attempt.status or 0
    form = failure.attempt.form
    is_redirect = 300 <= status < 400
    if form is Form.JSON and not is_redirect:
        return _OTHER_FORM
    if form is Form.BROKEN_JSON and not is_redirect:
        return _RUN_AGAIN
    if failure.has_wrong_address:
        return f"Check that {failure.name_option('api_url')} is the address of the panel itself."
    if status < 300:
        return _RUN_AGAIN
    return _BEFORE_THE_PANEL


def make_unexpected_answer(
    path: str, problem: str, advice: str = _OTHER_FORM, method: str = "GET", subject: str = ""
) -> UnexpectedAnswer:
    """Return the error for an answer of another form than the API has.

    Args:
        path: The path of the request.
        problem: A sentence without its subject, which is the request.
        advice: What to do.
        method: The method of the request.
        subject: The object, as ``mailbox info@acme.example``.
    """
    return UnexpectedAnswer(
        f"{method} {path} {problem}",
        advice=advice,
        written=_choose_written(method, is_unknown=True),
        subject=subject,
        method=method,
        path=path,
        attempts=1,
    )


def describe_answer(data: Any) -> str:
    """Return what came in place of what the API answers, for the ``problem`` of an unexpected
    answer.

    Secret fields are masked.
    """
    if data is None:
        return "(200): an empty body, or null."

    displayed = json.dumps(mask_secrets(data), ensure_ascii=False)
    if len(displayed) > LONGEST:
        # Between two values, so that none is cut off, which may be a known secret.
        beginning = displayed[:LONGEST].rpartition(", ")[0]
        displayed = f"{beginning} …"
    return f"(200, JSON): {displayed}."

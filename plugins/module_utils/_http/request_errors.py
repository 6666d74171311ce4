# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words for a request that did not end as it should. Private to the collection."""

from __future__ import annotations

from typing import Any

from .._errors import Denied, OutcomeUnknown, Refused, RequestError, ServerFailed, UnexpectedAnswer, Unreachable
from .answers import Attempt
from .repeats import Decision, Fault

_UNKNOWN_AFTER = {
    "POST": "Whether it took effect is not known; look on the panel before you run the task again.",
    "PUT": "Whether the change took effect is not known; run the task again.",
    "DELETE": "Whether the object was deleted is not known; run the task again.",
}
_NOTHING_WRITTEN = "Nothing was written by this request."
_UNREACHED = "Check api_url, and whether the panel runs."
_MISUNDERSTOOD = "Check that api_url is the address of the panel itself."
_REFUSED = "Correct what the panel complains about, and run the task again."
_STOP = "Nothing more is sent, because the panel bans addresses that fail often."
_ADVICE_FOR_DENIAL = {
    401: f"Check api_key: it is missing, mistyped or deleted. {_STOP}",
    403: f"The API is switched off (Configuration, API in the panel) or this key may not be used from this address. {_STOP}",
}
# The panel does not accept the key, or not from this address.
DENIALS = frozenset(_ADVICE_FOR_DENIAL)


def request_error(
    method: str, path: str, attempts: int, attempt: Attempt, decision: Decision, may_have_written: bool = False
) -> RequestError:
    """The error for the last attempt at a request; ``decision`` is what the table of repeats said about it.

    ``may_have_written``: an earlier attempt at the same write may have taken effect, whatever the last one says.
    """
    error_type, advice = _type_and_advice(method, attempt, decision)
    if may_have_written and error_type is Refused:
        advice = _REFUSED
    elif may_have_written and (error_type is Unreachable or attempt.fault is Fault.BUSY):
        error_type, advice = OutcomeUnknown, _UNKNOWN_AFTER[method]
    details: dict[str, Any] = {"method": method, "path": path, "attempts": attempts}
    for name in ("status", "code", "panel_message"):
        if getattr(attempt, name) is not None:
            details[name] = getattr(attempt, name)
    answered = f" answered {attempt.status}" if attempt.status else ""
    tries = f", {attempts} attempts" if attempts > 1 else ""
    what = f"{method} {path}{answered}{tries}: {attempt.problem}"
    end = "" if what.endswith((".", "!", "?", "…")) else "."
    error = error_type(f"{what}{end} {advice}".strip(), **details)
    error.what = what + end
    error.may_have_written = may_have_written or advice == _UNKNOWN_AFTER.get(method)
    if isinstance(error, OutcomeUnknown):
        error.is_under_way = attempt.is_under_way
    return error


def refused_earlier(status: int) -> Denied:
    """The error in place of a request with a key that the panel has refused with this status in another task of the run."""
    words = f"Not sent, since the panel has answered {status} to this key earlier in this run."
    return Denied(f"{words} {_ADVICE_FOR_DENIAL[status]}", attempts=0, status=status)


def unexpected_answer(path: str, problem: str, advice: str = _MISUNDERSTOOD) -> UnexpectedAnswer:
    """The error for a read whose answer has another shape than the interface promises; ``problem`` is a sentence without its subject."""
    what = f"GET {path} {problem}"
    error = UnexpectedAnswer(f"{what} Nothing was written. {advice}", method="GET", path=path, attempts=1)
    error.what = what
    return error


def _type_and_advice(method: str, attempt: Attempt, decision: Decision) -> tuple[type[RequestError], str]:
    if attempt.status in _ADVICE_FOR_DENIAL:
        return Denied, _ADVICE_FOR_DENIAL[attempt.status]
    if attempt.fault is None:
        return _without_fault(method, attempt)
    if attempt.fault in (Fault.NOT_SENT, Fault.NO_SUCH_HOST):
        return Unreachable, _UNREACHED if method == "GET" else f"{_NOTHING_WRITTEN} {_UNREACHED}"
    if attempt.fault is Fault.BUSY:
        nothing = "" if method == "GET" else f" {_NOTHING_WRITTEN}"
        return ServerFailed, f"The panel asks for fewer requests.{nothing} Try again later."
    unknown = _UNKNOWN_AFTER.get(method)
    if decision is Decision.ASK or attempt.fault is Fault.LOST_ANSWER:
        return OutcomeUnknown, unknown or "Raise timeout or retry_time if the panel is slow."
    return ServerFailed, unknown or "Try again later."


def _without_fault(method: str, attempt: Attempt) -> tuple[type[RequestError], str]:
    if attempt.status is None:
        return Unreachable, "Nothing was sent."
    if 400 <= attempt.status < 500 and (attempt.code or attempt.panel_message):
        return Refused, _REFUSED if method == "GET" else f"{_NOTHING_WRITTEN} {_REFUSED}"
    return UnexpectedAnswer, _UNKNOWN_AFTER.get(method, _MISUNDERSTOOD)

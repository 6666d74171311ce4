# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells what one attempt at a request came to, and whether another may follow.

The exceptions of requests are recognized by their names, so that only the session imports it.
"""

from __future__ import annotations

import email.utils
import json
import math
import re
import time
from collections.abc import Mapping
from enum import Enum
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
from .._problems import NOTHING_WRITTEN, as_sentence
from .._secrets.redaction import LONGEST, Secrets, with_masked_secrets
from .._values.nesting import DEEPEST, is_deeper
from .connection_settings import Connection

_BUSY = 429
_NOT_SERVING = (408, 502, 503, 504)
# No answer, or that of a gateway which lost its connection to the panel, or waits no longer;
# after any other the panel is through with the request.
_BEFORE_THE_END = (None, 502, 504)
# Without the user name and password that may stand before it, and without a path, which may log in
# too.
_HOST = re.compile(r"(?:https?:)?//(?:[^/?#]*@)?([^/?#]+)", re.IGNORECASE)


class Fault(Enum):
    """What happened to one attempt."""

    NOT_SENT = "not sent"  # no connection, so the panel saw nothing
    NO_SUCH_HOST = "no such host"
    BUSY = "busy"  # 429: nothing was done
    NOT_SERVED = "not served"  # 408, 502, 503, 504, or 500 without JSON: whether the work had begun is not known
    LOST_ANSWER = "lost answer"  # sent, then reset, timed out or cut off
    FAILED = "failed"  # 500 with a JSON error: the panel itself says that it failed


class Form(Enum):
    """What the body of an answer is."""

    JSON = "JSON"
    BROKEN_JSON = "broken JSON"  # which says that it is JSON
    PAGE = "page"  # or any other text


class Answer(NamedTuple):
    """A successful answer.

    data: The decoded JSON, or None for an empty body.
    as_sent: The same before lists were read as such.
    """

    status: int
    data: Any
    as_sent: Any = None


class Attempt(NamedTuple):
    """How one attempt ended: with an answer, or with a problem and perhaps a fault after which it
    can be repeated.

    api_error: code and message of the panel's own error, which have the form of
    docs/panel_api.md#error-body. wait: seconds of Retry-After.
    """

    answer: Answer | None = None
    fault: Fault | None = None
    problem: str = ""
    status: int | None = None
    api_error: Mapping[str, str] = {}
    wait: float | None = None
    form: Form = Form.JSON

    @property
    def affects_all_requests(self) -> bool:
        """Tell whether every request meets this in that moment, and none after a pause."""
        return self.fault in (Fault.NOT_SENT, Fault.BUSY, Fault.NOT_SERVED)

    @property
    def may_have_written(self) -> bool:
        """Tell whether a write that ended so may have had its effect."""
        return self.fault in (Fault.NOT_SERVED, Fault.LOST_ANSWER, Fault.FAILED)

    def is_lost(self, method: str) -> bool:
        """Tell whether nothing that the panel says decides about a write that ended so."""
        if self.fault is Fault.LOST_ANSWER:
            return True
        return method == "POST" and self.fault is Fault.NOT_SERVED

    def max_attempts(self, method: str) -> float:
        """Return how often a request is sent that ended so at last.

        Without a fault the panel has spoken, and nothing is sent again. A second PUT sends
        the same values, and after a second DELETE 404 means done; a second POST would make
        another object.
        """
        if self.fault is None or (method == "POST" and self.may_have_written):
            return 1
        if self.fault is Fault.FAILED:
            return 2 if method == "GET" else 1
        if self.fault is Fault.NO_SUCH_HOST:
            return 2
        return math.inf


class _Body(NamedTuple):
    """The body of an answer: its form, the decoded JSON, and why that cannot be used."""

    form: Form
    data: Any = None
    flaw: str = ""

    @property
    def is_usable(self) -> bool:
        """Tell whether it is JSON that can be used."""
        return self.form is Form.JSON and not self.flaw


def attempt_with_response(
    response: Any,
    secrets: Secrets,
    accepted: frozenset[int] = frozenset(),
    plain_text: bool = False,
) -> Attempt:
    """Return the answer in a response, or what is wrong with it.

    Args:
        response: The response of requests.
        secrets: Masks what the panel says, and learns the secrets in an answer that is none.
        accepted: Statuses besides 2xx that are answers too.
        plain_text: Whether a text that is neither JSON nor HTML is an answer.
    """
    status = response.status_code
    media_type = response.headers.get("Content-Type", "")
    body = _decode(response.content, media_type)
    is_accepted = _is_accepted(status, response.request.method, accepted)

    if is_accepted and body.is_usable:
        has_gaps = b'"0"' in response.content
        data = _with_lists(body.data) if has_gaps else body.data
        return Attempt(answer=Answer(status, data, body.data))
    if is_accepted and plain_text and "html" not in media_type.lower():
        return Attempt(answer=Answer(status, response.text))

    secrets.learn(body.data)
    if 300 <= status < 400:
        problem = f"it redirects to {_redirect_target(response, secrets)}, which is not followed"
        return Attempt(status=status, problem=problem, form=body.form)
    if 200 <= status < 300:
        return _attempt_with_unusable_success(response, secrets, body, is_accepted)
    return _attempt_with_error_status(response, secrets, body)


def _is_accepted(status: int, method: str, accepted: frozenset[int]) -> bool:
    """Tell whether a response with this status is an answer, if its body is one."""
    if method == "GET":
        # Other statuses, 206 above all, bring less to a read than the whole.
        is_success = status == 200
    else:
        is_success = 200 <= status < 300
    is_redirect = 300 <= status < 400
    return is_success or (status in accepted and not is_redirect)


def _redirect_target(response: Any, secrets: Secrets) -> str:
    """Return the host that a redirect leads to, in the words of a message."""
    host = _HOST.match(response.headers.get("Location", ""))
    if host is None:
        return "another path"
    return secrets.panel_text(host[1])


def _attempt_with_unusable_success(
    response: Any, secrets: Secrets, body: _Body, is_accepted: bool
) -> Attempt:
    """Return what is wrong with a response of the status 2xx that is no answer."""
    if not is_accepted:
        return Attempt(problem="it is only a part", status=response.status_code, form=body.form)

    fault = Fault.LOST_ANSWER if response.request.method == "POST" else None
    description = body.flaw
    if not description:
        mistake = "incomplete or invalid" if body.form is Form.BROKEN_JSON else "not JSON but"
        page = secrets.page(response.content, response.headers.get("Content-Type", ""))
        description = f"{mistake} {page}"
    return Attempt(
        fault=fault, problem=f"it is {description}", status=response.status_code, form=body.form
    )


def _attempt_with_error_status(response: Any, secrets: Secrets, body: _Body) -> Attempt:
    """Return the fault behind a response with the status of an error, and what it says."""
    api_error = _api_error(body.data, secrets)
    return Attempt(
        fault=_fault_of_status(response.status_code, has_api_error=bool(api_error)),
        problem=_problem_of_error(response, secrets, body, api_error),
        status=response.status_code,
        api_error=api_error,
        wait=_retry_after(response.headers.get("Retry-After", "")),
        form=body.form,
    )


def _api_error(data: Any, secrets: Secrets) -> dict[str, str]:
    """Return code and message of the panel's own error, as far as there are any."""
    if not isinstance(data, dict):
        return {}
    return {
        name: secrets.panel_text(data[name])
        for name in ("code", "message")
        if data.get(name) is not None
    }


def _fault_of_status(status: int, has_api_error: bool) -> Fault | None:
    if status == _BUSY:
        return Fault.BUSY
    if status in _NOT_SERVING:
        return Fault.NOT_SERVED
    if status == 500 and not has_api_error:
        return Fault.NOT_SERVED
    if status >= 500:
        return Fault.FAILED
    return None


def _problem_of_error(
    response: Any, secrets: Secrets, body: _Body, api_error: Mapping[str, str]
) -> str:
    """Return what a response with the status of an error says, for a message; it may be nothing."""
    if body.flaw:
        return f"it is {body.flaw}"
    if body.form is not Form.JSON:
        return secrets.page(response.content, response.headers.get("Content-Type", ""))
    if not api_error and body.data is not None:
        return secrets.panel_text(json.dumps(with_masked_secrets(body.data), ensure_ascii=False))

    reason = api_error.get("message") or api_error.get("code")
    return f'"{reason}"' if reason else ""


_HALF_A_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


def _decode(content: bytes, media_type: str) -> _Body:
    """Return what the body is, whatever its type says."""
    if not content:
        return _Body(Form.JSON)

    other_form = Form.BROKEN_JSON if "json" in media_type.lower() else Form.PAGE
    try:
        text = content.decode("utf-8-sig")
        data = json.loads(text, parse_constant=_refused, parse_float=_finite)
    except RecursionError:
        return _Body(Form.JSON, flaw=f"JSON nested more than {DEEPEST} levels deep")
    except ValueError:
        return _Body(other_form)

    # Web servers and PHP write pages of one number or word; only what is marked as JSON may be
    # that.
    if not isinstance(data, (dict, list)) and other_form is Form.PAGE:
        return _Body(Form.PAGE)
    if text.count("[") + text.count("{") > DEEPEST and is_deeper(data, DEEPEST):
        return _Body(Form.JSON, flaw=f"JSON nested more than {DEEPEST} levels deep")
    if _HALF_A_CHARACTER.search(text) and not _is_unicode(data):
        flaw = "JSON with a half of a character (a lone surrogate), which no text can hold"
        return _Body(Form.JSON, flaw=flaw)
    return _Body(Form.JSON, data)


def _refused(constant: str) -> Any:
    """Refuse NaN and the infinities, which Python reads although no JSON has them."""
    raise ValueError(constant)


def _finite(digits: str) -> float:
    """Read a fraction; refuse one that is too large, which would become an infinity."""
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def _is_unicode(data: Any) -> bool:
    """Tell whether each text in it can be written."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _with_lists(value: Any) -> Any:
    """Return a copy with the lists with gaps, which PHP writes as objects with the names 0, 2 and
    so on.
    """
    if isinstance(value, list):
        return [_with_lists(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    entries = {name: _with_lists(entry) for name, entry in value.items()}
    is_list = "0" in entries and all(map(str.isdecimal, entries))
    return list(entries.values()) if is_list else entries


def _retry_after(text: str) -> float | None:
    """Return the seconds of the header, which may also give them as a date."""
    if text.isascii() and text.isdecimal():
        seconds = float(text)
        # A number with hundreds of digits is infinite, and says nothing.
        return seconds if math.isfinite(seconds) else None
    try:
        end = email.utils.parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return max(0.0, end - time.time())


_NO_AUTHORITIES = "the file of trusted authorities cannot be used; check ca_path, REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE"
# By fault, and without one where the next try meets the same; the first that fits.
# Other failures of TLS may also come after the request was sent.
_FAILURES: dict[Fault | None, dict[str, str]] = {
    None: {
        "Invalid(URL|Schema|ProxyURL)|LocationParseError": "{} cannot be used as the address of a panel; "
        "check api_url and the proxy settings",
        "Hostname mismatch|doesn't match|IP address mismatch": "the certificate of {} is for another host name; "
        "use the name in the certificate in api_url",
        "certificate has expired": "the certificate of {} has expired; renew it on the panel",
        "CERTIFICATE_VERIFY_FAILED": "the certificate of {} is not signed by an authority that this machine trusts; "
        "set ca_path for a private one",
        r"\[X509|SSLError.*Permission denied": _NO_AUTHORITIES,
        "WRONG_VERSION_NUMBER|HTTP_REQUEST|UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|NO_PROTOCOLS_AVAILABLE"
        "|HANDSHAKE_FAILURE|UNRECOGNIZED_NAME|CERTIFICATE_REQUIRED": "no TLS connection to {}; is it an https address?",
    },
    Fault.NO_SUCH_HOST: {"^[^:]*NameResolutionError": "the host name of {} does not resolve"},
    Fault.NOT_SENT: {
        # Older versions of urllib3 call it a ProxyError too when a proxy breaks off in the middle
        # of an answer.
        "ProxyError.*(NewConnectionError|NameResolutionError|ConnectTimeoutError|unnel connection failed)": (
            "the proxy of the environment refuses it; check HTTPS_PROXY and NO_PROXY"
        ),
        r"ConnectTimeout\b": "no connection to {} within {} s",
        "NewConnectionError": "{} refuses the connection or cannot be reached",
    },
    Fault.LOST_ANSWER: {
        "SSLError": "the TLS connection to {} broke off",
        r"Timeout\b|ReadTimeoutError": "no answer within the timeout of {1} s",
        r"\bConnectionError|ChunkedEncoding": "the connection was closed before the whole answer came",
        "": "what came back cannot be read as an answer",
    },
}


def attempt_without_answer(error: Exception, connection: Connection) -> Attempt:
    """Return the fault behind an exception of requests; raise one of the code itself again."""
    cause = error.args[0] if error.args else None
    reason = getattr(cause, "reason", cause)
    names = [cls.__name__ for cls in type(error).__mro__]
    names += [cls.__name__ for cls in type(reason).__mro__]

    if {"RequestException", "LocationParseError"}.isdisjoint(names):
        if not isinstance(error, OSError):
            raise error
        # The one other thing that requests lets through: a file of authorities that does not exist.
        return Attempt(problem=_NO_AUTHORITIES)

    # The words of any other reason may come out of a broken answer.
    has_own_words = not {"SSLError", "ProxyError"}.isdisjoint(names)
    description = f"{' '.join(names)}: {reason if has_own_words else ''}"
    fault, problem = _first_failure(description)
    return Attempt(fault=fault, problem=problem.format(connection.panel, connection.timeout))


def _first_failure(description: str) -> tuple[Fault | None, str]:
    """Return the first fault of the table that fits what is known of an exception, and its problem."""
    for fault, failures in _FAILURES.items():
        for pattern, problem in failures.items():
            if re.search(pattern, description):
                return fault, problem
    raise AssertionError("The last pattern of the table fits everything.")


_WRONG_ADDRESS = "Check that api_url is the address of the panel itself."
_BEFORE_THE_PANEL = "A web server or proxy before the panel answered, not its API: see its log."
_OTHER_FORM = (
    "The playbook hosting.panel.verify shows where this panel differs from the documentation."
)
_CHECK_FIRST = "Check the panel before you run the task again."
_RUN_AGAIN = "Run the task again."
_DONE = {"POST": "created", "PUT": "written", "DELETE": "deleted"}
_REFUSED_BEFORE = (
    "a web server or proxy before the panel refuses this (mod_security, for example): see its log"
)


def request_error(
    method: str,
    path: str,
    attempts: int,
    attempt: Attempt,
    may_have_written: bool = False,
    is_known: bool = False,
) -> RequestError:
    """Makes the error for the last attempt at a request.

    Args:
        may_have_written: Whether an earlier attempt at the same write may have taken effect,
            whatever the last one says.
        is_known: Whether a panel has answered this session before, so that its address and key are
            right.
    """
    kind = _kind_of_error(method, attempt, may_have_written)
    is_open = may_have_written or _leaves_effect_open(kind, attempt)
    is_unknown = is_open and method != "GET"

    headline = _headline(method, path, attempts, kind, attempt.status)
    cause = as_sentence(f"{headline}: {attempt.problem}" if attempt.problem else headline)
    advice = _advice(method, kind, attempt, is_known, is_unknown)

    details: dict[str, Any] = {"method": method, "path": path, "attempts": attempts}
    if attempt.status is not None:
        details["status"] = attempt.status
    details.update(attempt.api_error)

    error = kind(cause, advice, _written(method, is_unknown), **details)
    error.may_have_written = is_unknown
    if isinstance(error, OutcomeUnknown):
        error.may_complete_later = attempt.status in _BEFORE_THE_END
        error.wait = attempt.wait
    return error


def _leaves_effect_open(kind: type[RequestError], attempt: Attempt) -> bool:
    """Tell whether the last attempt leaves open what the panel did."""
    if attempt.may_have_written:
        return True
    # A web server that knows no such path, or no such method, did nothing.
    return kind is UnexpectedAnswer and attempt.status not in (404, 405)


def _headline(
    method: str, path: str, attempts: int, kind: type[RequestError], status: int | None
) -> str:
    """Return which request failed and how, without the reason."""
    if kind in (Denied, Refused):
        verb = "was refused"
    elif status is None or status >= 400:
        verb = "failed"
    else:
        verb = "got an unexpected answer"

    headline = f"{method} {path} {verb}"
    if status is not None:
        headline += f" ({status})"
    if attempts > 1:
        headline += f" after {attempts} attempts"
    return headline


def _written(method: str, is_unknown: bool) -> str:
    """Return the sentence about what a failed request has written."""
    if method == "GET":
        return ""
    return f"It may have been {_DONE[method]}." if is_unknown else NOTHING_WRITTEN


def _kind_of_error(method: str, attempt: Attempt, may_have_written: bool) -> type[RequestError]:
    """Return the type of the error; may_have_written: as of ``request_error``."""
    status = attempt.status
    if status in (401, 403):
        return Denied
    if attempt.fault is Fault.BUSY:
        return ServerFailed
    if attempt.may_have_written:
        return OutcomeUnknown if attempt.is_lost(method) else ServerFailed
    if status is None:
        return OutcomeUnknown if may_have_written else Unreachable
    return Refused if attempt.api_error and 400 <= status < 500 else UnexpectedAnswer


def _advice(
    method: str, kind: type[RequestError], attempt: Attempt, is_known: bool, is_unknown: bool
) -> str:
    """Return what to do, in one sentence; is_known, is_unknown: as in ``request_error``."""
    if kind is Denied:
        return _advice_on_key(method, attempt, is_known)
    if attempt.fault is Fault.BUSY:
        return f"Run again in {attempt.wait:.0f} s." if attempt.wait else "Run again later."
    if kind is Refused:
        return "Correct what the panel names and run the task again."
    if is_unknown:
        # A second creation makes a second object; a second change or deletion changes nothing.
        return _CHECK_FIRST if method == "POST" else _RUN_AGAIN
    if kind is Unreachable:
        # Without a fault, the problem says what to check.
        if attempt.fault is None:
            return ""
        return (
            "Check that the panel runs." if is_known else "Check api_url, and that the panel runs."
        )
    if kind is OutcomeUnknown:
        return "Raise timeout or retry_time if the panel is slow."
    if kind is ServerFailed:
        return "Try again later."
    return _advice_on_another_form(attempt, is_known)


def _advice_on_key(method: str, attempt: Attempt, is_known: bool) -> str:
    """Return what to do where the key does not get in; is_known: as in ``request_error``."""
    alternative = "" if attempt.api_error else f", or {_REFUSED_BEFORE}"
    if attempt.status == 401:
        return f"Check api_key: it is mistyped or deleted{alternative}."
    if attempt.form is Form.PAGE:
        return f"{_REFUSED_BEFORE[0].upper()}{_REFUSED_BEFORE[1:]}."
    if is_known and method != "GET" and attempt.api_error:
        return "This key seems to be read-only: use one that may write."

    limits = "must not be used from this address"
    if method != "GET":
        limits = f"is read-only or {limits}"
    return f"The API is switched off (Configuration, API in the panel), or this key {limits}{alternative}."


def _advice_on_another_form(attempt: Attempt, is_known: bool) -> str:
    """Return what to do about an answer to a read that no panel should give."""
    status = attempt.status or 0
    is_redirect = 300 <= status < 400
    if attempt.form is not Form.PAGE and not is_redirect:
        return _OTHER_FORM if attempt.form is Form.JSON else _RUN_AGAIN

    # Other statuses of errors come from what stands before a panel as well.
    if not is_known and (status < 400 or status in (404, 405)):
        return _WRONG_ADDRESS
    return _RUN_AGAIN if status < 300 else _BEFORE_THE_PANEL


def unexpected_answer(
    path: str, problem: str, advice: str = _OTHER_FORM, method: str = "GET", subject: str = ""
) -> UnexpectedAnswer:
    """Return the error for an answer of another form than the API has.

    Args:
        problem: A sentence without its subject, which is the request.
    """
    written = _written(method, is_unknown=True)
    details = {"method": method, "path": path, "attempts": 1}
    error = UnexpectedAnswer(f"{method} {path} {problem}", advice, written, subject, **details)
    error.may_have_written = method != "GET"
    return error


def answered_with(data: Any) -> str:
    """Return what came in place of what the API answers, for the ``problem`` of an unexpected
    answer.

    Secret fields are masked.
    """
    if data is None:
        return "(200): an empty body, or null."

    displayed = json.dumps(with_masked_secrets(data), ensure_ascii=False)
    if len(displayed) > LONGEST:
        # Between two values, so that none is cut off, which may be a known secret.
        beginning = displayed[:LONGEST].rpartition(", ")[0]
        displayed = f"{beginning} …"
    return f"(200, JSON): {displayed}."

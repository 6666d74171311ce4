# SPDX-License-Identifier: GPL-3.0-or-later
"""What one attempt at a request came to: an answer, or what went wrong, and the words for it. Private to the collection.

The exceptions of requests are recognized by their names, so that only the session imports it.
"""

from __future__ import annotations

import email.utils
import json
import re
import time
from typing import Any, NamedTuple

from .._errors import (
    NOTHING_WRITTEN,
    Denied,
    OutcomeUnknown,
    Refused,
    RequestError,
    ServerFailed,
    UnexpectedAnswer,
    Unreachable,
    in_words,
)
from .._secrets.panel_text import Secrets
from .._secrets.redaction import with_masked_secrets
from .connection_settings import Connection
from .repeats import MAY_HAVE_WRITTEN, Fault

_LONGEST = 500
_BUSY = 429
_NOT_SERVING = (408, 502, 503, 504)
# A gateway lost its connection to the panel, or waits no longer; after any other answer the panel is through with the request.
_BEFORE_THE_END = (502, 504)
# Without the user name and password that may stand before it, and without a path, which may log in too.
_HOST = re.compile(r"(?:https?:)?//(?:[^/?#]*@)?([^/?#]+)", re.IGNORECASE)


class Answer(NamedTuple):
    """A successful answer. ``data`` is the decoded JSON, or None for an empty body; ``as_sent`` the same before lists were read as such."""

    status: int
    data: Any
    as_sent: Any = None


class Attempt(NamedTuple):
    """How one attempt ended: with an answer, or with a problem and perhaps a fault after which it can be repeated.

    is_under_way: no answer said that the request ended, so the panel may still be processing it. wait: seconds of Retry-After.
    """

    answer: Answer | None = None
    fault: Fault | None = None
    problem: str = ""
    status: int | None = None
    code: str | None = None
    message: str | None = None
    wait: float | None = None
    is_under_way: bool = False


def attempt_with_response(
    response: Any, secrets: Secrets, accepted: frozenset[int] = frozenset(), plain_text: bool = False
) -> Attempt:
    """The answer in a response, or what is wrong with it.

    accepted: statuses besides 2xx that are answers too. plain_text: whether a text that is neither JSON nor HTML is one.
    """
    status, media_type = response.status_code, response.headers.get("Content-Type", "")
    is_json, data = _decoded(response.content, media_type)
    # Other statuses, 206 above all, bring less to a read than the whole.
    is_success = status == 200 if response.request.method == "GET" else 200 <= status < 300
    is_accepted = is_success or (status in accepted and not 300 <= status < 400)
    if is_accepted and is_json:
        return Attempt(answer=Answer(status, _with_lists(data) if b'"0"' in response.content else data, data))
    if is_accepted and plain_text and "html" not in media_type.lower():
        return Attempt(answer=Answer(status, response.text))
    secrets.learn(data)
    if 300 <= status < 400:
        found = _HOST.match(response.headers.get("Location", ""))
        target = secrets.panel_text(found[1]) if found else "another path"
        return Attempt(status=status, problem=f"it redirects to {target}, which is not followed")
    if 200 <= status < 300:
        is_lost = is_accepted and response.request.method == "POST"
        words = f"not JSON but {secrets.page(response.content, media_type)}" if is_accepted else "only a part"
        return Attempt(fault=Fault.LOST_ANSWER if is_lost else None, problem=f"it is {words}", status=status)
    # The panel's own error body (facts.md section 1.1).
    shown = data if isinstance(data, dict) else {}
    code, message = (
        secrets.panel_text(shown[name]) if shown.get(name) is not None else None for name in ("code", "message")
    )
    problem = f'"{message or code}"' if message or code else ""
    if not is_json:
        problem = secrets.page(response.content, media_type)
    fault = Fault.FAILED if status >= 500 else None
    if status == _BUSY:
        fault = Fault.BUSY
    elif status in _NOT_SERVING or (status == 500 and code is None and message is None):
        fault = Fault.NOT_SERVED
    wait = _retry_after(response.headers.get("Retry-After", ""))
    return Attempt(None, fault, problem, status, code, message, wait, is_under_way=status in _BEFORE_THE_END)


def _decoded(content: bytes, media_type: str) -> tuple[bool, Any]:
    """Whether the body is JSON, whatever its type says, and the decoded body."""
    if not content:
        return True, None
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        return False, None
    # Web servers and PHP write pages of one number or word; only what is marked as JSON may be that.
    is_json = isinstance(data, (dict, list)) or "json" in media_type.lower()
    return is_json, data if is_json else None


def _with_lists(value: Any) -> Any:
    """PHP writes a list with gaps as an object with the names 0, 2 and so on."""
    if isinstance(value, list):
        return [_with_lists(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    entries = {name: _with_lists(entry) for name, entry in value.items()}
    return list(entries.values()) if "0" in entries and all(map(str.isdecimal, entries)) else entries


def _retry_after(text: str) -> float | None:
    """Seconds, which the header may also give as a date."""
    if text.isascii() and text.isdecimal():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


_NO_AUTHORITIES = "the file of trusted authorities cannot be used; check ca_path, REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE"
# Failures that come again with the next try. All others of TLS may also happen after the request was sent.
_LASTING_FAILURES = {
    "Invalid(URL|Schema|ProxyURL)|LocationParseError": "{} cannot be used as the address of a panel; check api_url and the proxy settings",
    "Hostname mismatch|doesn't match|IP address mismatch": "the certificate of {} is for another host name; "
    "use the name in the certificate in api_url",
    "certificate has expired": "the certificate of {} has expired; renew it on the panel",
    "CERTIFICATE_VERIFY_FAILED": "the certificate of {} is not signed by an authority that this machine trusts; set ca_path for a private one",
    r"\[X509|SSLError.*Permission denied": _NO_AUTHORITIES,
    "WRONG_VERSION_NUMBER|HTTP_REQUEST|UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|NO_PROTOCOLS_AVAILABLE|HANDSHAKE_FAILURE|UNRECOGNIZED_NAME"
    "|CERTIFICATE_REQUIRED": "no TLS connection to {}; is it an https address?",
}
# The first that fits; older versions of urllib3 call it a ProxyError too when a proxy breaks off in the middle of an answer.
_FAULTS = {
    "ProxyError.*(NewConnectionError|NameResolutionError|ConnectTimeoutError|unnel connection failed)": (
        Fault.NOT_SENT,
        "the proxy of the environment refuses it; check HTTPS_PROXY and NO_PROXY",
    ),
    "NameResolutionError": (Fault.NO_SUCH_HOST, "the host name of {0} does not resolve"),
    r"ConnectTimeout\b": (Fault.NOT_SENT, "no connection to {0} within {1} s"),
    "NewConnectionError": (Fault.NOT_SENT, "{0} refuses the connection or cannot be reached"),
    "SSLError": (Fault.LOST_ANSWER, "the TLS connection to {0} broke off"),
    r"Timeout\b|ReadTimeoutError": (Fault.LOST_ANSWER, "no answer within the timeout of {1} s"),
    r"\bConnectionError|ChunkedEncoding": (Fault.LOST_ANSWER, "the connection was closed before the whole answer came"),
    "": (Fault.LOST_ANSWER, "what came back cannot be read as an answer"),
}


def attempt_without_answer(error: Exception, connection: Connection) -> Attempt | None:
    """The fault behind an exception of requests; None for an exception of the code itself."""
    cause = error.args[0] if error.args else None
    reason = getattr(cause, "reason", cause)
    names = [cls.__name__ for one in (error, reason) for cls in type(one).__mro__]
    if {"RequestException", "LocationParseError"}.isdisjoint(names):
        # The one other thing that requests lets through: a file of authorities that does not exist.
        return Attempt(problem=_NO_AUTHORITIES) if isinstance(error, OSError) else None
    # The words of any other reason may come out of a broken answer.
    words = str(reason) if {"SSLError", "ProxyError"} & set(names) else ""
    shape, host = f"{' '.join(names)}: {words}", connection.panel
    for pattern, words in _LASTING_FAILURES.items():
        if re.search(pattern, shape):
            return Attempt(problem=words.format(host))
    fault, words = next(meaning for pattern, meaning in _FAULTS.items() if re.search(pattern, shape))
    problem = words.format(host, connection.timeout)
    return Attempt(fault=fault, problem=problem, is_under_way=fault is Fault.LOST_ANSWER)


_WRONG_ADDRESS = "Check that api_url is the address of the panel itself."
_RUN_AGAIN = "Check the panel before you run the task again."
_DONE = {"POST": "created", "PUT": "written", "DELETE": "deleted"}


def request_error(
    method: str, path: str, attempts: int, attempt: Attempt, may_have_written: bool = False
) -> RequestError:
    """The error for the last attempt at a request.

    may_have_written: an earlier attempt at the same write may have taken effect, whatever the last one says.
    """
    status = attempt.status
    kind, advice = _kind_and_advice(method, attempt)
    if may_have_written and kind is Unreachable:
        kind, advice = OutcomeUnknown, _RUN_AGAIN
    # What these answers leave open.
    is_open = kind is ServerFailed or (kind is UnexpectedAnswer and status not in (404, 405))
    is_unknown = may_have_written or kind is OutcomeUnknown or (is_open and attempt.fault is not Fault.BUSY)
    is_unknown = is_unknown and method != "GET"
    verb = "failed"
    if status is not None:
        verb = "was refused" if kind in (Refused, Denied) else verb if status >= 400 else "got an unexpected answer"
        verb += f" ({status})"
    about = f"{method} {path} {verb}" + (f" after {attempts} attempts" if attempts > 1 else "")
    written = "" if method == "GET" else f"It may have been {_DONE[method]}." if is_unknown else NOTHING_WRITTEN
    told = {name: getattr(attempt, name) for name in ("status", "code", "message")}
    details = {"method": method, "path": path, "attempts": attempts}
    details |= {name: given for name, given in told.items() if given is not None}
    error = kind(in_words(about, attempt.problem), f"{written} {advice}".strip(), **details)
    error.may_have_written = is_unknown
    if isinstance(error, OutcomeUnknown):
        error.is_under_way, error.wait = attempt.is_under_way, attempt.wait
    return error


def _kind_and_advice(method: str, attempt: Attempt) -> tuple[type[RequestError], str]:
    status, fault = attempt.status, attempt.fault
    is_told = attempt.code is not None or attempt.message is not None
    if status in (401, 403):
        limits = f"{'' if method == 'GET' else 'is read-only or '}must not be used from this address"
        why = f"The API is switched off (Configuration, API in the panel), or this key {limits}"
        other = "" if is_told else ", or it is a web server or proxy before the panel that refuses this"
        return Denied, f"{why if status == 403 else 'Check api_key: it is mistyped or deleted'}{other}."
    if fault is Fault.BUSY:
        return ServerFailed, f"Run again in {attempt.wait:.0f} s." if attempt.wait else "Run again later."
    if fault in MAY_HAVE_WRITTEN:
        is_lost = fault is Fault.LOST_ANSWER or (method == "POST" and fault is Fault.NOT_SERVED)
        retry = "Raise timeout or retry_time if the panel is slow." if is_lost else "Try again later."
        return OutcomeUnknown if is_lost else ServerFailed, retry if method == "GET" else _RUN_AGAIN
    if status is None:
        return Unreachable, "Check api_url, and that the panel runs." if fault else ""
    if is_told and 400 <= status < 500:
        return Refused, "Correct what the panel names and run the task again."
    return UnexpectedAnswer, _WRONG_ADDRESS


def unexpected_answer(path: str, problem: str, advice: str = _WRONG_ADDRESS, method: str = "GET") -> UnexpectedAnswer:
    """The error for an answer of another form than the interface describes; ``problem`` is a sentence without its subject."""
    error = UnexpectedAnswer(f"{method} {path} {problem}", advice, method=method, path=path, attempts=1)
    error.may_have_written = method != "GET"
    return error


def answered_with(data: Any) -> str:
    """What came in place of what the interface describes, without secret fields, for the ``problem`` of an unexpected answer."""
    shown = json.dumps(with_masked_secrets(data), ensure_ascii=False)
    if len(shown) > _LONGEST:
        # Between two values, so that none is cut off, which may be a known secret.
        shown = f"{shown[:_LONGEST].rpartition(', ')[0]} …"
    return f"(200, JSON): {shown}."

# SPDX-License-Identifier: GPL-3.0-or-later
"""What one attempt at a request came to: an answer, or what went wrong, its words, and whether another may follow. Private to the collection.

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

from .._errors import Denied, OutcomeUnknown, Refused, RequestError, ServerFailed, UnexpectedAnswer, Unreachable
from .._problems import NOTHING_WRITTEN, as_sentence
from .._secrets.redaction import LONGEST, Secrets, with_masked_secrets
from .connection_settings import Connection

_BUSY = 429
_NOT_SERVING = (408, 502, 503, 504)
# No answer, or that of a gateway which lost its connection to the panel, or waits no longer; after any other the panel is through with the request.
_BEFORE_THE_END = (None, 502, 504)
# Without the user name and password that may stand before it, and without a path, which may log in too.
_HOST = re.compile(r"(?:https?:)?//(?:[^/?#]*@)?([^/?#]+)", re.IGNORECASE)


class Fault(Enum):
    """What happened to one attempt."""

    NOT_SENT = "not sent"  # no connection, so the panel saw nothing
    NO_SUCH_HOST = "no such host"
    BUSY = "busy"  # 429: nothing was done
    NOT_SERVED = "not served"  # 408, 502, 503, 504, or 500 without JSON: whether the work had begun is not api_error
    LOST_ANSWER = "lost answer"  # sent, then reset, timed out or cut off
    FAILED = "failed"  # 500 with a JSON error: the panel itself says that it failed


class Form(Enum):
    """What the body of an answer is."""

    JSON = "JSON"
    BROKEN_JSON = "broken JSON"  # which says that it is JSON
    PAGE = "page"  # or any other text


class Answer(NamedTuple):
    """A successful answer. ``data`` is the decoded JSON, or None for an empty body; ``as_sent`` the same before lists were read as such."""

    status: int
    data: Any
    as_sent: Any = None


class Attempt(NamedTuple):
    """How one attempt ended: with an answer, or with a problem and perhaps a fault after which it can be repeated.

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
        """Whether every request meets this in that moment, and none after a pause."""
        return self.fault in (Fault.NOT_SENT, Fault.BUSY, Fault.NOT_SERVED)

    @property
    def may_have_written(self) -> bool:
        return self.fault in (Fault.NOT_SERVED, Fault.LOST_ANSWER, Fault.FAILED)

    def most(self, method: str) -> float:
        """How often a request is sent that ended so at last; without a fault the panel has spoken, and nothing is sent again.

        A second PUT sends the same values, and after a second DELETE 404 means done; a second POST would make another object.
        """
        if self.fault is None or (method == "POST" and self.may_have_written):
            return 1
        if self.fault is Fault.FAILED:
            return 2 if method == "GET" else 1
        return 2 if self.fault is Fault.NO_SUCH_HOST else math.inf


def attempt_with_response(
    response: Any, secrets: Secrets, accepted: frozenset[int] = frozenset(), plain_text: bool = False
) -> Attempt:
    """The answer in a response, or what is wrong with it.

    accepted: statuses besides 2xx that are answers too. plain_text: whether a text that is neither JSON nor HTML is one.
    """
    status, media_type = response.status_code, response.headers.get("Content-Type", "")
    form, data, flaw = _decoded(response.content, media_type)
    is_json = form is Form.JSON and not flaw
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
        return Attempt(status=status, problem=f"it redirects to {target}, which is not followed", form=form)
    if 200 <= status < 300:
        is_lost = is_accepted and response.request.method == "POST"
        fault = Fault.LOST_ANSWER if is_lost else None
        problem = "it is only a part"
        if is_accepted:
            kind = "incomplete or invalid" if form is Form.BROKEN_JSON else "not JSON but"
            problem = f"it is {flaw or f'{kind} {secrets.page(response.content, media_type)}'}"
        return Attempt(fault=fault, problem=problem, status=status, form=form)
    body = data if isinstance(data, dict) else {}
    api_error = {name: secrets.panel_text(body[name]) for name in ("code", "message") if body.get(name) is not None}
    reason = api_error.get("message") or api_error.get("code")
    problem = f'"{reason}"' if reason else ""
    fault = Fault.FAILED if status >= 500 else None
    if status == _BUSY:
        fault = Fault.BUSY
    elif status in _NOT_SERVING or (status == 500 and not api_error):
        fault = Fault.NOT_SERVED
    if not is_json:
        problem = f"it is {flaw}" if flaw else secrets.page(response.content, media_type)
    elif not api_error and data is not None:
        problem = secrets.panel_text(json.dumps(with_masked_secrets(data), ensure_ascii=False))
    wait = _retry_after(response.headers.get("Retry-After", ""))
    return Attempt(None, fault, problem, status, api_error, wait, form)


DEEPEST = 64
"""How deep JSON may be nested: many times deeper than any answer of a panel, and far from where
Python ends."""
_HALF_A_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


def _decoded(content: bytes, media_type: str) -> tuple[Form, Any, str]:
    """What the body is, whatever its type says, the decoded body, and why it cannot be used although it is JSON."""
    if not content:
        return Form.JSON, None, ""
    other_form = Form.BROKEN_JSON if "json" in media_type.lower() else Form.PAGE
    try:
        text = content.decode("utf-8-sig")
        data = json.loads(text, parse_constant=_refused, parse_float=_finite)
    except RecursionError:
        return Form.JSON, None, f"JSON nested more than {DEEPEST} levels deep"
    except ValueError:
        return other_form, None, ""
    # Web servers and PHP write pages of one number or word; only what is marked as JSON may be that.
    if not isinstance(data, (dict, list)) and other_form is Form.PAGE:
        return Form.PAGE, None, ""
    if text.count("[") + text.count("{") > DEEPEST and _is_deeper(data, DEEPEST):
        return Form.JSON, None, f"JSON nested more than {DEEPEST} levels deep"
    if _HALF_A_CHARACTER.search(text) and not _is_unicode(data):
        return Form.JSON, None, "JSON with a half of a character (a lone surrogate), which no text can hold"
    return Form.JSON, data, ""


def _refused(constant: str) -> Any:
    """Refuse NaN and the infinities, which Python reads although no JSON has them."""
    raise ValueError(constant)


def _finite(digits: str) -> float:
    """Read a fraction; refuse one that is too large, which would become an infinity."""
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def _is_deeper(data: Any, most: int) -> bool:
    """Whether lists and dictionaries lie in one another more than so many times. Level by level, since a recursion would end where Python does."""
    level = [data]
    for _number in range(most):
        inner: list[Any] = []
        for outer in level:
            values = outer.values() if isinstance(outer, dict) else outer
            inner += [value for value in values if isinstance(value, (dict, list))]
        if not inner:
            return False
        level = inner
    return True


def _is_unicode(data: Any) -> bool:
    """Whether each text in it can be written."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


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
# By fault, and without one where the next try meets the same; the first that fits. Other failures of TLS may also come after the request was sent.
_FAILURES: dict[Fault | None, dict[str, str]] = {
    None: {
        "Invalid(URL|Schema|ProxyURL)|LocationParseError": "{} cannot be used as the address of a panel; check api_url and the proxy settings",
        "Hostname mismatch|doesn't match|IP address mismatch": "the certificate of {} is for another host name; "
        "use the name in the certificate in api_url",
        "certificate has expired": "the certificate of {} has expired; renew it on the panel",
        "CERTIFICATE_VERIFY_FAILED": "the certificate of {} is not signed by an authority that this machine trusts; set ca_path for a private one",
        r"\[X509|SSLError.*Permission denied": _NO_AUTHORITIES,
        "WRONG_VERSION_NUMBER|HTTP_REQUEST|UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|NO_PROTOCOLS_AVAILABLE|HANDSHAKE_FAILURE|UNRECOGNIZED_NAME"
        "|CERTIFICATE_REQUIRED": "no TLS connection to {}; is it an https address?",
    },
    Fault.NO_SUCH_HOST: {"^[^:]*NameResolutionError": "the host name of {} does not resolve"},
    Fault.NOT_SENT: {
        # Older versions of urllib3 call it a ProxyError too when a proxy breaks off in the middle of an answer.
        "ProxyError.*(NewConnectionError|NameResolutionError|ConnectTimeoutError|unnel connection failed)": "the proxy of the environment "
        "refuses it; check HTTPS_PROXY and NO_PROXY",
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
    """The fault behind an exception of requests; an exception of the code itself is raised again."""
    cause = error.args[0] if error.args else None
    reason = getattr(cause, "reason", cause)
    names = [cls.__name__ for one in (error, reason) for cls in type(one).__mro__]
    if {"RequestException", "LocationParseError"}.isdisjoint(names):
        if not isinstance(error, OSError):
            raise error
        # The one other thing that requests lets through: a file of authorities that does not exist.
        return Attempt(problem=_NO_AUTHORITIES)
    # The words of any other reason may come out of a broken answer.
    shape = f"{' '.join(names)}: {reason if {'SSLError', 'ProxyError'} & set(names) else ''}"
    meanings = ((fault, *one) for fault, failures in _FAILURES.items() for one in failures.items())
    fault, words = next((fault, words) for fault, pattern, words in meanings if re.search(pattern, shape))
    return Attempt(fault=fault, problem=words.format(connection.panel, connection.timeout))


_WRONG_ADDRESS = "Check that api_url is the address of the panel itself."
_BEFORE_THE_PANEL = "A web server or proxy before the panel answered, not its API: see its log."
_OTHER_FORM = "The playbook hosting.panel.verify shows where this panel differs from the documentation."
_CHECK_FIRST = "Check the panel before you run the task again."
_RUN_AGAIN = "Run the task again."
_DONE = {"POST": "created", "PUT": "written", "DELETE": "deleted"}
_REFUSED_BEFORE = "a web server or proxy before the panel refuses this (mod_security, for example): see its log"


def request_error(
    method: str, path: str, attempts: int, attempt: Attempt, may_have_written: bool = False, is_known: bool = False
) -> RequestError:
    """Makes the error for the last attempt at a request.

    Args:
        may_have_written: Whether an earlier attempt at the same write may have taken effect, whatever the last one says.
        is_known: Whether a panel has answered this session before, so that its address and key are right.
    """
    status, is_read = attempt.status, method == "GET"
    kind = _kind_of_error(method, attempt, may_have_written)
    # Whether the answer leaves open what the panel did. A web server that knows no such path, or no such method, did nothing.
    is_open = attempt.may_have_written or (kind is UnexpectedAnswer and status not in (404, 405))
    is_unknown = (is_open or may_have_written) and not is_read
    verb = "failed" if status is None or status >= 400 else "got an unexpected answer"
    if kind in (Denied, Refused):
        verb = "was refused"
    about = f"{method} {path} {verb}" + ("" if status is None else f" ({status})")
    if attempts > 1:
        about += f" after {attempts} attempts"
    written = "" if is_read else f"It may have been {_DONE[method]}." if is_unknown else NOTHING_WRITTEN
    details = {"method": method, "path": path, "attempts": attempts}
    details |= ({} if status is None else {"status": status}) | dict(attempt.api_error)
    advice = _advice(method, kind, attempt, is_known, is_unknown)
    cause = as_sentence(f"{about}: {attempt.problem}" if attempt.problem else about)
    error = kind(cause, advice, written, **details)
    error.may_have_written = is_unknown
    if isinstance(error, OutcomeUnknown):
        error.may_complete_later = status in _BEFORE_THE_END
        error.wait = attempt.wait
    return error


def _kind_of_error(method: str, attempt: Attempt, may_have_written: bool) -> type[RequestError]:
    status, fault = attempt.status, attempt.fault
    if status in (401, 403):
        return Denied
    if fault is Fault.BUSY:
        return ServerFailed
    if attempt.may_have_written:
        is_lost = fault is Fault.LOST_ANSWER or (method == "POST" and fault is Fault.NOT_SERVED)
        return OutcomeUnknown if is_lost else ServerFailed
    if status is None:
        return OutcomeUnknown if may_have_written else Unreachable
    return Refused if attempt.api_error and 400 <= status < 500 else UnexpectedAnswer


def _advice(method: str, kind: type[RequestError], attempt: Attempt, is_known: bool, is_unknown: bool) -> str:
    """What to do: one sentence. is_known, is_unknown: as in ``request_error``."""
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
        checked = "Check that the panel runs." if is_known else "Check api_url, and that the panel runs."
        return checked if attempt.fault else ""
    if kind is OutcomeUnknown:
        return "Raise timeout or retry_time if the panel is slow."
    if kind is ServerFailed:
        return "Try again later."
    return _advice_on_another_form(attempt, is_known)


def _advice_on_key(method: str, attempt: Attempt, is_known: bool) -> str:
    before = "" if attempt.api_error else f", or {_REFUSED_BEFORE}"
    if attempt.status == 401:
        return f"Check api_key: it is mistyped or deleted{before}."
    if attempt.form is Form.PAGE:
        return f"{_REFUSED_BEFORE[0].upper()}{_REFUSED_BEFORE[1:]}."
    if is_known and method != "GET" and attempt.api_error:
        return "This key seems to be read-only: use one that may write."
    limits = (
        "must not be used from this address"
        if method == "GET"
        else "is read-only or must not be used from this address"
    )
    return f"The API is switched off (Configuration, API in the panel), or this key {limits}{before}."


def _advice_on_another_form(attempt: Attempt, is_known: bool) -> str:
    """What to do about an answer to a read that no panel should give."""
    status = attempt.status or 0
    if attempt.form is not Form.PAGE and not 300 <= status < 400:
        return _OTHER_FORM if attempt.form is Form.JSON else _RUN_AGAIN
    # Other statuses of errors come from what stands before a panel as well.
    if not is_known and (status < 400 or status in (404, 405)):
        return _WRONG_ADDRESS
    return _RUN_AGAIN if status < 300 else _BEFORE_THE_PANEL


def unexpected_answer(
    path: str, problem: str, advice: str = _OTHER_FORM, method: str = "GET", subject: str = ""
) -> UnexpectedAnswer:
    """The error for an answer of another form than the API has; ``problem`` is a sentence without
    its subject."""
    written = "" if method == "GET" else f"It may have been {_DONE[method]}."
    details = {"method": method, "path": path, "attempts": 1}
    error = UnexpectedAnswer(f"{method} {path} {problem}", advice, written, subject, **details)
    error.may_have_written = method != "GET"
    return error


def answered_with(data: Any) -> str:
    """What came in place of what the API answers, without secret fields, for the ``problem`` of an
    unexpected answer."""
    if data is None:
        return "(200): an empty body, or null."
    shown = json.dumps(with_masked_secrets(data), ensure_ascii=False)
    if len(shown) > LONGEST:
        # Between two values, so that none is cut off, which may be a known secret.
        shown = f"{shown[:LONGEST].rpartition(', ')[0]} …"
    return f"(200, JSON): {shown}."

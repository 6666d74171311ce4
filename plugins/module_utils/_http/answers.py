# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one attempt at a request came to: an answer, or what went wrong, and the words for it. Private to the collection.

The exceptions of requests are told apart by their names, so that only the session imports it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from .._errors import (
    NOTHING_WRITTEN,
    Denied,
    OutcomeUnknown,
    Refused,
    RequestError,
    ServerFailed,
    UnexpectedAnswer,
    Unreachable,
)
from .._secrets.foreign_texts import Gate, media_type
from .connection_settings import Connection
from .repeats import Decision, Fault

_NOT_SERVING = (408, 429, 502, 503, 504)
_TITLE = re.compile(r"(?is)<title[^<>]*>([^<]*)</title")
NOT_SHOWN = "not shown"
# To what was asked for, as against the path, the method and the key.
_OBJECTIONS = (400, 403, 409, 422)
# A gateway lost its connection to the panel, or waits no longer; after any other answer the panel is through with the request.
_BEFORE_THE_END = (502, 504)
# What OpenSSL calls the failures of a handshake that come again with the next try. Everything else may also happen in the middle
# of an answer, when the request has had its effect.
_LASTING_TLS_FAILURES = (
    "CERTIFICATE_VERIFY_FAILED",
    "WRONG_VERSION_NUMBER",
    "HTTP_REQUEST",
    "UNSUPPORTED_PROTOCOL",
    "PROTOCOL_VERSION",
    "NO_PROTOCOLS_AVAILABLE",
    "HANDSHAKE_FAILURE",
    "UNRECOGNIZED_NAME",
    "CERTIFICATE_REQUIRED",
)


class Answer(NamedTuple):
    """A successful answer. ``data`` is the decoded JSON, or None for an empty body; ``as_sent`` the same before lists were read as such."""

    status: int
    data: Any
    as_sent: Any = None


class Attempt(NamedTuple):
    """How one attempt ended: with an answer, or with a fault and the words for it.

    is_under_way: nobody said that the request ended, so the panel may still be at it.
    """

    answer: Answer | None = None
    fault: Fault | None = None
    problem: str = ""
    status: int | None = None
    code: str | None = None
    panel_message: str | None = None
    wait: float | None = None
    is_under_way: bool = False


_WITHOUT_FAULT = Attempt()


@dataclass(frozen=True)
class Exchange:
    """An answer as it came, whatever its status, which is 0 where none came. attempt: what a task makes of it.

    data: the decoded JSON, None where it is none. content_type, date: as the headers have them, empty where there is none.
    """

    status: int
    data: Any = None
    is_json: bool = True
    content_type: str = "application/json"
    content: bytes = b""
    attempt: Attempt = _WITHOUT_FAULT
    date: str = ""

    @property
    def fault(self) -> Fault | None:
        """Why nobody knows what the panel did or wants; None where it has spoken."""
        return self.attempt.fault

    @property
    def is_done(self) -> bool:
        """Whether the panel did, or showed, what was asked for. A page with 200 is none of its answers."""
        return self.fault is None and 200 <= self.status < 300 and not self.is_page

    @property
    def is_page(self) -> bool:
        """Whether it is something else than JSON or nothing."""
        return bool(self.content) and not self.is_json

    @property
    def is_refused(self) -> bool:
        """Whether the panel itself said no."""
        return self.fault is None and 400 <= self.status < 500

    @property
    def is_objection(self) -> bool:
        """Whether the panel says in its own form what it has against a request, and not that it has no such path, or does not let the key in."""
        is_own = isinstance(self.data, Mapping) and not self.data.keys().isdisjoint(("code", "message"))
        return is_own and self.fault is None and self.status in _OBJECTIONS

    @property
    def object(self) -> Mapping[str, Any]:
        """The object that was shown; empty where none was."""
        return self.data if self.is_done and isinstance(self.data, Mapping) else {}

    @property
    def items(self) -> list[Mapping[str, Any]]:
        """The objects of a list; none where it is none."""
        is_list = self.is_done and isinstance(self.data, list)
        return [item for item in self.data if isinstance(item, Mapping)] if is_list else []


def exchange_of(response: Any, gate: Gate) -> Exchange:
    """The answer in a response of requests."""
    is_json, data = _decoded(response)
    return Exchange(
        status=response.status_code,
        data=data,
        is_json=is_json and bool(response.content),
        content_type=response.headers.get("Content-Type", ""),
        content=response.content,
        attempt=attempt_with_response(response, gate),
        date=response.headers.get("Date", ""),
    )


def attempt_with_response(
    response: Any, gate: Gate, accepted: frozenset[int] = frozenset(), plain_text: bool = False
) -> Attempt:
    """The answer in a response, or what is wrong with it.

    accepted: statuses besides 2xx that are answers too. plain_text: whether a text that is neither JSON nor HTML is one.
    """
    status = response.status_code
    is_json, data = _decoded(response)
    is_accepted = _is_accepted(response, accepted)
    if is_accepted and is_json:
        return Attempt(answer=Answer(status, _with_lists(data) if b'"0"' in response.content else data, data))
    if is_accepted and plain_text and "html" not in response.headers.get("Content-Type", "").lower():
        return Attempt(answer=Answer(status, response.text))
    gate.learn(data)
    if 300 <= status < 400:
        target = gate.shown(_redirect_target(response.headers), "host") or "another host"
        return Attempt(
            status=status,
            problem=f"the panel redirects to {target}, which is not followed; set api_url to the panel itself",
        )
    if is_accepted:
        return Attempt(
            status=status,
            fault=Fault.LOST_ANSWER if response.request.method == "POST" else None,
            problem=f"the answer is not JSON but {_described(response, gate)}; is this the address of the panel's API?",
        )
    if 200 <= status < 300:
        return Attempt(
            status=status, problem="the answer is not the whole of what was asked for, which only comes with 200"
        )
    code, message = _panel_error(data, gate)
    fault = None
    if status in _NOT_SERVING or (status == 500 and code is None and message is None):
        fault = Fault.NOT_SERVED
    elif status >= 500:
        fault = Fault.FAILED
    return Attempt(
        fault=fault,
        problem=message
        or ("no reason given" if is_json else f"no reason given; the answer is {_described(response, gate)}"),
        status=status,
        code=code,
        panel_message=message,
        wait=_retry_after(response.headers),
        is_under_way=status in _BEFORE_THE_END,
    )


def _is_accepted(response: Any, accepted: frozenset[int]) -> bool:
    """Whether an answer with this status is one; to a read that is 200 alone, since others, 206 above all, bring less than the whole."""
    status: int = response.status_code
    is_success = status == 200 if response.request.method == "GET" else 200 <= status < 300
    return is_success or (status in accepted and not 300 <= status < 400)


def _decoded(response: Any) -> tuple[bool, Any]:
    """Whether the body is JSON, whatever its type says, and the decoded body."""
    if not response.content:
        return True, None
    try:
        data = json.loads(response.content)
    except (ValueError, RecursionError):
        return False, None
    # Web servers and PHP write pages of one number or word; only what is marked as JSON may be that.
    is_json = isinstance(data, (dict, list)) or "json" in response.headers.get("Content-Type", "").lower()
    return is_json, data if is_json else None


def _with_lists(value: Any) -> Any:
    """PHP writes a list with gaps as an object with the names 0, 2 and so on."""
    if isinstance(value, list):
        return [_with_lists(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    entries = {name: _with_lists(entry) for name, entry in value.items()}
    return list(entries.values()) if "0" in entries and all(map(str.isdecimal, entries)) else entries


def _names(error: BaseException) -> set[str]:
    return {cls.__name__ for cls in type(error).__mro__}


def attempt_without_answer(error: Exception, connection: Connection, was_sent: bool = False) -> Attempt | None:
    """The fault behind an exception of requests; None for an exception of the code itself.

    was_sent: something of the request has left, so whatever the exception is, the answer was lost.
    """
    names = _names(error)
    if was_sent:
        return _attempt_without_its_answer(names, _reasons(error), connection)
    host = urlsplit(connection.base_url).netloc
    if names & {"InvalidURL", "InvalidHeader", "InvalidSchema", "InvalidProxyURL", "LocationParseError"}:
        return Attempt(problem=f"{host} cannot be used as the address of a panel; check api_url and the proxy settings")
    if "RequestException" not in names:
        # The one other thing that requests lets through: a file of authorities that is not there.
        return Attempt(problem=_NO_AUTHORITIES) if isinstance(error, OSError) else None
    reasons = _reasons(error)
    if "SSLError" in names:
        return _attempt_without_tls(str(_reason(error)), host)
    if "ProxyError" in names:
        return Attempt(
            fault=Fault.NOT_SENT,
            problem="the proxy named in the environment does not let it through; check HTTPS_PROXY, or name the panel in NO_PROXY",
        )
    if "NameResolutionError" in reasons:
        return Attempt(fault=Fault.NO_SUCH_HOST, problem=f"the host name of {host} does not resolve")
    if "ConnectTimeout" in names:
        return Attempt(fault=Fault.NOT_SENT, problem=f"no connection to {host} within {connection.timeout} s")
    if "NewConnectionError" in reasons:
        return Attempt(fault=Fault.NOT_SENT, problem=f"{host} refuses the connection or cannot be reached")
    return _attempt_without_its_answer(names, reasons, connection)


def _reason(error: Exception) -> Any:
    cause = error.args[0] if error.args else None
    return getattr(cause, "reason", cause)


def _reasons(error: Exception) -> set[str]:
    reason = _reason(error)
    return _names(reason) if isinstance(reason, BaseException) else set()


def _attempt_without_its_answer(names: set[str], reasons: set[str], connection: Connection) -> Attempt:
    if names & {"Timeout", "ReadTimeoutError", "TimeoutError"} or "ReadTimeoutError" in reasons:
        problem = f"no answer within the timeout of {connection.timeout} s"
    elif "SSLError" in names:
        problem = f"the TLS connection to {urlsplit(connection.base_url).netloc} broke off"
    elif names & {"ConnectionError", "ProtocolError", "ChunkedEncodingError"}:
        problem = "the connection was closed before the whole answer had come"
    else:
        problem = "what came back cannot be read as an answer"
    return Attempt(fault=Fault.LOST_ANSWER, problem=problem, is_under_way=True)


_NO_AUTHORITIES = (
    "the file with the trusted authorities cannot be used; check ca_path, and REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE in "
    "the environment"
)


def _attempt_without_tls(reason: str, host: str) -> Attempt:
    if "Hostname mismatch" in reason or "doesn't match" in reason or "IP address mismatch" in reason:
        problem = f"the certificate of {host} is for another host name; use the name in the certificate in api_url"
    elif "certificate has expired" in reason:
        problem = f"the certificate of {host} has expired; renew it on the panel"
    elif "CERTIFICATE_VERIFY_FAILED" in reason:
        problem = (
            f"the certificate of {host} is not signed by an authority that this machine trusts; "
            "for a private authority set ca_path"
        )
    elif "[X509" in reason or "Permission denied" in reason:
        problem = _NO_AUTHORITIES
    elif any(failure in reason for failure in _LASTING_TLS_FAILURES):
        problem = f"no TLS connection to {host}; is it an https address?"
    else:
        return Attempt(fault=Fault.LOST_ANSWER, problem=f"the TLS connection to {host} broke off", is_under_way=True)
    return Attempt(problem=problem)


def _described(response: Any, gate: Gate) -> str:
    """All that is told of a body that cannot be read: its type, its length and, of a page, its title."""
    words = f"{media_type(response.headers.get('Content-Type'))} of {len(response.content)} bytes"
    title = _TITLE.search(response.content[:20000].decode("utf-8", "replace"))
    shown = gate.shown(title[1], "title") if title else None
    return f'{words} with the title "{shown}"' if shown else words


def _redirect_target(headers: Mapping[str, str]) -> str:
    """The host that a redirect leads to, without the user name and password that may stand before it."""
    try:
        netloc = urlsplit(headers.get("Location", "")).netloc
    except ValueError:
        netloc = ""
    return netloc.rpartition("@")[2] or "another path"


def _panel_error(data: Any, gate: Gate) -> tuple[str | None, str | None]:
    """What may be shown of ``code`` and ``message`` of an error body (facts.md section 1.1); None for what is not there."""
    if not isinstance(data, dict):
        return None, None
    code, message = data.get("code"), data.get("message")
    return (
        (gate.shown(code, "code") or NOT_SHOWN) if code is not None else None,
        gate.told(message) if message is not None else None,
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    text = headers.get("Retry-After", "")
    return float(text) if re.fullmatch(r"\d{1,6}", text) else None


_UNKNOWN_AFTER = {
    "POST": "Whether it took effect is not known; look on the panel before you run the task again.",
    "PUT": "Whether the change took effect is not known; run the task again.",
    "DELETE": "Whether the object was deleted is not known; run the task again.",
}
_UNREACHED = "Check api_url, and whether the panel runs."
_MISUNDERSTOOD = "Check that api_url is the address of the panel itself."
_REFUSED = "Correct what the panel complains about, and run the task again."
_STOP = "Nothing more is sent, because the panel bans addresses that fail often."
SWITCHED_OFF = "API is switched off (Configuration, API in the panel)"
_NO_ACCESS = f"The {SWITCHED_OFF}, or this key may not be used from this address, or api_key is wrong"
_READ_ONLY = (
    f"Reads were answered, so this key may only read, as it seems. Use one that may write. Otherwise the {SWITCHED_OFF} by now, or this key may not "
    "be used from this address any more"
)
# The likeliest first: by status, and whether the panel says so in its own form.
_WHY_DENIED = {
    (401, True): "Check api_key, which is missing, mistyped or deleted.",
    (401, False): (
        "A web server's password or a proxy stands before the panel, or api_key is wrong, or this is another product, or the "
        f"{SWITCHED_OFF}."
    ),
    (403, True): f"{_NO_ACCESS}.",
    (403, False): f"{_NO_ACCESS}, or a proxy before the panel refuses it, or this is another product.",
}
_WHY_NO_WRITE = {True: f"{_READ_ONLY}.", False: f"{_READ_ONLY}, or a proxy before the panel refuses it."}
# The panel does not accept the key, or not from this address, or not for this.
DENIALS = frozenset(status for status, _is_told in _WHY_DENIED)


def why_denied(status: int, is_told: bool = True, is_write_after_reads: bool = False) -> str:
    """What 401 or 403 may mean. is_told: whether the panel said so in its own form."""
    return _WHY_NO_WRITE[is_told] if is_write_after_reads and status == 403 else _WHY_DENIED[status, is_told]


def request_error(
    method: str,
    path: str,
    attempts: int,
    attempt: Attempt,
    decision: Decision,
    may_have_written: bool = False,
    only_reads: bool = False,
) -> RequestError:
    """The error for the last attempt at a request; ``decision`` is what the table of repeats said about it.

    ``may_have_written``: an earlier attempt at the same write may have taken effect, whatever the last one says.
    ``only_reads``: the panel has answered reads with this key, and no write.
    """
    error_type, advice = _type_and_advice(method, attempt, decision, only_reads)
    if may_have_written and error_type is Refused:
        advice = _REFUSED
    elif may_have_written and error_type is Unreachable:
        error_type, advice = OutcomeUnknown, _UNKNOWN_AFTER[method]
    details: dict[str, Any] = {"method": method, "path": path, "attempts": attempts}
    for name in ("status", "code", "panel_message"):
        if getattr(attempt, name) is not None:
            details[name] = getattr(attempt, name)
    answered = f" answered {attempt.status}" if attempt.status else ""
    tries = f", {attempts} attempts" if attempts > 1 else ""
    what = f"{method} {path}{answered}{tries}: {attempt.problem}"
    end = "" if what.endswith((".", "!", "?", "…")) else "."
    error = error_type(what + end, advice, **details)
    error.may_have_written = may_have_written or advice == _UNKNOWN_AFTER.get(method)
    if isinstance(error, OutcomeUnknown):
        error.is_under_way, error.wait = attempt.is_under_way, attempt.wait
    return error


def unexpected_answer(path: str, problem: str, advice: str = _MISUNDERSTOOD) -> UnexpectedAnswer:
    """The error for a read whose answer has another shape than the interface promises; ``problem`` is a sentence without its subject."""
    return UnexpectedAnswer(
        f"GET {path} {problem}", f"Nothing was written. {advice}", method="GET", path=path, attempts=1
    )


def _type_and_advice(
    method: str, attempt: Attempt, decision: Decision, only_reads: bool
) -> tuple[type[RequestError], str]:
    if attempt.status in DENIALS:
        is_told = attempt.code is not None or attempt.panel_message is not None
        return Denied, f"{why_denied(attempt.status, is_told, method != 'GET' and only_reads)} {_STOP}"
    if attempt.fault is None:
        return _without_fault(method, attempt)
    if attempt.fault in (Fault.NOT_SENT, Fault.NO_SUCH_HOST):
        return Unreachable, _UNREACHED if method == "GET" else f"{NOTHING_WRITTEN} {_UNREACHED}"
    unknown = _UNKNOWN_AFTER.get(method)
    if decision is Decision.ASK or attempt.fault is Fault.LOST_ANSWER:
        return OutcomeUnknown, unknown or "Raise timeout or retry_time if the panel is slow."
    return ServerFailed, unknown or "Try again later."


def _without_fault(method: str, attempt: Attempt) -> tuple[type[RequestError], str]:
    if attempt.status is None:
        return Unreachable, "Nothing was sent."
    if 400 <= attempt.status < 500 and (attempt.code or attempt.panel_message):
        return Refused, _REFUSED if method == "GET" else f"{NOTHING_WRITTEN} {_REFUSED}"
    return UnexpectedAnswer, _UNKNOWN_AFTER.get(method, _MISUNDERSTOOD)

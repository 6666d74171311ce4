# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells what one attempt at a request came to, where a response came. What an exception means is
in ``request_library.py``.
"""

from __future__ import annotations

import email.utils
import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple, NoReturn

from .._secrets.redaction import Secrets, mask_secrets
from .._values.nesting import DEEPEST, is_deeper
from .._values.unsendable import HALF_CHARACTER, holds_half_character
from .repeats import RULES, Fault, FaultRule

_BUSY = 429
_NOT_SERVING = (408, 502, 503, 504)
# Without the user name and password that may stand before it, and without a path, which may log in
# too.
_HOST = re.compile(r"(?:https?:)?//(?:[^/?#]*@)?([^/?#]+)", re.IGNORECASE)


class Form(Enum):
    """Names what the body of an answer is."""

    JSON = "JSON"
    BROKEN_JSON = "broken JSON"  # which says that it is JSON
    PAGE = "page"  # or any other text


class Answer(NamedTuple):
    """Has what a request was answered with, where it succeeded.

    status: The status of the answer.
    data: The decoded JSON, or None for an empty body.
    as_sent: The same before lists were read as such.
    size: The length of the body in bytes.
    may_have_written_before: Whether an earlier attempt, without an answer, may have had its effect.
    """

    status: int
    data: Any
    as_sent: Any = None
    size: int = 0
    may_have_written_before: bool = False


class Received(NamedTuple):
    """Has what ``read_response`` needs of a response, whose body was read in pieces.

    status_code: The status.
    headers: The headers, found in any case of their names.
    content: The body, or its beginning.
    request: The request of requests.
    encoding: Of a body that is text.
    """

    status_code: int
    headers: Mapping[str, str]
    content: bytes
    request: Any
    encoding: str

    @property
    def text(self) -> str:
        """Return the body as text, also where its headers name an encoding that there is not."""
        try:
            return self.content.decode(self.encoding, errors="replace")
        except LookupError:
            return self.content.decode(errors="replace")


class Attempt(NamedTuple):
    """Says how one attempt ended: with an answer, or with a problem and perhaps a fault after which
    it can be repeated.

    answer: The answer, if there is one.
    fault: What happened, where another attempt may go better.
    problem: What is wrong, for a message; it may be nothing.
    status: The status of the response, if one came.
    api_error: Code and message of the panel's own error, which have the form of
        docs/panel_api.md#error-body.
    wait: The seconds of Retry-After.
    form: What the body of the response is.
    """

    answer: Answer | None = None
    fault: Fault | None = None
    problem: str = ""
    status: int | None = None
    api_error: Mapping[str, str] = {}
    wait: float | None = None
    form: Form = Form.JSON

    @property
    def rule(self) -> FaultRule:
        """Return what may follow the attempt."""
        return RULES[self.fault]


class _Body(NamedTuple):
    """Has the body of an answer: its form, the decoded JSON, and why that cannot be used."""

    form: Form
    data: Any = None
    flaw: str = ""

    @property
    def is_usable(self) -> bool:
        """Tell whether it is JSON that can be used."""
        return self.form is Form.JSON and not self.flaw


def read_response(
    response: Any,
    secrets: Secrets,
    accepted: frozenset[int] = frozenset(),
    plain_text: bool = False,
    is_read: bool = False,
) -> Attempt:
    """Return the answer in a response, or what is wrong with it.

    Args:
        response: The response of requests, or a Received.
        secrets: Masks what the panel says, and learns the secrets in an answer that is none.
        accepted: Statuses besides 2xx that are answers too.
        plain_text: Whether a text that is neither JSON nor HTML is an answer.
        is_read: Whether the request only reads, whatever its method is. Then no message has the
            beginning of a broken answer, which may be data of another panel.
    """
    status = response.status_code
    media_type = response.headers.get("Content-Type", "")
    method = response.request.method
    if is_read:
        method = "GET"
    body = _decode(response.content, media_type)
    is_accepted = _is_accepted(status, method, accepted)

    if is_accepted and body.is_usable:
        data = body.data
        if b'"0"' in response.content:
            data = _with_lists(data)
        return Attempt(answer=Answer(status, data, body.data, len(response.content)))
    if is_accepted and plain_text and "html" not in media_type.lower():
        return Attempt(answer=Answer(status, response.text))

    secrets.learn(body.data)
    if 300 <= status < 400:
        problem = f"it redirects to {_redirect_target(response, secrets)}, which is not followed"
        return Attempt(status=status, problem=problem, form=body.form)
    if 200 <= status < 300:
        if not is_accepted:
            return Attempt(problem="it is only a part", status=status, form=body.form)
        fault = Fault.LOST_ANSWER if method == "POST" else None
        problem = _describe_problem_of_success(response, secrets, body, shows_beginning=not is_read)
        return Attempt(fault=fault, problem=problem, status=status, form=body.form)
    return _attempt_with_error_status(response, secrets, body, shows_beginning=not is_read)


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
    return secrets.clean_text(host[1])


def _describe_problem_of_success(
    response: Any, secrets: Secrets, body: _Body, shows_beginning: bool
) -> str:
    """Return what is wrong with a whole response of the status 2xx that is no answer."""
    if body.flaw:
        return f"it is {body.flaw}"
    mistake = "incomplete or invalid" if body.form is Form.BROKEN_JSON else "not JSON but"
    media_type = response.headers.get("Content-Type", "")
    page = secrets.describe_page(response.content, media_type, shows_beginning)
    return f"it is {mistake} {page}"


def _attempt_with_error_status(
    response: Any, secrets: Secrets, body: _Body, shows_beginning: bool
) -> Attempt:
    """Return the fault behind a response with the status of an error, and what it says."""
    api_error = _read_api_error(body.data, secrets)
    return Attempt(
        fault=_find_fault_of_status(response.status_code, has_api_error=bool(api_error)),
        problem=_describe_problem_of_error(response, secrets, body, api_error, shows_beginning),
        status=response.status_code,
        api_error=api_error,
        wait=_retry_after(response.headers.get("Retry-After", "")),
        form=body.form,
    )


def _read_api_error(data: Any, secrets: Secrets) -> dict[str, str]:
    """Return code and message of the panel's own error, as far as there are any."""
    if not isinstance(data, dict):
        return {}
    shown_fields = [name for name in ("code", "message") if data.get(name) is not None]
    return {name: secrets.clean_text(data[name]) for name in shown_fields}


def _find_fault_of_status(status: int, has_api_error: bool) -> Fault | None:
    """Return the fault behind the status of an error; None where the panel has decided."""
    if status == _BUSY:
        return Fault.BUSY
    if status in _NOT_SERVING:
        return Fault.NOT_SERVED
    if status == 500 and not has_api_error:
        return Fault.NOT_SERVED
    if status >= 500:
        return Fault.FAILED
    return None


def _describe_problem_of_error(
    response: Any,
    secrets: Secrets,
    body: _Body,
    api_error: Mapping[str, str],
    shows_beginning: bool,
) -> str:
    """Return what a response with the status of an error says, for a message; it may be nothing."""
    if body.flaw:
        return f"it is {body.flaw}"
    if body.form is not Form.JSON:
        media_type = response.headers.get("Content-Type", "")
        return secrets.describe_page(response.content, media_type, shows_beginning)
    if not api_error and body.data is not None and shows_beginning:
        return secrets.clean_text(json.dumps(mask_secrets(body.data), ensure_ascii=False))

    reason = api_error.get("message") or api_error.get("code")
    if not reason:
        return ""
    return f'"{reason}"'


_HALF_A_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
# The beginning of the names by which Ansible marks values in JSON. In a result, an event or a file
# it would take a dictionary with one for an encrypted value or for an object of its own.
_MARK_OF_ANSIBLE = "__ansible"
# Escaped, a letter of the name may be in any text.
_MAY_BE_MARKED = re.compile(rf"{_MARK_OF_ANSIBLE}|\\u00[2-7]")


def _decode(content: bytes, media_type: str) -> _Body:
    """Return what the body is, whatever its type says."""
    if not content:
        return _Body(Form.JSON)

    other_form = Form.BROKEN_JSON if "json" in media_type.lower() else Form.PAGE
    try:
        text = content.decode("utf-8-sig")
        data = json.loads(text, parse_constant=_refuse_constant, parse_float=_parse_fraction)
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
    if _HALF_A_CHARACTER.search(text) and holds_half_character(_as_json(data)):
        flaw = f"JSON with a {HALF_CHARACTER}, which no text can hold"
        return _Body(Form.JSON, flaw=flaw)
    if _MAY_BE_MARKED.search(text) and _has_mark_of_ansible(data):
        flaw = (
            f"JSON with a name that starts with {_MARK_OF_ANSIBLE}, which marks values for Ansible"
        )
        return _Body(Form.JSON, flaw=flaw)
    return _Body(Form.JSON, data)


def _refuse_constant(constant: str) -> NoReturn:
    """Refuse NaN and the infinities, which Python reads although no JSON has them."""
    raise ValueError(constant)


def _parse_fraction(digits: str) -> float:
    """Read a fraction; refuse one that is too large, which would become an infinity."""
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def _has_mark_of_ansible(data: Any) -> bool:
    """Tell whether a dictionary, at any depth, has a name with which Ansible marks values."""
    return any(name.startswith(_MARK_OF_ANSIBLE) for name in _list_names(data))


def _list_names(data: Any) -> Iterator[str]:
    """Yield each name of a dictionary at any depth."""
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            yield from value
            waiting += value.values()


def _as_json(data: Any) -> str:
    """Return the data as JSON with all characters as they are."""
    return json.dumps(data, ensure_ascii=False)


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
    if is_list:
        return list(entries.values())
    return entries


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

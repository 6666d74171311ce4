# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Any other call of the API, with the same authentication, repeats and redaction. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from .._errors import OptionError, UnexpectedAnswer
from .._http.connection_settings import API_PATH
from .._http.panel_client import is_login
from .._secrets.redaction import shown_address, structured, with_masked_secrets, with_masked_texts
from .._task.operation import Operation, Outcome, Task


def _call(params: Mapping[str, Any], task: Task) -> Outcome:
    method, path = params["method"], _checked_path(params["path"])
    accepted = _checked_statuses(params["status"])
    if method == "GET" and params["body"] is not None:
        raise OptionError("body", "GET takes no body; use query.")
    if task.check_mode and method != "GET":
        return Outcome(changed=False, result={"msg": f"{method} {path} is not sent in check mode."}, skipped=True)
    body = _checked_body(params["body"])
    # What the call brought is for the reader to judge, who sees its status.
    accepts = accepted or frozenset(range(200, 300))
    answer = task.client.call(method, path, query=params["query"], body=body, accepted=accepts)
    if answer.status not in accepts:
        problem = f"{method} {path} answered {answer.status}; the task accepts {', '.join(map(str, sorted(accepted)))}."
        advice = "" if method == "GET" else "The call took effect."
        raise UnexpectedAnswer(problem, advice, method=method, path=path, attempts=1, status=answer.status)
    response = with_masked_secrets(answer.data)
    is_refused = 400 <= answer.status < 500
    if answer.status >= 400:
        # Complaints repeat what they complain about.
        response = task.client.secrets.value(response)
    elif is_login(path):
        response = with_masked_texts(response)
    return Outcome(changed=method != "GET" and not is_refused, result={"status": answer.status, "response": response})


def _checked_body(body: Any) -> Any:
    """The body; templates and extra variables may have made a text of it."""
    if not isinstance(body, str):
        return body
    value = structured(body)
    if value is None:
        raise OptionError("body", "is a text that is not JSON; give a dictionary or a list.")
    return value


def _checked_path(path: str) -> str:
    """The path below the API's base, which it may also begin with."""
    text = "/" + path.strip().lstrip("/")
    if text == API_PATH or text.startswith(API_PATH + "/"):
        text = text[len(API_PATH) :] or "/"
    if "://" in path or re.search(r"[?#\\\x00-\x1f\x7f]", text) or _leaves_its_folder(text):
        problem = f"{shown_address(path)!r} is not a path below {API_PATH}; write /clients/name/acme for example, and use query for what follows a ?."
        raise OptionError("path", problem)
    return text


def _leaves_its_folder(path: str) -> bool:
    """Whether dots lead out of the path, for whoever decodes it once or several times; requests itself decodes them."""
    decoded = ""
    while decoded != path:
        decoded, path = path, unquote(path)
    return not {".", ".."}.isdisjoint(re.split(r"[/\\]", decoded))


def _checked_statuses(statuses: list[int] | None) -> frozenset[int]:
    for status in statuses or ():
        if not 200 <= status <= 599 or 300 <= status < 400 or status in (401, 403):
            raise OptionError("status", f"{status} cannot be accepted; name statuses such as 200, 201, 204 or 404.")
    return frozenset(statuses or ())


API_CALL = Operation(
    options={
        "method": {"type": "str", "choices": ["GET", "POST", "PUT", "DELETE"], "default": "GET"},
        "path": {"type": "str", "required": True},
        "query": {"type": "dict"},
        "body": {"type": "raw"},
        "status": {"type": "list", "elements": "int"},
    },
    run=_call,
)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The server and its API: what it says about itself, whether it can be reached, a reboot, and any other call. Private to the collection."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple
from urllib.parse import unquote

from .._errors import OptionError, OutcomeUnknown, PanelError, RequestError, ServerFailed, UnexpectedAnswer, Unreachable
from .._http.connection_settings import API_PATH
from .._http.panel_client import PanelClient, is_login
from .._http.repeats import Patience
from .._kinds.registry import SERVER_BLOCKS
from .._object.objects import checked_object
from .._secrets.redaction import shown_address, structured, with_masked_secrets, with_masked_texts, without_secrets
from .._task.operation import Operation, Outcome, Task
from .._values.value_types import Boolean, check_seconds

PATH = "/server"


def _read(_params: Mapping[str, Any], task: Task) -> Outcome:
    return Outcome(
        changed=False, result={"server": without_secrets(checked_object(task.client.get(PATH), PATH, SERVER_BLOCKS))}
    )


# The query parameters that select blocks are not shown by the interface, so everything is asked for.
SERVER = Operation(options={}, run=_read)


PING_PATH = "/ping"
_CAUSES: dict[Any, tuple[str, str]] = {
    401: ("key", "The API key is not accepted."),
    403: ("access", "API disabled or address not allowed."),
}
_NO_PANEL = "What answers is not the API of a panel."


def is_pong(data: Any) -> bool:
    """Whether the answer says pong: as a text (interface), as ``{"response": "pong"}`` (facts.md section 2), or as a switch ``pong``."""
    if isinstance(data, dict):
        if Boolean().comparable(data.get("pong")) is True:
            return True
        data = data.get("response")
    return isinstance(data, str) and data.strip().lower() == "pong"


def check_pong(client: PanelClient) -> None:
    """Raises the error that says why what answers is no panel that lets the key in."""
    try:
        answer = client.call("GET", PING_PATH, plain_text=True)
    except RequestError as error:
        status = error.details.get("status")
        cause, words = _CAUSES.get(status, ("unreachable", _NO_PANEL if status else "The panel is not reachable."))
        raise type(error)(f"{words} {error.what}", error.advice, **{**error.details, "cause": cause}) from error
    if not is_pong(answer.data):
        problem = f"{_NO_PANEL} GET {PING_PATH} got another answer than pong."
        details = {"method": "GET", "path": PING_PATH, "attempts": 1, "cause": "unreachable"}
        raise UnexpectedAnswer(problem, "Check api_url.", **details)


def _ping(_params: Mapping[str, Any], task: Task) -> Outcome:
    check_pong(task.client)
    return Outcome(changed=False, result={"ping": "pong"})


PING = Operation(options={}, run=_ping)


REBOOT_PATH = "/server/reboot"
INTERVAL = 0.5
# A web server that reloads refuses or resets single connections; one that is down does so for longer.
GONE_FOR = 1.0
# Interface, "Limits": the server reboots 4 seconds after the answer; a request whose answer was lost is watched a little longer.
LONGEST_START = 15.0


def _reboot(params: Mapping[str, Any], task: Task) -> Outcome:
    check_seconds("wait_timeout", params["wait_timeout"], 1)
    if task.check_mode:
        return Outcome(changed=True, result={"rebooted": True, "elapsed": 0})
    return Reboot(task, params["wait"], params["wait_timeout"]).outcome()


class Reboot(NamedTuple):
    task: Task
    wait: bool
    wait_timeout: float
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def outcome(self) -> Outcome:
        start = self.clock()
        lost: OutcomeUnknown | None = None
        try:
            # The interface says "JSON body" and no more; a confirmation is what the panel's own form asks for (inferred).
            self.task.client.post(REBOOT_PATH, {"confirm": True})
        except OutcomeUnknown as error:
            if not self.wait:
                raise
            lost = error
        if self.wait:
            self.task.client.patience = Patience(0)
            try:
                self._wait_until_gone(start, lost)
                self._wait_until_back(start)
            except PanelError as error:
                if error is lost:
                    raise
                message = error.message
                if isinstance(error, RequestError):
                    message = f"The panel accepted the reboot, and the wait for it failed: {message}"
                raise type(error)(message, **{**error.details, "result": {"changed": True}}) from error
        return Outcome(changed=True, result={"rebooted": True, "elapsed": round(self.clock() - start)})

    def _wait_until_gone(self, start: float, lost: OutcomeUnknown | None) -> None:
        limit = min(self.wait_timeout, LONGEST_START) if lost else self.wait_timeout
        gone_since: float | None = None
        while True:
            before = self.clock()
            # A web server that reloads answers 503; only a server that is down does not answer at all.
            is_gone = isinstance(self._fault(), (Unreachable, OutcomeUnknown))
            gone_since = (before if gone_since is None else gone_since) if is_gone else None
            if gone_since is not None and self.clock() - gone_since >= GONE_FOR:
                return
            if self.clock() - start > limit:
                problem = f"The panel accepted the reboot, but still answers after {limit:g} s: the server did not go down. Look at the server."
                raise lost or PanelError(problem)
            self.sleep(INTERVAL)

    def _wait_until_back(self, start: float) -> None:
        while self._fault() is not None:
            if self.clock() - start > self.wait_timeout:
                raise PanelError(
                    f"The server went down and the panel does not answer again within {self.wait_timeout:g} s. It may still be starting; "
                    "look at the server, or raise wait_timeout."
                )
            self.sleep(INTERVAL)

    def _fault(self) -> RequestError | None:
        """Why the panel does not answer as one does that is up."""
        try:
            answer = self.task.client.call("GET", PING_PATH, plain_text=True)
        except (Unreachable, OutcomeUnknown, ServerFailed, UnexpectedAnswer) as error:
            return error
        return None if is_pong(answer.data) else UnexpectedAnswer(_NO_PANEL)


REBOOT = Operation(
    options={"wait": {"type": "bool", "default": True}, "wait_timeout": {"type": "int", "default": 600}}, run=_reboot
)


# Any other call of the API, with the same authentication, repeats and redaction


def _call(params: Mapping[str, Any], task: Task) -> Outcome:
    method, path = params["method"], _checked_path(params["path"])
    accepted = frozenset(params["status"] or ())
    for status in sorted(accepted):
        if not 200 <= status <= 599 or 300 <= status < 400 or status in (401, 403):
            raise OptionError("status", f"{status} cannot be accepted; name statuses such as 200, 201, 204 or 404.")
    if method == "GET" and params["body"] is not None:
        raise OptionError("body", "GET takes no body; use query.")
    if task.check_mode and method != "GET":
        return Outcome(changed=False, result={"msg": f"{method} {path} is not sent in check mode."}, skipped=True)
    body = params["body"]
    if isinstance(body, str):
        # Templates and extra variables may have made a text of it.
        body = structured(body)
        if body is None:
            raise OptionError("body", "is a text that is not JSON; give a dictionary or a list.")
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


def _checked_path(path: str) -> str:
    """The path below the API's base, which it may also begin with."""
    text = "/" + path.strip().lstrip("/")
    if text == API_PATH or text.startswith(API_PATH + "/"):
        text = text[len(API_PATH) :] or "/"
    # Whether dots lead out of the path, for whoever decodes it once or several times; requests itself decodes them.
    decoded = text
    while decoded != unquote(decoded):
        decoded = unquote(decoded)
    leaves = not {".", ".."}.isdisjoint(re.split(r"[/\\]", decoded))
    if "://" in path or re.search(r"[?#\\\x00-\x1f\x7f]", text) or leaves:
        problem = f"{shown_address(path)!r} is not a path below {API_PATH}; write /clients/name/acme for example, and use query for what follows a ?."
        raise OptionError("path", problem)
    return text


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

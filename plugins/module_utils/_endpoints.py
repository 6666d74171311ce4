# SPDX-License-Identifier: GPL-3.0-or-later
"""What manages no object: the server, whether it can be reached, a reboot, login URLs, and any other call. Private to the collection."""

from __future__ import annotations

import datetime
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any, Callable
from urllib.parse import unquote

from ._errors import (
    OptionError,
    OutcomeUnknown,
    PanelError,
    Refused,
    RequestError,
    ServerFailed,
    UnexpectedAnswer,
    UnknownReference,
    Unreachable,
    about,
)
from ._http.answers import Answer, unexpected_answer
from ._http.connection_settings import API_PATH
from ._http.panel_client import PanelClient, RetryBudget, is_login, join_path
from ._kinds.registry import SERVER_FIELDS
from ._kinds.tables import CLIENT
from ._operation.operation import Operation, Outcome, Task
from ._secrets.redaction import MASK, mapped, shown_address, structured, with_masked_secrets, without_secrets
from ._sources.checked_answers import checked_fields
from ._sources.kind_objects import NOT_FOUND, is_safe_in_path
from ._sources.live_source import LiveSource
from ._values.value_types import TEXT_ONLY_MARK, Boolean, check_seconds


def _read(_params: Mapping[str, Any], task: Task) -> Outcome:
    # Everything is asked for, since the names of the query parameters that select blocks are
    # unknown (docs/panel_api.md#server-blocks).
    server = checked_fields(task.client.get("/server"), "/server", SERVER_FIELDS)
    return Outcome(changed=False, result={"server": without_secrets(server)})


SERVER = Operation(options={}, run=_read)


_CAUSES = {401: "key", 403: "access"}


def ping(client: PanelClient) -> None:
    """Raises a RequestError where no pong comes: a text or ``{"response": "pong"}``
    (docs/panel_api.md#ping), or a switch ``pong``."""
    data = client.call("GET", "/ping", plain_text=True).data
    if isinstance(data, dict):
        data = "pong" if Boolean().normalize(data.get("pong")) is True else data.get("response")
    if not isinstance(data, str) or data.strip().lower() != "pong":
        problem = "GET /ping got another answer than pong."
        raise UnexpectedAnswer(problem, "Check api_url.", method="GET", path="/ping", attempts=1, status=200)


def check_pong(client: PanelClient) -> None:
    """Raises the error that says why what answers is no panel that lets the key in."""
    try:
        ping(client)
    except RequestError as error:
        cause = _CAUSES.get(error.details.get("status", 0), "unreachable")
        what = f"{_why_no_pong(error)} {error.problem.cause}"
        raise type(error)(what, error.problem.advice, **{**error.details, "cause": cause}) from error


def _why_no_pong(error: RequestError) -> str:
    """Says which part of the way to a panel is the one that is wrong."""
    status, is_of_panel = error.details.get("status"), error.is_from_panel
    if status is None:
        return "The panel is not reachable."
    if status == 401:
        return "The API key is not accepted."
    if status == 403:
        return "API disabled or address not allowed." if is_of_panel else "Access is refused."
    if isinstance(error, ServerFailed):
        return "The panel cannot serve requests now."
    if is_of_panel:
        return "The panel refuses the request."
    if status < 400 or status in (404, 405):
        return "What answers is not the API of a panel."
    return "A web server answers in place of the API."


def _ping(_params: Mapping[str, Any], task: Task) -> Outcome:
    check_pong(task.client)
    return Outcome(changed=False, result={"ping": "pong"})


PING = Operation(options={}, run=_ping)


INTERVAL = 0.5
# A web server that reloads refuses or resets single connections; one that is down does so for longer.
GONE_FOR = 1.0
# Interface, "Limits": the server reboots 4 seconds after the answer; a request whose answer was lost is watched a little longer.
LONGEST_START = 15.0
_ACCEPTED: dict[str, Any] = {"result": {"changed": True}}
_STILL_THERE = (
    "The panel accepted the reboot, but still answers after {:g} s: the server did not go down. Check the server."
)
_NOT_BACK = (
    "The server went down and the panel does not answer again within {:g} s. It may still be starting; "
    "check the server, or raise wait_timeout."
)


def _reboot(params: Mapping[str, Any], task: Task) -> Outcome:
    check_seconds("wait_timeout", params["wait_timeout"], 1)
    elapsed = 0 if task.check_mode else reboot(task.client, params["wait"], params["wait_timeout"])
    return Outcome(changed=True, result={"rebooted": True, "elapsed": elapsed})


def reboot(
    client: PanelClient,
    wait: bool,
    wait_timeout: float,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Return the seconds until the panel answered again, where that is waited for.

    Args:
        wait: Whether to wait for it.
        wait_timeout: For how many seconds at most.
        sleep: Waits for seconds.
        clock: Returns the seconds of a clock.
    """
    start = clock()
    lost = _request_reboot(client, wait)
    if not wait:
        return round(clock() - start)

    client.retry_budget = RetryBudget(0)
    limit = min(wait_timeout, LONGEST_START) if lost else wait_timeout
    gone_since: float | None = None
    went_down = False
    while True:
        before = clock()
        fault = _fault(client)
        if went_down and fault is None:
            return round(clock() - start)

        # A web server that reloads answers 503; only a server that is down does not answer at all.
        if not isinstance(fault, (Unreachable, OutcomeUnknown)):
            gone_since = None
        elif gone_since is None:
            gone_since = before
        if gone_since is not None and clock() - gone_since >= GONE_FOR:
            went_down = True

        if not went_down and clock() - start > limit:
            raise lost or PanelError(_STILL_THERE.format(limit), **_ACCEPTED)
        if went_down and clock() - start > wait_timeout:
            raise PanelError(_NOT_BACK.format(wait_timeout), **_ACCEPTED)
        sleep(INTERVAL)


def _request_reboot(client: PanelClient, wait: bool) -> OutcomeUnknown | None:
    """Ask for the reboot; return the error of a lost answer where the wait shows what came of it."""
    try:
        # A confirmation is sent, since the panel's own form asks for one
        # (docs/panel_api.md#reboot).
        client.post("/server/reboot", {"confirm": True})
    except RequestError as error:
        if error.may_have_written:
            error.amend(
                written="The panel may have accepted the reboot.",
                advice="Check the server before you run the task again.",
            )
        if wait and isinstance(error, OutcomeUnknown):
            return error
        raise
    return None


def _fault(client: PanelClient) -> RequestError | None:
    """Return why the panel does not answer as one does that is up, if it does not."""
    try:
        ping(client)
    except (Unreachable, OutcomeUnknown, ServerFailed, UnexpectedAnswer) as error:
        return error
    except RequestError as error:
        cause = f"The panel accepted the reboot, and the wait for it failed: {error.problem.cause}"
        raise type(error)(
            cause, error.problem.advice, error.problem.written, **{**error.details, **_ACCEPTED}
        ) from error
    return None


REBOOT = Operation(
    options={"wait": {"type": "bool", "default": True}, "wait_timeout": {"type": "int", "default": 600}}, run=_reboot
)


# Interface, "Limits": login URL validity.
VALIDITY = datetime.timedelta(minutes=60)


def login_url(client: PanelClient, user: str | int, page: str | None = None) -> str:
    """A login URL for the client with this username or id; raises UnknownReference if there is none."""

    def found() -> dict[str, Any]:
        name, identifier = (user, None) if isinstance(user, str) else (None, user)
        item = LiveSource(lambda: client).find(CLIENT.path, name, identifier)
        if item is None:
            who = name or f"with id {identifier}"
            raise UnknownReference(f"There is no client {who} on this panel; login URLs exist for clients only.")
        return item

    steps = ("name", user) if isinstance(user, str) else (user,)
    with about(f"{CLIENT.title} {user if isinstance(user, str) else f'with id {user}'}"):
        if isinstance(user, str) and not is_safe_in_path(user):
            # By a name that comes otherwise than it was sent, it would be a URL for another client.
            steps = (found()["id"],)
        path = join_path("login", *steps)
        try:
            # The name of the query parameter is inferred (docs/panel_api.md#login-urls).
            data = client.get(path, {"page": page} if page else None)
        except (Refused, UnexpectedAnswer) as error:
            # A page with 404 says nothing of clients.
            if error.details.get("status") == NOT_FOUND:
                found()
            raise
        url = data.get("url") if isinstance(data, dict) else None
        if not isinstance(url, str) or not url.startswith(("https://", "http://")):
            raise unexpected_answer(path, "did not answer with a login URL.")
        return url


def _login(params: Mapping[str, Any], task: Task) -> Outcome:
    for option in ("username", "page"):
        if params[option] == "":
            raise OptionError(option, "must not be empty.")
    before = datetime.datetime.now(datetime.timezone.utc)
    url = login_url(task.client, params["id"] if params["id"] is not None else params["username"], params["page"])
    expires_at = (before + VALIDITY).isoformat(timespec="seconds")
    return Outcome(changed=False, result={"login_url": url, "expires_at": expires_at})


LOGIN = Operation(
    options={"username": {"type": "str", **TEXT_ONLY_MARK}, "id": {"type": "int"}, "page": {"type": "str"}},
    constraints={"mutually_exclusive": [["username", "id"]], "required_one_of": [["username", "id"]]},
    run=_login,
)


# Any other call of the API, with the same authentication, repeats and redaction


def _call(params: Mapping[str, Any], task: Task) -> Outcome:
    method = params["method"]
    path = _checked_path(params["path"])
    _check_statuses(params["status"] or ())
    if method == "GET" and params["body"] is not None:
        raise OptionError("body", "GET takes no body; use query.")
    if task.check_mode and method != "GET":
        msg = f"{method} {path} is not sent in check mode."
        return Outcome(changed=False, result={"msg": msg, "skipped": True})

    body = _checked_body(params["body"])
    # What the call brought is for the reader to judge, who sees its status.
    accepted = frozenset(params["status"] or range(200, 300))
    answer = task.client.call(method, path, query=params["query"], body=body, accepted=accepted)
    if answer.status not in accepted:
        statuses = ", ".join(map(str, sorted(accepted)))
        problem = f"{method} {path} answered {answer.status}; the task accepts {statuses}."
        advice = "" if method == "GET" else "The call took effect."
        raise UnexpectedAnswer(problem, advice, method=method, path=path, attempts=1, status=answer.status)

    is_changed = method != "GET" and not 400 <= answer.status < 500
    response = _displayed_response(answer, path, task.client)
    return Outcome(changed=is_changed, result={"status": answer.status, "response": response})


def _check_statuses(statuses: Iterable[int]) -> None:
    """Refuse statuses that no call may accept."""
    for status in statuses:
        is_redirect = 300 <= status < 400
        if not 200 <= status <= 599 or is_redirect or status in (401, 403):
            raise OptionError("status", f"{status} cannot be accepted; name statuses such as 200, 201, 204 or 404.")


def _checked_body(body: Any) -> Any:
    """Return the body as it is sent: templates and extra variables may have made a string of it."""
    if not isinstance(body, str):
        return body
    structure = structured(body)
    if structure is None:
        raise OptionError("body", "is a string that is not JSON; give a dictionary or a list.")
    return structure


def _displayed_response(answer: Answer, path: str, client: PanelClient) -> Any:
    """Return what an answer says, without secrets."""
    response = with_masked_secrets(answer.data)
    if answer.status >= 400:
        # Complaints repeat what they complain about.
        return client.secrets.value(response)
    if is_login(path):
        return mapped(response, _mask)
    return response


def _mask(text: str) -> str:
    return MASK if text else text


def _checked_path(path: str) -> str:
    """Return the path below the API's base, which it may also begin with."""
    text = re.sub(f"^{API_PATH}(?=/|$)", "", "/" + path.strip().lstrip("/")) or "/"
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

# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls endpoints that manage no object: the server, ping, reboot, login URLs, and any other."""

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
    Reached,
    Refused,
    RequestError,
    ServerFailed,
    UnexpectedAnswer,
    UnknownReference,
    Unreachable,
    name_subject_in_errors,
)
from ._http.answers import Answer
from ._http.connection_settings import API_PATH
from ._http.failures import make_unexpected_answer
from ._http.pacing import RetryBudget
from ._http.panel_session import CallRules, PanelSession, is_login, join_path
from ._kinds.registry import SERVER_FIELDS
from ._kinds.tables import CLIENT, ZONE
from ._operation.operation import Operation, Outcome, Task
from ._problems import Written
from ._secrets.displayed_arguments import display_address
from ._secrets.redaction import map_texts, mask_secrets, parse_structure, remove_secrets
from ._secrets.secret_forms import MASK
from ._sources.checked_answers import read_answer
from ._sources.kind_objects import NOT_FOUND, has_password, is_safe_in_path
from ._sources.live_source import LiveSource
from ._values.option_marks import TEXT_ONLY_MARK
from ._values.value_types import Boolean, check_seconds

Params = Mapping[str, Any]
Sleep = Callable[[float], None]
Clock = Callable[[], float]


def _read(_params: Params, task: Task) -> Outcome:
    # Everything is asked for, since the names of the query parameters that select blocks are
    # unknown (docs/panel_api.md#server-blocks).
    server = read_answer(task.session.get("/server"), "/server", SERVER_FIELDS)
    return Outcome(changed=False, result={"server": remove_secrets(server)})


SERVER = Operation(options={}, run=_read)


_CAUSES = {401: "key", 403: "access"}


def ping(session: PanelSession) -> None:
    """Call ping; raises a RequestError where no pong comes.

    A pong is a text or ``{"response": "pong"}`` (docs/panel_api.md#ping), or a switch ``pong``.
    """
    data = session.call("GET", "/ping", rules=CallRules(plain_text=True)).data
    if isinstance(data, dict):
        is_switched_on = Boolean().normalize(data.get("pong")) is True
        data = "pong" if is_switched_on else data.get("response")

    if not isinstance(data, str) or data.strip().lower() != "pong":
        raise UnexpectedAnswer(
            "GET /ping got another answer than pong.",
            advice=f"Check {session.connection.name_option('api_url')}.",
            method="GET",
            path="/ping",
            attempts=1,
            status=200,
        )


def check_pong(session: PanelSession) -> None:
    """Raise the error that says why what answers is no panel that lets the key in, if so."""
    try:
        ping(session)
    except RequestError as error:
        error.amend(cause=_explain_missing_pong(error), detail=error.problem.cause)
        error.details["cause"] = _CAUSES.get(error.status or 0, "unreachable")
        raise


def _explain_missing_pong(error: RequestError) -> str:
    """Say which part of the way to a panel is the one that is wrong."""
    status = error.status
    is_of_panel = error.is_from_panel
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


def _ping(_params: Params, task: Task) -> Outcome:
    check_pong(task.session)
    return Outcome(changed=False, result={"ping": "pong"})


PING = Operation(options={}, run=_ping)


INTERVAL = 0.5
# A web server that reloads refuses or resets single connections; one that is down does so for
# longer.
GONE_FOR = 1.0
# The server reboots 4 seconds after the answer; a request whose answer was lost is watched a little
# longer.
LONGEST_START = 15.0
_ACCEPTED = Reached(is_changed=True)
_STILL_THERE = "The panel accepted the reboot, but still answers after {:g} s: the server did not go down. Check the server."
_NOT_BACK = (
    "The server went down and the panel does not answer again within {:g} s. It may still be "
    "starting; check the server, or raise {}."
)


def _reboot(params: Params, task: Task) -> Outcome:
    check_seconds("wait_timeout", params["wait_timeout"], 1)
    elapsed = 0
    if not task.check_mode:
        elapsed = reboot(task.session, params["wait"], params["wait_timeout"])
    return Outcome(changed=True, result={"rebooted": True, "elapsed": elapsed})


def reboot(
    session: PanelSession,
    wait: bool,
    wait_timeout: float,
    sleep: Sleep = time.sleep,
    clock: Clock = time.monotonic,
) -> int:
    """Return the seconds until the panel answered again, where that is waited for.

    Args:
        session: The session.
        wait: Whether to wait for it.
        wait_timeout: For how many seconds at most.
        sleep: Waits for seconds.
        clock: Returns the seconds of a clock.
    """
    watch = _RebootWatch(session, sleep, clock)
    lost_answer = _request_reboot(session, wait)
    if wait:
        session.retry_budget = RetryBudget(0)
        watch.wait_until_back(wait_timeout, lost_answer)
    return round(watch.count_elapsed_seconds())


class _RebootWatch:
    """Watches a server go down and come back."""

    def __init__(self, session: PanelSession, sleep: Sleep, clock: Clock) -> None:
        self._session = session
        self._sleep = sleep
        self._clock = clock
        self._start = clock()
        self._silent_since: float | None = None
        self._went_down = False

    def count_elapsed_seconds(self) -> float:
        """Return the seconds since the watch began."""
        return self._clock() - self._start

    def wait_until_back(self, wait_timeout: float, lost_answer: OutcomeUnknown | None) -> None:
        """Wait until the server went down and answers again.

        Args:
            wait_timeout: For how many seconds at most.
            lost_answer: The error of the request whose answer was lost, if it was.

        Raises:
            PanelError: The server did not go down, or did not come back.
        """
        longest_start = wait_timeout
        if lost_answer is not None:
            longest_start = min(wait_timeout, LONGEST_START)

        while not self._is_back():
            if self._went_down:
                if self.count_elapsed_seconds() > wait_timeout:
                    option = self._session.connection.name_option("wait_timeout")
                    raise PanelError(_NOT_BACK.format(wait_timeout, option), reached=_ACCEPTED)
            elif self.count_elapsed_seconds() > longest_start:
                raise lost_answer or PanelError(
                    _STILL_THERE.format(longest_start), reached=_ACCEPTED
                )
            self._sleep(INTERVAL)

    def _is_back(self) -> bool:
        """Ask the panel once, and tell whether it answers after the server went down."""
        asked_at = self._clock()
        fault = _find_fault(self._session)

        # A web server that reloads answers 503; only a server that is down does not answer at all.
        if not isinstance(fault, (Unreachable, OutcomeUnknown)):
            self._silent_since = None
            return self._went_down and fault is None

        if self._silent_since is None:
            self._silent_since = asked_at
        if self._clock() - self._silent_since >= GONE_FOR:
            self._went_down = True
        return False


def _request_reboot(session: PanelSession, wait: bool) -> OutcomeUnknown | None:
    """Ask for the reboot; return the error of a lost answer where the wait shows what came of
    it.
    """
    try:
        # A confirmation is sent, since the panel's own form asks for one
        # (docs/panel_api.md#reboot).
        session.post("/server/reboot", {"confirm": True})
    except RequestError as error:
        if error.may_have_written:
            error.amend(
                written=Written.MAYBE_REBOOTED,
                advice="Check the server before you run the task again.",
            )
        if wait and isinstance(error, OutcomeUnknown):
            return error
        raise
    return None


def _find_fault(session: PanelSession) -> RequestError | None:
    """Return why the panel does not answer as one does that is up, if it does not."""
    try:
        ping(session)
    except (Unreachable, OutcomeUnknown, ServerFailed, UnexpectedAnswer) as error:
        return error
    except RequestError as error:
        error.amend(context="The panel accepted the reboot, and the wait for it failed")
        error.reached = _ACCEPTED
        raise
    return None


REBOOT = Operation(
    options={
        "wait": {"type": "bool", "default": True},
        "wait_timeout": {"type": "int", "default": 600},
    },
    run=_reboot,
)


# So long a login URL is valid.
VALIDITY = datetime.timedelta(minutes=60)


def fetch_login_url(session: PanelSession, user: str | int, page: str | None = None) -> str:
    """Return a URL that logs a client in.

    Args:
        session: The session.
        user: The username of the client, or its id.
        page: The page of the panel that it opens.

    Raises:
        UnknownReference: There is no such client.
    """
    name = user
    if not isinstance(user, str):
        name = f"with id {user}"
    with name_subject_in_errors(f"{CLIENT.title} {name}"):
        return _request_login_url(session, user, page)


def _request_login_url(session: PanelSession, user: str | int, page: str | None) -> str:
    """Ask for the URL, and check it."""
    path = _make_login_path(session, user)
    # The name of the query parameter is inferred (docs/panel_api.md#login-urls).
    query = {"page": page} if page else None
    try:
        data = session.get(path, query)
    except (Refused, UnexpectedAnswer) as error:
        # A page with 404 says nothing of clients.
        if error.status == NOT_FOUND:
            _find_client(session, user)
        raise

    url = data.get("url") if isinstance(data, dict) else None
    if not isinstance(url, str) or not url.startswith(("https://", "http://")):
        raise make_unexpected_answer(path, "did not answer with a login URL.")
    return url


def _make_login_path(session: PanelSession, user: str | int) -> str:
    """Return the path of the login URLs of a client."""
    if not isinstance(user, str):
        return join_path("login", user)
    if is_safe_in_path(user):
        return join_path("login", "name", user)

    # By a name that comes otherwise than it was sent, it would be a URL for another client.
    return join_path("login", _find_client(session, user)["id"])


def _find_client(session: PanelSession, user: str | int) -> dict[str, Any]:
    """Return the client with this username or id; raises UnknownReference."""
    name: str | None = None
    identifier: int | None = None
    if isinstance(user, str):
        name = user
    else:
        identifier = user

    client_object = LiveSource(lambda: session).find(CLIENT.path, name, identifier)
    if client_object is None:
        label = name or f"with id {identifier}"
        cause = f"There is no client {label} on this panel; login URLs exist for clients only."
        raise UnknownReference(cause)
    return client_object


def _log_in(params: Params, task: Task) -> Outcome:
    for option in ("username", "page"):
        if params[option] == "":
            raise OptionError("must not be empty.", option=option)
    user = params["id"]
    if user is None:
        user = params["username"]

    asked_at = datetime.datetime.now(datetime.timezone.utc)
    url = fetch_login_url(task.session, user, params["page"])
    expires_at = (asked_at + VALIDITY).isoformat(timespec="seconds")
    return Outcome(changed=False, result={"login_url": url, "expires_at": expires_at})


LOGIN = Operation(
    options={
        "username": {"type": "str", **TEXT_ONLY_MARK},
        "id": {"type": "int"},
        "page": {"type": "str", **TEXT_ONLY_MARK},
    },
    constraints={
        "mutually_exclusive": [["username", "id"]],
        "required_one_of": [["username", "id"]],
    },
    run=_log_in,
)


# Any other call of the API, with the same authentication, repeats and redaction


def _call(params: Params, task: Task) -> Outcome:
    method = params["method"]
    path = _normalize_path(params["path"])
    _check_statuses(params["status"] or ())
    if method == "GET" and params["body"] is not None:
        raise OptionError("GET takes no body; use query.", option="body")
    if task.check_mode and method != "GET":
        message = f"{method} {path} is not sent in check mode."
        return Outcome(changed=False, result={"msg": message, "skipped": True})

    body = _parse_body(params["body"])
    # What the call brought is for the reader to judge, who sees its status.
    accepted = frozenset(params["status"] or range(200, 300))
    rules = CallRules(accepted=accepted, repeats_at_once=may_repeat_at_once(path, body))
    answer = task.session.call(method, path, params["query"], body, rules)
    if answer.status not in accepted:
        raise _make_unaccepted_status_error(method, path, answer.status, accepted)

    is_refusal = 400 <= answer.status < 500
    may_have_written = not is_refusal or answer.may_have_written_before
    response = _display_response(answer, path, task.session)
    return Outcome(
        changed=method != "GET" and may_have_written,
        result={"status": answer.status, "response": response},
    )


def may_repeat_at_once(path: str, body: Any) -> bool:
    """Tell whether a change at any path may be sent again at once after a lost answer.

    One that comes late would set a password again, or replace a zone as a whole, which the panel
    finds in each spelling of the path.
    """
    decoded = unquote(path).lower()
    is_zone = decoded == ZONE.path or decoded.startswith(f"{ZONE.path}/")
    return not (is_zone or has_password(body))


def _make_unaccepted_status_error(
    method: str,
    path: str,
    status: int,
    accepted: Iterable[int],
) -> UnexpectedAnswer:
    """Return the error for an answer with a status that the task does not accept."""
    statuses = ", ".join(map(str, sorted(accepted)))
    cause = f"{method} {path} answered {status}; the task accepts {statuses}."
    advice = ""
    if method != "GET":
        advice = "The call took effect."
    return UnexpectedAnswer(
        cause, advice=advice, method=method, path=path, attempts=1, status=status
    )


def _check_statuses(statuses: Iterable[int]) -> None:
    """Refuse statuses that no call may accept."""
    for status in statuses:
        is_redirect = 300 <= status < 400
        if not 200 <= status <= 599 or is_redirect or status in (401, 403):
            cause = f"{status} cannot be accepted; name statuses such as 200, 201, 204 or 404."
            raise OptionError(cause, option="status")


def _parse_body(body: Any) -> Any:
    """Return the body as it is sent: templates and extra variables may have made a string of it."""
    if not isinstance(body, str):
        return body
    structure = parse_structure(body)
    if structure is None:
        raise OptionError(
            "is a string that is not JSON; give a dictionary or a list.", option="body"
        )
    return structure


def _display_response(answer: Answer, path: str, session: PanelSession) -> Any:
    """Return what an answer says, without secrets."""
    response = mask_secrets(answer.data)
    if answer.status >= 400:
        # Complaints repeat what they complain about.
        return session.secrets.mask_value(response)
    if is_login(path):
        return map_texts(response, _mask)
    return response


def _mask(text: str) -> str:
    """Return the mask in the place of a text that says something."""
    return MASK if text else text


def _normalize_path(path: str) -> str:
    """Return the path below the API's base, which it may also begin with."""
    text = re.sub(f"^{API_PATH}(?=/|$)", "", "/" + path.strip().lstrip("/")) or "/"
    has_forbidden_sign = re.search(r"[?#\\\x00-\x1f\x7f]", text) is not None
    if "://" in path or has_forbidden_sign or _leads_out(text):
        displayed = repr(display_address(path))
        raise OptionError(
            f"{displayed} is not a path below {API_PATH}; "
            "write /clients/name/acme for example, and use query for what follows a ?.",
            option="path",
        )
    return text


def _leads_out(path: str) -> bool:
    """Tell whether dots lead out of a path, for whoever decodes it once or several times; requests
    itself decodes them.
    """
    decoded = unquote(path)
    while path != decoded:
        path = decoded
        decoded = unquote(path)
    return not {".", ".."}.isdisjoint(re.split(r"[/\\]", decoded))


API_CALL = Operation(
    options={
        "method": {"type": "str", "choices": ["GET", "POST", "PUT", "DELETE"], "default": "GET"},
        "path": {"type": "str", "required": True, **TEXT_ONLY_MARK},
        "query": {"type": "dict"},
        "body": {"type": "raw"},
        "status": {"type": "list", "elements": "int"},
    },
    run=_call,
)

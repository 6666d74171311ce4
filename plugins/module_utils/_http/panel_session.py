# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the requests, and repeats them by the rules of ``repeats.py``."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import time
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple
from urllib.parse import quote, unquote

from .._errors import Denied, OptionError, Refused, TimeIsUp
from .._log import log_answer, log_repeat, log_request
from .._problems import Written
from .._secrets.redaction import Secrets
from .answers import Answer, Attempt, Received, read_response
from .connection_settings import Connection
from .failures import Failure, make_request_error, make_unexpected_answer
from .late_writes import LateWrites
from .lost_ansible import has_lost_ansible
from .pacing import RequestLimiter, RetryBudget
from .repeats import LATEST_EFFECT, MAX_POLLS, Fault, Step, choose_next_step
from .request_library import keep_connections, make_http_session, read_exception

TIME_IS_OVER = "the time was over that the keyword timeout of the task or ANSIBLE_TASK_TIMEOUT sets"

BeforeRepeat = Callable[[bool], object]
# How many bytes of a body are read at once.
_PIECE = 65536
# A panel that reloads is back before so many, 3 to 4 seconds; only a longer wait is announced.
_ATTEMPTS_OF_A_RELOAD = 4
# How long at most a wait goes on after the time of the task is over, in seconds.
_PIECE_OF_A_WAIT = 1.0
MOST_BYTES = 128 * 1024**2
"""How long the body of an answer may be: hundreds of times a list of a large panel, and no panel
fills the memory of the host that reads it."""


def join_path(*segments: Any) -> str:
    """Return a path below the API's base, with every segment percent-encoded, as panels read it
    (docs/panel_api.md#names-in-paths).

    Raises:
        OptionError: No path can hold a name: one or two dots mean a folder, also when they are
            encoded.
    """
    texts = [str(segment) for segment in segments]
    with contextlib.suppress(UnicodeEncodeError):  # bytes of the environment that are no UTF-8
        if {"", ".", ".."}.isdisjoint(texts):
            return "/" + "/".join(quote(text, safe="") for text in texts)
    raise OptionError(
        f"{texts[-1]!r} cannot be sent as a name in the path of a request; use id.", option="name"
    )


def is_login(path: str) -> bool:
    """Tell whether the panel answers there with addresses that log in everyone who has them."""
    return unquote(path).lower().lstrip("/").startswith("login")


def allow_repeat(_is_last: bool) -> None:
    """Check nothing before a repeat."""


def is_never_over() -> bool:
    """Tell that the time of the task is not over, where nothing limits it."""
    return False


def say_nothing(_text: str) -> None:
    """Show no line, where no person waits."""


class CallRules(NamedTuple):
    """Says how the answer to a call is read, and how the call is repeated.

    accepted: As of ``read_response``.
    plain_text: As of ``read_response``.
    is_repeat: Whether the caller knows that the first call had no effect: this one may take no
        longer than the time left for repeats.
    before_repeat: Called while a late effect is waited for and ahead of each repeat, then with
        True; what it raises ends the repeating.
    is_read: Whether the call only reads, whatever its method is. Then it is repeated like a GET.
    repeats_at_once: Whether a PUT or DELETE may be sent again at once after a lost answer, since an
        attempt before it that comes late undoes nothing.
    most_bytes: How long the body of an answer may be.
    headers: Of the request, besides those of the session.
    """

    accepted: frozenset[int] = frozenset()
    plain_text: bool = False
    is_repeat: bool = False
    before_repeat: BeforeRepeat = allow_repeat
    is_read: bool = False
    repeats_at_once: bool = False
    most_bytes: int = MOST_BYTES
    headers: Mapping[str, str] = {}


_USUAL = CallRules()


class _PreparedCall(NamedTuple):
    """Has a call as it is sent, once or several times.

    arguments: Of the library, besides method, address and timeout.
    """

    method: str
    path: str
    query: Mapping[str, Any] | None
    body: Any
    arguments: Mapping[str, Any]
    rules: CallRules

    @property
    def rules_method(self) -> str:
        """Return the method whose rules hold: that of a read, whatever it is sent with."""
        if self.rules.is_read:
            return "GET"
        return self.method

    @property
    def may_repeat_at_once(self) -> bool:
        """Tell whether it may be sent again at once after a lost answer.

        A second read changes nothing, and of a creation there is none.
        """
        return self.rules.repeats_at_once or self.rules_method in ("GET", "POST")


class PanelSession:
    """Keeps one session to one panel alive.

    connection: Where the panel is.
    retry_budget: Bounds the repeats of the running task; front ends that keep a session for several
        tasks call ``begin_task`` for each.
    secrets: Masks known secrets in the panel's texts; front ends add those of the task, and the
        session those of answers.
    """

    def __init__(
        self,
        connection: Connection,
        retry_budget: RetryBudget | None = None,
        http_session: Any = None,
    ) -> None:
        self.connection = connection
        self.retry_budget = retry_budget or RetryBudget(connection.retry_time)
        self.secrets = Secrets([connection.api_key])
        self.limiter = RequestLimiter()
        self.late_writes = LateWrites(self.retry_budget.clock)
        # Whether the time of the task is over, and in which words: then nothing more is sent, and
        # what was reached is reported.
        self.is_over: Callable[[], bool] = is_never_over
        self.why_over = TIME_IS_OVER
        # Shows a line to the person who waits, as ``say`` of Task.
        self.say: Callable[[str], None] = say_nothing
        self._http_session = http_session or make_http_session(connection)
        # The panel bans addresses that fail often (docs/panel_api.md#refused-keys), so a key that
        # it refused with 401 is not sent again. Callers add to an error: each is new.
        self._refused_key: Callable[[], Denied] | None = None
        # Whether a panel has answered and taken the key, so that no later fault is one of the
        # address.
        self._is_known = False

    def begin_task(
        self,
        connection: Connection,
        is_over: Callable[[], bool],
        why_over: str = TIME_IS_OVER,
    ) -> None:
        """Begin another task of the same panel, with the time and the progress line of its own.

        What is known of the panel stays: the secrets to mask, and a key that it refused. So does
        the limiter with its number of requests at once, until ``allow_at_once`` replaces it. A task
        that sends from one thread needs no other.

        Args:
            connection: With the names of this task.
            is_over: Whether its time is over.
            why_over: In which words.
        """
        self.connection = connection
        self.retry_budget = RetryBudget(connection.retry_time)
        self.is_over = is_over
        self.why_over = why_over
        self.say = say_nothing

    def allow_at_once(self, most: int) -> None:
        """Allow so many requests at once, from several threads, over as many kept-alive
        connections.
        """
        self.limiter = RequestLimiter(most)
        if most <= 1:
            return
        keep_connections(self._http_session, most)

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        """Return the decoded answer to a read."""
        return self.call("GET", path, query=query).data

    def get_or_none(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        """Return the decoded answer, or None if the panel says that the object does not exist.

        It says so in its own words: 404 with JSON.
        """
        try:
            data = self.get(path, query)
        except Refused as refusal:
            if refusal.status == 404:
                return None
            raise
        if data is None:
            raise make_unexpected_answer(
                path, "was answered with nothing, which does not say that the object is absent."
            )
        return data

    def post(self, path: str, body: Mapping[str, Any], is_repeat: bool = False) -> Any:
        """Create, and return the decoded answer; what may have had its effect is never sent again.

        Args:
            path: Of the list that gets the object.
            body: What is sent as JSON.
            is_repeat: As of ``CallRules``.

        Raises:
            OutcomeUnknown: The answer was lost.
        """
        rules = CallRules(is_repeat=is_repeat)
        return self.call("POST", path, body=body, rules=rules).data

    def put(self, path: str, body: Mapping[str, Any], repeats_at_once: bool = False) -> Any:
        """Change, and return the decoded answer; it is sent again after a lost one.

        Args:
            path: Of the object.
            body: What is sent as JSON. The same values twice are the same values.
            repeats_at_once: As of ``CallRules``.
        """
        rules = CallRules(repeats_at_once=repeats_at_once)
        return self.call("PUT", path, body=body, rules=rules).data

    def delete(self, path: str) -> Refused | None:
        """Delete what has an id of its own, and return the 404 if another one or a lost first
        attempt did it.
        """
        try:
            self.call("DELETE", path, rules=CallRules(repeats_at_once=True))
        except Refused as refusal:
            if refusal.status != 404:
                raise
            return refusal
        return None

    def call(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        rules: CallRules = _USUAL,
    ) -> Answer:
        """Send one request with its repeats, and return the answer.

        Args:
            method: The method of HTTP.
            path: Below the base of the API.
            query: The parameters of the address.
            body: What is sent as JSON.
            rules: How the answer is read, and the request repeated.

        Raises:
            RequestError: No attempt was answered.
            TimeIsUp: The time of the task was over before the first one, or Ansible has ended.
        """
        if self.is_over():
            raise self._make_time_is_up(method, path, self.why_over)
        # What is deleted stays deleted, and a worker may still tidy up.
        if method in ("POST", "PUT") and has_lost_ansible():
            raise self._make_time_is_up(method, path, "Ansible has ended")

        arguments: dict[str, Any] = {"allow_redirects": False, "params": query, "stream": True}
        headers = dict(rules.headers)
        if body is not None:
            arguments["data"] = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        if headers:
            arguments["headers"] = headers
        prepared = _PreparedCall(method, path, query, body, arguments, rules)
        try:
            with self.limiter.limit_pause():
                return self._send_with_repeats(prepared)
        except Denied as error:
            # Of another panel a session is left that has to be closed.
            if error.status == 401 and self.connection.api_key:
                self._keep_refused_key(error)
            raise

    def _make_time_is_up(self, method: str, path: str, reason: str) -> TimeIsUp:
        """Return the error of a request for which there is no time. reason: Why there is none."""
        cause = f"{method} {path} was not sent: {reason}."
        advice = "Run the task again to complete the rest."
        written = Written.NOT_IN_QUESTION
        if method != "GET":
            written = Written.NOTHING
        return TimeIsUp(cause, advice=advice, written=written, method=method, path=path, attempts=0)

    def _keep_refused_key(self, error: Denied) -> None:
        """Answer every further request with this error, without sending it."""
        problem = error.problem
        self._refused_key = functools.partial(
            Denied,
            problem.cause,
            advice=problem.advice,
            written=problem.written,
            **error.details,
        )

    def _send_with_repeats(self, call: _PreparedCall) -> Answer:
        """Send a call until it is answered or may not be sent again; raise its last error."""
        wrote_before = False
        attempts = 0
        while True:
            attempts += 1
            with self.limiter.take_slot():
                log_request(call.method, call.path, call.query, attempts)
                attempt = self._attempt(call, is_repeat=call.rules.is_repeat or attempts > 1)

            if attempt.answer is not None:
                if attempts > 1 and not call.may_repeat_at_once:
                    self.retry_budget.reset()
                return attempt.answer._replace(may_have_written_before=wrote_before)

            # The next run may have changed by then what a repeat would write.
            is_repeated = self._wait_to_repeat(call, attempt, attempts) and not has_lost_ansible()
            if attempt.fault is not None:
                log_repeat(call.method, call.path, attempts, attempt.fault.value, is_repeated)
            if not is_repeated:
                raise make_request_error(
                    Failure(
                        method=call.method,
                        path=call.path,
                        attempts=attempts,
                        attempt=attempt,
                        name_option=self.connection.name_option,
                        wrote_before=wrote_before,
                        is_known=self._is_known,
                        panel=self.connection.panel,
                        is_read=call.rules.is_read,
                        retry_time=self.connection.retry_time,
                    )
                )
            wrote_before = wrote_before or attempt.rule.may_have_written

    def _wait_to_repeat(self, call: _PreparedCall, attempt: Attempt, attempts: int) -> bool:
        """Wait before the next attempt; return False if there is none, or no time for it."""
        step = choose_next_step(call.rules_method, attempt.fault, attempts, call.may_repeat_at_once)
        if step is Step.END or self.is_over():
            return False
        if step is Step.REPEAT_WHEN_THROUGH:
            return self._wait_for_late_effect(call, attempt.wait, attempts)

        if attempt.fault is Fault.NOT_SENT and attempts == _ATTEMPTS_OF_A_RELOAD:
            self._announce_wait()
        has_time = self.retry_budget.wait(attempts, attempt.wait)
        if has_time:
            call.rules.before_repeat(True)
        return has_time

    def _announce_wait(self) -> None:
        """Say that the task waits for a panel to which there is no connection."""
        connection = self.connection
        limit = f"{connection.name_option('retry_time')} is {connection.retry_time} s"
        self.say(f"{connection.panel} does not answer; the task tries again ({limit})")

    def wait_for_late_writes(self) -> float:
        """Wait until nothing that was sent can take effect any more, or the time of the task is over.

        Returns:
            For how many seconds something may still take effect.
        """
        seconds = self.late_writes.count_seconds()
        if seconds > 0:
            self.say(
                f"{self.connection.panel} did not say what became of a write; the task ends in "
                f"{math.ceil(seconds)} s, when it can have no later effect"
            )
        while seconds > 0 and not self.is_over() and not has_lost_ansible():
            self.retry_budget.sleep(min(seconds, _PIECE_OF_A_WAIT))
            seconds = self.late_writes.count_seconds()
        return seconds

    def _wait_for_late_effect(
        self, call: _PreparedCall, at_least: float | None, attempts: int
    ) -> bool:
        """Wait until the last attempt cannot take effect any more; return False if the time does
        not suffice.
        """
        polls = MAX_POLLS
        if at_least:
            if not self.retry_budget.wait(attempts, at_least):
                return False
            if at_least >= LATEST_EFFECT:
                polls = 1

        # The reload itself takes less, so the other threads do not wait for this one.
        self.limiter.end_pause()
        poll = 0
        for poll in self.retry_budget.count_polls(polls):
            call.rules.before_repeat(poll == polls)
        return poll == polls

    def _attempt(self, call: _PreparedCall, is_repeat: bool) -> Attempt:
        """Send once, and let all threads that wait know what came of it."""
        if self._refused_key is not None:
            raise self._refused_key()

        timeout = float(self.connection.timeout)
        if is_repeat:
            timeout = max(1.0, min(timeout, self.retry_budget.count_remaining_seconds()))
        attempt = self._send(call, timeout)
        self._learn(call, attempt)
        self._note_late_write(call, attempt)

        if attempt.rule.affects_all_requests:
            self.limiter.begin_pause()
        elif attempt.fault is None:
            # An error in the panel's own words shows as well as an answer that it is there again.
            self.retry_budget.reset_after_answer()
            self.limiter.end_pause()
        return attempt

    def _send(self, call: _PreparedCall, timeout: float) -> Attempt:
        """Send once, and return what came of it."""
        method = call.method
        path = call.path
        url = self.connection.base_url + path
        start = time.monotonic()
        try:
            response = self._http_session.request(method, url, timeout=timeout, **call.arguments)
            received = _receive(response, call.rules.most_bytes)
        except Exception as error:
            log_answer(method, path, None, 0, time.monotonic() - start)
            return read_exception(error, self.connection)

        seconds = time.monotonic() - start
        size = len(received.content)
        log_answer(method, path, received.status_code, size, seconds)
        rules = call.rules
        if size > rules.most_bytes:
            fault = Fault.LOST_ANSWER if call.rules_method == "POST" else None
            problem = f"it has more than {rules.most_bytes:,} bytes"
            return Attempt(fault=fault, problem=problem, status=received.status_code)
        return read_response(
            received, self.secrets, rules.accepted, rules.plain_text, rules.is_read
        )

    def _learn(self, request: _PreparedCall, attempt: Attempt) -> None:
        """Keep the secrets of an answer, and whether what answers is a panel that takes the key."""
        is_data = False
        if attempt.answer is not None:
            data = attempt.answer.data
            self.secrets.learn({"login_url": data} if is_login(request.path) else data)
            is_data = isinstance(data, (dict, list))

        is_own_error = bool(attempt.api_error) and attempt.status not in (401, 403)
        if is_data or is_own_error:
            self._is_known = True

    def _note_late_write(self, call: _PreparedCall, attempt: Attempt) -> None:
        """Keep that a write may still take effect, or that it can do so no more."""
        if call.rules_method == "GET":
            return
        is_gone = attempt.answer is not None or attempt.status == 404
        if attempt.rule.may_come_late:
            self.late_writes.note(call.method, call.path, call.body)
        elif call.rules_method == "DELETE" and is_gone:
            # An attempt before it finds nothing any more.
            self.late_writes.settle(call.method, call.path, call.body)

    def close(self) -> None:
        """Close the connections."""
        self._http_session.close()


def _receive(response: Any, most_bytes: int) -> Received:
    """Return a response with its body, of which no more is read than shows that it is too long."""
    pieces = []
    size = 0
    with response:
        for piece in response.iter_content(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > most_bytes:
                break
    return Received(
        response.status_code,
        response.headers,
        b"".join(pieces),
        response.request,
        response.encoding or "utf-8",
    )

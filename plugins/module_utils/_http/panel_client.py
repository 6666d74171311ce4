# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The only place where a request is made. Private to the collection."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Callable
from urllib.parse import quote, unquote

from .._errors import Denied, OptionError, Refused, TimeIsUp
from .._secrets.foreign_texts import Gate
from .answers import (
    DENIALS,
    Answer,
    Attempt,
    Exchange,
    attempt_with_response,
    attempt_without_answer,
    exchange_of,
    request_error,
    unexpected_answer,
)
from .concurrency import Concurrency
from .connection_settings import Connection
from .repeats import ANSWERS_AFTER_A_PAUSE, MAY_HAVE_WRITTEN, Decision, Patience, decision_after, may_repeat
from .session import SENDING, keep_connections, new_session

USER_AGENT = "hosting.panel/1.0.0 (Ansible collection)"

_TIME_IS_UP = (
    "was not sent, because the time was over that the keyword timeout of the task or ANSIBLE_TASK_TIMEOUT sets. Run the task again to "
    "complete the rest, with more time if it needs more."
)


def path_of(*segments: Any) -> str:
    """A path below the API's base; every segment is percent-encoded, a space as %20 (facts.md section 1).

    Raises OptionError for a name that no path can hold: one or two dots mean a folder, also when they are encoded.
    """
    for segment in segments:
        if str(segment) in ("", ".", "..") or not _is_unicode(str(segment)):
            raise OptionError("name", f"{str(segment)!r} cannot be sent as a name in the path of a request; use id.")
    return "/" + "/".join(quote(str(segment), safe="") for segment in segments)


def is_login(path: str) -> bool:
    """Whether the panel answers there with addresses that log in whoever has them, under whichever names."""
    return unquote(path).lower().lstrip("/").startswith("login")


def _is_unicode(text: str) -> bool:
    """Not so for bytes of the environment that are no UTF-8."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _never() -> bool:
    return False


class PanelClient:
    """One kept-alive session to one panel.

    ``patience`` bounds the repeats of the running task; front ends that keep a client for several tasks set a new one for each.
    ``concurrency`` says how many requests may be under way at once: one, unless
    ``allow_at_once`` says more. ``gate`` decides what may be shown of the panel's texts; front ends tell it the secrets of the task, and
    the client those of answers.
    """

    def __init__(self, connection: Connection, patience: Patience | None = None, session: Any = None) -> None:
        self.connection = connection
        self.patience = patience or Patience(connection.retry_time)
        self._session = session or _new_session(connection)
        self._denied: Denied | None = None
        # Whether reads and whether writes were answered, as False and True.
        self._answered: set[bool] = set()
        self.concurrency = Concurrency()
        # Whether the time of the task is over: then nothing more is sent, and what was reached is told.
        self.is_over: Callable[[], bool] = _never
        self.gate = Gate([connection.api_key])

    def allow_at_once(self, most: int) -> None:
        """Allows so many requests at once, from several threads, over as many kept-alive connections."""
        self.concurrency = Concurrency(most)
        if most > 1:
            keep_connections(self._session, most)

    def go_on(self) -> None:
        """Sends again after a refusal, for whoever knows that it was one of a path and not of the key."""
        self._denied = None

    def forget_refused_request(self) -> None:
        """For the next task: 401 is a refusal of the key, which is not sent again; 403 may be one of a single request."""
        if self._denied is not None and self._denied.details.get("status") != 401:
            self._denied = None

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        """The decoded answer."""
        return self.call("GET", path, query=query).data

    def get_or_none(self, path: str) -> Any:
        """The decoded answer, or None where the panel says in its own words (404 with JSON) that the object does not exist."""
        try:
            data = self.get(path)
        except Refused as refusal:
            if refusal.details["status"] == 404:
                return None
            raise
        if data is None:
            raise unexpected_answer(path, "was answered with nothing, which does not say that the object is absent.")
        return data

    def post(self, path: str, body: Mapping[str, Any], is_repeat: bool = False, may_be_doubled: bool = False) -> Any:
        """The decoded answer; raises OutcomeUnknown when the answer was lost, and then never sends again by itself.

        is_repeat: for a caller that knows that the first one had no effect; it may take no longer than the time left for repeats.
        may_be_doubled: whether the panel would do it twice, so that nobody could send it again; as for ``call``.
        """
        return self.call("POST", path, body=body, is_repeat=is_repeat, may_be_doubled=may_be_doubled).data

    def put(
        self,
        path: str,
        body: Mapping[str, Any],
        before_repeat: Callable[[], None] | None = None,
        may_overtake: bool = True,
    ) -> Any:
        """The decoded answer; repeated after a lost answer, because the same values twice are the same values.

        before_repeat: called ahead of each repeat, where the body stands for more than the caller's own values; what it raises ends
        the repeating. may_overtake: whether it may be repeated while the panel may still be at the first one, since that does no harm
        when it comes last; otherwise it is repeated after an answer alone, and only when the panel must be through with it.
        """
        return self.call("PUT", path, body=body, before_repeat=before_repeat, may_overtake=may_overtake).data

    def delete(self, path: str, before_repeat: Callable[[], None] | None = None) -> Refused | None:
        """Deletes; the 404 where another one or a lost first attempt did it. before_repeat: as for ``put``."""
        try:
            self.call("DELETE", path, before_repeat=before_repeat)
        except Refused as refusal:
            if refusal.details["status"] != 404:
                raise
            return refusal
        return None

    def call(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        accepted: frozenset[int] = frozenset(),
        plain_text: bool = False,
        is_repeat: bool = False,
        before_repeat: Callable[[], None] | None = None,
        may_overtake: bool = True,
        may_be_doubled: bool = False,
    ) -> Answer:
        """One request with its repeats; raises a RequestError that names method, path, status and attempts.

        accepted: statuses besides 2xx that are answers. plain_text: whether a text that is neither JSON nor HTML is one.
        may_be_doubled: it goes over a new connection, since a server that just closes a kept one leaves open whether it has the request.
        """
        if self.is_over():
            raise TimeIsUp(f"{method} {path} {_TIME_IS_UP}", method=method, path=path, attempts=0)
        attempts = 0
        may_have_written = False
        while True:
            attempts += 1
            try:
                with self.concurrency.passage(is_write=method != "GET"):
                    attempt = self._attempt(
                        method,
                        path,
                        query,
                        body,
                        accepted,
                        plain_text,
                        attempts,
                        is_repeat or attempts > 1,
                        may_be_doubled,
                    )
            except BaseException:
                # Whoever waits for this thread to try again would wait for ever.
                self.concurrency.gave_up()
                raise
            if attempt.fault is None:
                # An error in the panel's own words shows as well as an answer that it is there again.
                self.patience.calm()
            if attempt.answer is not None:
                if attempts > 1 and not may_overtake:
                    self.patience.begin_anew()
                return attempt.answer
            decision = decision_after(method, attempt.fault)
            is_allowed = may_repeat(decision, attempts) and (may_overtake or not attempt.is_under_way)
            if is_allowed and not self.is_over() and self._wait_to_repeat(attempts, attempt, may_overtake):
                may_have_written = may_have_written or (method != "GET" and attempt.fault in MAY_HAVE_WRITTEN)
                if before_repeat is not None:
                    before_repeat()
                continue
            if decision is not Decision.ASK:
                self.concurrency.gave_up()
            raise request_error(method, path, attempts, attempt, decision, may_have_written, self._only_reads())

    def exchange(self, method: str, path: str, query: Mapping[str, Any] | None = None, body: Any = None) -> Exchange:
        """One request, never repeated, and its answer as it came, whatever its status; with the status 0 where none came."""
        response = self._send(method, path, query, body, is_repeat=False, may_be_doubled=method == "POST")
        if isinstance(response, Attempt):
            return Exchange(0, is_json=False, attempt=response)
        return exchange_of(response, self.gate)

    def _only_reads(self) -> bool:
        """Whether reads were answered, and no write."""
        return self._answered == {False}

    def _wait_to_repeat(self, attempts: int, attempt: Attempt, may_overtake: bool) -> bool:
        """Waits before the next attempt; False where the time does not suffice."""
        if may_overtake or attempt.fault not in MAY_HAVE_WRITTEN:
            return self.patience.wait(attempts, attempt.wait)
        # The reload itself takes less, so the other threads need not wait for this one.
        self.concurrency.gave_up()
        return self.patience.wait_until_through(attempt.wait)

    def _attempt(
        self,
        method: str,
        path: str,
        query: Any,
        body: Any,
        accepted: frozenset[int],
        plain_text: bool,
        number: int,
        is_repeat: bool,
        may_be_doubled: bool,
    ) -> Attempt:
        """Sends once, and tells everybody who waits what came of it."""
        if self._denied is not None:
            # A new one each time, because callers may add to an error what they had reached.
            raise Denied(self._denied.message, **self._denied.details)
        response = self._send(method, path, query, body, is_repeat, may_be_doubled)
        attempt = (
            response
            if isinstance(response, Attempt)
            else attempt_with_response(response, self.gate, accepted, plain_text)
        )
        if attempt.answer is not None:
            self._answered.add(method != "GET")
            self.gate.learn(attempt.answer.data, is_login=is_login(path))
        if attempt.fault in ANSWERS_AFTER_A_PAUSE:
            self.concurrency.met_reload()
        elif attempt.fault is None:
            self.concurrency.answered(is_write=method != "GET" and attempt.answer is not None)
        if attempt.answer is None and attempt.status in DENIALS:
            error = request_error(method, path, number, attempt, Decision.FAIL, only_reads=self._only_reads())
            self._denied = Denied(error.message, **error.details)
        return attempt

    def _send(self, method: str, path: str, query: Any, body: Any, is_repeat: bool, may_be_doubled: bool) -> Any:
        """The response of requests, or an Attempt that says why there is none."""
        timeout = float(self.connection.timeout)
        if is_repeat:
            timeout = max(1.0, min(timeout, self.patience.remaining()))
        arguments: dict[str, Any] = {"timeout": timeout, "allow_redirects": False, "params": query}
        if self.connection.verify is not True:
            # Given with each request, because a CA bundle named in the environment outranks the session's setting.
            arguments["verify"] = self.connection.verify
        if body is not None:
            arguments["data"] = json.dumps(body).encode()
            arguments["headers"] = {"Content-Type": "application/json"}
        try:
            with SENDING.one_request(over_new_connection=may_be_doubled):
                return self._session.request(method, self.connection.base_url + path, **arguments)
        except Exception as error:  # requests is not imported here, so its exceptions are told apart by name
            attempt = attempt_without_answer(error, self.connection, SENDING.has_begun)
            if attempt is None:
                raise
            return attempt

    def close(self) -> None:
        self._session.close()


def _new_session(connection: Connection) -> Any:
    return new_session(
        {"X-API-Key": connection.api_key, "Accept": "application/json", "User-Agent": USER_AGENT},
        is_verifying=connection.verify is not False,
        # A proxy from the environment must not see what goes to this machine itself, where plain http is allowed.
        trusts_environment=not connection.is_loopback,
    )

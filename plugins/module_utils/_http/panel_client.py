# SPDX-License-Identifier: GPL-3.0-or-later
"""The only place where a request is made, and the only file that knows requests. Private to the collection.

A request that meets a reload of the panel's web server fails and is worth repeating after a few
seconds (docs/panel_api.md#reload). Repeating a creation blindly would make two objects, so the
decision depends on the method.
"""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import os
import platform
import random
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, Callable
from urllib.parse import quote, unquote

from .._errors import Denied, MissingLibrary, OptionError, OutcomeUnknown, Refused, TimeIsUp
from .._log import log_answer, log_repeat, log_request
from .._problems import NOTHING_WRITTEN
from .._secrets.redaction import Secrets
from .answers import Answer, Attempt, attempt_with_response, attempt_without_answer, request_error, unexpected_answer
from .connection_settings import Connection

try:
    import requests
    import urllib3
    from requests.adapters import HTTPAdapter

    HAS_REQUESTS = True
except Exception:  # pylint: disable=broad-exception-caught # libraries that do not fit together fail in ways of their own
    HAS_REQUESTS = False

USER_AGENT = "hosting.panel/1.0.0 (Ansible collection)"

TIME_IS_OVER = "the time was over that the keyword timeout of the task or ANSIBLE_TASK_TIMEOUT sets"

BeforeRepeat = Callable[[bool], object]

FIRST_WAIT = 0.5
LONGEST_WAIT = 5.0
# How often something that may come late is looked for. A write takes effect within 20 seconds or never; the waits in between last 22 to 33.
MAX_POLLS = 9


class RetryBudget:
    """The seconds that all requests of a task together may spend on repeats, and the waits between them. Safe to use from several threads."""

    def __init__(self, retry_time: float) -> None:
        self._all = self._retry_time = retry_time
        self.sleep: Callable[[float], None] = time.sleep
        self.clock, self.spread = time.monotonic, random.random
        self._lock = threading.Lock()
        self._first_fault: float | None = None

    def remaining(self) -> float:
        """Seconds left; all of them before the first fault."""
        with self._lock:
            return self._retry_time - (0.0 if self._first_fault is None else self.clock() - self._first_fault)

    def wait(self, repeats: int, at_least: float | None = None) -> bool:
        """Waits before repeat number ``repeats`` (from 1), at_least for Retry-After; False, without waiting, if the time does not suffice."""
        with self._lock:
            if self._first_fault is None:
                self._first_fault = self.clock()
        seconds = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(repeats - 1, 9))
        pause = max(seconds * (0.8 + 0.4 * self.spread()), at_least or 0.0)
        if pause > self.remaining():
            return False
        self.sleep(pause)
        return True

    def polls(self, most: int) -> Iterator[int]:
        """The numbers of the looks at what may come late, from 1 to ``most``, with a wait before each but the first, while there is time."""
        for number in range(1, most + 1):
            if number > 1 and not self.wait(number - 1):
                return
            yield number

    def reset_after_answer(self) -> None:
        """The panel answers again: the time between two reloads is not counted."""
        with self._lock:
            if self._first_fault is not None:
                self._retry_time -= self.clock() - self._first_fault
                self._first_fault = None

    def reset(self) -> None:
        """What was in doubt has ended well, so the panel works: the long wait for it is not counted, and the next may take as long."""
        with self._lock:
            self._retry_time, self._first_fault = self._all, None


class RequestLimiter:
    """How many requests run at once. After a reload all wait for the thread that met it, which alone tries again."""

    def __init__(self, most: int = 1) -> None:
        self.most = most
        self._changed = threading.Condition()
        self._running = 0
        self._prober: int | None = None

    @contextlib.contextmanager
    def slot(self) -> Iterator[None]:
        """The time in which one request runs; begins when it may be sent."""
        own = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: self._running < self.most if self._prober is None else self._prober == own)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def pause(self) -> None:
        """This thread's request met a reload."""
        with self._changed:
            self._prober = self._prober or threading.get_ident()

    def release(self) -> None:
        """The panel answered this thread again, or the thread gave up, and another one will try."""
        with self._changed:
            if self._prober == threading.get_ident():
                self._prober = None
                self._changed.notify_all()


def path_of(*segments: Any) -> str:
    """A path below the API's base; every segment is percent-encoded, as panels read it
    (docs/panel_api.md#names-in-paths).

    Raises OptionError for a name that no path can hold: one or two dots mean a folder, also when they are encoded.
    """
    with contextlib.suppress(UnicodeEncodeError):  # bytes of the environment that are no UTF-8
        if {"", ".", ".."}.isdisjoint(map(str, segments)):
            return "/" + "/".join(quote(str(segment), safe="") for segment in segments)
    raise OptionError("name", f"{str(segments[-1])!r} cannot be sent as a name in the path of a request; use id.")


def is_login(path: str) -> bool:
    """Whether the panel answers there with addresses that log in everyone who has them, under whichever names."""
    return unquote(path).lower().lstrip("/").startswith("login")


class PanelClient:
    """One kept-alive session to one panel.

    ``retry_budget`` bounds the repeats of the running task; front ends that keep a client for several tasks set a new one for each.
    ``secrets`` masks known secrets in the panel's texts; front ends add those of the task, and the client those of answers.
    """

    def __init__(self, connection: Connection, retry_budget: RetryBudget | None = None, session: Any = None) -> None:
        self.connection = connection
        self.retry_budget = retry_budget or RetryBudget(connection.retry_time)
        self.secrets = Secrets([connection.api_key])
        self.limiter = RequestLimiter()
        # Whether the time of the task is over, and in which words: then nothing more is sent, and what was reached is reported.
        self.is_over: Callable[[], bool] = bool
        self.why_over = TIME_IS_OVER
        self._session = session or new_session(connection)
        # The panel bans addresses that fail often (docs/panel_api.md#refused-keys), so a key that
        # it refused with 401 is not sent again. Callers add to an error: each is new.
        self._refused_key: Callable[[], Denied] | None = None
        # Whether a panel has answered and taken the key, so that no later fault is one of the address.
        self._is_known = False

    def allow_at_once(self, most: int) -> None:
        """Allows so many requests at once, from several threads, over as many kept-alive connections."""
        self.limiter = RequestLimiter(most)
        for scheme in ("https://", "http://") if most > 1 else ():
            self._session.mount(scheme, HTTPAdapter(pool_connections=1, pool_maxsize=most, pool_block=True))

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        return self.call("GET", path, query=query).data

    def get_or_none(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        """The decoded answer, or None if the panel says in its own words (404 with JSON) that the object does not exist."""
        try:
            data = self.get(path, query)
        except Refused as refusal:
            if refusal.details["status"] == 404:
                return None
            raise
        if data is None:
            raise unexpected_answer(path, "was answered with nothing, which does not say that the object is absent.")
        return data

    def post(self, path: str, body: Mapping[str, Any], is_repeat: bool = False) -> Any:
        """Raises OutcomeUnknown when the answer was lost, and then never sends again.

        is_repeat: for a caller that knows that the first one had no effect; it may take no longer than the time left for repeats.
        """
        return self.call("POST", path, body=body, is_repeat=is_repeat).data

    def put(self, path: str, body: Mapping[str, Any], before_repeat: BeforeRepeat = bool) -> Any:
        """Repeated after a lost answer, because the same values twice are the same values.

        A password or a zone is repeated only when the first one cannot take effect any more. before_repeat: called while that is
        waited for and ahead of each repeat, then with True; what it raises ends the repeating.
        """
        return self.call("PUT", path, body=body, before_repeat=before_repeat).data

    def delete(self, path: str, before_repeat: BeforeRepeat = bool) -> Refused | None:
        """Deletes; the 404 if another one or a lost first attempt did it. before_repeat: as for ``put``."""
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
        before_repeat: BeforeRepeat = bool,
    ) -> Answer:
        """One request with its repeats; raises a RequestError. accepted, plain_text: as of ``attempt_with_response``."""
        if self.is_over():
            what = f"{method} {path} was not sent: {self.why_over}."
            advice = "Run the task again to complete the rest."
            written = "" if method == "GET" else NOTHING_WRITTEN
            raise TimeIsUp(what, advice, written, method=method, path=path, attempts=0)
        arguments: dict[str, Any] = {"allow_redirects": False, "params": query}
        if body is not None:
            arguments |= {"data": json.dumps(body).encode(), "headers": {"Content-Type": "application/json"}}
        read = functools.partial(attempt_with_response, secrets=self.secrets, accepted=accepted, plain_text=plain_text)
        # Not at once after a lost answer: if the first attempt came late, a later password or zone would be lost.
        has_password = isinstance(body, Mapping) and not {"password", "password_hash"}.isdisjoint(body)
        is_zone = path.lstrip("/").startswith("dns/")
        may_overtake = method not in ("PUT", "DELETE") or not (has_password or is_zone)
        may_have_written, attempts = False, 0
        try:
            while True:
                attempts += 1
                with self.limiter.slot():
                    log_request(method, path, query, attempts)
                    attempt = self._attempt(method, path, arguments, read, is_repeat or attempts > 1)
                if attempt.answer is not None:
                    if attempts > 1 and not may_overtake:
                        self.retry_budget.reset()
                    return attempt.answer
                is_last = attempts >= attempt.most(method) or self.is_over()
                is_safe = may_overtake or not attempt.may_have_written
                is_repeated = not is_last and self._wait_to_repeat(attempts, attempt.wait, is_safe, before_repeat)
                if attempt.fault is not None:
                    log_repeat(method, path, attempts, attempt.fault.value, is_repeated)
                if not is_repeated:
                    raise request_error(method, path, attempts, attempt, may_have_written, self._is_known)
                may_have_written = may_have_written or attempt.may_have_written
        except BaseException as error:
            # The threads that wait for this one to try again would wait for ever; after a lost creation it looks for the object.
            if method != "POST" or not isinstance(error, OutcomeUnknown):
                self.limiter.release()
            if isinstance(error, Denied) and error.details["status"] == 401:
                problem = error.problem
                parts = (problem.cause, problem.advice, problem.written)
                self._refused_key = functools.partial(Denied, *parts, **error.details)
            raise

    def _wait_to_repeat(
        self, attempts: int, at_least: float | None, may_overtake: bool, before_repeat: BeforeRepeat
    ) -> bool:
        """Waits before the next attempt; False if the time does not suffice."""
        if may_overtake:
            is_time = self.retry_budget.wait(attempts, at_least)
            if is_time:
                before_repeat(True)
            return is_time
        # The reload itself takes less, so the other threads do not wait for this one.
        self.limiter.release()
        look = 0
        for look in self.retry_budget.polls(MAX_POLLS):
            before_repeat(look == MAX_POLLS)
        return look == MAX_POLLS

    def _attempt(
        self, method: str, path: str, arguments: Mapping[str, Any], read: Callable[[Any], Attempt], is_repeat: bool
    ) -> Attempt:
        """Sends once, and tells all threads that wait what came of it."""
        if self._refused_key is not None:
            raise self._refused_key()
        timeout = float(self.connection.timeout)
        if is_repeat:
            timeout = max(1.0, min(timeout, self.retry_budget.remaining()))
        start = time.monotonic()
        try:
            response = self._session.request(method, self.connection.base_url + path, timeout=timeout, **arguments)
        except Exception as error:
            log_answer(method, path, None, 0, time.monotonic() - start)
            attempt = attempt_without_answer(error, self.connection)
        else:
            log_answer(method, path, response.status_code, len(response.content), time.monotonic() - start)
            attempt = read(response)
        if attempt.answer is not None:
            data = attempt.answer.data
            self.secrets.learn({"login_url": data} if is_login(path) else data)
        is_answer = attempt.answer is not None and isinstance(attempt.answer.data, (dict, list))
        if is_answer or (attempt.api_error and attempt.status not in (401, 403)):
            self._is_known = True
        if attempt.affects_all_requests:
            self.limiter.pause()
        elif attempt.fault is None:
            # An error in the panel's own words shows as well as an answer that it is there again.
            self.retry_budget.reset_after_answer()
            self.limiter.release()
        return attempt

    def close(self) -> None:
        self._session.close()


def new_session(connection: Connection) -> Any:
    """A session with one kept-alive connection. Proxies and authorities of the environment are read once, and ``.netrc`` never.

    Raises MissingLibrary, which names the Python, since a task with become or async may run another one than the task before it.
    """
    if not HAS_REQUESTS:
        raise MissingLibrary(
            f"{sys.executable} on {platform.node()} has no library requests. Install it there (pip install requests), "
            "or set ansible_python_interpreter to a Python that has it. Nothing was sent."
        )
    # What urllib3 says of an answer, such as broken header lines, does not belong into the log of Ansible.
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)
    session = requests.Session()
    session.headers.update({"Accept": "application/json", "User-Agent": USER_AGENT})
    if connection.api_key:
        session.headers["X-API-Key"] = connection.api_key
    session.trust_env = False
    session.verify = connection.verify
    # A proxy must not see what goes to this machine itself, where plain http is allowed.
    if not connection.is_loopback:
        session.proxies = requests.utils.get_environ_proxies(connection.base_url)
        if connection.verify is True:
            session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
    if connection.verify is False:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    return session

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks a panel, and tells its answers as they came. Private to the collection.

A request is sent again as for any task, and a creation never, since only a look at the panel can say whether the first one took effect. After 401
nothing is sent any more. 403, or a page, may be about the single request, so that a ping says whether the panel still lets the key in.
"""

from __future__ import annotations

import datetime
import email.utils
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...module_utils._errors import Denied
from ...module_utils._http.answers import Exchange, request_error
from ...module_utils._http.panel_client import PanelClient
from ...module_utils._http.repeats import MAY_HAVE_WRITTEN, Decision, Fault, Patience, decision_after, may_repeat
from .evidence import is_pong

# For what is tried; with what is read before and removed after it stays below 150, and far below the age at which a client counts as left over.
MOST_REQUESTS, MOST_SECONDS = 128, 480.0
# What does not answer so many requests in a row is gone; a key that is refused so often is refused, and panels ban who goes on.
_MOST_SILENT, _MOST_DENIED = 2, 5
PING = "/ping"


class Enough(Exception):
    """The panel has been asked as often or as long as it may be, or answers nothing any more, or nobody with this key."""


class NoAccess(Enough):
    """The panel lets nobody in with this key any more. reply: how it said so. was_refused: whether the request that met it was refused."""

    def __init__(self, reply: Exchange, was_refused: bool) -> None:
        super().__init__()
        self.reply, self.was_refused = reply, was_refused


class Conversation:
    """One panel. asked: how many requests were sent. broken: how many got no answer. reloads: how many were not served. shut: why nothing is
    sent any more, None as long as anything may be. forbids_unknown_paths: whether 403 may mean that there is no such path.
    page_of_unknown_id: the status of the page that the panel has for ids of no object; 0 where it has none.
    """

    def __init__(
        self,
        client: PanelClient,
        patience: Patience,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client, self._patience, self.sleep, self.clock = client, patience, sleep, clock
        self.asked = self.broken = self.reloads = 0
        self._was_let_in = False
        self._dated: tuple[datetime.datetime, float] | None = None
        self.shut: NoAccess | None = None
        self.forbids_unknown_paths = False
        self.page_of_unknown_id = 0
        self.allow(MOST_REQUESTS, MOST_SECONDS)

    def allow(self, requests: int, seconds: float) -> None:
        """So many more from now on."""
        self._most, self._end = self.asked + requests, self.clock() + seconds
        self._silent = self._denied = 0
        self._patience.begin_anew()

    @property
    def may_ask(self) -> int:
        """How many requests are left of them."""
        return self._most - self.asked

    @property
    def tells_time(self) -> bool:
        """Whether its answers say how late it is there."""
        return self._dated is not None

    def now(self) -> datetime.datetime:
        """The time there, which is the same for all who ask it; the time here where its answers do not tell."""
        if self._dated is None:
            return datetime.datetime.now(datetime.timezone.utc)
        date, at = self._dated
        return date + datetime.timedelta(seconds=self.clock() - at)

    def ask(self, method: str, path: str, query: Mapping[str, Any] | None = None, body: Any = None) -> Exchange:
        """The answer; that to a creation may be none. Raises RequestError where none came to anything else, and Enough."""
        reply = self._ask(method, path, query, body)
        if path == PING:
            self._was_let_in = is_pong(reply)
        elif (reply.status == 403 or _is_answered_by_a_page(reply)) and not (
            method == "GET" and self.is_of_no_object(path, reply)
        ):
            self.check_access(reply)
        self._denied = self._denied + 1 if reply.status == 403 and not self.forbids_unknown_paths else 0
        return reply

    def is_of_no_object(self, path: str, reply: Exchange) -> bool:
        """Whether it is the page that the panel has for ids of no object, as far as one can tell; the lists of clients and plans say for sure."""
        return reply.is_page and reply.status == self.page_of_unknown_id and path[-1:].isdigit()

    def check_access(self, reply: Exchange) -> None:
        """Raises NoAccess where the panel lets the key in no more, or is none any more. reply: what gave rise to the question."""
        ping = self._ask("GET", PING, None, None)
        if ping.fault is not None:
            raise request_error("GET", PING, 1, ping.attempt, Decision.FAIL)
        if not is_pong(ping):
            raise self._no_access(ping, reply.is_refused)

    def _no_access(self, reply: Exchange, was_refused: bool) -> NoAccess:
        self.shut = NoAccess(reply, was_refused)
        return self.shut

    def _ask(self, method: str, path: str, query: Mapping[str, Any] | None, body: Any) -> Exchange:
        attempts, may_have_written = 0, False
        while True:
            if self.shut is not None:
                raise self.shut
            attempts += 1
            is_hopeless = self._silent >= _MOST_SILENT or self._denied >= _MOST_DENIED
            if is_hopeless or self.asked >= self._most or self.clock() > self._end:
                raise Enough
            self.asked += 1
            try:
                reply = self._client.exchange(method, path, query, body, judges_key=path == PING)
            except Denied as error:
                # In another task of the run.
                if not self._was_let_in:
                    raise
                reply = Exchange(error.details["status"])
            if reply.status == 401 and self._was_let_in:
                raise self._no_access(reply, not may_have_written)
            date = _date_of(reply)
            self._dated = (date, self.clock()) if date is not None else self._dated
            self.broken += not reply.status
            self.reloads += bool(reply.status) and reply.fault is Fault.NOT_SERVED
            decision = decision_after(method, reply.fault)
            if may_repeat(decision, attempts) and self.wait(attempts, reply):
                may_have_written = may_have_written or reply.fault in MAY_HAVE_WRITTEN
                continue
            self._silent = 0 if reply.status else self._silent + 1
            if reply.fault is None:
                self._patience.begin_anew()
            if may_have_written and method == "DELETE" and reply.status == 404:
                # The one before has had its effect.
                return replace(reply, status=200)
            if reply.status or decision is Decision.ASK:
                return reply
            raise request_error(method, path, attempts, reply.attempt, decision)

    def wait(self, attempts: int, reply: Exchange) -> bool:
        """Waits before something is sent again; False where the time does not suffice."""
        return self._patience.wait(attempts, reply.attempt.wait)


def _date_of(reply: Exchange) -> datetime.datetime | None:
    try:
        date = email.utils.parsedate_to_datetime(reply.date)
    except (TypeError, ValueError):
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=datetime.timezone.utc)


def _is_answered_by_a_page(reply: Exchange) -> bool:
    return reply.is_page and reply.fault in (None, Fault.LOST_ANSWER)

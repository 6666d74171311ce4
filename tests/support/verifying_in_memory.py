# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole of a verify against the simulator's panel in this process, on a clock that only goes on when somebody waits.

outcome = Panel().verify(at("POST", "^/clients$", Blow(500, has_effect=True)))
assert outcome.on_panel == {}
"""

from __future__ import annotations

import contextlib
import datetime
import email.utils
import json
import math
import os
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.conversation import Conversation
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.members import BY_NAME
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.points import evidence_for, read_points
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.verdicts import checks, observed, profile
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.verifying import ask_and_try
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.writing import WritingPhase
from panel_simulator.answering import Reply, answered
from panel_simulator.calls import Call
from panel_simulator.installed_panel import InstalledPanel
from tests.support.simulated_time import SimulatedTime
from tests.support.transcript import connection, read_timeout, reset
from tools.reliability.memory import MemoryPlace, Session

BREAKS_OFF, HANGS = 0, -1
TIMEOUT, RETRY_TIME = 30, 60
SETTINGS = {"status_delay": 0.5}
_POINTS = read_points()


@dataclass(frozen=True)
class Blow:
    """What becomes of a request. status: of the answer, or BREAKS_OFF or HANGS. has_effect: whether it takes effect. body: instead of an error."""

    status: int
    is_json: bool = True
    has_effect: bool = False
    wait: int | None = None
    body: str = ""


Strike = Callable[[int, str, str], Blow | None]


def never(_number: int, _method: str, _path: str) -> None:
    """Nothing becomes of any request."""


def at(method: str, path: str, blow: Blow, times: int = 1, skip: int = 0) -> Strike:
    """Strikes so many requests whose path fits the expression, after so many others; all of them where times is 0."""
    met = 0

    def strike(_number: int, asked: str, at_path: str) -> Blow | None:
        nonlocal met
        if asked != method or not re.search(path, at_path):
            return None
        met += 1
        return blow if met > skip and (not times or met <= skip + times) else None

    return strike


def numbered(number: int, blow: Blow, writes_only: bool = False) -> Strike:
    """Strikes one request, counted from 1; of the writes alone, where wanted."""
    met = 0

    def strike(_number: int, method: str, _path: str) -> Blow | None:
        nonlocal met
        met += not writes_only or method != "GET"
        return blow if met == number and (not writes_only or method != "GET") else None

    return strike


def since(number: int, blow: Blow, times: float = math.inf) -> Strike:
    """Strikes so many requests from that one on."""
    return lambda at_number, _method, _path: blow if number <= at_number < number + times else None


@dataclass(frozen=True)
class Outcome:
    """error: what ended it, None where nothing did. on_panel: the names of what a panel has by now. said: on the screen."""

    error: Exception | None
    left: list[dict[str, Any]]
    found: list[str]
    said: list[str]
    profile: dict[str, Any]
    checks: list[dict[str, Any]]
    on_panel: dict[str, list[str]]
    log: list[dict[str, Any]]
    seconds: float


class Key:
    """Counts what is said of the key."""

    def __init__(self) -> None:
        self.refusals: list[int] = []

    def use(self) -> Any:
        return contextlib.nullcontext(self.refusals[0] if self.refusals else None)

    def answered(self, status: int) -> None:
        self.refusals += [status] if status in (401, 403) else []


class Panel(MemoryPlace):
    """A panel that does these things otherwise. date: what its clock says when the simulated time begins; its answers do not tell without."""

    date: datetime.datetime | None = None

    def __init__(self, seed: Mapping[str, Any] | None = None, **settings: Any) -> None:
        super().__init__(seed or {}, {**SETTINGS, **settings})

    @property
    def now(self) -> float:
        """The time of its clock."""
        return self._clock.now

    def wait(self, seconds: float) -> None:
        """Lets the time go on."""
        self._clock.now += seconds

    def names(self) -> dict[str, list[str]]:
        """What there is, by kind."""
        found: dict[str, list[str]] = {}
        for kind, entries in self.state()["objects"].items():
            if kind not in ("admins", "dns"):
                names = [str(entry["data"].get(BY_NAME[kind].name_member)) for entry in entries]
                found[kind] = sorted(name for name in names if name != "Default")
        return {kind: names for kind, names in found.items() if names}

    def verify(
        self, strike: Strike = never, writes: bool = True, client: str = "", wait_timeout: int = 3, key: Any = None
    ) -> Outcome:
        clock, said = self._clock, list[str]()
        session = _StruckSession(self.panel, clock, strike, self.date)
        made = PanelClient(connection(timeout=TIMEOUT), session=session, key=key)
        seen = evidence_for(_POINTS)
        panel = Conversation(made, clock.patience(RETRY_TIME), clock.sleep, clock.clock)
        # Its locks are for no test in another process.
        writing = WritingPhase(panel, seen, f"https://panel{os.getpid()}.example/api/v2", said.append)
        options: Any = types.SimpleNamespace(client=client, wait_timeout=wait_timeout, wrong_key=False)
        begin, error = clock.now, None
        try:
            ask_and_try(panel, seen, writing, options, writes)
        except Exception as raised:
            error = raised
        # As the task, which says nothing of a panel then.
        found = [] if error else checks(observed(seen, _POINTS), _POINTS, frozenset({"read", "write"}))
        return Outcome(
            error,
            writing.left,
            writing.found,
            [words for words in said if "throw-away client is" not in words],
            profile(found),
            found,
            self.names(),
            session.log,
            clock.now - begin,
        )


class _StruckSession(Session):
    """With what strikes its requests."""

    def __init__(
        self, panel: InstalledPanel, clock: SimulatedTime, strike: Strike, date: datetime.datetime | None
    ) -> None:
        super().__init__(panel, clock, None)
        self._struck, self._strike, self._date = panel, strike, date

    def reply_to(self, call: Call, entry: dict[str, Any], timeout: float) -> Reply:
        reply = self._reply_to(call, entry, timeout)
        if self._date is None:
            return reply
        date = email.utils.format_datetime(self._date + datetime.timedelta(seconds=self.clock.now), usegmt=True)
        return replace(reply, headers={**reply.headers, "Date": date})

    def _reply_to(self, call: Call, entry: dict[str, Any], timeout: float) -> Reply:
        blow = self._strike(len(self.log), call.method, call.path)
        if blow is None:
            return answered(self._struck, call)
        entry["fault"] = blow
        if blow.has_effect:
            answered(self._struck, call)
        if blow.status == HANGS:
            self.clock.now += timeout
            raise read_timeout()
        if blow.status == BREAKS_OFF:
            raise reset()
        page = b"<html><title>No</title></html>"
        text = blow.body or json.dumps({"code": str(blow.status), "message": "No."})
        body = text.encode() if blow.is_json else page
        headers = {"Retry-After": str(blow.wait)} if blow.wait is not None else {}
        return Reply(blow.status, body, "application/json" if blow.is_json else "text/html", headers)

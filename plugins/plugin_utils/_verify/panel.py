# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One panel that is asked, and what was made on it: it is removed at the end, whatever happens. Private to the collection."""

from __future__ import annotations

import contextlib
import datetime
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...module_utils._errors import OutcomeUnknown, RequestError
from ...module_utils._http.panel_client import PanelClient, path_of
from ...module_utils._http.repeats import Patience
from .fields import BY_NAME, Shown, as_list, number

CLIENTS, PLANS = "clients", "hosting_plans"
# A write whose answer was lost takes effect within so many seconds or never.
_LATE = 20.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# In the panel's own form these statuses are about what was asked for.
_REFUSALS = (400, 403, 409, 422)


class Answer(NamedTuple):
    """status: 0 where none came. is_own: whether it is the panel's, and no page of a web server. is_lost: of a write that may have taken effect."""

    status: int
    data: Any = None
    is_own: bool = True
    is_lost: bool = False
    words: str = ""

    @property
    def is_done(self) -> bool:
        return 200 <= self.status < 300 and self.is_own

    @property
    def is_refused(self) -> bool:
        """Whether the panel says no to what was asked for, and not to the path."""
        return self.is_own and self.status in _REFUSALS

    @property
    def object(self) -> Mapping[str, Any]:
        return self.data if self.is_done and isinstance(self.data, Mapping) else {}

    @property
    def items(self) -> list[Mapping[str, Any]]:
        items = as_list(self.data) if self.is_done else None
        return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []


@dataclass
class Made:
    """An object of the test client, or the client or the plan itself. number: None while the panel has not said which id it has."""

    kind: str
    name: str
    number: int | None = None

    @property
    def path(self) -> str:
        return BY_NAME[self.kind].path + path_of(self.number)


class Interrupted(BaseException):
    """Ctrl-C, or a signal that ends the run."""


@contextlib.contextmanager
def interruptible() -> Iterator[Callable[[], None]]:
    """Makes the first signal end the work and not the process; what the context gives makes later ones wait, while things are removed."""
    deferred: list[bool] = []

    def handle(_number: int, _frame: Any) -> None:
        if not deferred:
            deferred.append(True)
            raise Interrupted

    before = {one: signal.signal(one, handle) for one in _SIGNALS}
    try:
        yield lambda: deferred.append(True)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


class Panel:
    """requests: how many were sent. made: what was asked for and not removed, in its order. wait: seconds for what takes its time."""

    def __init__(self, client: PanelClient, wait: float) -> None:
        self.client, self.wait = client, wait
        self.requests = 0
        self.made: list[Made] = []

    def ask(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None) -> Answer:
        """Whatever the panel answers; raises RequestError where none comes, or where it refuses the key."""
        self.requests += 1
        try:
            done = self.client.call(method, path, query=query, body=body)
        except RequestError as error:
            status = error.details.get("status") or 0
            is_lost = isinstance(error, OutcomeUnknown)
            self.requests += error.details.get("attempts", 1) - 1
            if status == 401 or not (status or is_lost):
                raise
            # It may be about this path alone.
            self.client.go_on()
            return Answer(
                status, None, not error.details.keys().isdisjoint(("code", "panel_message")), is_lost, error.what
            )
        return Answer(done.status, done.as_sent)

    def until(self, is_so: Callable[[], bool], seconds: float) -> bool:
        """Asks until it is so, for so many seconds."""
        end, pause = time.monotonic() + seconds, 0.5
        while not is_so():
            if time.monotonic() >= end:
                return False
            time.sleep(pause)
            pause = min(2 * pause, 4.0)
        return True

    def make(self, kind: str, name: str, body: Mapping[str, Any]) -> tuple[Made | None, Answer]:
        """The object, None where the panel did not make it. It is noted before it is asked for, so that it is removed whatever happens."""
        made = Made(kind, name)
        self.made.append(made)
        answer = self.ask("POST", BY_NAME[kind].path, body)
        made.number = number(answer.object.get("id"))
        if made.number is None and not (answer.is_done or answer.is_lost):
            self.made.remove(made)
        elif made.number is None:
            self._find(made)
        return (made if made.number is not None else None), answer

    def _find(self, made: Made) -> None:
        """Looks for what was asked for and has no id: it has come in some seconds, or never."""
        field = BY_NAME[made.kind].name_member

        def is_listed() -> bool:
            items = self.ask("GET", BY_NAME[made.kind].path).items
            made.number = next((number(item.get("id")) for item in items if str(item.get(field)) == made.name), None)
            return made.number is not None

        if not self.until(is_listed, _LATE):
            self.made.remove(made)

    def is_gone(self, made: Made) -> bool:
        """The list decides; where there is none, the panel's own 404."""
        listed = self.ask("GET", BY_NAME[made.kind].path)
        if listed.is_done and isinstance(as_list(listed.data), list):
            return all(number(item.get("id")) != made.number for item in listed.items)
        shown = self.ask("GET", made.path)
        return shown.status == 404 and shown.is_own

    def drop(self, made: Made) -> Answer:
        """Deletes an object, and waits until the panel shows it no more, since some delete in the background."""
        answer = self.ask("DELETE", made.path)
        if (answer.is_done or answer.is_lost or answer.status == 404) and self.until(
            lambda: self.is_gone(made), self.wait
        ):
            self.made.remove(made)
        return answer

    def remove_all(self) -> Answer | None:
        """Removes everything that was made; the answer to the deletion of the client with all that it has, None where there was no client."""
        self.client.patience = Patience(self.client.connection.retry_time)
        for made in [one for one in self.made if one.number is None]:
            with contextlib.suppress(RequestError):
                self._find(made)
        clients, plans = ([made for made in self.made if made.kind == kind] for kind in (CLIENTS, PLANS))
        within = [made for made in reversed(self.made) if made.kind not in (CLIENTS, PLANS)]
        first = None
        # Where the client could not go, what it has goes first; where it could, what it had is gone.
        for made in (*clients, *within, *clients, *plans):
            if made in self.made:
                with contextlib.suppress(RequestError):
                    answer = self.drop(made)
                    first = first or answer
        return first if clients else None

    @property
    def left(self) -> list[dict[str, Any]]:
        return [{"kind": BY_NAME[made.kind].title, "name": made.name} for made in self.made]


def said(answer: Answer, yes: str, no: str) -> str | None:
    """One of two values by what the panel answered; None where it says neither."""
    return yes if answer.is_done else no if answer.is_refused else None


class Run:
    """One test client. has: what there is, by step. own: how it was shown, by kind. seen: by point what was found.

    names: other names of fields, by kind; spelling: those that this panel takes.
    """

    def __init__(self, panel: Panel, name: str, notes: str, today: datetime.date, names: Mapping[str, Any]) -> None:
        self.panel, self.name, self.notes, self.today, self._names = panel, name, notes, today, names
        self.has: dict[str, Made] = {}
        self.own: dict[str, Shown] = {}
        self.seen: dict[str, Any] = {}
        self._spelling: dict[str, Mapping[str, str]] = {}
        self.paths: dict[tuple[str, str], bool] = {}
        self.first_status: Any = None

    @property
    def owner(self) -> dict[str, Any]:
        return {"id_user": self.has["client"].number}

    def make(self, step: str, kind: str, name: str, body: Mapping[str, Any]) -> Answer:
        """What the panel answered; where it refuses a field, other names of it are tried."""
        answer = Answer(0)
        for spelling in [self._spelling[kind]] if kind in self._spelling else self._spellings(kind, body):
            made, answer = self.panel.make(kind, name, {spelling.get(key, key): value for key, value in body.items()})
            if made is not None:
                self.has[step], self._spelling[kind] = made, spelling
                self.show(step)
            if not answer.is_refused:
                break
        return answer

    def _spellings(self, kind: str, body: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
        yield {}
        for name, others in self._names.get(kind, {}).items():
            yield from ({name: other} for other in others if name in body)

    def _asked(self, method: str, step: str, body: Any = None) -> Answer:
        made = self.has[step]
        spelling = self._spelling.get(made.kind, {})
        sent = {spelling.get(name, name): value for name, value in body.items()} if body is not None else None
        answer = self.panel.drop(made) if method == "DELETE" else self.panel.ask(method, made.path, sent)
        # The object is there, so what is missing is the path.
        self.paths[made.kind, method] = answer.status not in (404, 405)
        return answer

    def show(self, step: str) -> Mapping[str, Any]:
        made = self.has[step]
        shown = self._asked("GET", step).object
        if shown:
            self.own[made.kind] = self.own.get(made.kind, Shown({}, {}))._replace(single=shown)
        return shown

    def change(self, step: str, body: Mapping[str, Any]) -> Answer:
        return self._asked("PUT", step, body)

    def drop(self, step: str) -> Answer:
        return self._asked("DELETE", step)

    def accepted(self, step: str, body: Mapping[str, Any], yes: str, no: str) -> str | None:
        return said(self.change(step, body), yes, no)

    def settles(self, step: str) -> Any:
        """Waits until the status is 1 or 2; the status at the end."""
        status: list[Any] = [None]

        def is_settled() -> bool:
            status[0] = number(self.show(step).get("status"))
            return status[0] in (None, 1, 2)

        self.panel.until(is_settled, self.panel.wait)
        return status[0]

    def zone(self) -> Mapping[str, Any]:
        shown = self.panel.ask("GET", f"/dns{path_of(self.has['domain'].number)}").object
        self.own["dns"] = Shown(shown, {})
        return shown

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One panel that is asked, and what was made on it, which is removed at the end whatever happens. Private to the collection."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...module_utils._errors import OutcomeUnknown, RequestError
from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_client import PanelClient, path_of
from ...module_utils._http.repeats import Patience
from .fields import BY_NAME, Shown, number

CLIENTS, PLANS = "clients", "hosting_plans"
# A write whose answer was lost takes effect within so many seconds or never.
_LATE = 20.0
# In the panel's own form these statuses are about what was asked for, and not about path or key.
_REFUSALS = (400, 403, 409, 422)


class Answer(NamedTuple):
    """status: 0 if none came. is_own: the panel's, and no page of a web server. is_lost: of a write that may have taken effect.

    sent: as the panel wrote it. data: the same with lists that it wrote as objects.
    """

    status: int
    sent: Any = None
    data: Any = None
    is_own: bool = True
    is_lost: bool = False
    words: str = ""

    @property
    def is_done(self) -> bool:
        return 200 <= self.status < 300 and self.is_own

    @property
    def is_refused(self) -> bool:
        return self.is_own and self.status in _REFUSALS

    @property
    def object(self) -> Mapping[str, Any]:
        return self.sent if self.is_done and isinstance(self.sent, Mapping) else {}

    @property
    def form(self) -> str:
        return f"{'json' if self.is_own else 'page'}_{self.status}"

    def says(self, yes: str, no: str) -> str | None:
        return yes if self.is_done else no if self.is_refused else None


@dataclass
class Made:
    """Something that was asked for. number: None until the panel has told its id."""

    kind: str
    name: str
    number: int | None = None

    @property
    def path(self) -> str:
        return BY_NAME[self.kind].path + path_of(self.number)


class Panel:
    """requests: how many were sent. wait: seconds for what takes its time. made: what was asked for and is not removed.

    Of the test client ``name``: has: what there is, by step. own: how it was shown, by kind. seen: by point what was found.
    """

    def __init__(self, connection: Connection, wait: float = 0, names: Mapping[str, Any] | None = None) -> None:
        """names: other names of fields, by kind."""
        self.client, self.wait, self._names = PanelClient(connection), wait, names or {}
        self.requests, self.name = 0, ""
        self.made: list[Made] = []
        self.has: dict[str, Made] = {}
        self.own: dict[str, Shown] = {}
        self.seen: dict[str, Any] = {}
        self._spelling: dict[str, Mapping[str, str]] = {}

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        """Any answer; raises RequestError if none came, or if the panel refuses the key."""
        self.requests += 1
        try:
            done = self.client.call(method, path, body=body)
        except RequestError as error:
            status, is_lost = error.details.get("status") or 0, isinstance(error, OutcomeUnknown)
            self.requests += error.details.get("attempts", 1) - 1
            if status == 401 or not (status or is_lost):
                raise
            return Answer(status, is_own=is_own(error), is_lost=is_lost, words=error.what)
        return Answer(done.status, done.as_sent, done.data)

    def close(self) -> None:
        self.client.close()

    def listed(self, kind: str) -> list[Mapping[str, Any]] | None:
        """None if the answer is no list."""
        answer = self.ask("GET", BY_NAME[kind].path)
        is_list = answer.is_done and isinstance(answer.data, list)
        return [one for one in answer.data if isinstance(one, Mapping)] if is_list else None

    def until(self, is_so: Callable[[], bool], seconds: float) -> bool:
        """Asks until it is so, at most for so many seconds."""
        end, pause = time.monotonic() + seconds, 0.5
        while not is_so():
            if time.monotonic() >= end:
                return False
            time.sleep(pause)
            pause = min(2 * pause, 4.0)
        return True

    def make(self, step: str, kind: str, name: str, body: Mapping[str, Any]) -> Answer:
        """What the panel answered; if it refuses a field, other names of it are tried."""
        if "client" in self.has:
            body = {"id_user": self.has["client"].number, **body}
        answer = Answer(0)
        others = [{field: other} for field in body for other in self._names.get(kind, {}).get(field, ())]
        for spelling in [self._spelling[kind]] if kind in self._spelling else [{}, *others]:
            # Noted before it is asked for, so that it is removed whatever happens.
            made = Made(kind, name)
            self.made.append(made)
            answer = self.ask("POST", BY_NAME[kind].path, {spelling.get(key, key): body[key] for key in body})
            made.number = number(answer.object.get("id"))
            if made.number is None and (answer.is_done or answer.is_lost):
                self._find(made)
            elif made.number is None:
                self.made.remove(made)
            if made.number is not None:
                self.has[step], self._spelling[kind] = made, spelling
            if not answer.is_refused:
                break
        return answer

    def _find(self, made: Made) -> None:
        """Finds the id of what was asked for: it comes in some seconds, or never."""
        field = BY_NAME[made.kind].name_member

        def is_listed() -> bool:
            listed = (one for one in self.listed(made.kind) or () if str(one.get(field)) == made.name)
            made.number = next((number(one.get("id")) for one in listed), None)
            return made.number is not None

        if not self.until(is_listed, _LATE):
            self.made.remove(made)

    def show(self, step: str) -> Mapping[str, Any]:
        return self.ask("GET", self.has[step].path).object

    def change(self, step: str, **fields: Any) -> Answer:
        spelling = self._spelling.get(self.has[step].kind, {})
        return self.ask("PUT", self.has[step].path, {spelling.get(name, name): fields[name] for name in fields})

    def settles(self, step: str) -> Any:
        """Waits until the status is 1 or 2; the status at the end."""
        status: list[Any] = []

        def is_settled() -> bool:
            status.append(number(self.show(step).get("status")))
            return status[-1] in (None, 1, 2)

        self.until(is_settled, self.wait)
        return status[-1]

    def is_gone(self, made: Made) -> bool:
        listed = self.listed(made.kind)
        return listed is not None and all(number(one.get("id")) != made.number for one in listed)

    def drop(self, made: Made) -> Answer:
        """Waits until the panel lists the object no more, since it may delete in the background."""
        answer = self.ask("DELETE", made.path)
        is_going = answer.is_done or answer.is_lost or answer.status == 404
        if is_going and self.until(lambda: self.is_gone(made), self.wait):
            self.made.remove(made)
        return answer

    def remove_all(self) -> Answer | None:
        """The answer to the deletion of the client with all that it has; None without a client."""
        self.client.patience = Patience(self.client.connection.retry_time)
        for made in [one for one in self.made if one.number is None]:
            with contextlib.suppress(RequestError):
                self._find(made)
        clients, plans = ([made for made in self.made if made.kind == kind] for kind in (CLIENTS, PLANS))
        within = [made for made in reversed(self.made) if made.kind not in (CLIENTS, PLANS)]
        first = None
        # If the client could not go, what it has goes first; if it could, what it had is gone.
        for made in (*clients, *within, *clients, *plans):
            if made in self.made:
                with contextlib.suppress(RequestError):
                    answer = self.drop(made)
                    first = first or answer
        return first if clients else None


def is_own(error: RequestError) -> bool:
    """Whether the panel itself said so."""
    return not error.details.keys().isdisjoint(("code", "message"))

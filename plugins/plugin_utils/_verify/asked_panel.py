# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks a panel, and takes any answer as an observation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...module_utils._endpoints import may_repeat_at_once
from ...module_utils._errors import OutcomeUnknown, PanelError, RequestError
from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_session import CallRules, PanelSession, join_path
from ...module_utils._values.value_types import read_id
from . import ownership
from .open_points import BY_NAME

# In the panel's own form these statuses are about what was asked for, and not about path or key.
_REFUSALS = (400, 403, 409, 422)
# Below 500, these say nothing of what was asked for either: too late and too busy.
_PASSING = (408, 429)


class Answer(NamedTuple):
    """What the panel answered.

    Attributes:
        status: 0 for a write whose answer was lost.
        sent: The content as the panel wrote it.
        data: The same with lists that it wrote as objects.
        is_from_panel: False for a page of a web server.
        is_readable: False for one of success whose content is cut off or no JSON.
        message: What the error of a request says.
    """

    status: int
    sent: Any = None
    data: Any = None
    is_from_panel: bool = True
    is_readable: bool = True
    message: str = ""

    @property
    def is_done(self) -> bool:
        """Return whether the panel did what it was asked for."""
        return self.is_readable and 200 <= self.status < 300

    @property
    def is_broken(self) -> bool:
        """Return whether it says neither what the panel did nor what it has."""
        is_failure = self.status == 0 or self.status >= 500 or self.status in _PASSING
        return is_failure or not self.is_readable

    @property
    def is_refused(self) -> bool:
        """Return whether the panel understood the request and refused it."""
        return self.is_from_panel and self.status in _REFUSALS

    @property
    def object(self) -> Mapping[str, Any]:
        """Return the object in the answer; empty if there is none."""
        if self.is_done and isinstance(self.sent, Mapping):
            return self.sent
        return {}

    @property
    def form(self) -> str | None:
        """Return the form and status of the answer, as open points name them; None if broken."""
        if self.is_broken:
            return None
        form = "json" if self.is_from_panel else "page"
        return f"{form}_{self.status}"

    def choose(self, if_done: str, if_refused: str) -> str | None:
        """Return the value of a point for what the panel did; None if it did neither."""
        if self.is_done:
            return if_done
        if self.is_refused:
            return if_refused
        return None


class UnclearAnswer(PanelError):
    """An answer is broken, so it does not show what the panel has or did."""


class UnreadableList(UnclearAnswer):
    """A list does not show which objects there are, so it does not show which are absent either."""


class OddForm(PanelError):
    """An answer has a form that no one foresaw."""


def read_mapping(value: Any) -> Mapping[str, Any]:
    """Return what a panel shows as an object; empty for null, and for an empty list.

    Raises:
        OddForm: It is something else.
    """
    if not value:
        return {}
    if not isinstance(value, Mapping):
        raise OddForm(f"This is no object: {type(value).__name__}")
    return value


class AskedPanel:
    """Asks one panel.

    Attributes:
        session: Sends the requests.
        requests: How many were sent.
        has_written: Whether one of them was a write.
    """

    def __init__(self, connection: Connection) -> None:
        self.session = PanelSession(connection)
        self.requests = 0
        self.has_written = False

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        """Return any answer; raises RequestError if none came."""
        self.requests += 1
        self.has_written = self.has_written or method != "GET"
        try:
            rules = CallRules(repeats_at_once=may_repeat_at_once(path, body))
            response = self.session.call(method, path, body=body, rules=rules)
        except RequestError as error:
            self.requests += error.details["attempts"] - 1
            status = error.status
            if isinstance(error, OutcomeUnknown):
                status = 0
            if status is None:
                raise
            return Answer(
                status,
                is_from_panel=error.is_from_panel,
                is_readable=not 200 <= status < 300,
                message=error.problem.cause,
            )

        return Answer(response.status, response.as_sent, response.data)

    def ask_clearly(self, method: str, path: str, body: Any = None) -> Answer:
        """Return an answer that shows something; raises UnclearAnswer for a broken one."""
        answer = self.ask(method, path, body)
        if answer.is_broken:
            raise UnclearAnswer(f"{method} {path}: {answer.message or answer.status}")
        return answer

    def read_list(self, kind: str) -> dict[int, Mapping[str, Any]]:
        """Return all objects of a kind by their ids.

        Raises:
            UnreadableList: The answer has no list of them.
            RequestError: No answer came.
        """
        path = BY_NAME[kind].path
        answer = self.ask("GET", path)
        objects = None
        if answer.is_done:
            objects = ownership.index_list(answer.data)
        if objects is None:
            reason = answer.message or f"GET {path} did not answer with a list of objects with ids."
            raise UnreadableList(f"The list of {BY_NAME[kind].titles} cannot be read: {reason}")
        return objects

    def find_by_name(self, kind: str, name: str) -> dict[int, Mapping[str, Any]]:
        """Return the object with this name by its id, also if the list is only a part of the whole.

        Returns:
            Empty without an object of this name.

        Raises:
            UnreadableList: The answer is broken.
        """
        table = BY_NAME[kind]
        if not table.traits.by_name:
            return {}
        answer = self.ask("GET", table.path + join_path("name", name))
        if answer.is_broken:
            reason = answer.message or answer.status
            raise UnreadableList(f"The {table.title} {name} cannot be looked up: {reason}")
        item = answer.object
        identifier = read_id(item.get("id"))
        if identifier is None:
            return {}
        return {identifier: item}

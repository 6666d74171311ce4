# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes what a verify has made, and what an earlier one has left. Private to the collection.

Nothing is deleted but the client and the plan whose name and mark fit together, and what belongs to that client.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...module_utils._errors import RequestError
from ...module_utils._http.panel_client import path_of
from ...module_utils._kinds.registry import OWNED
from .conversation import Conversation, TooManyRequests
from .evidence import Reply, number
from .marks import Left, is_own_plan
from .members import BY_NAME
from .workshop import Made

# A client in these moments is still shown by panels that delete in the background, or whose lists lag.
_PAUSES = (0.3, 0.7, 1.0, 1.5, 2.0)
CLIENTS, PLANS = "/clients", "/hosting-plans"


class Removal:
    """The end of one throw-away client. left: the kinds of objects that could not be removed."""

    def __init__(self, panel: Conversation, name: str, sleep: Any) -> None:
        self._panel, self.name, self._sleep = panel, name, sleep
        self.left: list[str] = []
        self._gone: list[Made] = []
        # What the panel answered to the deletion of the client with everything in it.
        self.first_answer: Reply | None = None

    def everything(self, client: Made | None, plan: Made | None, others: Sequence[Made] = ()) -> None:
        """Removes the client, what belongs to it, and the plan; None for what was never asked for.

        Where nobody knows an id they are looked for by name and mark. others: what was made in the client, as far as it is known.
        """
        self._panel.most += 80
        self._do("client", lambda: client is None or self._client(client.number, others))
        for other in [one for one in reversed(others) if one not in self._gone]:
            self._do(BY_NAME[other.kind].title, functools.partial(self._other, other))
        self._do("hosting plan", lambda: plan is None or self._plan(plan.number))

    def _do(self, what: str, remove: Callable[[], bool]) -> None:
        try:
            is_gone = remove()
        except (RequestError, TooManyRequests):
            is_gone = False
        if not is_gone and what not in self.left:
            self.left.append(what)

    def _other(self, made: Made) -> bool:
        """Whether an object is gone that should have gone with its client. An id is deleted only while its object has the throw-away name."""
        for _try in range(2 if made.number is not None else 0):
            shown = self._panel.ask("GET", made.path)
            is_others = shown.is_done and self.name not in str(shown.object.get(BY_NAME[made.kind].name_member))
            if shown.status == 404 or is_others:
                return True
            self._panel.ask("DELETE", made.path)
        return made.number is None

    def _client(self, identifier: int | None, others: Sequence[Made]) -> bool:
        identifier = identifier if identifier is not None else self._found_client()
        if identifier is None:
            return True
        path = CLIENTS + path_of(identifier)
        answer = self.first_answer = self._panel.ask("DELETE", path)
        if answer.is_refused and answer.status != 404:
            for other in reversed(others):
                if other.number is not None and self._panel.ask("DELETE", other.path).is_done:
                    self._gone.append(other)
            answer = self._panel.ask("DELETE", path)
        if answer.is_refused and answer.status != 404:
            self._owned(path)
            self._panel.ask("DELETE", path)
        for pause in (0.0, *_PAUSES):
            self._sleep(pause)
            shown = self._panel.ask("GET", path)
            # A page of a web server need not mean that the panel has no such client.
            is_gone = shown.status == 404 and (shown.is_json or not self._is_listed())
            if is_gone or (shown.is_done and shown.object.get("username") != self.name):
                return True
        return False

    def _is_listed(self) -> bool:
        reply = self._panel.ask("GET", CLIENTS)
        return not reply.is_done or any(item.get("username") == self.name for item in reply.items)

    def _owned(self, path: str) -> None:
        """Deletes what belongs to the client one by one, what depends on others first."""
        resources = self._panel.ask("GET", f"{path}/resources").object
        for plural in reversed(OWNED):
            kind = next(name for name, table in BY_NAME.items() if table.plural == plural)
            items = resources.get(plural)
            for item in reversed(items) if isinstance(items, list) else ():
                found = number(item.get("id")) if isinstance(item, Mapping) else None
                if found is not None:
                    self._panel.ask("DELETE", BY_NAME[kind].path + path_of(found))

    def _plan(self, identifier: int | None) -> bool:
        identifier = identifier if identifier is not None else self._found_plan()
        if identifier is None:
            return True
        self._panel.ask("DELETE", PLANS + path_of(identifier))
        return self._panel.ask("GET", PLANS + path_of(identifier)).status == 404

    def _found_client(self) -> int | None:
        """The client of the name with its mark; one whose creation was not answered may come late."""
        for pause in (0.0, *_PAUSES):
            self._sleep(pause)
            for item in self._panel.ask("GET", CLIENTS).items:
                if item.get("username") == self.name:
                    identifier = number(item.get("id"))
                    return identifier if identifier is not None and is_marked(self._panel, item) else None
        return None

    def _found_plan(self) -> int | None:
        for item in self._panel.ask("GET", PLANS).items:
            if item.get("name") == self.name:
                shown = item if "resources" in item else self._panel.ask("GET", PLANS + path_of(item.get("id"))).object
                return number(item.get("id")) if is_own_plan(self.name, shown) else None
        return None


def left_by(panel: Conversation, client: Mapping[str, Any]) -> Left:
    """What the mark of a client says, read from the single object where the list leaves the notes out."""
    notes = client.get("notes")
    if "notes" not in client:
        notes = panel.ask("GET", CLIENTS + path_of(client.get("id"))).object.get("notes")
    return Left(str(client.get("username")), notes)


def is_marked(panel: Conversation, client: Mapping[str, Any]) -> bool:
    """Whether a verify has made this client."""
    return left_by(panel, client).is_marked

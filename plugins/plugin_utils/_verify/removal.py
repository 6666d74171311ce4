# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes what a verify has made, and what an earlier one has left. Private to the collection.

Nothing is deleted but the client and the plan whose name and mark fit together, and what belongs to that client.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping
from typing import Any

from ...module_utils._errors import RequestError
from ...module_utils._http.answers import Exchange
from ...module_utils._http.panel_client import path_of
from ...module_utils._kinds.registry import OWNED
from .conversation import Conversation, Enough
from .evidence import number
from .members import BY_NAME
from .objects import CLIENTS, PLANS, Made, NotKnown, is_gone_from, is_listed

MOST_REQUESTS, MOST_SECONDS = 80, 300.0
# What was deleted is still shown in these moments by panels that delete in the background, or whose lists lag.
_PAUSES = (0.3, 0.7, 1.0, 1.5, 2.0)
# Longer than a lag that is measured.
LONG_PAUSES = (*_PAUSES, 3.0, 3.0)


class Removal:
    """The end of one throw-away client.

    made: everything that was asked for; what is gone is taken out. shows_all: whether lists are known to show what was made before long, so that
    what they do not show is not there. answers: to the deletion of the client with everything in it, which is asked for twice where it is refused.
    gone: the client where somebody else had removed it before.
    """

    def __init__(self, panel: Conversation, name: str, made: list[Made]) -> None:
        self._panel, self._name, self.made = panel, name, made
        self.shows_all = False
        self.answers: list[Exchange] = []
        self.gone: Made | None = None

    def everything(self) -> None:
        """Removes the client, what belongs to it, and the plan."""
        self._panel.allow(MOST_REQUESTS, MOST_SECONDS)
        clients, plans = ([made for made in self.made if made.kind == kind] for kind in (CLIENTS, PLANS))
        order = [*clients, *self._within(), *plans]
        with contextlib.suppress(Enough):
            for made in order:
                with contextlib.suppress(RequestError, NotKnown):
                    if made in self.made and (self._client(made) if made.kind == CLIENTS else self._other(made)):
                        self.made.remove(made)

    @property
    def left(self) -> list[dict[str, Any]]:
        """What is left, or may be."""
        return [
            {"kind": BY_NAME[made.kind].title, "name": made.name, **({"may_be_there": True} if not made.number else {})}
            for made in self.made
        ]

    def _client(self, client: Made) -> bool:
        """Whether it is gone. A panel that refuses that because of what the client has is asked again without it."""
        if client.number is None and not self._is_there(client):
            return True
        for emptied in (None, None, self._without_made, functools.partial(self._without_all, client)):
            if emptied is not None:
                emptied()
            answer = self._panel.ask("DELETE", client.path)
            if not self.answers:
                self.gone = client if is_gone_from(self._panel, client, "DELETE", answer) else None
            self.answers += [answer] if emptied is None else []
            if self.gone or answer.is_done or (answer.status == 404 and self._is_gone(client)):
                break
        return self._goes(client)

    def _within(self) -> list[Made]:
        """What was made in the client, the last first."""
        return [made for made in reversed(self.made) if made.kind not in (CLIENTS, PLANS)]

    def _without_made(self) -> None:
        for made in self._within():
            if made.number and self._panel.ask("DELETE", made.path).is_done:
                self.made.remove(made)

    def _without_all(self, client: Made) -> None:
        """Deletes what belongs to the client one by one, what depends on others first."""
        resources = self._panel.ask("GET", f"{client.path}/resources").object
        for plural in reversed(OWNED):
            table = next(table for table in BY_NAME.values() if table.plural == plural)
            items = resources.get(plural)
            for item in reversed(items) if isinstance(items, list) else ():
                found = number(item.get("id")) if isinstance(item, Mapping) else None
                if found is not None:
                    self._panel.ask("DELETE", table.path + path_of(found))

    def _other(self, made: Made) -> bool:
        """Whether the plan, or an object that should have gone with its client, is gone."""
        if made.number is None and not self._is_there(made):
            return True
        for _try in range(2):
            if self._is_gone(made):
                return True
            answer = self._panel.ask("DELETE", made.path)
            if (answer.is_done or answer.status == 404) and self._goes(made):
                return True
        return self._is_gone(made)

    def _is_there(self, made: Made) -> bool:
        """Whether the panel has something whose id nobody knows. Raises NotKnown."""
        if made.kind not in (CLIENTS, PLANS):
            if any(one.kind == CLIENTS for one in self.made):
                raise NotKnown
            # It has gone with its client.
            return False
        if not is_listed(self._panel, made, LONG_PAUSES) and not self.shows_all:
            raise NotKnown
        return made.number is not None

    def _goes(self, made: Made) -> bool:
        """Whether it is gone in a moment."""
        for pause in (0.0, *_PAUSES):
            self._panel.sleep(pause)
            if self._is_gone(made):
                return True
        return False

    def _is_gone(self, made: Made) -> bool:
        """An id stands for the object only while it has a throw-away name; a page, or a refusal of the path, says nothing of objects."""
        table = BY_NAME[made.kind]
        shown = self._panel.ask("GET", made.path)
        if shown.object:
            name = str(shown.object.get(table.name_member, self._name))
            return self._name not in name and name not in (made.name, made.kept)
        # A plan is looked at last, when what answers may be no panel any more: its list has to be one.
        if shown.status == 404 and shown.is_json and made.kind != PLANS:
            return True
        if made.kind not in (CLIENTS, PLANS) and self._panel.is_of_no_object(made.path, shown):
            return True
        listed = self._panel.ask("GET", table.path)
        is_list = listed.is_done and isinstance(listed.data, list)
        return is_list and not shown.is_done and all(number(item.get("id")) != made.number for item in listed.items)

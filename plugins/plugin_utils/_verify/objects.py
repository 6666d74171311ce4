# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes objects of the throw-away client, and knows what it has asked for. Private to the collection.

An object is noted before it is asked for, and stays so until the panel itself says no, so that also one whose answer was lost is removed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._http.answers import Exchange
from ...module_utils._http.panel_client import path_of
from ...module_utils._http.repeats import Fault
from .conversation import Conversation, NoAccess
from .evidence import NONE, Evidence, number
from .marks import Left, has_own_limits
from .members import BY_NAME, may_be

CLIENTS, PLANS = "clients", "hosting_plans"
_TRIES = 2
# Seconds between two looks at a list for something that may come, and between two at a status; the last counts on.
_LOOKS = (0.3, 0.5, 1.0, 1.0, 2.0)
_LOOKS_AT_STATUS = (0.3, 0.5, 1.0, 2.0, 4.0, 5.0)


@dataclass
class Made:
    """An object of the throw-away client. name: what it is found by in a list; kept: as it was shown.

    number: its id, None while nobody knows it. owner: the id of the client, None for the client itself and the plan.
    """

    kind: str
    name: str
    number: int | None = None
    owner: int | None = None
    kept: str = ""

    @property
    def path(self) -> str:
        """Where it is as a single object."""
        return BY_NAME[self.kind].path + path_of(self.number)


class Gone(Exception):
    """Somebody has removed the client, or its plan, in the midst of everything. made: which."""

    def __init__(self, made: Made) -> None:
        super().__init__()
        self.made = made


class NotKnown(Exception):
    """Whether the panel has something that was asked for, and whose it is, does not show."""


def is_listed(panel: Conversation, made: Made, pauses: tuple[float, ...] = ()) -> bool:
    """Whether the list shows what was asked for, now or after one of the pauses, which gives it its id. Raises NotKnown."""
    table, is_known = BY_NAME[made.kind], False
    for pause in (0.0, *pauses):
        panel.sleep(pause)
        reply = panel.ask("GET", table.path)
        is_known = is_known or reply.is_done
        for item in reply.items:
            if str(item.get(table.name_member)) == made.name and _is_own(panel, made, item):
                made.number = number(item.get("id"))
                return True
    if not is_known:
        raise NotKnown
    return False


def _is_own(panel: Conversation, made: Made, item: Mapping[str, Any]) -> bool:
    """False for what is known to be of another client. Raises NotKnown for a client or a plan of the name without the mark."""
    if made.kind in (CLIENTS, PLANS):
        if not (is_marked if made.kind == CLIENTS else is_own_plan)(panel, item):
            raise NotKnown
        return True
    return number(item.get("id_user")) in (None, made.owner)


def is_gone_from(panel: Conversation, made: Made, method: str, reply: Exchange) -> bool:
    """Whether this answer means that the object is no more, and not that the panel has no such path."""
    if reply.status != 404 or not reply.is_json:
        return False
    shown = reply if method == "GET" else panel.ask("GET", made.path)
    if shown.status != 404 or not shown.is_json:
        return False
    panel.check_access(shown)
    try:
        return bool(made.kept) or not is_listed(panel, made, _LOOKS)
    except NotKnown:
        return False


def _whole(panel: Conversation, kind: str, item: Mapping[str, Any], member: str) -> Mapping[str, Any]:
    """The single object where the list leaves the member out."""
    if member in item:
        return item
    return panel.ask("GET", BY_NAME[kind].path + path_of(item.get("id"))).object


def left_by(panel: Conversation, client: Mapping[str, Any]) -> Left:
    """What the mark of a client says."""
    return Left(str(client.get("username")), _whole(panel, CLIENTS, client, "notes").get("notes"))


def is_marked(panel: Conversation, client: Mapping[str, Any]) -> bool:
    """Whether a verify has made this client."""
    return left_by(panel, client).is_marked


def is_own_plan(panel: Conversation, plan: Mapping[str, Any]) -> bool:
    """Whether a verify has made this plan, whose name was looked at."""
    return has_own_limits(_whole(panel, PLANS, plan, "resources"))


def is_used(panel: Conversation, client: Mapping[str, Any]) -> bool:
    """Whether a throw-away client has domains or mailboxes that no verify has made, or does not show what it has."""
    name, shown = str(client.get("username")), panel.ask("GET", f"/clients{path_of(client.get('id'))}/resources").object
    for table in (BY_NAME["domains"], BY_NAME["emails"]):
        items = shown.get(table.plural)
        if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
            return True
        # The panel itself may call the system domain otherwise.
        if any(name not in str(item.get(table.name_member)) and not item.get("is_system_domain") for item in items):
            return True
    return False


class Objects:
    """made: everything that was asked for, in its order; what was removed is taken out."""

    def __init__(self, panel: Conversation, seen: Evidence) -> None:
        self.panel, self.seen = panel, seen
        self.made: list[Made] = []

    def make(self, kind: str, name: str, body: Mapping[str, Any]) -> tuple[Made | None, Exchange]:
        """The object, None where the panel refused it or nobody knows, and the last answer. Raises RequestError."""
        made, reply = Made(kind, name, owner=body.get("id_user")), NONE
        self.made.append(made)
        for spelling in self._spellings(kind, body):
            reply = self._sent(made, renamed(body, spelling))
            if made.number is not None:
                self.seen.spelling[kind] = spelling
                return made, reply
            if not reply.is_refused:
                return None, reply
        self.made.remove(made)
        return None, reply

    def _spellings(self, kind: str, body: Mapping[str, Any]) -> Iterator[dict[str, str]]:
        """The names that members are tried under."""
        if kind in self.seen.spelling:
            yield self.seen.spelling[kind]
            return
        yield {}
        known = self.seen.other_names.get(kind, {}).items()
        others = [{member: other} for member, names in known if member in body for other in names]
        if others:
            # One refusal may be about something that has passed by now.
            yield {}
        yield from others

    def _sent(self, made: Made, body: Mapping[str, Any]) -> Exchange:
        """The answer to its creation, which is sent once more where the first one had no effect that can be seen."""
        path = BY_NAME[made.kind].path
        unknown = None
        for attempt in range(1, _TRIES + 1):
            try:
                reply = self.asked("POST", path, path, body)
            except NoAccess as end:
                if end.was_refused and unknown is None:
                    self.made.remove(made)
                raise
            if reply.is_done:
                made.number = number(reply.object.get("id"))
            elif unknown is None and reply.fault is None:
                return reply
            # What is refused now may be there by the first one. A panel that failed has said so, and is at it no more.
            if made.number is None:
                with contextlib.suppress(NotKnown):
                    is_listed(self.panel, made, () if reply.fault is Fault.FAILED else _LOOKS)
            if made.number is not None:
                return Exchange(201, {"id": made.number})
            unknown = unknown or reply
            if reply.fault in (None, Fault.FAILED) or not self.panel.wait(attempt, reply):
                break
        return unknown or reply

    def show(self, made: Made) -> Mapping[str, Any]:
        """The object; empty where the panel does not show it. As all that follow it raises Gone."""
        shown = self._asked("GET", made).object
        if not may_be(made.kind, shown, made.number):
            return {}
        made.kept = str(shown.get(BY_NAME[made.kind].name_member))
        self.seen.own[made.kind] = (shown, self.seen.own.get(made.kind, ({}, {}))[1])
        return shown

    def change(self, made: Made, body: Mapping[str, Any]) -> Exchange:
        """What the panel answers to these members."""
        return self._asked("PUT", made, renamed(body, self.seen.spelling.get(made.kind, {})))

    def drop(self, made: Made) -> Exchange:
        """Deletes the object."""
        reply = self._asked("DELETE", made)
        # Whether a plan is gone is looked at in the end; anything else goes with the client.
        if reply.is_done and made.kind != PLANS:
            self.made.remove(made)
        return reply

    def shown_first(self, made: Made) -> Mapping[str, Any]:
        """As ``show``, for an object that was just made: its status is one that tells whether they settle."""
        shown = self.show(made)
        if "status" in shown:
            self.seen.statuses.append(number(shown["status"]))
        return shown

    def settled(self, made: Made, longest: float) -> bool | None:
        """Waits until the status of an object is 1, for so many seconds at most; None where the panel does not show it."""
        end, looks = self.panel.clock() + longest, 0
        while True:
            status = number(self.show(made).get("status"))
            left = end - self.panel.clock()
            if status in (None, 1, 2) or left <= 0:
                return None if status is None else status == 1
            self.panel.sleep(min(_LOOKS_AT_STATUS[min(looks, len(_LOOKS_AT_STATUS) - 1)], left + 0.01))
            looks += 1

    def _asked(self, method: str, made: Made, body: Any = None) -> Exchange:
        reply = self.asked(method, BY_NAME[made.kind].path + r"/\d+", made.path, body)
        if made.kind in (CLIENTS, PLANS) and is_gone_from(self.panel, made, method, reply):
            raise Gone(made)
        return reply

    def asked(self, method: str, called: str, path: str, body: Any = None) -> Exchange:
        """The answer; where it may be that there is no such path, that to a second one. called: the path as patterns of paths have it."""
        reply = self.panel.ask(method, path, body=body)
        if self.seen.has_no_path(reply):
            reply = self.panel.ask(method, path, body=body)
        if reply.fault is None:
            self.seen.note_path(called, method, reply)
        self.seen.note_text(reply)
        return reply


def renamed(body: Mapping[str, Any], spelling: Mapping[str, str]) -> dict[str, Any]:
    """The body with members under the names that the panel wants."""
    return {spelling.get(name, name): value for name, value in body.items()}

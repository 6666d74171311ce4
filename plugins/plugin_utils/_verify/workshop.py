# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes objects of the throw-away client, and knows what it has made. Private to the collection.

An object is noted before it is asked for, so that also one whose answer was lost is removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._errors import OutcomeUnknown
from ...module_utils._http.panel_client import path_of
from .conversation import Conversation
from .evidence import NONE, Evidence, Reply, number
from .members import BY_NAME

_TRIES = 2
# Seconds between two looks at a list for something that may come, and between two at a status; the last counts on.
_LOOKS = (0.3, 0.5, 1.0, 1.0, 2.0)
_LOOKS_AT_STATUS = (0.3, 0.5, 1.0, 2.0, 4.0, 5.0)


@dataclass
class Made:
    """An object of the throw-away client. number: its id, None while nobody knows it. name: what it is found by in a list."""

    kind: str
    name: str
    number: int | None = None

    @property
    def path(self) -> str:
        """Where it is as a single object."""
        return BY_NAME[self.kind].path + path_of(self.number)


class Workshop:
    """made: everything that was asked for, in its order; what was removed is taken out."""

    def __init__(
        self, panel: Conversation, seen: Evidence, sleep: Callable[[float], None], clock: Callable[[], float]
    ) -> None:
        self.panel, self.seen, self.sleep, self.clock = panel, seen, sleep, clock
        self.made: list[Made] = []

    def make(self, kind: str, name: str, body: Mapping[str, Any]) -> tuple[Made | None, Reply]:
        """The object, None where the panel refused it, and the last answer. Raises RequestError."""
        made = Made(kind, name)
        reply = NONE
        for spelling in self._spellings(kind, body):
            self.made.append(made)
            reply = self._post(made, renamed(body, spelling))
            if made.number is not None:
                if spelling:
                    self.seen.spelling[kind] = spelling
                return made, reply
            self.made.remove(made)
            if not reply.is_refused:
                break
        return None, reply

    def _spellings(self, kind: str, body: Mapping[str, Any]) -> Iterator[dict[str, str]]:
        """The names that members are tried under."""
        if kind in self.seen.spelling:
            yield self.seen.spelling[kind]
            return
        yield {}
        for member, others in self.seen.other_names.get(kind, {}).items():
            for other in others if member in body else ():
                yield {member: other}

    def _post(self, made: Made, body: Mapping[str, Any]) -> Reply:
        path = BY_NAME[made.kind].path
        for _try in range(_TRIES):
            try:
                reply = self.panel.ask("POST", path, body=body)
            except OutcomeUnknown:
                made.number = self.looked_up(made)
                if made.number is not None:
                    return Reply(201, {"id": made.number})
                continue
            self.seen.paths.setdefault(path, {})["POST"] = reply.status
            if reply.is_done:
                made.number = number(reply.object.get("id")) or self.looked_up(made)
            return reply
        raise OutcomeUnknown(f"POST {path} was not answered.", method="POST", path=path, attempts=_TRIES)

    def looked_up(self, made: Made) -> int | None:
        """The id of an object whose creation was not answered, as soon as a list shows it; None where none does."""
        member = BY_NAME[made.kind].name_member
        for pause in (0.0, *_LOOKS):
            self.sleep(pause)
            for item in self.panel.ask("GET", BY_NAME[made.kind].path).items:
                if str(item.get(member)) == made.name:
                    return number(item.get("id"))
        return None

    def show(self, made: Made) -> Mapping[str, Any]:
        """The object; empty where the panel does not show it."""
        reply = self.panel.ask("GET", made.path)
        self._note(made, "GET", reply)
        if reply.object:
            self.seen.own[made.kind] = (reply.object, self.seen.own.get(made.kind, ({}, {}))[1])
        return reply.object

    def change(self, made: Made, body: Mapping[str, Any]) -> Reply:
        """What the panel answers to these members."""
        reply = self.panel.ask("PUT", made.path, body=renamed(body, self.seen.spelling.get(made.kind, {})))
        self._note(made, "PUT", reply)
        return reply

    def drop(self, made: Made) -> Reply:
        """Deletes the object."""
        reply = self.panel.ask("DELETE", made.path)
        self._note(made, "DELETE", reply)
        if reply.is_done:
            self.made.remove(made)
        return reply

    def shown_first(self, made: Made) -> Mapping[str, Any]:
        """As ``show``, for an object that was just made: its status is one that tells whether they settle."""
        shown = self.show(made)
        if "status" in shown:
            self.seen.statuses.append(number(shown["status"]))
        return shown

    def settled(self, made: Made, longest: float) -> bool:
        """Waits until the status of an object is 1, for so many seconds at most."""
        end, looks = self.clock() + longest, 0
        while True:
            status = number(self.show(made).get("status"))
            if status in (None, 1, 2) or self.clock() >= end:
                return status == 1
            self.sleep(min(_LOOKS_AT_STATUS[min(looks, len(_LOOKS_AT_STATUS) - 1)], end - self.clock() + 0.01))
            looks += 1

    def _note(self, made: Made, method: str, reply: Reply) -> None:
        pattern = BY_NAME[made.kind].path + r"/\d+"
        self.seen.paths.setdefault(pattern, {}).setdefault(method, reply.status)


def renamed(body: Mapping[str, Any], spelling: Mapping[str, str]) -> dict[str, Any]:
    """The body with members under the names that the panel wants."""
    return {spelling.get(name, name): value for name, value in body.items()}

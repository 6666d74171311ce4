# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What trials are made with. Private to the collection.

One function for each point, by its name in the table, asks and concludes, as an observation does from what was shown. Where that is otherwise than
it is taken for granted it is tried a second time, so that a trial leaves everything as a second one needs it.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Any, Literal

from ...module_utils._http.answers import Exchange
from ...module_utils._http.panel_client import path_of
from .evidence import DIFFERS, Evidence, Shown, Untold, is_on, number
from .members import BY_NAME, may_be
from .objects import Made, Objects

# Requests beside those that are still to come, for a trial that is made a second time.
_ROOM = 6
# What trials call the objects that there are.
Called = Literal[
    "plan",
    "client",
    "certificate",
    "domain",
    "subdomain",
    "second domain",
    "mailbox",
    "mailbox of the second domain",
    "database",
]
NOT_AGAIN = Untold("It looked otherwise, but so much is that this was not asked a second time.")
NEVER_DELETED = Untold("The panel refused to delete it in any case, so that this does not show why.")


class Trying:
    """One throw-away client on one panel, as far as it was made.

    name: its name. notes: its mark. longest: seconds for which a status is waited for. has: what there is, by what trials call it. zone and
    first_zone: of its domain, as it was shown last and at first. plan_limit: databases that the plan allows by now. still_to_ask: how many requests
    are to come.
    """

    def __init__(
        self, objects: Objects, seen: Evidence, name: str, notes: str, today: datetime.date, longest: float
    ) -> None:
        self.objects, self.seen = objects, seen
        self.name, self.notes, self.today, self.longest = name, notes, today, longest
        self.has: dict[Called, Made] = {}
        self.zone: Shown = {}
        self.first_zone: Shown = {}
        self.plan_limit = 1
        self.still_to_ask = self._numbers = 0

    def see(self, trial: Trial) -> None:
        """Keeps what the trial says of its point, or why it says nothing."""
        self.seen.tried[trial.__name__] = self._without_doubt(trial)

    def note(self, trial: Trial) -> None:
        """Keeps what a trial says that asks a second time by itself, since it leaves something behind."""
        self.seen.tried[trial.__name__] = trial(self)

    def _without_doubt(self, trial: Trial) -> Any:
        found = trial(self)
        if found is None or isinstance(found, Untold) or found == self.seen.defaults[trial.__name__]:
            return found
        if self.objects.panel.may_ask < self.still_to_ask + _ROOM:
            return NOT_AGAIN
        return found if trial(self) == found else DIFFERS

    def make(self, called: Called, kind: str, name: str, body: Mapping[str, Any]) -> Exchange:
        """What the panel answered; others find what it made as what it is called."""
        made, reply = self.objects.make(kind, name, body)
        if made is not None:
            self.has[called] = made
        return reply

    def change(self, called: Called, body: Mapping[str, Any]) -> Exchange:
        """What the panel answers to these members."""
        return self.objects.change(self.has[called], body)

    def refuses(self, called: Called, reply: Exchange) -> bool:
        """Whether the panel refuses just this change, and takes another one of the object."""
        return self.seen.is_objection(reply) and self.change(called, self._plain_changes[called]).is_done

    @property
    def _plain_changes(self) -> Mapping[Called, Mapping[str, Any]]:
        return {
            "client": {"notes": self.notes},
            "domain": {"security": {"hsts_max_age": 31536000}},
            "mailbox": {"description": "Verify"},
            "certificate": {"name": self.name},
        }

    def show(self, called: Called) -> Shown:
        """The object; empty where the panel does not show it."""
        return self.objects.show(self.has[called])

    def ask(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None) -> Exchange:
        """Any other request."""
        return self.objects.panel.ask(method, path, query, body)

    def accepted(self, called: Called, body: Mapping[str, Any], yes: str, no: str) -> str | None:
        """One of two values by whether the panel takes the change; None where it says neither."""
        reply = self.change(called, body)
        return yes if reply.is_done else no if self.refuses(called, reply) else None

    def dropped(self, made: Made, yes: str) -> str | None:
        """Deletes the object: what that says where it is done, or that it is refused; ``doubt`` takes that back."""
        return self.seen.accepted(self.objects.drop(made), yes, "refused")

    def doubt(self, point: str) -> None:
        """Takes back that a deletion was refused, where it is refused in any case."""
        if self.seen.tried[point] == "refused":
            self.seen.tried[point] = NEVER_DELETED

    def fresh(self, name: str) -> str:
        """A name that no trial has used."""
        self._numbers += 1
        return f"{name}{self._numbers}"

    def days(self) -> dict[str, datetime.date]:
        """The next days that lie in winter and in summer north of the equator."""
        days = {}
        for name, month in (("winter", 1), ("summer", 7)):
            day = datetime.date(self.today.year, month, 15)
            days[name] = day if day > self.today else day.replace(year=day.year + 1)
        return days

    def read_list(self, kind: str) -> Exchange:
        """The list of a kind; of the objects in it only those of the throw-away client are kept."""
        reply = self.objects.asked("GET", BY_NAME[kind].path, BY_NAME[kind].path)
        own = {made.number for made in self.objects.made if made.kind == kind}
        items = [item for item in reply.items if number(item.get("id")) in own]
        self.seen.lists[kind] = Exchange(reply.status, items, reply.is_json)
        single = self.seen.single(kind)
        if single:
            same = (item for item in items if number(item.get("id")) == number(single.get("id")))
            self.seen.own[kind] = (single, next(same, {}))
        elif items:
            # Where the panel shows no single ones, the item stands for it.
            self.seen.own[kind] = (items[0], {})
        return reply

    def read_zone(self) -> Exchange:
        """The zone of the domain."""
        reply = self.ask("GET", self.zone_path("domain"))
        self.zone = reply.object if may_be("dns", reply.object, number(reply.object.get("id"))) else {}
        self.first_zone = self.first_zone or self.zone
        # Of one without DNS, panels show less.
        if self.zone and not is_on(self.zone.get("is_dns_disabled")):
            self.seen.own["dns"] = (self.zone, {})
        return reply

    def zone_path(self, called: Called) -> str:
        """Where the zone of that domain is."""
        return "/dns" + path_of(self.has[called].number)


Trial = Callable[[Trying], Any]
TRIALS: dict[str, Trial] = {}


def trial(function: Trial) -> Trial:
    """Puts the function into the table under its name."""
    TRIALS[function.__name__] = function
    return function

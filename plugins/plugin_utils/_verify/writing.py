# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The writing phase: one throw-away client, tried and removed, whatever happens between. Private to the collection."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...module_utils._errors import PanelError
from ...module_utils._http.panel_client import path_of
from ...module_utils._task.locks import Busy, exclusive, reach
from .conversation import MOST_REQUESTS, MOST_SECONDS, Conversation, Enough
from .evidence import Evidence, number
from .interruption import Interrupted, Interruption
from .marks import OWN_NAME, Left, machine, mark, new_name
from .members import BY_NAME
from .objects import CLIENTS, PLANS, Gone, Made, NotKnown, Objects, is_listed, is_marked, is_own_plan, is_used, left_by
from .recognition import NotThisPanel, cannot_write, was_removed
from .removal import LONG_PAUSES, Removal
from .steps import Refused, Steps
from .trials import NEVER_DELETED

LOCK = "the throw-away client"


class NotBegun(Exception):
    """The name is somebody's, or may be, or another verify may be at work; the text says so, and that nothing was written."""


class WritingPhase:
    """One panel in its writing phase.

    left: what could not be removed, as ``{kind, name}``. found: what earlier ones have left, and what became of it, in sentences, which name nothing
    that no verify has made. was_interrupted: whether somebody ended it early. was_cut_short: whether anything did. has_removed: whether something of
    an earlier one went.
    """

    def __init__(self, panel: Conversation, seen: Evidence, base_url: str, say: Callable[[str], None]) -> None:
        self._panel, self._seen, self._base_url, self._say = panel, seen, base_url, say
        self.left: list[dict[str, Any]] = []
        self.found: list[str] = []
        self.was_interrupted = self.was_cut_short = self.has_removed = False
        self._wait = ""
        self._foreign: list[str] = []

    @property
    def place(self) -> str:
        """What stands in marks for this machine and the panel's address, which locks are for; those of other ones are not seen here."""
        with contextlib.suppress(OSError, PanelError):
            return machine(self._base_url, *reach())
        # Nothing can be locked here, and so nothing be written.
        return ""

    def remove_left_overs(self, wanted: str, only_look: bool) -> None:
        """Removes what earlier verifies have left, told by name and mark. wanted: the name that the user gave. only_look: in the reading phase."""
        plans = {str(plan.get("name")): plan for plan in self._seen.plans.items}
        clients = {str(client.get("username")): client for client in self._seen.clients.items}
        for name in sorted({*clients, *plans}):
            is_meant = name == wanted or bool(OWN_NAME.fullmatch(name))
            if is_meant or Left(name, clients.get(name, {}).get("notes")).is_marked:
                self._look_at(name, clients.get(name), plans.get(name), is_meant and not only_look)
        if self._foreign:
            # On the screen alone: the result is for others, too.
            self._say(f"left alone, since no verify has made it, as far as the panel shows: {', '.join(self._foreign)}")
            self.found.append(
                f"With a name as a verify has: {len(self._foreign)} that no verify has made, as far as the panel shows; they are left alone"
            )

    def _look_at(
        self, name: str, client: Mapping[str, Any] | None, plan: Mapping[str, Any] | None, may_remove: bool
    ) -> None:
        plan = plan if plan is not None and is_own_plan(self._panel, plan) else None
        left = left_by(self._panel, client) if client is not None else None
        if (not left.is_marked) if left is not None else plan is None:
            self._foreign.append(name)
            return
        if left is not None:
            minutes = left.minutes(self._panel.now(), self._panel.tells_time)
            if left.place != self.place and minutes:
                self._may_run(name, minutes)
                return
        if not may_remove:
            self.found.append(f"{name}: left by an earlier verify; a run with writes{_with_name(name)} removes it")
            return
        if client is not None and is_used(self._panel, client):
            self.found.append(
                f"client {name}: left by an earlier verify, and somebody may use it by now; it is left alone"
            )
            return
        if plan is not None and self._has_others(name, plan):
            self.found.append(
                f"hosting plan {name}: left by an earlier verify, and a client may have it by now; it is left alone"
            )
            plan = None
        if client is None and plan is None:
            return
        try:
            with exclusive(self._lock(name), LOCK, 0.0):
                if client is None and self._may_come(name):
                    self._may_run(name, Left("", None).minutes(self._panel.now(), is_panels=True))
                else:
                    self._remove_left_over(name, client, plan)
        except Busy:
            self.found.append(f"{name}: another verify on this machine uses it")

    def _has_others(self, name: str, plan: Mapping[str, Any]) -> bool:
        """Whether another client has the plan, or does not show which one it has."""
        others = [client for client in self._seen.clients.items if client.get("username") != name]
        return any(number(client.get("id_hosting_plan")) in (None, number(plan.get("id"))) for client in others)

    def _may_run(self, name: str, minutes: int) -> None:
        what = f"{name}: a verify from another machine made it and may still run"
        self.found.append(f"{what}; it is left alone")
        self._wait = f"{what}. Run it again in {minutes} minutes, or remove that by hand if it does not run any more."

    def _may_come(self, name: str) -> bool:
        """Whether the client of a plan may be on its way: a plan does not say since when there is one."""
        try:
            if is_listed(self._panel, Made(CLIENTS, name), LONG_PAUSES):
                return True
            # Where lists lag more than that.
            return self._panel.ask("GET", f"/clients/name{path_of(name)}").status != 404
        except NotKnown:
            return True

    def _remove_left_over(self, name: str, client: Mapping[str, Any] | None, plan: Mapping[str, Any] | None) -> None:
        shown = {CLIENTS: client, PLANS: plan}
        removal = Removal(
            self._panel,
            name,
            [Made(kind, name, number(one.get("id"))) for kind, one in shown.items() if one is not None],
        )
        removal.everything()
        self.left += removal.left
        if removal.left:
            self.found.append(f"{name}: left by an earlier verify, and could not be removed")
        else:
            self.has_removed = True
            self.found.append(f"{name}: left by an earlier verify, and now removed")

    def run(self, wanted: str, wait_timeout: float) -> None:
        """Tries everything. Raises NotThisPanel and NoAccess, and before the first write NotBegun and PanelError."""
        if self._wait:
            raise NotBegun(f"Nothing was tried. {self._wait}")
        if self.left:
            raise NotBegun("Nothing was tried, since each verify would leave more.")
        name = wanted or new_name(self._taken())
        try:
            with exclusive(self._lock(name), LOCK, 0.0):
                if wanted:
                    self._check_free(name)
                self._say(
                    f"the throw-away client is {name}; if this is interrupted, it is removed all the same, without a word here; after a crash run "
                    "it again, which removes what was left"
                )
                self._try(name, wait_timeout)
        except Busy:
            raise NotBegun(
                f"client: {name} is the throw-away client of another verify that runs now. Nothing was written."
            ) from None

    def _taken(self) -> set[str]:
        plans = {str(plan.get("name")) for plan in self._seen.plans.items}
        return plans | {str(client.get("username")) for client in self._seen.clients.items}

    def _check_free(self, name: str) -> None:
        """Looks again, since what an earlier one has left may be gone by now, and somebody's own client is never touched."""
        for path, member, what in (("/clients", "username", "client"), ("/hosting-plans", "name", "hosting plan")):
            reply = self._panel.ask("GET", path)
            if not reply.is_done:
                raise NotBegun(
                    f"client: GET {path} was answered with {reply.status}, so that nobody knows whether there is a {what} {name} already. "
                    "Nothing was written. Try again later, or name none."
                )
            for item in reply.items:
                if item.get(member) == name:
                    marked = what == "client" and is_marked(self._panel, item)
                    why = "a verify has made it, and could not remove it" if marked else "no verify has made it"
                    raise NotBegun(
                        f"client: there is a {what} {name} on the panel already; {why}. Nothing was written. Name another one, or none."
                    )

    def _try(self, name: str, wait_timeout: float) -> None:
        objects = Objects(self._panel, self._seen)
        now = self._panel.now()
        steps = Steps(objects, self._seen, name, mark(name, now, self.place), now.date(), wait_timeout)
        removal = Removal(self._panel, name, objects.made)
        self._panel.allow(MOST_REQUESTS, MOST_SECONDS)
        interruption = Interruption()
        refused: Refused | None = None
        gone: Made | None = None
        with interruption.awaited(), contextlib.suppress(Interrupted):
            try:
                steps.run()
            except Refused as error:
                refused = error
            except Gone as error:
                gone = error.made
            except Enough:
                self._seen.broken_steps += 1
                self.was_cut_short = True
            finally:
                interruption.is_deferred = True
                removal.shows_all = self._seen.list_lag is not None or bool(self._seen.own.get("clients", ({}, {}))[1])
                try:
                    removal.everything()
                finally:
                    self.left += removal.left
        self.was_interrupted = interruption.was_asked_for
        self.was_cut_short = self.was_cut_short or self.was_interrupted
        if self._panel.shut is not None:
            raise self._panel.shut
        for kind, point in ((CLIENTS, "client_deletion"), (PLANS, "plan_deletion")):
            if any(made.kind == kind for made in removal.made):
                self._seen.tried[point] = NEVER_DELETED
        gone = gone or removal.gone
        if gone is not None:
            raise NotThisPanel(was_removed(BY_NAME[gone.kind].title, what_is_left(self.left)))
        self._seen.client_deletions = removal.answers
        if removal.answers and any(made.kind == CLIENTS for made in objects.made):
            self._seen.note_path(BY_NAME[CLIENTS].path + r"/\d+", "DELETE", removal.answers[-1])
        if refused is not None:
            raise NotThisPanel(cannot_write(refused.reply, refused.had_written, what_is_left(self.left)))

    def _lock(self, name: str) -> str:
        return f"verify {self._base_url} {name}"


def what_is_left(left: Sequence[Mapping[str, Any]], is_for_others: bool = False) -> str:
    """A sentence; empty where nothing is. is_for_others: without the names of what may be somebody's."""
    if not left:
        return ""
    told = [one for one in left if not is_for_others or "may_be_there" not in one]
    named = ", ".join(
        f"{one['kind']}{' ' + one['name'] if one in told else ''}{' (may be there)' if 'may_be_there' in one else ''}"
        for one in left
    )
    again = "".join(_with_name(one["name"]) for one in told if one["kind"] == "client")
    return f"What it made could not all be removed; left on the panel: {named}. Run it again with writes{again}, or remove that by hand."


def _with_name(name: str) -> str:
    """How the name is to be given again; names at random are found without."""
    return "" if OWN_NAME.fullmatch(name) else f" and client: {name}"

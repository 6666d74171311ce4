# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that is tried, and what the run has made on it, which is removed at the end whatever
happens."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...module_utils._errors import OutcomeUnknown, PanelError, RequestError
from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_client import MAX_POLLS, PanelClient, RetryBudget, join_path
from ...module_utils._values.value_types import read_id
from . import ownership
from .open_points import BY_NAME, Sample, whole_number
from .ownership import CLIENTS, OWNERS, Creation, Presence

# In the panel's own form these statuses are about what was asked for, and not about path or key.
_REFUSALS = (400, 403, 409, 422)
# Below 500, these say nothing of what was asked for either: too late and too busy.
_PASSING = (408, 429)
# Seconds that suffice for all looks at what may come late.
_SECONDS_FOR_LATE_OBJECTS = 60.0
# Looks that no number of seconds suffices for.
_MANY_LOOKS = 99
_DRAWN_LIMITS = ("email_addresses", "email_forwardings", "domains")


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


class NameTaken(PanelError):
    """The panel has an object with a name that the trials would use."""


class TriedPanel:
    """One panel, and what the run has made on it.

    Attributes:
        wait: Seconds for what takes its time.
        requests: How many were sent.
        has_written: Whether one of them was a write.
        name: The username of the test client.
        mark: What shows that the run made a client: no other one has this text.
        limits: The same for a hosting plan.
        creations: What was asked for and is not certainly absent.
        objects: The run's own objects by step.
        samples: By kind one object.
        own_kinds: The kinds whose sample is of the test client.
        findings: By point what the panel does.
    """

    def __init__(self, connection: Connection, wait: float) -> None:
        self.client = PanelClient(connection)
        self.wait = wait
        self.requests = 0
        self.has_written = False
        self.name = ""
        self.mark = secrets.token_hex(8)
        self.limits = {name: 100_000 + secrets.randbelow(900_000) for name in _DRAWN_LIMITS}
        self.creations: list[Creation] = []
        self.objects: dict[str, Creation] = {}
        self.samples: dict[str, Sample] = {}
        self.own_kinds: set[str] = set()
        self.findings: dict[str, Any] = {}
        self._client_id: int | None = None
        # By kind the ids of objects that were there before the first write, and those of the run.
        self._ids_before: dict[str, frozenset[int]] = {}
        self._own_ids: dict[str, set[int]] = {}

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        """Return any answer; raises RequestError if none came."""
        self.requests += 1
        self.has_written = self.has_written or method != "GET"
        try:
            response = self.client.call(method, path, body=body)
        except RequestError as error:
            self.requests += error.details["attempts"] - 1
            status = error.details.get("status")
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

    def show(self, step: str) -> Mapping[str, Any]:
        """Return the object of a step as the panel shows it; empty if it does not.

        Raises:
            UnclearAnswer: The answer is broken.
        """
        return self.ask_clearly("GET", self.objects[step].path).object

    def change(self, step: str, **fields: Any) -> Answer:
        """Ask for a change of the object of a step; raises UnclearAnswer for a broken answer."""
        return self.ask_clearly("PUT", self.objects[step].path, fields)

    def add_sample(self, kind: str, alone: Mapping[str, Any], item: Mapping[str, Any]) -> None:
        """Note an object of the test client, as the panel shows it alone and in its list."""
        self.samples[kind] = Sample(alone, item)
        self.own_kinds.add(kind)

    # What the run makes.

    def look_around(self, names: Mapping[str, list[str]]) -> None:
        """Note what the panel has before the first write.

        Args:
            names: by kind, those that the trials will use.

        Raises:
            UnreadableList: a list does not show what the panel has.
            NameTaken: one of the names is in use.
        """
        for kind, its_names in names.items():
            objects = self.read_list(kind)
            self._ids_before[kind] = frozenset(objects)
            taken = [name for name in its_names if self._is_listed(kind, name, objects)]
            if not taken and self._find_by_name(kind, its_names[0]):
                taken = its_names
            if taken:
                raise NameTaken(
                    f"client: the panel has a {BY_NAME[kind].title} {taken[0]}. "
                    "Choose another name."
                )

    def _is_listed(self, kind: str, name: str, objects: Mapping[int, Mapping[str, Any]]) -> bool:
        return any(ownership.has_name(BY_NAME[kind], name, item) for item in objects.values())

    def _find_by_name(self, kind: str, name: str) -> dict[int, Mapping[str, Any]]:
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

    def create(self, step: str, kind: str, body: Mapping[str, Any]) -> Answer:
        """Ask for an object, which the step has from then on if the run certainly made it."""
        bodies = [body]
        if "client" in self.objects:
            bodies = [{owner: self._client_id, **body} for owner in OWNERS]
        answer = Answer(0)
        for sent in bodies:
            # Noted before it is asked for, so that it is removed whatever happens.
            creation = Creation(kind, sent, MAX_POLLS)
            self.creations.append(creation)
            try:
                answer = self.ask("POST", BY_NAME[kind].path, sent)
            except RequestError:
                # It did not reach the panel.
                self.creations.remove(creation)
                raise
            self._take_answer(creation, answer)
            if creation.id is not None:
                self.objects[step] = creation
            if not answer.is_refused:
                break

        return answer

    def _take_answer(self, creation: Creation, answer: Answer) -> None:
        """Note the id in the answer to a creation, or look for the object."""
        identifier = read_id(answer.object.get("id"))
        if identifier is not None and identifier not in self._ids_before[creation.kind]:
            self._take_id(creation, identifier)
            return
        if answer.status and not answer.is_done:
            # The panel is through with the request, so nothing comes late.
            creation.looks = 1
        if not answer.is_refused:
            self._find(creation)

    def _take_id(self, creation: Creation, identifier: int) -> None:
        creation.id = identifier
        self._own_ids.setdefault(creation.kind, set()).add(identifier)
        if creation.kind == CLIENTS:
            self._client_id = identifier

    def _find(self, creation: Creation) -> None:
        """Find the object of a creation whose answer does not tell its fate: it comes in some
        seconds, or never."""
        for _look in RetryBudget(_SECONDS_FOR_LATE_OBJECTS).polls(creation.looks):
            with contextlib.suppress(UnreadableList):
                own_ids = self._find_own(creation)
                if len(own_ids) == 1:
                    self._take_id(creation, own_ids[0])
                    return
        creation.looks = 1

    def _find_own(self, creation: Creation) -> list[int]:
        """Return the ids of new objects that show that the run made them."""
        candidates = self._find_candidates(creation)
        return [
            identifier
            for identifier, item in candidates.items()
            if self._is_own(creation, identifier, item)
        ]

    def _find_candidates(self, creation: Creation) -> dict[int, Mapping[str, Any]]:
        objects = {
            **self.read_list(creation.kind),
            **self._find_by_name(creation.kind, creation.name),
        }
        other_ids = self._ids_before[creation.kind].union(self._own_ids.get(creation.kind, ()))
        return ownership.find_candidates(creation, objects, other_ids, self._client_id)

    def _is_own(self, creation: Creation, identifier: int, item: Mapping[str, Any]) -> bool:
        """Return whether an object that is new shows that the run made it, in its list or alone."""
        if ownership.is_own(creation, item, self._client_id):
            return True
        alone = self.ask("GET", creation.table.path + join_path(identifier)).object
        return read_id(alone.get("id")) == identifier and ownership.is_own(
            creation, alone, self._client_id
        )

    # What is removed.

    def wait_until_gone(self, creation: Creation) -> Presence:
        """Wait until an object is gone, since the panel may delete in the background.

        Returns:
            What the panel shows at the end.
        """
        for _look in RetryBudget(self.wait).polls(_MANY_LOOKS):
            if self.look_for(creation) is Presence.GONE:
                break
        return creation.presence

    def look_for(self, creation: Creation) -> Presence:
        """Note and return whether the panel has an object.

        One that is gone is nothing to remove.
        """
        # It stays so if no answer comes.
        creation.presence = Presence.UNKNOWN
        creation.presence = self._observe_presence(creation)
        if creation.presence is Presence.GONE and creation in self.creations:
            self.creations.remove(creation)
        return creation.presence

    def _observe_presence(self, creation: Creation) -> Presence:
        """Return whether the list or its own path shows an object.

        Only both together show that it is gone.
        """
        is_unclear = False
        try:
            if creation.id in self.read_list(creation.kind):
                return Presence.THERE
        except UnreadableList:
            is_unclear = True

        answer = self.ask("GET", creation.path)
        if read_id(answer.object.get("id")) == creation.id:
            return Presence.THERE
        if is_unclear or answer.is_broken:
            return Presence.UNKNOWN
        return Presence.GONE

    def delete(self, creation: Creation) -> Answer:
        """Delete an object of the run, and wait until it is gone."""
        answer = self.ask("DELETE", creation.path)
        if answer.is_done or not answer.is_readable or answer.status in (0, 404):
            self.wait_until_gone(creation)
        else:
            # A panel may fail after it has deleted.
            self.look_for(creation)
        return answer

    def remove_all(self) -> Answer | None:
        """Remove what the run has made.

        What it may have made, and what may be of someone else, stays in ``creations``.

        Returns:
            The answer to the deletion of the client with all that it has; None without a client.
        """
        self.client.retry_budget = RetryBudget(self.client.connection.retry_time)
        # Whatever goes wrong with one object, the others are removed too, and it stays in the list.
        for creation in self._without_id():
            with contextlib.suppress(Exception):
                self._find(creation)

        clients = [creation for creation in self._with_id() if creation.kind == CLIENTS]
        answers = []
        for client in clients:
            with contextlib.suppress(Exception):
                answers.append(self.delete(client))

        # Where the client could not go, what it has goes first. The plan, which came first, goes
        # last.
        for creation in reversed(self._with_id()):
            with contextlib.suppress(Exception):
                self._delete_unless_gone(creation)

        for creation in self._without_id():
            with contextlib.suppress(Exception):
                if not self._find_candidates(creation):
                    self.creations.remove(creation)

        return answers[0] if answers else None

    def _with_id(self) -> list[Creation]:
        return [creation for creation in self.creations if creation.id is not None]

    def _without_id(self) -> list[Creation]:
        return [creation for creation in self.creations if creation.id is None]

    def _delete_unless_gone(self, creation: Creation) -> None:
        if self.look_for(creation) is not Presence.GONE:
            self.delete(creation)

    def settled_status(self) -> int | None:
        """Return the status of the client, as soon as it is 1 or 2 or the time is over."""
        status = None
        for _look in RetryBudget(self.wait).polls(_MANY_LOOKS):
            status = self.status_of_client()
            if status in (None, 1, 2):
                break
        return status

    def status_of_client(self) -> int | None:
        """Return the status of the client; None if the panel does not show it."""
        try:
            client = self.show("client")
        except UnclearAnswer:
            return None
        return whole_number(client.get("status"))

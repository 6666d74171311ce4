# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that is tried, and what the run has made on it, which is removed at the end whatever
happens."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._errors import PanelError, RequestError
from ...module_utils._http.pacing import RetryBudget
from ...module_utils._http.panel_session import join_path
from ...module_utils._http.repeats import MAX_POLLS
from ...module_utils._log import log_defect
from ...module_utils._values.value_types import read_id
from . import ownership
from .asked_panel import Answer, AskedPanel, UnclearAnswer, UnreadableList
from .open_points import BY_NAME, Sample, read_whole_number
from .ownership import CLIENTS, OWNERS, Presence, TrialCreation

# Seconds that suffice for all looks at what may come late.
_SECONDS_FOR_LATE_OBJECTS = 60.0
# Looks that no number of seconds suffices for.
_MANY_LOOKS = 99
_DRAWN_LIMITS = ("email_addresses", "email_forwardings", "domains")


@contextlib.contextmanager
def _log_defects() -> Iterator[None]:
    """Go on after whatever fails at the removal of an object, and log the lines behind a defect."""
    try:
        yield
    except PanelError:
        pass  # The result names what is left of the run.
    except Exception as fault:
        log_defect(fault)


class NameTaken(PanelError):
    """The panel has an object with a name that the trials would use."""


class NotMade(PanelError):
    """What a trial needs was not made on the panel."""


@dataclass(frozen=True)
class RunIdentity:
    """Holds what the objects of a run show of it.

    Attributes:
        name: The username of the test client.
        mark: What shows that the run made a client: no other one has this text.
        limits: The same for a hosting plan.
    """

    name: str
    mark: str
    limits: Mapping[str, int]


def draw_identity(name: str) -> RunIdentity:
    """Return the identity of a new run. name: of the test client."""
    limits = {limit: 100_000 + secrets.randbelow(900_000) for limit in _DRAWN_LIMITS}
    return RunIdentity(name, secrets.token_hex(8), limits)


@dataclass(frozen=True)
class Observations:
    """Collects what a run sees of a panel.

    Attributes:
        findings: By point what the panel does.
        samples: By kind one object.
        own_kinds: The kinds whose sample is of the test client.
    """

    findings: dict[str, Any] = field(default_factory=dict)
    samples: dict[str, Sample] = field(default_factory=dict)
    own_kinds: set[str] = field(default_factory=set)

    def add_own_sample(self, kind: str, alone: Mapping[str, Any], item: Mapping[str, Any]) -> None:
        """Note an object of the test client, as the panel shows it alone and in its list."""
        self.samples[kind] = Sample(alone, item)
        self.own_kinds.add(kind)


def read_ids(asked: AskedPanel, names: Mapping[str, Sequence[str]]) -> dict[str, frozenset[int]]:
    """Return by kind the ids of what the panel has before the first write.

    Args:
        asked: The panel.
        names: By kind, those that the trials will use.

    Raises:
        UnreadableList: A list does not show what the panel has.
        NameTaken: One of the names is in use.
    """
    ids = {}
    for kind, its_names in names.items():
        objects = asked.read_list(kind)
        ids[kind] = frozenset(objects)
        used = [name for name in its_names if _is_listed(kind, name, objects)]
        if not used and asked.find_by_name(kind, its_names[0]):
            used = [*its_names]
        if used:
            raise NameTaken(
                f"the panel has a {BY_NAME[kind].title} {used[0]}. Choose another name.",
                option="client",
            )
    return ids


def _is_listed(kind: str, name: str, objects: Mapping[int, Mapping[str, Any]]) -> bool:
    return any(ownership.has_name(BY_NAME[kind], name, item) for item in objects.values())


class TriedPanel:
    """One panel, and what the run has made on it.

    Attributes:
        asked: The panel.
        identity: What the run's objects show of it.
        observations: Gets what the run sees.
        wait: Seconds for what takes its time.
        creations: What was asked for and is not certainly absent.
        objects: The run's own objects by step.
    """

    def __init__(
        self,
        asked: AskedPanel,
        identity: RunIdentity,
        observations: Observations,
        ids_before: Mapping[str, frozenset[int]],
        wait: float,
    ) -> None:
        """Begin with a panel on which the run has made nothing.

        Args:
            asked: The panel.
            identity: What the run's objects show of it.
            observations: Gets what the run sees.
            ids_before: By kind the ids of objects that were there before the first write.
            wait: Seconds for what takes its time.
        """
        self.asked = asked
        self.identity = identity
        self.observations = observations
        self.wait = wait
        self.creations: list[TrialCreation] = []
        self.objects: dict[str, TrialCreation] = {}
        self._ids_before = ids_before
        # All creations whose id is known, also those that are removed by now.
        self._identified: list[TrialCreation] = []

    def find_made(self, step: str) -> TrialCreation:
        """Return the object of a step; raises NotMade where the run has not made it."""
        if step not in self.objects:
            raise NotMade(step)
        return self.objects[step]

    def show(self, step: str) -> Mapping[str, Any]:
        """Return the object of a step as the panel shows it; empty if it does not.

        Raises:
            UnclearAnswer: The answer is broken.
            NotMade: The run has not made the object.
        """
        return self.asked.ask_clearly("GET", self.find_made(step).path).object

    def change(self, step: str, **fields: Any) -> Answer:
        """Ask for a change of the object of a step; raises as ``show`` does."""
        return self.asked.ask_clearly("PUT", self.find_made(step).path, fields)

    # What the run makes.

    def create(self, step: str, kind: str, body: Mapping[str, Any]) -> Answer:
        """Ask for an object, which the step has from then on if the run certainly made it."""
        bodies = [body]
        if "client" in self.objects:
            bodies = [{owner: self._client_id, **body} for owner in OWNERS]
        answer = Answer(0)
        for sent in bodies:
            # Noted before it is asked for, so that it is removed whatever happens.
            creation = TrialCreation(kind, sent, MAX_POLLS)
            self.creations.append(creation)
            try:
                answer = self.asked.ask("POST", BY_NAME[kind].path, sent)
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

    def _take_answer(self, creation: TrialCreation, answer: Answer) -> None:
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

    def _take_id(self, creation: TrialCreation, identifier: int) -> None:
        creation.id = identifier
        self._identified.append(creation)

    @property
    def _client_id(self) -> int | None:
        """Return the id of the test client; None until the panel has made it."""
        for creation in self._identified:
            if creation.kind == CLIENTS:
                return creation.id
        return None

    def _find(self, creation: TrialCreation) -> None:
        """Find the object of a creation whose answer does not tell its fate: it comes in some
        seconds, or never."""
        for _look in RetryBudget(_SECONDS_FOR_LATE_OBJECTS).count_polls(creation.looks):
            with contextlib.suppress(UnreadableList):
                own_ids = self._find_own(creation)
                if len(own_ids) == 1:
                    self._take_id(creation, own_ids[0])
                    return
        creation.looks = 1

    def _find_own(self, creation: TrialCreation) -> list[int]:
        """Return the ids of new objects that show that the run made them."""
        candidates = self._find_candidates(creation)
        return [
            identifier
            for identifier, item in candidates.items()
            if self._is_own(creation, identifier, item)
        ]

    def _find_candidates(self, creation: TrialCreation) -> dict[int, Mapping[str, Any]]:
        objects = {
            **self.asked.read_list(creation.kind),
            **self.asked.find_by_name(creation.kind, creation.name),
        }
        own_ids = {
            identified.id
            for identified in self._identified
            if identified.kind == creation.kind and identified.id is not None
        }
        other_ids = self._ids_before[creation.kind] | own_ids
        return ownership.find_candidates(creation, objects, other_ids, self._client_id)

    def _is_own(self, creation: TrialCreation, identifier: int, item: Mapping[str, Any]) -> bool:
        """Return whether an object that is new shows that the run made it, in its list or alone."""
        if ownership.is_own(creation, item, self._client_id):
            return True
        alone = self.asked.ask("GET", creation.table.path + join_path(identifier)).object
        return read_id(alone.get("id")) == identifier and ownership.is_own(
            creation, alone, self._client_id
        )

    # What is removed.

    def wait_until_gone(self, creation: TrialCreation) -> Presence:
        """Wait until an object is gone, since the panel may delete in the background.

        Returns:
            What the panel shows at the end.
        """
        for _look in RetryBudget(self.wait).count_polls(_MANY_LOOKS):
            if self.look_for(creation) is Presence.GONE:
                break
        return creation.presence

    def look_for(self, creation: TrialCreation) -> Presence:
        """Note and return whether the panel has an object.

        One that is gone is nothing to remove.
        """
        # It stays so if no answer comes.
        creation.presence = Presence.UNKNOWN
        creation.presence = self._observe_presence(creation)
        if creation.presence is Presence.GONE and creation in self.creations:
            self.creations.remove(creation)
        return creation.presence

    def _observe_presence(self, creation: TrialCreation) -> Presence:
        """Return whether the list or its own path shows an object.

        Only both together show that it is gone.
        """
        is_unclear = False
        try:
            if creation.id in self.asked.read_list(creation.kind):
                return Presence.THERE
        except UnreadableList:
            is_unclear = True

        answer = self.asked.ask("GET", creation.path)
        if read_id(answer.object.get("id")) == creation.id:
            return Presence.THERE
        if is_unclear or answer.is_broken:
            return Presence.UNKNOWN
        return Presence.GONE

    def delete(self, creation: TrialCreation) -> Answer:
        """Delete an object of the run, and wait until it is gone."""
        answer = self.asked.ask("DELETE", creation.path)
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
        client = self.asked.session
        client.retry_budget = RetryBudget(client.connection.retry_time)
        # Whatever goes wrong with one object, the others are removed too, and it stays in the list.
        for creation in self._without_id():
            with _log_defects():
                self._find(creation)

        clients = [creation for creation in self._with_id() if creation.kind == CLIENTS]
        answers = []
        for creation in clients:
            with _log_defects():
                answers.append(self.delete(creation))

        # Where the client could not go, what it has goes first. The plan, which came first, goes
        # last.
        for creation in reversed(self._with_id()):
            with _log_defects():
                self._delete_unless_gone(creation)

        for creation in self._without_id():
            with _log_defects():
                if not self._find_candidates(creation):
                    self.creations.remove(creation)

        return answers[0] if answers else None

    def _with_id(self) -> list[TrialCreation]:
        return [creation for creation in self.creations if creation.id is not None]

    def _without_id(self) -> list[TrialCreation]:
        return [creation for creation in self.creations if creation.id is None]

    def _delete_unless_gone(self, creation: TrialCreation) -> None:
        if self.look_for(creation) is not Presence.GONE:
            self.delete(creation)

    def wait_for_settled_status(self) -> int | None:
        """Return the status of the client, as soon as it is 1 or 2 or the time is over."""
        status = None
        for _look in RetryBudget(self.wait).count_polls(_MANY_LOOKS):
            status = self.read_status_of_client()
            if status in (None, 1, 2):
                break
        return status

    def read_status_of_client(self) -> int | None:
        """Return the status of the client; None if the panel does not show it."""
        try:
            client = self.show("client")
        except UnclearAnswer:
            return None
        return read_whole_number(client.get("status"))

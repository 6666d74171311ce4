# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads panels again and again, and hands over what has happened. Private to the collection.

An event is written down with the knowledge that it came from, before anybody gets it, and crossed out when it was taken. So none is
lost, whenever the process is killed; one that was taken in the moment of the kill comes once more, with the same number in ``meta.uuid``.
"""

from __future__ import annotations

import asyncio
import copy
import datetime
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ...module_utils._errors import Defect, Denied, OptionError, PanelError, RequestError
from ...module_utils._http.panel_client import PanelClient, path_of
from ...module_utils._http.repeats import Patience
from ...module_utils._kinds.client import CLIENT
from ...module_utils._kinds.registry import KINDS
from ...module_utils._kinds.taken import DETAILS
from ...module_utils._object.objects import checked_list, checked_object
from ...module_utils._secrets.redaction import Redactor, without_secrets
from .._report.reading import PanelReading, text
from .event_options import Settings, WatchedPanel, read_options
from .event_state import EventState, StateFailure, only_user
from .what_happened import Memory, Wanted, clients_to_ask, happened

_LOG = logging.getLogger("hosting.panel.panel")
# The engine says nothing of an event that it fails on.
_SECONDS_UNTIL_WORKED_IN = 600
Pause = Callable[[float], Awaitable[Any]]


class SourceEnded(Exception):
    """The event source cannot go on; the text is one for an operator."""


async def watch(queue: Any, args: Mapping[str, Any], pause: Pause = asyncio.sleep) -> None:
    """Puts events into the queue until it is cancelled. Raises SourceEnded. args: as in a rulebook."""
    given = dict(args)
    feedback = given.pop("eda_feedback_queue", None)
    try:
        settings = read_options(given)
        with only_user(settings.state_file):
            await _watch(settings, EventState(settings.state_file), Delivery(queue, feedback), pause)
    except OptionError as error:
        raise SourceEnded(f"{error.message} Nothing was sent.") from None
    except (StateFailure, PanelError) as error:
        raise SourceEnded(str(error)) from None


class Delivery:
    """Hands events over. feedback: where the engine puts back what it has worked in, if the rulebook asks for that."""

    def __init__(self, queue: Any, feedback: Any) -> None:
        self._queue, self._feedback = queue, feedback
        self._one_by_one = asyncio.Lock()

    async def everything(self, state: EventState) -> None:
        """Hands over what is pending; what nobody has taken comes again after a restart. Raises StateFailure."""
        async with self._one_by_one:
            while state.pending:
                event = state.pending[0]
                await self._queue.put(copy.deepcopy(event))
                try:
                    await (self._until_worked_in(event) if self._feedback is not None else self._until_taken())
                except asyncio.CancelledError:
                    if self._feedback is None and not self._is_waiting():
                        state.taken()
                    raise
                state.taken()

    async def _until_worked_in(self, event: Mapping[str, Any]) -> None:
        async def answer() -> None:
            # The answer to an earlier event may be late.
            while (await self._feedback.get())["meta"]["uuid"] != event["meta"]["uuid"]:
                pass

        try:
            await asyncio.wait_for(answer(), _SECONDS_UNTIL_WORKED_IN)
        except asyncio.TimeoutError:
            _LOG.warning("ansible-rulebook did not confirm an event; the next one follows.")

    async def _until_taken(self) -> None:
        while self._is_waiting():
            await asyncio.sleep(0.01)

    def _is_waiting(self) -> bool:
        """Whether the event is still in the queue of ansible-rulebook, which has a bound; filters are around it."""
        inner = getattr(self._queue, "queue", self._queue)
        return bool(getattr(inner, "maxsize", 0)) and not inner.empty()


async def _watch(settings: Settings, state: EventState, delivery: Delivery, pause: Pause) -> None:
    """Ends only with an exception, which is SourceEnded where no panel is left."""
    # What was pending when the last run ended.
    await delivery.everything(state)
    tasks = [asyncio.ensure_future(_panel(one, settings, state, delivery, pause)) for one in settings.panels]
    try:
        refusals = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    raise SourceEnded(" ".join([*refusals, "No panel is left to watch."]))


async def _panel(panel: WatchedPanel, settings: Settings, state: EventState, delivery: Delivery, pause: Pause) -> str:
    """Watches one panel until it refuses the key; why it did."""
    reader = _Reader(panel, settings.wanted, settings.interval)
    try:
        while True:
            began = time.monotonic()
            known = state.panels.get(panel.name)
            reading, last_asked = await asyncio.to_thread(reader.read, known)
            events, memory = happened(known, reading, settings.wanted, datetime.datetime.now().astimezone())
            if last_asked is not None:
                memory["asked"] = last_asked
            state.learn(panel.name, memory, events)
            await delivery.everything(state)
            if reader.is_denied:
                return f"{panel.name}: {reading.failure}"
            await pause(max(0.0, settings.interval - (time.monotonic() - began)))
    finally:
        # Nothing more is sent.
        reader.is_over.set()


class _Reader:
    """Reads one panel: one list for each kind that is needed, and the use of those clients whose turn it is."""

    def __init__(self, panel: WatchedPanel, wanted: Wanted, interval: int) -> None:
        self._panel, self._wanted, self._interval = panel, wanted, interval
        self._client = PanelClient(panel.connection)
        self._redactor = Redactor([panel.connection.api_key])
        self.is_over, self.is_denied = threading.Event(), False
        self._client.is_over = self.is_over.is_set
        self._told: set[str] = set()

    def read(self, memory: Memory | None) -> tuple[PanelReading, Any]:
        """The panel as it is now, and the last client whose use was asked for; it raises nothing."""
        self._client.patience = Patience(self._panel.connection.retry_time)
        stats: dict[Any, Mapping[str, Any]] = {}
        last = None
        try:
            objects = {kind: found for kind in self._wanted.kinds if (found := self._list(kind)) is not None}
            if "limit_reached" in self._wanted.types:
                for last in clients_to_ask(memory, objects["clients"], self._interval):
                    if not self._use(last, stats):
                        break
            return PanelReading(self._panel.name, "", objects=objects, stats=stats), last
        except PanelError as error:
            failure = error.message
            if isinstance(error, Denied):
                self.is_denied = error.details.get("status") != 403
                # 403 may be about this path or this moment; it is asked again.
                if not self.is_denied:
                    self._client.go_on()
        except Exception as error:
            failure = Defect(error).message
        return PanelReading(self._panel.name, "", failure=text(self._redactor.text(failure))), None

    def _list(self, kind: str) -> list[dict[str, Any]] | None:
        """The objects of a kind; None where this panel does not show them."""
        path = KINDS[kind].path
        try:
            return [without_secrets(item) for item in checked_list(self._client.get(path), path)]
        except RequestError as error:
            if kind == "clients" or error.details.get("status") not in (403, 404):
                raise
            self._go_on(f"the list of {kind}", error)
            return None

    def _use(self, client: Any, stats: dict[Any, Mapping[str, Any]]) -> bool:
        """Asks for the use of a client; False where it is better not to ask for others."""
        path = f"{CLIENT.path}{path_of(client)}/stats"
        try:
            stats[client] = checked_object(self._client.get(path), path, DETAILS["stats"])
        except RequestError as error:
            if error.details.get("status") == 404:
                return True  # deleted since the list was read
            if isinstance(error, Denied) and error.details.get("status") != 403:
                raise
            self._go_on("the use of clients", error)
            return False
        return True

    def _go_on(self, what: str, error: RequestError) -> None:
        """Says once what is missing; it is asked for again at the next reading."""
        if isinstance(error, Denied):
            self._client.go_on()
        message = f"{self._panel.name}: {what} cannot be read, so events that need it are missing. {error.what}"
        if what not in self._told:
            self._told.add(what)
            _LOG.warning(self._redactor.text(message))

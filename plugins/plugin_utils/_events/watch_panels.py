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
from typing import Any, NamedTuple

from ...module_utils._errors import Defect, Denied, PanelError, Refused
from ...module_utils._http.panel_client import PanelClient, path_of
from ...module_utils._http.repeats import Patience
from ...module_utils._kinds.client import CLIENT
from ...module_utils._kinds.registry import KINDS
from ...module_utils._kinds.taken import DETAILS
from ...module_utils._object.objects import checked_list, checked_object
from ...module_utils._secrets.redaction import Redactor, without_secrets
from .._report.reading import PanelReading, identifier, text
from .event_options import Settings, WatchedPanel, WrongOptions, read_options
from .event_state import EventState, StateFailure, only_user
from .what_happened import Memory, Wanted, asked, clients_to_ask, happened

_LOG = logging.getLogger("hosting.panel.panel")
_MOST_PANELS_AT_ONCE = 8
# So long it is waited until an event is taken from a queue that anybody may have made, and from a bounded one until it is.
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
            await _Watch(settings, EventState(settings.state_file), _Delivery(queue, feedback), pause).run()
    except WrongOptions as error:
        raise SourceEnded(f"{error} Nothing was sent.") from None
    except (StateFailure, PanelError) as error:
        raise SourceEnded(str(error)) from None


class _Delivery:
    """Hands events over. feedback: where the engine puts back what it has worked in, if the rulebook asks for that."""

    def __init__(self, queue: Any, feedback: Any) -> None:
        self._queue, self._feedback = queue, feedback
        self._one_by_one = asyncio.Lock()

    async def everything(self, state: EventState) -> None:
        """Hands over what is pending; what nobody has taken comes again after a restart. Raises StateFailure."""
        async with self._one_by_one:
            while state.pending:
                event = dict(state.pending[0])
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


class _Watch:
    """All panels of one event source."""

    def __init__(self, settings: Settings, state: EventState, delivery: _Delivery, pause: Pause) -> None:
        self._settings, self._state, self._delivery, self._pause = settings, state, delivery, pause
        self._places = asyncio.Semaphore(_MOST_PANELS_AT_ONCE)

    async def run(self) -> None:
        """Ends only with an exception, which is SourceEnded where no panel is left."""
        # What was pending when the last run ended.
        await self._delivery.everything(self._state)
        tasks = [asyncio.ensure_future(self._panel(panel)) for panel in self._settings.panels]
        try:
            refusals = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        raise SourceEnded(" ".join([*refusals, "No panel is left to watch."]))

    async def _panel(self, panel: WatchedPanel) -> str:
        """Watches one panel until it refuses the key; why it did."""
        reader = _Reader(panel, self._settings.wanted, self._settings.interval)
        try:
            while True:
                began = time.monotonic()
                memory = self._state.of(panel.name)
                async with self._places:
                    seen = await _in_a_thread(lambda memory=memory: reader.read(memory))  # type: ignore[misc]
                now = datetime.datetime.now().astimezone()
                events, memory = happened(memory, seen.reading, self._settings.wanted, now)
                if seen.last_asked is not None:
                    asked(memory, seen.last_asked)
                self._state.learn(panel.name, memory, events)
                await self._delivery.everything(self._state)
                if seen.is_denied:
                    return f"{panel.name}: {seen.reading.failure}"
                await self._pause(max(0.0, self._settings.interval - (time.monotonic() - began)))
        finally:
            reader.stop()


class _Seen(NamedTuple):
    """A reading. is_denied: whether the panel refused the key. last_asked: the last client whose use was asked for."""

    reading: PanelReading
    is_denied: bool = False
    last_asked: Any = None


class _Reader:
    """Reads one panel: one list for each kind that is needed, and the use of those clients whose turn it is."""

    def __init__(self, panel: WatchedPanel, wanted: Wanted, interval: int) -> None:
        self._panel, self._wanted, self._interval = panel, wanted, interval
        self._client = PanelClient(panel.connection)
        self._redactor = Redactor([panel.connection.api_key])
        self._is_over = threading.Event()
        self._client.is_over = self._is_over.is_set
        self._told: set[str] = set()

    def stop(self) -> None:
        """Nothing more is sent."""
        self._is_over.set()

    def read(self, memory: Memory | None) -> _Seen:
        """The panel as it is now; it raises nothing."""
        self._client.patience = Patience(self._panel.connection.retry_time)
        try:
            return self._read(memory)
        except Denied as error:
            # 403 may be about this path or this moment; it is asked again.
            is_key = error.details.get("status") != 403
            if not is_key:
                self._client.go_on()
            return _Seen(self._failed(error.message), is_denied=is_key)
        except PanelError as error:
            return _Seen(self._failed(error.message))
        except Exception as error:
            return _Seen(self._failed(Defect(error).message))

    def _failed(self, message: str) -> PanelReading:
        return PanelReading(self._panel.name, "", failure=text(self._redactor.text(message)))

    def _read(self, memory: Memory | None) -> _Seen:
        objects = {kind: found for kind in self._wanted.kinds if (found := self._list(kind)) is not None}
        stats: dict[Any, Mapping[str, Any]] = {}
        last = None
        if self._wanted.watches_limits:
            for last in clients_to_ask(memory, objects["clients"], self._interval):
                if not self._use(last, stats):
                    break
        return _Seen(PanelReading(self._panel.name, "", objects=objects, stats=stats), last_asked=last)

    def _list(self, kind: str) -> list[dict[str, Any]] | None:
        """The objects of a kind; None where this panel does not show them."""
        path = KINDS[kind].path
        try:
            return [without_secrets(item) for item in checked_list(self._client.get(path), path)]
        except Denied as denial:
            if kind == "clients":
                raise
            self._forbidden(f"the list of {kind}", denial)
            return None
        except Refused as refusal:
            if kind == "clients" or refusal.details["status"] != 404:
                raise
            self._tell(f"{self._panel.name} has no list of {kind}, so nothing is told of them.")
            return None

    def _use(self, client: Any, stats: dict[Any, Mapping[str, Any]]) -> bool:
        """Asks for the use of a client; False where it is better not to ask for others."""
        path = f"{CLIENT.path}{path_of(client)}/stats"
        try:
            stats[identifier(client)] = checked_object(self._client.get(path), path, DETAILS["stats"])
        except Denied as denial:
            self._forbidden("the use of clients", denial)
            return False
        except Refused as refusal:
            return bool(refusal.details["status"] == 404)  # deleted since the list was read
        except PanelError as error:
            self._tell(
                f"{self._panel.name}: the use of clients could not be read: {self._redactor.text(error.message)}"
            )
            return False
        return True

    def _forbidden(self, words: str, denial: Denied) -> None:
        """Goes on without it, and asks again at the next reading; raises where the key itself is refused."""
        if denial.details.get("status") != 403:
            raise denial
        self._client.go_on()
        self._tell(
            f"{self._panel.name} does not let this key read {words}, so events that need it are missing. {self._redactor.text(denial.what)}"
        )

    def _tell(self, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            _LOG.warning(message)


async def _in_a_thread(function: Callable[[], _Seen]) -> _Seen:
    """What the function returns. Nobody waits for its thread when the process ends, which a panel that does not answer would delay."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[_Seen] = loop.create_future()

    def settle(found: _Seen) -> None:
        if not result.done():
            result.set_result(found)

    def run() -> None:
        found = function()
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, found)

    threading.Thread(target=run, daemon=True).start()
    return await result

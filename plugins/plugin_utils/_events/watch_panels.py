# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source: reads panels again and again, and hands over what has happened."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ...module_utils._errors import (
    Denied,
    OptionError,
    PanelError,
    RequestError,
    UnexpectedAnswer,
    raise_if_any,
)
from ...module_utils._http.panel_session import PanelSession, join_path
from ...module_utils._kinds.registry import DETAILS, KINDS
from ...module_utils._kinds.tables import CLIENT
from ...module_utils._operation.defects import report_defect
from ...module_utils._operation.validation import check_options
from ...module_utils._problems import Written
from ...module_utils._schema.kind import Kind
from ...module_utils._secrets.redaction import Secrets, escape_control_characters, remove_secrets
from ...module_utils._sources.checked_answers import (
    read_answer,
    read_objects,
    require_distinct_ids,
    require_ids,
)
from ...module_utils._values.option_marks import TEXT_ONLY_MARK
from .._report.panel_reading import PanelReading, read_short_line
from .._run.controller_files import check_place, describe_unusable_path, explain_error
from .._run.panel_connections import (
    CONNECTION,
    NamedPanel,
    find_shared_addresses,
    make_named_panels,
)
from .detect_events import (
    TYPES,
    Event,
    Memory,
    choose_clients_to_ask,
    detect_events,
    list_needed_kinds,
)
from .event_state import State, lock_state_file, make_error_before_requests

Pause = Callable[[float], Awaitable[Any]]
ARGUMENT_SPEC: dict[str, Any] = {
    "panels": {
        "type": "list",
        "elements": "dict",
        "options": {"name": {"type": "str", **TEXT_ONLY_MARK}, **CONNECTION},
    },
    "interval": {"type": "int", "default": 300},
    "events": {"type": "list", "elements": "str", "choices": list(TYPES), "default": list(TYPES)},
    "certificate_days": {"type": "list", "elements": "int", "default": [30, 14, 7, 1]},
    "limit_percent": {"type": "int", "default": 90},
    "state_file": {"type": "path"},
    # Of ansible-rulebook itself, which hands it on.
    "feedback": {"type": "bool"},
    **CONNECTION,
}
_RANGES = {"interval": (10, 86400), "limit_percent": (1, 100), "certificate_days": (0, 3650)}
_LOG = logging.getLogger("hosting.panel.panel")


class SourceEnded(Exception):
    """The event source cannot go on; the text is one for an operator."""


async def watch(queue: Any, args: Mapping[str, Any], pause: Pause = asyncio.sleep) -> None:
    """Put events into the queue until it is cancelled.

    Args:
        queue: That of ansible-rulebook.
        args: The options as in a rulebook.
        pause: Waits so many seconds.

    Raises:
        SourceEnded: An option is wrong, the state file cannot be used, or no panel is left to
            watch.
    """
    written = dict(args)
    feedback = written.pop("eda_feedback_queue", None)
    try:
        options = read_options(written)
        path = options["state_file"]
        with lock_state_file(path.resolve()) if path else contextlib.nullcontext():
            state = State.read(path, queue, feedback)
            # What was pending when the last run ended.
            await state.hand_over()
            refusals = await _watch_all(state, options, pause)
    except OptionError as error:
        raise SourceEnded(f"{error} {Written.NOTHING_SENT.value}") from None
    except PanelError as error:
        raise SourceEnded(str(error)) from None

    raise SourceEnded(" ".join([*refusals, "No panel is left to watch."]))


async def _watch_all(state: State, options: Mapping[str, Any], pause: Pause) -> list[str]:
    """Watch all panels at the same time, until none is left; return why each one refused."""
    readers = [_Reader(panel, options) for panel in options["panels"]]
    tasks = [asyncio.ensure_future(reader.watch(state, pause)) for reader in readers]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def read_options(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checked options, with the ``panels``; raises OptionError, or PanelError for the
    state file."""
    options = check_options(written, ArgumentSpecValidator(ARGUMENT_SPEC))
    for name, (least, most) in _RANGES.items():
        values = options[name]
        for value in values if isinstance(values, list) else [values]:
            if not least <= value <= most:
                raise OptionError(
                    f"{value} is not accepted; use whole numbers from {least} to {most}.",
                    option=name,
                )

    if options["state_file"] is not None:
        path = Path(options["state_file"])
        reason = describe_unusable_path(path)
        if reason:
            raise OptionError(f"{reason}.", option="state_file")
        with explain_error(f"state_file: {path}", make_error_before_requests):
            check_place(path)
        options["state_file"] = path
    options["certificate_days"].sort(reverse=True)
    panels = make_named_panels(options["panels"], options)
    # Each of its events would come twice.
    raise_if_any([*find_shared_addresses(panels)])
    options["panels"] = panels
    return options


class _Reader:
    """Reads one panel again and again."""

    def __init__(self, panel: NamedPanel, options: Mapping[str, Any]) -> None:
        self._name = panel.name
        self._connection = panel.connection
        self._options = options
        self._secrets = Secrets([watched.connection.api_key for watched in options["panels"]])
        self._is_over = threading.Event()
        self._is_denied = False
        # What was said once that it cannot be read.
        self._unreadable: set[str] = set()
        self._session = PanelSession(panel.connection)

    async def watch(self, state: State, pause: Pause) -> str:
        """Go on until the panel refuses the key; return why it did."""
        interval = self._options["interval"]
        try:
            while True:
                begin = time.monotonic()
                memory = state.panels.get(self._name)
                reading = await asyncio.to_thread(self.read, memory)
                events, new_memory = self._detect_events(memory, reading)
                state.learn(self._name, new_memory, events)
                await state.hand_over()
                if self._is_denied:
                    return f"{self._name}: {reading.failure}"
                await pause(max(0.0, interval - (time.monotonic() - begin)))
        finally:
            # Nothing more is sent.
            self._is_over.set()

    def _detect_events(
        self, memory: Memory | None, reading: PanelReading
    ) -> tuple[list[Event], Memory]:
        """Return what has happened.

        A defect of the collection counts as a panel that cannot be read, so that the others are
        watched on.
        """
        now = datetime.datetime.now().astimezone()
        try:
            return detect_events(memory, reading, self._options, now)
        except Exception as error:
            failed_reading = PanelReading(self._name, "", failure=str(report_defect(error)))
            return detect_events(memory, failed_reading, self._options, now)

    def read(self, memory: Memory | None) -> PanelReading:
        """Return the panel as it is now; raises nothing.

        It asks for a list of each kind that is needed, and for the use of those clients whose turn
        it is.
        """
        self._session.begin_task(
            self._connection, self._is_over.is_set, "the event source was stopped"
        )
        try:
            objects = self._read_lists()
            stats = self._read_stats(memory, objects["clients"])
            return PanelReading(self._name, "", objects=objects, stats=stats)
        except PanelError as error:
            failure = str(error)
            self._is_denied = isinstance(error, Denied) and error.status == 401
        except Exception as error:
            failure = str(report_defect(error))
        return PanelReading(self._name, "", failure=read_short_line(self._secrets.mask(failure)))

    def _read_lists(self) -> dict[str, list[dict[str, Any]]]:
        """Return the objects of each kind that is needed, and whose list can be read."""
        objects = {}
        for kind in list_needed_kinds(self._options["events"]):
            with self._warn_of_failure(f"the list of {kind}", is_needed=kind == "clients"):
                objects[kind] = self._read_list(KINDS[kind])
        return objects

    def _read_list(self, kind: Kind) -> list[dict[str, Any]]:
        """Return the objects of a kind without secrets; without an id of its own nothing tells
        later what became of one."""
        items = read_objects(self._session.get(kind.path), kind.path, kind)
        require_ids(items, kind)
        require_distinct_ids(items, kind)
        items_without_secrets = [remove_secrets(item) for item in items]
        return list(self._secrets.mask_given_value(items_without_secrets))

    def _read_stats(self, memory: Memory | None, clients: list[dict[str, Any]]) -> dict[Any, Any]:
        """Return the use by id of the clients whose turn it is; None for one that could not be
        read."""
        stats: dict[Any, Any] = {}
        if "limit_reached" not in self._options["events"]:
            return stats
        with self._warn_of_failure("the use of clients"):
            for identifier in choose_clients_to_ask(memory, clients, self._options["interval"]):
                path = f"{CLIENT.path}{join_path(identifier)}/stats"
                # It was this client's turn, also if it cannot be read.
                stats[identifier] = None
                stats[identifier] = read_answer(self._session.get(path), path, DETAILS["stats"])

        return stats

    @contextlib.contextmanager
    def _warn_of_failure(self, subject: str, is_needed: bool = False) -> Iterator[None]:
        """Warn once that something cannot be read, and go on, unless it is needed.

        A refusal may be about this path or this moment, but one of the key is about all.
        """
        try:
            yield
        except RequestError as error:
            ends_the_reading = is_needed or error.status == 401
            # Of a panel that is away an event tells enough; what a panel answers otherwise than
            # others is for its operator.
            if not ends_the_reading or isinstance(error, UnexpectedAnswer):
                self._warn_once(subject, error)
            if ends_the_reading:
                raise

    def _warn_once(self, subject: str, error: RequestError) -> None:
        # What is not read since the source was stopped is not the panel's fault.
        if subject in self._unreadable or self._is_over.is_set():
            return
        self._unreadable.add(subject)
        message = (
            f"{self._name}: {subject} cannot be read, so events that need it are missing. {error}"
        )
        _LOG.warning(escape_control_characters(self._secrets.mask(message)))

# SPDX-License-Identifier: GPL-3.0-or-later
"""What an event source knows, and the events that no one has taken yet, in one file.

An event is on the disk with the knowledge that it came from before anyone gets it, and is crossed
out when it was taken. So none is lost by a kill; one that was taken in the moment of the kill comes
again, with the same number in ``meta.uuid``.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import fcntl
import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from ...module_utils._errors import PanelError
from ...module_utils._problems import Written
from ...module_utils._values.answer_forms import GREATEST_NUMBER
from .._run.controller_files import explain_error, read_regular, replace_file
from .._run.nested_text import load_json
from .detect_events import Event, Memory

_LOG = logging.getLogger("hosting.panel.panel")
# The engine says nothing of an event that it fails on.
_SECONDS_UNTIL_WORKED_IN = 600
_SECONDS_BETWEEN_LOOKS = 0.01
_HEAD = {"format": "hosting.panel.events", "version": 1}


def make_error_before_requests(cause: str) -> PanelError:
    """Return the error of a source that has not asked any panel."""
    return PanelError(cause, written=Written.NOTHING_SENT)


@contextlib.contextmanager
def lock_state_file(path: Path) -> Iterator[None]:
    """Hold a lock beside the file, for as long as the source runs.

    Args:
        path: The real path, since the file may have several names.

    Raises:
        PanelError: Another source has it, or no file there can be locked.
    """
    with explain_error(f"state_file: {path}", make_error_before_requests):
        lock = path.with_name(f".{path.name}.lock").open("a", encoding="utf-8")
    with lock:
        with explain_error(f"state_file: {lock.name}", make_error_before_requests):
            _lock(lock, path)
        yield


def _lock(file: IO[str], path: Path) -> None:
    """Lock the file beside a state file.

    Raises:
        PanelError: Another source has it.
        OSError: It cannot be locked.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise PanelError(
            f"{path}: another event source uses this state_file; each source needs its own."
        ) from None


class State:
    """What is known, in a private file that is replaced as a whole.

    Each method that writes raises PanelError if the file cannot be written.

    Attributes:
        panels: What is known, by name of the panel.
        pending: The events that no one has taken yet, the oldest first.
    """

    def __init__(self, queue: Any, feedback: Any = None, path: Path | None = None) -> None:
        """Begin without knowledge.

        Args:
            queue: That of ansible-rulebook.
            feedback: Where ansible-rulebook puts back what it has worked in, if the rulebook asks
                for that.
            path: The file; None keeps the state in memory only.
        """
        self._path = path
        self._queue = queue
        self._feedback = feedback
        self.panels: dict[str, Memory] = {}
        self.pending: list[Event] = []
        self._one_by_one = asyncio.Lock()

    @classmethod
    def read(cls, path: Path | None, queue: Any, feedback: Any = None) -> State:
        """Return the state in a file; raises PanelError for a file that is damaged. The arguments
        are those of the class."""
        state = cls(queue, feedback, path)
        if path is None or not path.exists():
            return state
        with explain_error(str(path), PanelError):
            try:
                content = load_json(read_regular(path))
                _check_content(content)
                state.panels = content["panels"]
                state.pending = content["pending"]
            except (ValueError, KeyError, TypeError):
                raise PanelError(
                    f"{path}: damaged, or written by something else. "
                    "Remove it to start again, or name another file."
                ) from None

        return state

    def learn(self, panel: str, memory: Memory, events: Sequence[Event]) -> None:
        """Note what is known from now on, with the events that it came from: both or none of them
        reach the disk."""
        if events or memory != self.panels.get(panel):
            self.panels[panel] = memory
            self.pending += events
            self._write()

    async def hand_over(self) -> None:
        """Put what is pending into the queue; what no one has taken comes again after a restart."""
        async with self._one_by_one:
            while self.pending:
                await self._queue.put(copy.deepcopy(self.pending[0]))
                try:
                    await self._wait_until_taken()
                except asyncio.TimeoutError:
                    _LOG.warning("ansible-rulebook did not confirm an event; the next one follows.")
                except asyncio.CancelledError:
                    if self._feedback is None and not self._is_waiting():
                        self._cross_out_first()
                    raise
                self._cross_out_first()

    async def _wait_until_taken(self) -> None:
        """Wait until the first event is out of the queue, or worked in if the rulebook confirms
        that."""
        if self._feedback is not None:
            await asyncio.wait_for(self._wait_for_feedback(), _SECONDS_UNTIL_WORKED_IN)
            return
        while self._is_waiting():
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)

    async def _wait_for_feedback(self) -> None:
        number = self.pending[0]["meta"]["uuid"]
        while True:
            confirmed = await self._feedback.get()
            # The answer to an earlier event may be late.
            if confirmed["meta"]["uuid"] == number:
                return

    def _is_waiting(self) -> bool:
        """Return whether the event is still in the queue of ansible-rulebook, which has a bound;
        filters are around it."""
        inner = getattr(self._queue, "queue", self._queue)
        return bool(getattr(inner, "maxsize", 0)) and not inner.empty()

    def _cross_out_first(self) -> None:
        del self.pending[0]
        self._write()

    def _write(self) -> None:
        if self._path is None:
            return
        content = json.dumps({**_HEAD, "panels": self.panels, "pending": self.pending})
        with explain_error(str(self._path), PanelError, "The file is as it was."):
            replace_file(self._path, content.encode(), 0o600)


def _check_content(content: Any) -> None:
    """Raise ValueError, KeyError or TypeError for what no state file has: `detect_events` and
    `State` rely on these shapes."""
    if any(content[name] != value for name, value in _HEAD.items()):
        raise ValueError
    panels = content["panels"]
    pending = content["pending"]
    if not isinstance(panels, dict) or not isinstance(pending, list):
        raise ValueError
    if not all(map(_is_memory, panels.values())) or not all(map(_is_event, pending)):
        raise ValueError


def _is_memory(value: Any) -> bool:
    """Return whether a value is what `detect_events` remembers of a panel."""
    if not isinstance(value, dict):
        return False
    usernames = value.get("clients", {})
    if not isinstance(usernames, dict) or not isinstance(value.get("known", {}), dict):
        return False
    asked = value.get("asked", 0)
    if not isinstance(asked, int) or isinstance(asked, bool):
        return False
    if not isinstance(value.get("away_since", ""), str):
        return False
    return all(_is_id(number) and isinstance(name, str) for number, name in usernames.items())


def _is_id(text: str) -> bool:
    """Return whether a text is the id of an object, as `detect_events` writes it."""
    # Python reads no number of thousands of digits.
    if not text.isdecimal() or len(text) > len(str(GREATEST_NUMBER)):
        return False
    number = int(text)
    return str(number) == text and 1 <= number <= GREATEST_NUMBER


def _is_event(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("panel"), dict):
        return False
    meta = value.get("meta")
    return isinstance(meta, dict) and isinstance(meta.get("uuid"), str)

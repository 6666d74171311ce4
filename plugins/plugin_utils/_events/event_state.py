# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of the panels and which events are not handed over yet, in a private file that is replaced as a whole. Private to the collection."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from .._run.controller_files import explained, read_regular, replace_file
from .what_happened import Event, Memory

_HEAD = {"format": "hosting.panel.events", "version": 1}


class StateFailure(Exception):
    """The file cannot be read or written; the message names it."""


class EventState:
    """panels: what is known, by name. pending: the events that nobody has taken yet, the oldest first. path: None keeps it in memory only."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.panels: dict[str, Memory] = {}
        self.pending: list[Event] = []
        if path is None:
            return
        with explained(str(path), StateFailure):
            try:
                text = read_regular(path)
            except FileNotFoundError:
                return
        try:
            found = json.loads(text)
            if {name: found[name] for name in _HEAD} != _HEAD:
                raise ValueError
            self.panels, self.pending = found["panels"], found["pending"]
        except (ValueError, KeyError, TypeError):
            raise StateFailure(
                f"{path}: damaged, or written by something else. Remove it to start again, or name another file."
            ) from None

    def learn(self, panel: str, memory: Memory, events: Sequence[Event]) -> None:
        """What is known from now on, with the events that it came from: both or none of them reach the disk."""
        if events or memory != self.panels.get(panel):
            self.panels[panel] = memory
            self.pending += events
            self._write()

    def taken(self) -> None:
        """The oldest event was handed over."""
        del self.pending[0]
        self._write()

    def _write(self) -> None:
        if self._path is not None:
            text = json.dumps({**_HEAD, "panels": self.panels, "pending": self.pending})
            with explained(str(self._path), StateFailure, "What was there is as it was."):
                replace_file(self._path, text.encode(), 0o600)


@contextlib.contextmanager
def only_user(path: Path | None) -> Iterator[None]:
    """Raises StateFailure where another event source uses the file, since each would forget what the other one knows."""
    if path is None:
        yield
        return
    file = Path(os.path.realpath(path))  # which may have several names
    with contextlib.ExitStack() as stack:
        with explained(str(path), StateFailure):
            lock = stack.enter_context(open(file.with_name(f".{file.name}.lock"), "a", encoding="utf-8"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateFailure(
                f"{path} is in use by another event source. Give each one a state_file of its own."
            ) from None
        yield

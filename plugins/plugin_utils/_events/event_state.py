# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of the panels and which events are not handed over yet, in a private file that is replaced as a whole. Private to the collection."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .._run.controller_files import read_regular, replace_file
from .._run.job import explained
from .what_happened import Event, Memory

FORMAT, VERSION = "hosting.panel.events", 1
_MODE = 0o600


class StateFailure(Exception):
    """The file cannot be read or written; the message names it."""


class EventState:
    """What is known. pending: the events that nobody has taken yet, the oldest first. path: None where it is kept in memory only."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._panels: dict[str, Memory] = {}
        self.pending: list[Event] = []
        self._read()

    def of(self, panel: str) -> Memory | None:
        """What is known of a panel; None before its first reading."""
        return self._panels.get(panel)

    def learn(self, panel: str, memory: Memory, events: Sequence[Event]) -> None:
        """What is known from now on, with the events that it came from: both or none of them reach the disk."""
        if events or memory != self._panels.get(panel):
            self._panels[panel] = memory
            self.pending += events
            self._write()

    def taken(self) -> None:
        """The oldest event was handed over."""
        del self.pending[0]
        self._write()

    def _read(self) -> None:
        if self._path is None:
            return
        with explained(str(self._path), error=StateFailure):
            try:
                text = read_regular(self._path)
            except FileNotFoundError:
                return
        try:
            found = json.loads(text)
            # With the checksum no part of it can be wrong.
            if (found["format"], found["version"], found["checksum"]) != (FORMAT, VERSION, _checksum(found)):
                raise ValueError
            self._panels, self.pending = found["panels"], found["pending"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise StateFailure(
                f"{self._path}: damaged, or written by something else. Remove it to start again, or name another file."
            ) from None

    def _write(self) -> None:
        if self._path is None:
            return
        found: dict[str, Any] = {"format": FORMAT, "version": VERSION, "panels": self._panels, "pending": self.pending}
        found["checksum"] = _checksum(found)
        with explained(str(self._path), "What was there is as it was.", StateFailure):
            replace_file(self._path, json.dumps(found).encode(), _MODE)


def _checksum(found: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps([found["panels"], found["pending"]], sort_keys=True).encode()).hexdigest()


@contextlib.contextmanager
def only_user(path: Path | None) -> Iterator[None]:
    """Raises StateFailure where another event source uses the file, since each would forget what the other one knows."""
    if path is None:
        yield
        return
    with explained(str(path), error=StateFailure):
        file = Path(os.path.realpath(path))  # which may have several names
        descriptor = os.open(file.with_name(f".{file.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _MODE)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateFailure(
                f"{path} is in use by another event source. Give each one a state_file of its own."
            ) from None
        yield
    finally:
        os.close(descriptor)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Knows until when a write may still take effect of which no answer has told what became of it.

A repeat brings what the task wants, and the attempt before it may come later all the same. It then
undoes what the next task has written, or brings back what that one has deleted. So a task ends only
when nothing of it can come any more (docs/panel_api.md#late-writes).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from .repeats import LATEST_EFFECT


class _Write(NamedTuple):
    """Tells one write from another. body: What is sent, as JSON."""

    method: str
    path: str
    body: str


def _make_write(method: str, path: str, body: Any) -> _Write:
    return _Write(method, path, json.dumps(body, sort_keys=True))


class LateWrites:
    """Keeps the writes of a session that may still take effect.

    Safe to use from several threads.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Keep none.

        Args:
            clock: Returns the present moment in seconds.
        """
        self._clock = clock
        self._lock = threading.Lock()
        # When each can come no more.
        self._ends: dict[_Write, float] = {}

    def note(self, method: str, path: str, body: Any) -> None:
        """Note that an attempt has just got no answer that tells whether it took effect."""
        with self._lock:
            self._ends[_make_write(method, path, body)] = self._clock() + LATEST_EFFECT

    def settle(self, method: str, path: str, body: Any) -> None:
        """Note that nothing of this write can come any more."""
        with self._lock:
            self._ends.pop(_make_write(method, path, body), None)

    def count_seconds(self) -> float:
        """Return how long the last one may still come; 0 where none can."""
        with self._lock:
            latest = max(self._ends.values(), default=0.0)
            return max(0.0, latest - self._clock())

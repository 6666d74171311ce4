# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Says how far long work has come, at most once in five seconds. Private to the collection."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator
from typing import Callable, TypeVar

One = TypeVar("One")

INTERVAL = 5.0


class Progress:
    """Counts steps and tells ``say`` of them. Safe to use from several threads."""

    def __init__(
        self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic, interval: float = INTERVAL
    ) -> None:
        self._say, self._clock, self._interval = say, clock, interval
        self._lock = threading.Lock()
        self._last = clock()
        self._words, self._total, self._done = "", 0, 0

    def begin(self, words: str, total: int) -> None:
        """Starts to count steps. words: what one of them is, such as "changes written"."""
        with self._lock:
            self._words, self._total, self._done = words, total, 0

    def step(self) -> None:
        """One more is done."""
        with self._lock:
            self._done += 1
            now = self._clock()
            if now - self._last < self._interval:
                return
            self._last = now
            text = f"{self._done} of {self._total} {self._words}"
        self._say(text)

    def of(self, words: str, all_of_them: Collection[One]) -> Iterator[One]:
        """Each of them, which is a step where the next one is asked for."""
        self.begin(words, len(all_of_them))
        for one in all_of_them:
            yield one
            self.step()

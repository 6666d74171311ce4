# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many requests may be under way to one panel, and when all of them have to wait. Private to the collection.

While the panel's web server reloads, every request fails (interface, general rule 6). So the thread that meets a reload makes all wait,
and is the one that tries again. Writes are what a panel reloads for: they begin one at a time and become as many as are allowed while no
reload is met. A panel that was seen twice to reload after the same number of writes is given its pause before it fails the next one.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

from .repeats import FIRST_WAIT

# After so many writes without a reload two, and then all that are allowed, may be under way; later after a reload was met.
_AT_FIRST = (2, 12)
_AFTER_A_RELOAD = (20, 40)


class Concurrency:
    """Lets requests pass; safe to use from several threads.

    most: how many may be under way at once. pause: seconds for which an expected reload is waited out.
    """

    def __init__(self, most: int = 1, pause: float = FIRST_WAIT) -> None:
        self.most = most
        self._pause = pause
        self._changed = threading.Condition()
        self._under_way = 0
        self._prober: int | None = None
        self._closed_until = 0.0
        self._writes_since_reload = 0
        self._writes_between_reloads: list[int] = []

    @contextlib.contextmanager
    def passage(self, is_write: bool) -> Iterator[None]:
        """The time in which one request is under way; begins when it may be sent."""
        with self._changed:
            while not self._may_pass(is_write):
                # None waits for a change; a closed road opens by itself.
                remaining = self._closed_until - time.monotonic()
                self._changed.wait(remaining if remaining > 0 else None)
            self._under_way += 1
        try:
            yield
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def _may_pass(self, is_write: bool) -> bool:
        if self._prober is not None:
            return self._prober == threading.get_ident()
        if time.monotonic() < self._closed_until:
            return False
        return self._under_way < (self._most_writes() if is_write else self.most)

    def _most_writes(self) -> int:
        first, second = _AFTER_A_RELOAD if self._writes_between_reloads else _AT_FIRST
        if self._writes_since_reload < first:
            return 1
        return min(self.most, 2) if self._writes_since_reload < second else self.most

    def met_reload(self) -> None:
        """This thread's request met a reload: until its next one is answered, all others wait."""
        with self._changed:
            if self._prober is None:
                self._prober = threading.get_ident()
                self._note_reload()

    def answered(self, is_write: bool) -> None:
        """The panel answered this thread's request; is_write: and did what it asked for."""
        with self._changed:
            self._open_if_mine()
            if is_write:
                self._writes_since_reload += 1
                if self._writes_since_reload == self._expected_writes():
                    self._note_reload()
                    self._closed_until = time.monotonic() + self._pause

    def gave_up(self) -> None:
        """This thread tries no longer; another one will."""
        with self._changed:
            self._open_if_mine()

    def _open_if_mine(self) -> None:
        if self._prober == threading.get_ident():
            self._prober = None
            self._changed.notify_all()

    def _note_reload(self) -> None:
        self._writes_between_reloads = [*self._writes_between_reloads[-1:], self._writes_since_reload]
        self._writes_since_reload = 0

    def _expected_writes(self) -> int:
        """After how many writes the next reload is expected; 0: not known."""
        if len(self._writes_between_reloads) < 2:
            return 0
        earlier, last = self._writes_between_reloads
        return last if earlier == last else 0

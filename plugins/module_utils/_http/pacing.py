# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds the time that a task spends on repeats, and how many of its requests run at once."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Iterator
from typing import Callable

FIRST_WAIT = 0.5
LONGEST_WAIT = 5.0


class RetryBudget:
    """Bounds the seconds that all requests of a task together may spend on repeats, and waits
    between them.

    Safe to use from several threads.
    """

    def __init__(self, retry_time: float) -> None:
        self._all = retry_time
        self._retry_time = retry_time
        self.sleep: Callable[[float], None] = time.sleep
        self.clock = time.monotonic
        self.spread = random.random
        self._lock = threading.Lock()
        self._first_fault: float | None = None

    def count_remaining_seconds(self) -> float:
        """Return the seconds left; all of them before the first fault."""
        with self._lock:
            if self._first_fault is None:
                return self._retry_time
            return self._retry_time - (self.clock() - self._first_fault)

    def wait(self, repeats: int, at_least: float | None = None) -> bool:
        """Wait before a repeat; return False, without waiting, if the time does not suffice.

        Args:
            repeats: The number of the repeat, from 1.
            at_least: The seconds of Retry-After.
        """
        with self._lock:
            if self._first_fault is None:
                self._first_fault = self.clock()

        doublings = min(repeats - 1, 9)
        seconds = min(LONGEST_WAIT, FIRST_WAIT * 2**doublings)
        pause = seconds * (0.8 + 0.4 * self.spread())
        if at_least is not None:
            pause = max(pause, at_least)
        if pause > self.count_remaining_seconds():
            return False
        self.sleep(pause)
        return True

    def count_polls(self, most: int) -> Iterator[int]:
        """Yield the numbers of the polls of what may come late, from 1 to ``most``, while there is
        time.

        Before each but the first is a wait.
        """
        for number in range(1, most + 1):
            if number > 1 and not self.wait(number - 1):
                return
            yield number

    def reset_after_answer(self) -> None:
        """Stop the count when the panel answers again: the time between two reloads is not
        counted.
        """
        with self._lock:
            if self._first_fault is not None:
                self._retry_time -= self.clock() - self._first_fault
                self._first_fault = None

    def reset(self) -> None:
        """Begin to count anew when what was in doubt has ended well.

        The panel works, so the long wait for it is not counted, and the next may take as long.
        """
        with self._lock:
            self._retry_time = self._all
            self._first_fault = None


class RequestLimiter:
    """Limits how many requests run at once.

    After a reload all wait for the thread that met it, which alone tries again. Such a pause ends
    when the panel answers, or with the outermost block of ``limit_pause`` of that thread.
    """

    def __init__(self, most: int = 1) -> None:
        self.most = most
        self._changed = threading.Condition()
        self._running = 0
        self._prober: int | None = None
        # The threads that are in a block of ``limit_pause``.
        self._limited: set[int] = set()

    @contextlib.contextmanager
    def take_slot(self) -> Iterator[None]:
        """Wait until one request may be sent, and count it while it runs."""
        thread = threading.get_ident()

        def is_free() -> bool:
            """Tell whether this thread may send."""
            if self._prober is None:
                return self._running < self.most
            return self._prober == thread

        with self._changed:
            self._changed.wait_for(is_free)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    @contextlib.contextmanager
    def limit_pause(self) -> Iterator[None]:
        """End a pause that this thread begins in the block at the end of the block: then it has
        given up, and another thread will try.

        A block may be in another one of the same thread, which then ends the pause: it still has
        requests to send, such as the search for an object whose creation was not answered.
        """
        thread = threading.get_ident()
        if thread in self._limited:
            yield
            return

        self._limited.add(thread)
        try:
            yield
        finally:
            self._limited.remove(thread)
            self.end_pause()

    def begin_pause(self) -> None:
        """Let all other threads wait, since this thread's request met a reload. Call it in a block
        of ``limit_pause``.
        """
        with self._changed:
            self._prober = self._prober or threading.get_ident()

    def end_pause(self) -> None:
        """Let the other threads go on, if they wait for this one."""
        with self._changed:
            if self._prober == threading.get_ident():
                self._prober = None
                self._changed.notify_all()

# SPDX-License-Identifier: GPL-3.0-or-later
"""When a request is repeated, how long a task may go on repeating, and how many run at once. Private to the collection.

The panel reloads its web server whenever it has to; a request in that moment gets 500 or 503 and is repeated after a few seconds
(interface, general rule 6). Repeating a creation blindly would make two objects, so the decision depends on the method.
"""

from __future__ import annotations

import contextlib
import math
import random
import threading
import time
from collections.abc import Iterator
from enum import Enum
from typing import Callable


class Fault(Enum):
    """What happened to one attempt."""

    NOT_SENT = "not sent"  # no connection, so the panel saw nothing
    NO_SUCH_HOST = "no such host"
    BUSY = "busy"  # 429: nothing was done
    NOT_SERVED = "not served"  # 408, 502, 503, 504, or 500 without JSON: whether the work had begun is not said
    LOST_ANSWER = "lost answer"  # sent, then reset, timed out or cut off
    FAILED = "failed"  # 500 with a JSON error: the panel itself says that it failed


# The faults that every request meets in that moment, and none after a pause.
ANSWERS_AFTER_A_PAUSE = frozenset([Fault.NOT_SENT, Fault.BUSY, Fault.NOT_SERVED])
# The faults after which a write may have taken effect.
MAY_HAVE_WRITTEN = frozenset([Fault.NOT_SERVED, Fault.LOST_ANSWER, Fault.FAILED])


def most_attempts(method: str, fault: Fault | None) -> float:
    """How often a request is sent that met this fault at last; without one the panel has spoken, and nothing is sent again.

    A second PUT sends the same values, and after a second DELETE 404 means done; a second POST would make another object.
    """
    if fault is None or (method == "POST" and fault in MAY_HAVE_WRITTEN):
        return 1
    if fault is Fault.FAILED:
        return 2 if method == "GET" else 1
    return 2 if fault is Fault.NO_SUCH_HOST else math.inf


FIRST_WAIT = 0.5
LONGEST_WAIT = 5.0
# A write takes effect within 20 seconds or never: these waits last 22 to 33 seconds.
WAITS_UNTIL_THROUGH = 8
# How often something that may come late is looked for, with the waits of repeats in between.
MOST_LOOKS = WAITS_UNTIL_THROUGH + 1


class Patience:
    """The seconds that all requests of a task together may spend on repeats, and the waits between them. Safe to use from several threads."""

    def __init__(
        self,
        retry_time: float,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        spread: Callable[[], float] = random.random,
    ) -> None:
        self._all = self._retry_time = retry_time
        self._sleep, self._clock, self._spread = sleep, clock, spread
        self._lock = threading.Lock()
        self._first_fault: float | None = None

    def remaining(self) -> float:
        """Seconds left; all of them before the first fault."""
        with self._lock:
            return self._retry_time - (0.0 if self._first_fault is None else self._clock() - self._first_fault)

    def wait(self, repeats: int, at_least: float | None = None) -> bool:
        """Waits before repeat number ``repeats`` (from 1), at_least for Retry-After; False, without waiting, if the time does not suffice."""
        with self._lock:
            if self._first_fault is None:
                self._first_fault = self._clock()
        seconds = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(repeats - 1, 9))
        pause = max(seconds * (0.8 + 0.4 * self._spread()), at_least or 0.0)
        if pause > self.remaining():
            return False
        self._sleep(pause)
        return True

    def looks(self, most: int) -> Iterator[int]:
        """The numbers of the looks at what may come late, from 1 to ``most``, with a wait before each but the first, while there is time."""
        for number in range(1, most + 1):
            if number > 1 and not self.wait(number - 1):
                return
            yield number

    def calm(self) -> None:
        """The panel answers again: the time between two reloads is not counted."""
        with self._lock:
            if self._first_fault is not None:
                self._retry_time -= self._clock() - self._first_fault
                self._first_fault = None

    def begin_anew(self) -> None:
        """What was in doubt has ended well, so the panel works: the long wait for it is not counted, and the next may take as long."""
        with self._lock:
            self._retry_time, self._first_fault = self._all, None


class RequestLimiter:
    """How many requests run at once. After a reload all wait for the thread that met it, which alone tries again."""

    def __init__(self, most: int = 1) -> None:
        self.most = most
        self._changed = threading.Condition()
        self._running = 0
        self._prober: int | None = None

    @contextlib.contextmanager
    def slot(self) -> Iterator[None]:
        """The time in which one request runs; begins when it may be sent."""
        own = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: self._running < self.most if self._prober is None else self._prober == own)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def pause(self) -> None:
        """This thread's request met a reload."""
        with self._changed:
            self._prober = self._prober or threading.get_ident()

    def release(self) -> None:
        """The panel answered this thread again, or the thread gave up, and another one will try."""
        with self._changed:
            if self._prober == threading.get_ident():
                self._prober = None
                self._changed.notify_all()

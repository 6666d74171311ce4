# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets a verify that is interrupted end as it should: what it has made is removed first. Private to the collection."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

# Seconds in which signals count as one.
AT_ONCE = 2.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """Somebody wants the run to end. No handler of ordinary errors takes it."""


class Interruption:
    """was_asked_for: whether a signal came. While ``is_deferred`` it is only noted; one that comes later on ends the work all the same."""

    def __init__(self) -> None:
        self.was_asked_for = self.is_deferred = False
        self._first = 0.0

    def _handle(self, _number: int, _frame: Any) -> None:
        now = time.monotonic()
        # Ansible hands on what the terminal has sent to everybody, so that one key comes as two signals.
        is_again = self.was_asked_for and now - self._first > AT_ONCE
        self._first = self._first if self.was_asked_for else now
        self.was_asked_for = True
        if is_again or not self.is_deferred:
            self.is_deferred = True
            raise Interrupted

    @contextlib.contextmanager
    def awaited(self) -> Iterator[None]:
        """The time in which signals end the work and not the process."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in _SIGNALS}
        for number in _SIGNALS:
            signal.signal(number, self._handle)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler if handler is not None else signal.SIG_DFL)

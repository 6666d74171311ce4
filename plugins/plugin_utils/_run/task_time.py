# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of the time that the keyword ``timeout`` or ANSIBLE_TASK_TIMEOUT gives a task. Private to the collection.

Ansible sets an alarm, at which it raises an exception wherever the task is: what was written would be unknown, and a password that the
panel has just generated lost. While a module runs in process the alarm is noted instead, so that nothing more is sent and the task ends
with what it reached.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

_alarm = {"has_rung": False}


def is_over() -> bool:
    """Whether the time of the running task is over."""
    return _alarm["has_rung"]


@contextlib.contextmanager
def alarm_noted() -> Iterator[None]:
    """The time in which the alarm ends no request in the middle."""
    handler = signal.getsignal(signal.SIGALRM)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        _alarm["has_rung"] = False
        yield
        return
    # Where none is set any more, it rang in an earlier module of the same task.
    if signal.getitimer(signal.ITIMER_REAL)[0] > 0:
        _alarm["has_rung"] = False
    signal.signal(signal.SIGALRM, _note)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, handler)


def _note(_number: int, _frame: object) -> None:
    _alarm["has_rung"] = True

# SPDX-License-Identifier: GPL-3.0-or-later
"""The alarm that ends a task after the time of the keyword ``timeout`` or of ANSIBLE_TASK_TIMEOUT.

Private behaviour of ansible-core:

- The executor of a task sets ``signal.alarm`` for this time, and its handler of SIGALRM raises an
  exception wherever the task is. No public way says that the time is over.

Tried on ansible-core 2.16, 2.18, 2.19, 2.20, 2.21.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

# Set once the time of the task is over.
time_is_over = threading.Event()


@contextlib.contextmanager
def note_alarm() -> Iterator[None]:
    """Note the alarm of the task, so that the task ends with what it reached.

    Nothing more is sent then. The exception would come wherever the task is: what was written would
    be unknown, and a password that the panel has just made lost.
    """
    # Where none is set any more, it rang in an earlier module of the same task.
    if signal.getitimer(signal.ITIMER_REAL)[0] > 0:
        time_is_over.clear()
    handler = signal.signal(signal.SIGALRM, lambda _number, _frame: time_is_over.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, handler)

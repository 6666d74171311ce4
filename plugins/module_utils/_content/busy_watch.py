# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends a doveadm that only computes, and neither reads nor writes any more.

How long a copy may take, nobody knows before: a large mailbox may rightly take hours. So no copy
has a limit of time. On a full disk, dsync may compute without end while it has the locks of a mailbox
(docs/host_tools.md#full-disks). A doveadm that makes progress reads or writes now and then. Where
it waits for another host or a lock, it uses no processor time, and has limits of its own. Other
tools may rightly compute for long: find in millions of files, for example.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from typing import NamedTuple

from .._operation.process_status import PARENT, SYSTEM_TIME, USER_TIME, read_status

MOST_SECONDS = 120.0
"""Of processor time that a process may use without any read or write."""
ENDED = (
    f"it used {MOST_SECONDS:g} s of processor time without reading or writing anything,"
    " and was ended by this task"
).encode("ascii")
"""What a tool that was ended has to complain about."""
_PAUSE = 5.0
# As the kernel has the name of the program.
_PROGRAM = b"doveadm"
_TICKS = os.sysconf("SC_CLK_TCK")


class _Activity(NamedTuple):
    """What a process has done until now.

    transfers: How often and how much it has read and written, as the kernel prints it.
    seconds: The processor time that it has used.
    """

    transfers: bytes
    seconds: float


class BusyWatch:
    """Watches each doveadm of a process and of all that it starts, until the block ends.

    has_ended_any: Whether one was ended.
    """

    def __init__(self, process: int) -> None:
        """Prepare to watch. process: Its number."""
        self.has_ended_any = False
        self._process = process
        self._last_transfers: dict[int, _Activity] = {}
        self._stops = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> BusyWatch:
        self._thread.start()

        return self

    def __exit__(self, *_error: object) -> None:
        self._stops.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stops.wait(_PAUSE):
            for process in _list_family(self._process):
                activity = _read_activity(process)
                if activity is not None and self._has_only_computed(process, activity):
                    self._end(process)

    def _has_only_computed(self, process: int, activity: _Activity) -> bool:
        """Note what a process has done, and tell whether it has computed too long since."""
        last = self._last_transfers.get(process)
        if last is None or last.transfers != activity.transfers:
            self._last_transfers[process] = activity
            return False

        return activity.seconds - last.seconds >= MOST_SECONDS

    def _end(self, process: int) -> None:
        # It has computed too long to look whether it is to end.
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
            self.has_ended_any = True


def _list_family(process: int) -> Iterator[int]:
    """Yield a process, its children and theirs."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            status = read_status(int(name))
            if status is not None:
                children.setdefault(int(status.fields[PARENT]), []).append(int(name))

    waiting = [process]
    while waiting:
        member = waiting.pop()
        waiting += children.get(member, [])
        yield member


def _read_activity(process: int) -> _Activity | None:
    """Return what a doveadm has done; None if it has ended, or the kernel does not count it, or the
    process is another program.
    """
    status = read_status(process)
    if status is None or status.program != _PROGRAM:
        return None
    try:
        with open(f"/proc/{process}/io", "rb") as file:
            transfers = file.read()
    except OSError:
        return None

    ticks = int(status.fields[USER_TIME]) + int(status.fields[SYSTEM_TIME])

    return _Activity(transfers, ticks / _TICKS)

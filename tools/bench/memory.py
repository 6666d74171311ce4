# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Peak memory of a process with everything that it started, where the system has /proc."""

from __future__ import annotations

import contextlib
import re
import threading
from pathlib import Path

PROCESSES = Path("/proc")
INTERVAL = 0.02
_PROPORTIONAL = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)


class MemoryWatch:
    """Adds up the proportional set sizes of a process and its descendants again and again; a page that several share counts once."""

    def __init__(self, pid: int, interval: float = INTERVAL) -> None:
        """Take the process to watch, and the seconds between two looks."""
        self.peak = 0
        self._interval = interval
        self._pid = pid
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> MemoryWatch:
        """Begin to watch."""
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        """Stop; `peak` (bytes) is final then, 0 where the system does not tell."""
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(self._interval):
            self.peak = max(self.peak, sum(_proportional_size(pid) for pid in _tree(self._pid)))


def _tree(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for folder in PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # The name, in brackets, may hold anything; state and parent follow it.
            parent = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(folder.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def _proportional_size(pid: int) -> int:
    try:
        match = _PROPORTIONAL.search((PROCESSES / str(pid) / "smaps_rollup").read_bytes())
    except OSError:
        return 0
    return int(match[1]) * 1024 if match else 0

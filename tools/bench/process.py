# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run one command and measure it."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.bench.memory import INTERVAL, MemoryWatch
from tools.processes import MarkedCommand

TIME_LIMIT = 600.0


@dataclass(frozen=True)
class Finished:
    """A command that ended. `wall` and `cpu` are seconds; `cpu` is of the whole tree. `memory` is bytes, None if not watched."""

    code: int
    wall: float
    cpu: float
    memory: int | None


def run(
    words: Sequence[str],
    variables: Mapping[str, str],
    folder: Path,
    output: Path,
    *,
    watch_memory: bool,
    interval: float = INTERVAL,
    time_limit: float = TIME_LIMIT,
) -> Finished:
    """Run a command with exactly these environment variables and the mark of its processes; its streams go to `output`.

    Watching the memory every ``interval`` seconds disturbs the times. After `time_limit` seconds the command is killed.
    """
    command = MarkedCommand(list(words), variables=dict(variables), folder=folder)
    with output.open("wb") as stream:
        try:
            begin = time.perf_counter()
            process = command.start(stream)
            limit = threading.Timer(time_limit, _kill, [process.pid])
            limit.start()
            watch = MemoryWatch(process.pid, interval)
            with contextlib.ExitStack() as stack:
                stack.callback(limit.cancel)
                if watch_memory:
                    stack.enter_context(watch)
                # Unlike Popen.wait, this tells what the process and all that it waited for have used.
                _pid, status, usage = os.wait4(process.pid, 0)
                wall = time.perf_counter() - begin
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            command.stop_everything()
    memory = watch.peak or None if watch_memory else None
    return Finished(process.returncode, wall, usage.ru_utime + usage.ru_stime, memory)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)

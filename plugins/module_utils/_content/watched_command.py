# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a tool that ends when the task ends, also where the task is killed."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping, Sequence

from .busy_watch import ENDED, BusyWatch
from .host_tools import Ended, Streams, log_ended, start_command

# The task holds the other end of this shell's standard input, and writes nothing into it: reading
# ends when the task does. The command comes as arguments, so the shell reads nothing of it as code.
_WATCH = """
exec 3<&0
"$@" </dev/null 3<&- &
job=$!
{ read -r end <&3; kill "$job"; sleep 5; kill -KILL "$job"; } >/dev/null 2>&1 &
watch=$!
exec 3<&-
wait "$job"
code=$?
kill "$watch"
exit "$code"
"""


def run_watched(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Ended:
    """Run a command to its end, or until the task ends. A doveadm that only computes is ended.

    The code of a command that a signal has ended is 128 and the signal's number.

    Args:
        command: The tool and its arguments.
        environment: What it gets beside the usual environment.

    Raises:
        ContentError: The shell cannot be started.
    """
    began = time.monotonic()
    read_end, write_end = os.pipe()
    # As in run_command, the output alone is a pipe.
    with tempfile.TemporaryFile() as errors:
        try:
            watched = ["sh", "-c", _WATCH, "sh", *command]
            process = start_command(watched, Streams(read_end, stderr=errors), environment)
            with BusyWatch(process.pid) as watch:
                output, _errors = process.communicate()
        finally:
            os.close(read_end)
            os.close(write_end)
        log_ended(command, process.returncode, began)
        if watch.has_ended_any:
            return Ended(process.returncode, output, ENDED)
        errors.seek(0)

        return Ended(process.returncode, output, errors.read())

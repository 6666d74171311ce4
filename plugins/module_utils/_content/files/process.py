# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs rsync on this host: hands each line on at once, and ends what a killed run has left."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import IO, Any

from ..._operation.process_status import PROCESSES, read_status
from ..content_errors import ContentError
from ..host_tools import Ended, Streams, log_ended, start_command
from .commands import VARIABLES

_SECONDS_TO_END = 10.0
_BYTES_OF_ERRORS = 8192
# If the task is killed before its process is noted, reading ends without a line, and nothing runs.
_AFTER_A_LINE = 'patterns=$1; shift; read -r line && exec "$@" <"$patterns"'


def run_rsync(
    command: Sequence[str],
    patterns: bytes,
    take_line: Callable[[bytes], object],
    note_process: Callable[[int], None] | None = None,
) -> Ended:
    """Run rsync to its end.

    Args:
        command: Its words.
        patterns: What it reads from its standard input.
        take_line: Gets each line of its output, without the line break.
        note_process: Gets the id of its process before it does anything.

    Returns:
        Its exit code, and the end of what it complained about. Its output was handed on.

    Raises:
        ContentError: It is not there, or cannot be started.
    """
    # Files without a name: nothing of them stays behind, however this process ends.
    began = time.monotonic()
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as errors:
        source.write(patterns)
        source.seek(0)
        if note_process is None:
            streams = Streams(source, stderr=errors)
            process = start_command(command, streams, VARIABLES, directory="/")
        else:
            process = _start_noted(command, source.fileno(), errors, note_process)
        try:
            for line in process.stdout or ():
                take_line(line.rstrip(b"\n"))
            code = process.wait()
        finally:
            _end(process)
        log_ended(command, code, began)
        size = errors.seek(0, os.SEEK_END)
        errors.seek(max(0, size - _BYTES_OF_ERRORS))

        return Ended(code, b"", errors.read())


def _start_noted(
    command: Sequence[str], patterns: int, errors: IO[bytes], note_process: Callable[[int], None]
) -> subprocess.Popen[bytes]:
    """Start a command, once its process is noted.

    Args:
        command: Its words.
        patterns: The descriptor of the file that it reads.
        errors: Where it complains.
        note_process: Gets the id of its process.
    """
    waiting = ["sh", "-c", _AFTER_A_LINE, "sh", f"/dev/fd/{patterns}", *command]
    read_end, write_end = os.pipe()
    with open(read_end, "rb") as source, open(write_end, "wb") as signal_to_start:
        streams = Streams(source, stderr=errors)
        process = start_command(waiting, streams, VARIABLES, [patterns], "/")
        try:
            note_process(process.pid)
            signal_to_start.write(b"\n")
        except BaseException:
            _end(process)
            raise

    return process


def describe_process(process: int) -> dict[str, Any]:
    """Return what tells a process from all others, for the next run."""
    return {"id": process, "began": _read_beginning(process)}


def end_former_process(note: object) -> None:
    """End the rsync of an earlier run that was killed.

    Args:
        note: What ``describe_process`` told that run; None if there is no such process.

    Raises:
        ContentError: It does not end.
    """
    if not isinstance(note, dict):
        return
    process = note.get("id")
    # Another process may have got the id since.
    if not isinstance(process, int) or not _runs_rsync(process):
        return
    if _read_beginning(process) != note.get("began"):
        return

    processes = [process, *_read_children(process)]
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)
        if _wait_for_end(processes):
            return
    raise ContentError(
        f"the process {process} of an earlier run does not end.",
        advice="Run the task again when it has ended.",
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that is still there, as after an error in between."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _read_beginning(process: int) -> str:
    """Return when a process began, as the kernel counts it; empty if there is none."""
    status = read_status(process)

    return "" if status is None else status.beginning


def _runs_rsync(process: int) -> bool:
    status = read_status(process)

    return status is not None and status.program == b"rsync" and not status.has_ended


def _read_children(process: int) -> list[int]:
    try:
        with open(f"{PROCESSES}/{process}/task/{process}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def _wait_for_end(processes: Sequence[int]) -> bool:
    end = time.monotonic() + _SECONDS_TO_END
    while time.monotonic() < end:
        if not any(_runs_rsync(process) for process in processes):
            return True
        time.sleep(0.02)

    return False

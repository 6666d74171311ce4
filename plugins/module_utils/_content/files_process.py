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
from typing import Any

from .commands import Ended, Streams, start_command
from .content_errors import ContentError
from .files_commands import VARIABLES

_PROCESSES = "/proc"
_SECONDS_TO_END = 10.0
_BYTES_OF_ERRORS = 8192


def run_rsync(
    command: Sequence[str],
    patterns: bytes,
    take_line: Callable[[bytes], None],
    note_process: Callable[[int], None] | None = None,
) -> Ended:
    """Run rsync to its end.

    Args:
        command: Its words.
        patterns: What it reads from its standard input.
        take_line: Gets each line of its output, without the line break.
        note_process: Gets the id of its process as soon as it runs.

    Returns:
        Its exit code, and the end of what it complained about. Its output was handed on.

    Raises:
        ContentError: It is not there, or cannot be started.
    """
    # Files without a name: nothing of them stays behind, however this process ends.
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as errors:
        source.write(patterns)
        source.seek(0)
        streams = Streams(source, stderr=errors)
        process = start_command(command, streams, VARIABLES, directory="/")
        try:
            if note_process is not None:
                note_process(process.pid)
            for line in process.stdout or ():
                take_line(line.rstrip(b"\n"))
            code = process.wait()
        finally:
            _end(process)
        size = errors.seek(0, os.SEEK_END)
        errors.seek(max(0, size - _BYTES_OF_ERRORS))

        return Ended(code, b"", errors.read())


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
    if not isinstance(process, int) or _read_beginning(process) != note.get("began"):
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
    """Return when a process began, in ticks since the start of the system; empty if there is none.

    The process is one that runs rsync: the field ``starttime`` of proc(5).
    """
    try:
        with open(f"{_PROCESSES}/{process}/stat", encoding="utf-8", errors="replace") as file:
            name, _parenthesis, fields = file.read().partition("(")[2].rpartition(")")
    except OSError:
        return ""
    values = fields.split()
    has_ended = values[0] in ("Z", "X")
    if has_ended or name != "rsync":
        return ""

    return values[19]


def _read_children(process: int) -> list[int]:
    try:
        with open(f"{_PROCESSES}/{process}/task/{process}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def _wait_for_end(processes: Sequence[int]) -> bool:
    end = time.monotonic() + _SECONDS_TO_END
    while time.monotonic() < end:
        if not any(_read_beginning(process) for process in processes):
            return True
        time.sleep(0.02)

    return False

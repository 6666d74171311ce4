"""Start a command so that it, and everything that it started, can be stopped again; and run one in the foreground of a terminal.

A server that a playbook starts leaves its process group, so a group is not enough. Every process inherits the
environment of the one that started it: a mark in an environment variable finds them all.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from tools.environments import EnvironmentFailure, NotRun

MARK = "HOSTING_PANEL_RUN"
PROCESSES = Path("/proc")
POLITE_SECONDS = 5.0
SECONDS_TO_END = 15.0


class MarkedCommand:
    """A command in a session of its own, and every process that it starts, directly or not."""

    def __init__(self, command: list[str], *, variables: dict[str, str], folder: Path) -> None:
        """Prepare the command without starting it.

        `stop_everything` belongs into a `finally` around `start`.
        """
        self.command = command
        self.folder = folder
        self.mark = secrets.token_hex(12)
        marks = [self.mark]
        mark_of_caller = os.environ.get(MARK)
        if mark_of_caller:
            marks.insert(0, mark_of_caller)
        self.variables = {**variables, MARK: ":".join(marks)}
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, output: IO[bytes] | None = None) -> subprocess.Popen[bytes]:
        """Start the command; both of its streams go to `output`, or to the caller's streams."""
        self.process = subprocess.Popen(
            self.command,
            env=self.variables,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output is not None else None,
            start_new_session=True,
        )
        return self.process

    def interrupt(self, seconds: float) -> None:
        """Ask the command to end, as Ctrl-C does, and give it so many seconds."""
        if self.process is not None:
            with contextlib.suppress(
                ProcessLookupError, PermissionError, subprocess.TimeoutExpired
            ):
                os.killpg(self.process.pid, signal.SIGINT)
                self.process.wait(seconds)

    def stop_everything(self) -> list[str]:
        """End the command and all that it started; return a line for each that had to be stopped."""
        stopped: dict[int, str] = {}
        for number in (signal.SIGTERM, signal.SIGKILL):
            running = self._find_running()
            stopped |= running
            for pid in running:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)

            deadline = time.monotonic() + POLITE_SECONDS
            while self._find_running() and time.monotonic() < deadline:
                time.sleep(0.05)

        return list(stopped.values())

    def _find_running(self) -> dict[int, str]:
        """Return the processes that carry the mark: process id to a readable line."""
        running = {}
        # An ended command is no longer listed once its exit code was taken; one that just starts
        # does not show its environment yet.
        if self.process is not None and self.process.poll() is None:
            running[self.process.pid] = f"{self.process.pid} {' '.join(self.command)}"

        if PROCESSES.is_dir():
            return running | _find_marked_in_proc(self.mark)

        return running | _find_marked_in_ps(self.mark)


def _find_marked_in_proc(mark: str) -> dict[int, str]:
    marked = {}
    for folder in PROCESSES.iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes():
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                line = command.decode(errors="replace").strip()
                marked[int(folder.name)] = f"{folder.name} {line}"

    return marked


def _find_marked_in_ps(mark: str) -> dict[int, str]:
    # The BSD option "e" adds the environment to the command.
    command = ["ps", "axeww", "-o", "pid=,command="]
    listing = subprocess.run(command, capture_output=True, text=True, errors="replace", check=True)
    marked = {}
    for line in listing.stdout.splitlines():
        if mark in line:
            number, _space, _command = line.strip().partition(" ")
            marked[int(number)] = line.strip()[:80]
    return marked


class _Interrupted(Exception):
    """The user or the system asked for the end, by the signal whose number is the argument."""


def _interrupt(number: int, _frame: object) -> None:
    raise _Interrupted(number)


def _answer_signals(answer: Callable[[int, object], None] | signal.Handlers) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, answer)


def run_in_foreground(prepare: Callable[[], MarkedCommand], interrupted: str) -> int:
    """Run the command that `prepare` makes, and end with it everything that it has started.

    Args:
        prepare: makes the command; it is called once.
        interrupted: what is printed after an interruption.

    Returns: its exit code, or 128 and the signal's number after an interruption.
    """
    _answer_signals(_interrupt)
    command = None

    try:
        command = prepare()
        return command.start().wait()
    except _Interrupted as interruption:
        _answer_signals(signal.SIG_IGN)
        print(f"\n{interrupted}", file=sys.stderr, flush=True)
        if command is not None:
            command.interrupt(SECONDS_TO_END)
        return 128 + int(interruption.args[0])
    except (EnvironmentFailure, NotRun) as failure:
        print(failure, file=sys.stderr)
        return 1
    finally:
        _answer_signals(signal.SIG_IGN)
        if command is not None:
            command.stop_everything()

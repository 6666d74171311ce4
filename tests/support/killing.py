"""Kills a run in its middle, at a chosen number of writes, and waits until the panel is at rest."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Protocol

from tests.support.loaded_ansible import find_loaded_ansible
from tests.support.playbook import make_environment
from tests.support.simulator import Simulator

TIME_LIMIT = 60.0


class Process(Protocol):
    """What can be killed."""

    pid: int

    def poll(self) -> int | None:
        """Return its code, None while it runs."""

    def wait(self, seconds: float, /) -> int:
        """Return its code, as soon as it has ended."""


def start_playbook(
    arguments: list[str],
    folder: Path,
    way: str,
    environment: Mapping[str, str] | None = None,
    output: IO[bytes] | None = None,
) -> Process:
    """Start ``ansible-playbook`` in a process group of its own, as a shell starts it.

    environment: more variables. output: where its streams go.
    """
    variables = {**make_environment(folder, way), **(environment or {})}
    if loaded := find_loaded_ansible(variables):
        return loaded.start("playbook", arguments, folder, variables, output)

    return subprocess.Popen(
        [sys.executable, "-m", "ansible", "playbook", *arguments],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=output or subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def start_function(function: Callable[[], object]) -> int:
    """Return the id of a child process that calls a function and ends.

    With 1 where that raised an error.
    """
    child = os.fork()
    if not child:
        code = 0
        try:
            function()
        except Exception:
            traceback.print_exc()
            code = 1
        finally:
            # Not the way out of pytest.
            os._exit(code)

    return child


def is_running(process: Process) -> bool:
    """Return whether a process has not ended."""
    return process.poll() is None


def is_child_running(child: int) -> bool:
    """Return whether a child of this process has not ended."""
    return os.waitpid(child, os.WNOHANG) == (0, 0)


def count_writes(simulator: Simulator) -> int:
    """Return how many writes have arrived."""
    return sum(
        number
        for method, number in simulator.get_counters()["by_method"].items()
        if method != "GET"
    )


def wait_for_writes(simulator: Simulator, number: int, is_running: Callable[[], bool]) -> bool:
    """Wait until so many writes have arrived; False where the run ends before that."""
    deadline = time.monotonic() + TIME_LIMIT
    while count_writes(simulator) < number:
        if not is_running():
            return False
        if time.monotonic() > deadline:
            raise TimeoutError(
                f"{count_writes(simulator)} of {number} writes had arrived after {TIME_LIMIT} s"
            )
        time.sleep(0.002)

    return True


def kill_group(process: Process) -> None:
    """Kill ansible-playbook as a supervisor does.

    Its workers are in groups of their own and learn nothing of it.
    """
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)


def kill_with_children(process: Process) -> None:
    """Kill a process and everything that it started, as a machine that loses its power does."""
    family = [process.pid]
    for parent in family:
        # Nobody starts another one after it was stopped.
        with contextlib.suppress(ProcessLookupError):
            os.kill(parent, signal.SIGSTOP)
        family += _list_children(parent)

    for member in family:
        with contextlib.suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)

    process.wait(10)


def end_workers(folder: Path) -> None:
    """End the workers of killed plays of this folder.

    Ansible's own wait for ever to hand over a long result to nobody.
    """
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and (process / "cwd").readlink() == folder:
                os.kill(int(process.name), signal.SIGKILL)


def _list_children(parent: int) -> list[int]:
    process_ids: list[int] = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{parent}/task").iterdir():
            process_ids += [
                int(child) for child in Path(thread, "children").read_text(encoding="ascii").split()
            ]

    return process_ids

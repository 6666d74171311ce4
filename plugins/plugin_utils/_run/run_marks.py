# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets one ansible-playbook have a path of the controller, until its process ends.

No process of Ansible lives from one task to the next but ansible-playbook itself. So a mark names
it, and whoever finds the mark looks whether it still runs. It counts for the runs of one user on
one machine.

That is asked of another process than the own one, by its number and start, so the functions of
``_http/lost_ansible.py`` cannot tell it.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from ...module_utils._errors import PanelError
from ...module_utils._operation.locks import hold_lock, make_private_folder
from ...module_utils._operation.process_status import read_status
from ...module_utils._problems import Written

_SECONDS_FOR_MARK = 60.0
# Seconds between two looks at the process that has a path, and until the operator is told.
_PAUSE = 0.5
_QUIET_TIME = 5.0


def take_path(path: str) -> str:
    """Take a path for the ansible-playbook of this worker, unless another one has it.

    Returns:
        The number of the process of the other one; empty if this one has the path.

    Raises:
        PanelError: No mark can be made, or the ansible-playbook of this worker has ended.
    """
    run = _find_own_run()
    if not run:
        raise PanelError(f"{path}: ansible-playbook has ended.", written=Written.NOTHING)
    owner = _take_mark(_find_mark(path), run, path)
    if owner == run:
        return ""

    return owner.partition(" ")[0]


def wait_for_path(path: str, seconds: int, say: Callable[[str], None]) -> str:
    """Take a path as ``take_path`` does, once another ansible-playbook that has it has ended.

    Args:
        path: The path, with links resolved.
        seconds: How long to wait.
        say: Tells the operator that it waits.

    Returns:
        The number of the process that still has the path then; empty if this one has it.

    Raises:
        PanelError: As of ``take_path``.
    """
    start = time.monotonic()
    is_announced = False

    while True:
        process = take_path(path)
        waited = time.monotonic() - start
        if not process or waited >= seconds:
            return process

        if waited > _QUIET_TIME and not is_announced:
            say(f"waiting for process {process}, which uses {path}")
            is_announced = True
        time.sleep(_PAUSE)


def identify_run(process: int) -> str:
    """Return the number of a process and when it started; empty if it has ended.

    No later process with this number has the same.
    """
    status = read_status(process)
    if status is None:
        start = _find_start_by_ps(process)
    elif status.has_ended:
        start = ""
    else:
        start = status.beginning
    return start and f"{process} {start}"


def _find_own_run() -> str:
    """Return the ansible-playbook of this worker as ``identify_run``; empty if it has ended."""
    parent = multiprocessing.parent_process()
    number = parent.pid if parent else None
    return identify_run(number or os.getppid())


def _find_mark(path: str) -> Path:
    digest = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()

    return Path(make_private_folder(), f"{digest[:32]}.run")


def _take_mark(mark: Path, run: str, path: str) -> str:
    """Write into the mark of a path that a run has it, unless another run that goes on does.

    Args:
        mark: The mark.
        run: The run, as ``identify_run`` returns it.
        path: The path.

    Returns:
        The run that has the path.
    """
    with hold_lock(f"run {path}", path, _SECONDS_FOR_MARK):
        owner = mark.read_text(encoding="utf-8") if mark.exists() else ""
        process = owner.partition(" ")[0]
        if owner != run and process.isdigit() and owner == identify_run(int(process)):
            return owner
        mark.write_text(run, encoding="utf-8")
        return run


def _find_start_by_ps(process: int) -> str:
    """Return when a process started, where there is no /proc; empty if it has ended."""
    command = ["ps", "-o", "lstart=", "-p", str(process)]
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment
        )
    except OSError:
        return ""
    return " ".join(result.stdout.split())

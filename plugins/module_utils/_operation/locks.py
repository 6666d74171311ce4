# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes tasks wait for one another that must not do the same at once.

A lock is a file that the kernel locks, so it ends with its process, however that ends. It counts
for the tasks of one user on one machine. The file that a killed process leaves is empty and locks
nothing; who holds its lock next removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import random
import stat
import tempfile
import time
from collections.abc import Iterator

from .._errors import PanelError
from .._http.connection_settings import Connection
from .._http.lost_ansible import StartingProcess
from .._problems import Written

_LONGEST_PAUSE = 0.05
_TEMPORARY = "/tmp"


class Busy(PanelError):
    """Says that another task holds the lock and does not let go; nothing was written."""

    means_nothing_written = True


def estimate_longest_write(connection: Connection) -> float:
    """Return the seconds for which a task may have something to itself: it reads twice, writes and
    reads again, and repeats within retry_time.
    """
    return 4.0 * connection.timeout + connection.retry_time


@contextlib.contextmanager
def hold_lock(name: str, subject: str, longest: float) -> Iterator[None]:
    """Keep all other tasks from having the lock of this name.

    Args:
        name: Says panel and object.
        subject: What is written under the lock, in the words of a message.
        longest: The seconds to wait for it.

    Raises:
        Busy: Another task did not let go of it.
        PanelError: No file can be locked.
    """
    try:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        path = os.path.join(make_private_folder(), f"{digest[:32]}.lock")
        descriptor = _wait_for(path, subject, longest)
    except OSError as error:
        raise _make_lock_error(error, subject) from None
    try:
        yield
    finally:
        # In this order: a task that locks a file which has been removed sees that, and opens the
        # new one. That one is no longer this task's.
        with contextlib.suppress(OSError):
            if _is_at(path, descriptor):
                os.unlink(path)
        os.close(descriptor)


def _make_lock_error(error: OSError, subject: str) -> PanelError:
    """Return the error for a file that cannot be locked."""
    path = error.filename or _TEMPORARY
    reason = error.strerror or type(error).__name__
    return PanelError(
        f"{path}: cannot lock a file there while {subject} is written: {reason}.",
        written=Written.NOTHING,
        advice="Correct the cause and run the task again.",
    )


def _wait_for(path: str, subject: str, longest: float) -> int:
    """Return the descriptor of the locked file."""
    starting_process = StartingProcess()
    end = time.monotonic() + longest
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with contextlib.suppress(BlockingIOError, FileNotFoundError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Its last holder may have removed it since it was opened.
            if _is_at(path, descriptor):
                return descriptor
        os.close(descriptor)
        # Nobody waits for a task whose Ansible has ended.
        if time.monotonic() > end or starting_process.has_ended():
            raise Busy(
                f"another task on this machine has been writing it for more than {longest:g} s.",
                subject=subject,
                written=Written.NOTHING,
                advice="Look for a process that hangs "
                f"(fuser {path} names it), and run the task again.",
            )
        time.sleep(random.uniform(0.2, 1) * _LONGEST_PAUSE)


def _is_at(path: str, descriptor: int) -> bool:
    """Tell whether the open file is still the one of that path."""
    return os.path.samestat(os.stat(path), os.fstat(descriptor))


def make_private_folder() -> str:
    """Return the folder of this user's locks, the same for each of the user's processes, whatever
    their environment is.
    """
    parent = _TEMPORARY
    if not os.access(_TEMPORARY, os.W_OK):
        parent = tempfile.gettempdir()
    path = os.path.join(parent, f"hosting.panel-{os.geteuid()}")
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise PanelError(
            f"{path}: must be a directory of this user alone (mode 0700), "
            "for the locks of tasks that write.",
            written=Written.NOTHING,
            advice="Find out who made it, and remove it.",
        )
    return path

# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes tasks wait for one another that must not do the same at once.

A lock is a file that the kernel locks, so it ends with its process, however that ends. It counts
for the tasks of one user on one machine.
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
from .._problems import NOTHING_WRITTEN

_LONGEST_PAUSE = 0.05
_TEMPORARY = "/tmp"


class Busy(PanelError):
    """Another task holds the lock and does not let go; nothing was written."""


def longest_write(connection: Connection) -> float:
    """Seconds for which a task may have something to itself: it reads twice, writes and reads
    again, and repeats within retry_time.
    """
    return 4.0 * connection.timeout + connection.retry_time


@contextlib.contextmanager
def exclusive(name: str, what: str, longest: float) -> Iterator[None]:
    """The time in which no other task has the lock of this name, which says panel and object.

    what: is written in it, in the words of a message. longest: seconds to wait. Raises Busy, and
        PanelError if no file can be locked.
    """
    try:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        path = os.path.join(private_folder(), f"{digest[:32]}.lock")
        descriptor = _wait_for(path, what, longest)
    except OSError as error:
        about = f"{error.filename or _TEMPORARY}: cannot lock a file there while {what} is written"
        why = error.strerror or type(error).__name__
        advice = "Correct the cause and run the task again."
        raise PanelError(f"{about}: {why}.", written=NOTHING_WRITTEN, advice=advice) from None
    try:
        yield
    finally:
        # In this order: a task that locks a file which has been removed sees that, and opens the
        # new one. That one is no longer this task's.
        with contextlib.suppress(OSError):
            if _is_at(path, descriptor):
                os.unlink(path)
        os.close(descriptor)


def _wait_for(path: str, what: str, longest: float) -> int:
    """The descriptor of the locked file."""
    parent, end = os.getppid(), time.monotonic() + longest
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with contextlib.suppress(BlockingIOError, FileNotFoundError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Its last holder may have removed it since it was opened.
            if _is_at(path, descriptor):
                return descriptor
        os.close(descriptor)
        # Nobody waits for a task whose Ansible has ended.
        if time.monotonic() > end or os.getppid() != parent:
            why = f"another task on this machine has been writing it for more than {longest:g} s"
            advice = (
                f"Look for a process that hangs (fuser {path} names it), and run the task again."
            )
            raise Busy(f"{why}.", what, written=NOTHING_WRITTEN, advice=advice)
        time.sleep(random.uniform(0.2, 1) * _LONGEST_PAUSE)


def _is_at(path: str, descriptor: int) -> bool:
    """Whether the open file is still the one of that path."""
    return os.path.samestat(os.stat(path), os.fstat(descriptor))


def private_folder() -> str:
    """The folder of this user's locks, the same for each of the user's processes, whatever their
    environment is.
    """
    parent = _TEMPORARY if os.access(_TEMPORARY, os.W_OK) else tempfile.gettempdir()
    path = os.path.join(parent, f"hosting.panel-{os.geteuid()}")
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise PanelError(
            f"{path}: must be a directory of this user alone (mode 0700), for the locks of tasks that write.",
            written=NOTHING_WRITTEN,
            advice="Find out who made it, and remove it.",
        )
    return path

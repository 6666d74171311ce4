# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets one task after the other do what may not be done by two at once. Private to the collection.

A lock is a file that the kernel locks, so it ends with its process, however that ends. It counts for the tasks of one user on one machine.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import platform
import random
import stat
import tempfile
import time
from collections.abc import Iterator

from .._errors import PanelError
from .._http.connection_settings import Connection

_LONGEST_PAUSE = 0.05
_TEMPORARY = "/tmp"


class Busy(PanelError):
    """Another task holds the lock and does not let go; nothing was written."""


def reach() -> tuple[str, ...]:
    """What all tasks have in common that these locks keep apart, and no other task has: a machine since its start, and the folder."""
    start = ""
    with contextlib.suppress(OSError), open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        start = file.read()
    folder = os.stat(private_folder())
    return platform.node(), start, str(folder.st_dev), str(folder.st_ino)


def longest_write(connection: Connection) -> float:
    """Seconds for which a task may have something to itself: it reads twice, writes and reads again, and repeats within retry_time."""
    return 4.0 * connection.timeout + connection.retry_time


@contextlib.contextmanager
def exclusive(name: str, what: str, longest: float) -> Iterator[None]:
    """The time in which no other task has the lock of this name.

    what: is written in it, in the words of a message. longest: seconds for which one task may have it; whoever waits begins to count anew
    with each that gets it. Raises Busy, and PanelError where no file can be locked.
    """
    try:
        path = os.path.join(private_folder(), hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32])
        descriptor = _wait_for(path, what, longest)
    except OSError as error:
        raise PanelError(
            f"{error.filename or _TEMPORARY}: a file is locked there for the time in which {what} is written, and that failed: "
            f"{error.strerror or type(error).__name__}. Nothing was written. Mend that, and run the task again."
        ) from None
    try:
        yield
    finally:
        # In this order: whoever locks a file that has been removed sees that, and opens the new one.
        with contextlib.suppress(OSError):
            os.unlink(path)
        os.close(descriptor)


def _wait_for(path: str, what: str, longest: float) -> int:
    """The descriptor of the locked file."""
    parent = os.getppid()
    holder: tuple[int, int] | None = None
    end = 0.0
    while True:
        descriptor = _try(path)
        if descriptor is not None:
            return descriptor
        seen = _identity(path)
        if seen != holder:
            holder, end = seen, time.monotonic() + longest
        if time.monotonic() > end:
            raise Busy(
                f"Another task of this user on this machine has been writing {what} for more than {longest:g} s and has not ended. "
                f"Nothing was written. Look there for a process{_process_in(path)} that hangs, and run the task again."
            )
        if os.getppid() != parent:
            raise Busy(
                f"Ansible has ended while this task waited for another one that writes {what}. Nothing was written."
            )
        time.sleep(random.uniform(0.2, 1) * _LONGEST_PAUSE)


def _try(path: str) -> int | None:
    """The descriptor of the locked file, None where another task has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _identity(path)[0] == os.fstat(descriptor).st_ino:
            os.ftruncate(descriptor, 0)
            os.write(descriptor, str(os.getpid()).encode())
            return descriptor
    except BlockingIOError:
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _identity(path: str) -> tuple[int, int]:
    """Another one for each task that has the lock; zeros while none has."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return 0, 0
    return found.st_ino, found.st_mtime_ns


def _process_in(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            number = file.read(20)
    except (OSError, ValueError):
        return ""
    return f" (number {number})" if number.isdigit() else ""


def private_folder() -> str:
    """The folder of this user's locks, the same for each of the user's processes, whatever their environment is."""
    parent = _TEMPORARY if os.access(_TEMPORARY, os.W_OK) else tempfile.gettempdir()
    path = os.path.join(parent, f"hosting.panel-{os.geteuid()}")
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise PanelError(
            f"{path}: is to be a folder that this user alone has, for the locks of tasks that write, and is something else. Look who made "
            "it, and remove it. Nothing was written."
        )
    return path

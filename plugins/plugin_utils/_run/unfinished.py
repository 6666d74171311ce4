# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and folders that a run is writing, beside the ones that they will replace.

A run holds a lock on what it is writing, so that a later one can tell what a killed one left from
what another one is writing, and removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import glob
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

# How the names of all of them end.
_ENDING = ".hosting-panel-unfinished"
# The seconds in which a new one may not be locked yet.
_SECONDS_BEFORE_LOCK = 0.2


@contextlib.contextmanager
def make_unfinished_file(path: Path) -> Iterator[tuple[BinaryIO, str]]:
    """Make a file beside a path, open for writing, and yield it with its own path.

    It is gone afterwards, unless it was renamed. What killed runs left in the folder goes first.
    """
    remove_left_over_files(path.parent)
    prefix = f".{path.name}."
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=_ENDING)
    try:
        with open(descriptor, "wb") as file:
            _lock(descriptor)
            yield file, temporary
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


@contextlib.contextmanager
def make_unfinished_folder(path: Path) -> Iterator[Path]:
    """Make a folder beside a path, and yield it.

    It is gone afterwards, unless it was renamed. What killed runs left of this path goes first.
    """
    for folder in path.parent.glob(f".{glob.escape(path.name)}.*{_ENDING}"):
        _remove_left_over_folder(folder)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=_ENDING, dir=path.parent))
    try:
        with _open(temporary, os.O_DIRECTORY) as descriptor:
            _lock(descriptor)
            yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _lock(descriptor: int) -> None:
    with contextlib.suppress(OSError):  # some network file systems cannot lock
        fcntl.flock(descriptor, fcntl.LOCK_EX)


@functools.cache  # once, since a folder may have thousands of files, all of which are written
def remove_left_over_files(folder: Path) -> None:
    """Remove the files that killed runs left in a folder."""
    for path in folder.glob(f".*{_ENDING}"):
        with contextlib.suppress(OSError), _open(path) as descriptor:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _find_age(descriptor) > _SECONDS_BEFORE_LOCK:
                path.unlink()


def _remove_left_over_folder(folder: Path) -> None:
    """Remove a folder that no run is writing."""
    with contextlib.suppress(OSError), _open(folder, os.O_DIRECTORY) as descriptor:
        remaining = _SECONDS_BEFORE_LOCK - _find_age(descriptor)
        time.sleep(min(_SECONDS_BEFORE_LOCK, max(0.0, remaining)))
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _open(path: Path, flags: int = 0) -> Iterator[int]:
    """Open what is there itself, not what a link leads to. A pipe is not waited for."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _find_age(descriptor: int) -> float:
    """Return how many seconds ago something was written."""
    return time.time() - os.fstat(descriptor).st_mtime

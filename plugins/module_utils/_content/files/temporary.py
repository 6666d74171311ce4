# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the directory in which files lie until they are complete, and clears what is left of it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from ..clean_up import clean_up_after
from ..content_errors import ContentError
from ..host_tools import Ended, run_command
from ..shown_text import show_name

_PREFIX = ".hosting.panel-"


@dataclass(frozen=True)
class Owner:
    """Describes the user to whom a tree belongs, on this host."""

    name: str
    uid: int
    gid: int

    def run(self, *command: str) -> Ended:
        """Run a command on this host as this user, with its groups."""
        identity = [f"--reuid={self.uid}", f"--regid={self.gid}", "--init-groups"]
        return run_command(["setpriv", *identity, "--", *command])


@dataclass(frozen=True)
class TemporaryDirectory:
    """Names the directory for files that are not complete.

    kept_name: Its name where it is in the tree, and no part of it; empty where it is beside.
    """

    path: str
    kept_name: str = ""


@contextlib.contextmanager
def make_temporary_directory(owner: Owner, dest: str) -> Iterator[TemporaryDirectory]:
    """Yield a directory of the owner for the time of a copy, on the file system of ``dest``.

    It is beside ``dest``. Where it cannot be there, since that is another file system or not
    safe, it is in ``dest``. What a killed run has left in either is removed first.

    Raises:
        ContentError: It cannot be made, or what is left of an earlier one cannot be removed.
    """
    name = _PREFIX + hashlib.sha256(os.fsencode(dest)).hexdigest()[:16]
    parent = os.path.dirname(dest)
    beside = os.path.join(parent, name)
    inside = os.path.join(dest, name)
    for path in (beside, inside):
        _clear(owner, path)

    if _make_beside(owner, dest, beside):
        directory = TemporaryDirectory(beside)
    else:
        _make_inside(owner, inside)
        directory = TemporaryDirectory(inside, name)
    leftover = f"{show_name(directory.path)} is left; the next run removes it."
    with clean_up_after(lambda: _clear(owner, directory.path), leftover):
        yield directory


def _make_beside(owner: Owner, dest: str, path: str) -> bool:
    """Make the directory beside ``dest``, and return whether that could be done."""
    parent = os.path.dirname(path)
    if os.stat(parent).st_dev != os.stat(dest).st_dev:
        return False
    with _keep_times(parent):
        if owner.run("mkdir", "--mode=0700", "--", path).code == 0:
            return True

        return _make_as_root(owner, dest, os.path.basename(path))


def _make_as_root(owner: Owner, dest: str, name: str) -> bool:
    """Make the directory where root alone can, and return whether that could be done.

    The parent is the one of the opened ``dest``: a path to it could lead elsewhere by now.
    """
    with _open_directory(dest) as tree, _open_directory("..", tree) as parent:
        is_theirs = os.fstat(tree).st_uid == owner.uid
        if not is_theirs or not _is_of_root_alone(os.readlink(f"/proc/self/fd/{parent}")):
            return False
        os.mkdir(name, 0o700, dir_fd=parent)
        os.chown(name, owner.uid, owner.gid, dir_fd=parent, follow_symlinks=False)

    return True


@contextlib.contextmanager
def _open_directory(directory: str, base: int | None = None) -> Iterator[int]:
    """Yield the descriptor of a directory. base: the one from which its path leads."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    descriptor = os.open(directory, flags, dir_fd=base)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _make_inside(owner: Owner, path: str) -> None:
    with _keep_times(os.path.dirname(path)):
        ended = owner.run("mkdir", "--mode=0700", "--", path)
    if ended.code:
        raise ContentError(
            f"{owner.name} cannot write there: {ended.shown_errors}",
            "dest",
            effect="Nothing was copied.",
        )


def _clear(owner: Owner, path: str) -> None:
    """Remove the directory with what is in it, as the owner.

    root removes no more than the empty directory, where the one above it is root's.
    """
    if not os.path.lexists(path):
        return
    with _keep_times(os.path.dirname(path)):
        ended = owner.run("rm", "-rf", "--one-file-system", "--", path)
        if os.path.lexists(path):
            try:
                os.rmdir(path)
            except OSError as error:
                raise ContentError(
                    f"{path} of an earlier run cannot be removed: {ended.shown_errors}",
                    "dest",
                    advice="Remove it by hand.",
                ) from error


def _is_of_root_alone(directory: str) -> bool:
    """Tell whether nobody but root can put something else in the place of an entry there."""
    path = os.path.realpath(directory)
    while True:
        status = os.lstat(path)
        is_writable = bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
        is_sticky = bool(status.st_mode & stat.S_ISVTX)
        if status.st_uid != 0 or (is_writable and not is_sticky):
            return False
        if path == "/":
            return True
        path = os.path.dirname(path)


@contextlib.contextmanager
def _keep_times(directory: str) -> Iterator[None]:
    """Leave the times of a directory as they are: it may be a part of another tree."""
    with _open_directory(directory) as descriptor:
        status = os.fstat(descriptor)
        yield
        os.utime(descriptor, ns=(status.st_atime_ns, status.st_mtime_ns))

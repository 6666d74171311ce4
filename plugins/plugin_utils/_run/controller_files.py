# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files on the controller: regular ones only, and replaced as a whole, so that nobody ever sees half of one. Private to the collection.

A pipe or a device that a file's name leads to is neither waited for nor written over. A new file is written beside the old one, under a name
that nothing else uses. Its writer holds a lock on it, so that what a killed run left behind can be told from what another one is writing, and
is removed by the next one.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

VAULT_HEADER = b"$ANSIBLE_VAULT;"
"""What a file begins with that is encrypted as a whole."""
ANY_NUMBER = sys.maxsize
"""Of missing folders, for what makes all of them."""
_ENDING = ".hosting-panel-unfinished"
# So many bytes of a file tell what it is.
_LENGTH = 4096


class OwnFiles(NamedTuple):
    """Files of one sort. noun: what one is, for a person. begins: how each of them begins, and no other file."""

    noun: str
    begins: re.Pattern[str]

    def may_replace(self, content: bytes) -> bool:
        """Whether a file that begins with this is one of them, or empty."""
        text = content.decode("utf-8", "replace")
        return not text.strip() or self.begins.match(text) is not None


def reason_of(error: OSError) -> str:
    """Why the system refused, for a person."""
    return error.strerror or type(error).__name__


def refuse_special(path: str | Path) -> None:
    """Raises OSError for a pipe, device or socket, without opening it; a missing file and a folder are for the caller to find."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(0, "this is a pipe, a device or a socket, and no regular file; name one that is")


def read_regular(path: str | Path) -> bytes:
    """What the file holds; raises OSError."""
    refuse_special(path)
    return Path(path).read_bytes()


def replace_file(path: Path, content: bytes, mode: int, flush: bool = True, follows: bool = True) -> None:
    """Puts the content in the place of the file, in a folder that is there; raises OSError, and the old file stays.

    follows: whether a link stays a link, and what it leads to is replaced; otherwise the link is. flush: whether the new file is on
    the disk before the old one goes, which a file that can be made again at any time does not need.
    """
    path = _resolved(path) if follows else path
    refuse_special(path)
    with _written_beside(path, content, flush) as temporary:
        os.chmod(temporary, mode)
        os.replace(temporary, path)


def mode_for(path: Path) -> int:
    """The mode of the file where there is one, else the one that a new file of this user gets."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def flush_folder(folder: Path) -> None:
    """Has the names in the folder on the disk, where the file system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def try_to_write(path: Path, size: int) -> None:
    """Writes so many bytes beside the file and removes them again; raises OSError where `replace_file` would."""
    path = _resolved(path)
    _check_replaceable(path)
    with _written_beside(path, os.urandom(size), flush=True):  # no file system can make less of these
        pass


def check_place(path: Path, missing: int = 0, may_be_encrypted: bool = False, own: OwnFiles | None = None) -> None:
    """Raises OSError where a file could not be put there, or must not, since what somebody else keeps in it would be lost.

    missing: as of `check_folder`. may_be_encrypted: whether the file is one that is read before it is replaced. own: what alone is replaced,
    beside an empty file. Nothing of the check stays.
    """
    path = _resolved(path)
    check_folder(path.parent, missing)
    if path.is_dir():
        raise IsADirectoryError(0, "that is a folder; name a file in it, or move it away")
    _check_replaceable(path)
    if not may_be_encrypted and _beginning(path, len(VAULT_HEADER)) == VAULT_HEADER:
        raise PermissionError(
            0, "that file is encrypted with Ansible Vault, and what it keeps would be lost; name another one"
        )
    if own is not None and not own.may_replace(_beginning(path, _LENGTH)):
        raise PermissionError(
            0, f"that file is no {own.noun}, so it is not overwritten; name another one, or move it away"
        )


def check_folder(folder: Path, missing: int = 0) -> None:
    """Raises OSError where nothing could be put into the folder; missing: how many parts of its path, the last ones, may have to be made.

    Where one has to be, it is tried with another name, for root may write into /proc as far as its mode goes.
    """
    wanted = folder
    while missing and not os.path.lexists(folder):
        folder, missing = folder.parent, missing - 1
    if not os.path.lexists(folder):
        raise FileNotFoundError(0, f"the folder {folder} does not exist; create it")
    if not folder.is_dir():
        raise NotADirectoryError(0, f"{folder} is no folder; move it away, or name another place")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(0, f"the folder {folder} is not writable for this user")
    if folder != wanted:
        try:
            os.rmdir(tempfile.mkdtemp(prefix=".", dir=folder))
        except OSError:
            raise PermissionError(0, f"no folder can be made in {folder}; name another place") from None


def _beginning(path: Path, length: int) -> bytes:
    with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
        return file.read(length)
    return b""


def _resolved(path: Path) -> Path:
    """Where links lead to; those that lead in a circle are left for the system to refuse."""
    return Path(os.path.realpath(path))  # before Python 3.13, Path.resolve raises RuntimeError for such a circle


def _check_replaceable(path: Path) -> None:
    """Raises OSError where the file is one that nobody may replace, such as an immutable one or a device. It is opened only."""
    refuse_special(path)
    try:
        os.close(os.open(path, os.O_WRONLY))
    except OSError as error:
        # A mode that forbids to write into it does not matter, since it is replaced.
        if error.errno not in (errno.ENOENT, errno.EACCES):
            raise PermissionError(0, f"cannot be replaced: {reason_of(error)}") from None


@contextlib.contextmanager
def _written_beside(path: Path, content: bytes, flush: bool) -> Iterator[str]:
    """A file with the content in the same folder, which is gone afterwards, unless it was renamed."""
    _remove_left_over(path.parent)
    descriptor, temporary = _locked_file(path)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if flush:
                os.fsync(file.fileno())
            yield temporary
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _locked_file(path: Path) -> tuple[int, str]:
    while True:
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=_ENDING)
        with contextlib.suppress(OSError):  # some network file systems cannot lock
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor, temporary
        os.close(descriptor)  # another run took it for one of a killed run, before it was locked


@functools.cache  # once, since a folder may have thousands of files, all of which are written
def _remove_left_over(folder: Path) -> None:
    """Removes what killed runs left of their writing into this folder."""
    for name in os.listdir(folder):
        if name.startswith(".") and name.endswith(_ENDING):
            with contextlib.suppress(OSError):
                _remove_unless_locked(folder / name)


def _remove_unless_locked(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    finally:
        os.close(descriptor)

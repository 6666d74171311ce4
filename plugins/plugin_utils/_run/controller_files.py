# SPDX-License-Identifier: GPL-3.0-or-later
"""Files on the controller: regular ones only, and replaced as a whole.

Nobody ever sees half of a file. A new file is written beside the old one.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from .unfinished import make_unfinished_file

VAULT_HEADER = b"$ANSIBLE_VAULT;"  # of a file that is encrypted as a whole
ANY_NUMBER = sys.maxsize  # of missing folders
_LONGEST_NAME = 255


def expand_path(path: str) -> str:
    """Return the path that an option means, with ``$NAME`` and ``~`` replaced.

    Ansible does the same to an option of type path. What is checked is what is written only where
    every option goes through this, and once: a client's name that is put into a path stays as it
    is.
    """
    return os.path.expanduser(os.path.expandvars(path))


def describe_reason(error: OSError) -> str:
    """Return why the system refused, for a person."""
    return error.strerror or type(error).__name__


def describe_unusable_path(path: str | Path) -> str:
    """Return a path and why the system takes no such one, without a full stop.

    Empty where it takes the path, also where nothing is there. Without this question a method of
    ``Path`` raises what the system says, where it was only to tell whether something is there.
    """
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        reason = describe_reason(error)
    except ValueError:
        reason = "a path cannot have a NUL character or half of a character"
    else:
        return ""
    return f"{_shorten(str(path))}: {reason}"


def describe_missing_path(path: str, option: str) -> str:
    """Return a sentence that nothing is where a person said; empty where something is.

    Args:
        path: As the person wrote it.
        option: What set it; empty where the place of the message says it.
    """
    path = expand_path(path)
    if describe_unusable_path(path) or os.path.lexists(path):
        return ""
    about = f"{option}: " if option else ""
    return (
        f"{about}there is no file or directory {_shorten(os.path.abspath(path))}. Correct the path."
    )


def _shorten(path: str) -> str:
    """Return a path for a message, cut where it is longer than the name of a file can be."""
    if len(path) <= _LONGEST_NAME:
        return path
    return f"{path[:_LONGEST_NAME]}..."


@contextlib.contextmanager
def explain_error(
    path: str, make_error: Callable[[str], Exception], ending: str = ""
) -> Iterator[None]:
    """Make an error for a person of an OSError.

    Args:
        path: The file that it is about.
        make_error: Makes the error of a sentence; mostly its type.
        ending: What was not done because of it.
    """
    try:
        yield
    except OSError as cause:
        sentences = [f"{path}: {describe_reason(cause)}."]
        if ending:
            sentences.append(ending)
        raise make_error(" ".join(sentences)) from None


def read_regular(path: str | Path) -> bytes:
    """Return what the file holds; raises OSError, also for a pipe, which would be waited for."""
    _refuse_special(Path(path))
    return Path(path).read_bytes()


def replace_file(path: Path, content: bytes, mode: int, flush: bool = True) -> None:
    """Replace the file as a whole. A link stays a link.

    Args:
        path: The file.
        content: Its new content.
        mode: Its new mode.
        flush: Whether it is on the disk afterwards; not for files that can be made again.

    Raises:
        OSError: It cannot be written, and the old file stays.
    """
    path = Path(os.path.realpath(path))
    _refuse_special(path)
    with _write_beside(path, content, flush) as temporary:
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    if flush:
        flush_folder(path.parent)


def limit_mode(path: Path, mode: int, check_mode: bool) -> bool:
    """Take the rights from a file that its mode does not give.

    Args:
        path: The file. A link stays a link.
        mode: The mode of a new file there.
        check_mode: Whether nothing is changed.

    Returns:
        Whether rights were taken, or would be. Where the file system has no modes, or another user
        owns the file, it keeps them.
    """
    before = path.stat().st_mode & 0o777
    if not before & ~mode:
        return False
    if check_mode:
        return True

    with contextlib.suppress(OSError):
        os.chmod(path, before & mode)
    return path.stat().st_mode & 0o777 != before


def try_to_write(path: Path, size: int) -> None:
    """Write so many bytes beside the file and remove them again.

    Raises:
        OSError: The disk has no room for them.
    """
    content = os.urandom(size)  # no file system can compress it
    with _write_beside(Path(os.path.realpath(path)), content, flush=True):
        pass


def flush_folder(folder: Path) -> None:
    """Have the names in the folder on the disk."""
    with contextlib.suppress(OSError):  # some file systems cannot do that
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def check_place(path: Path, missing: int = 0) -> None:
    """Check that a file could be put at a path; raises OSError. missing: as of `check_folder`."""
    path = Path(os.path.realpath(path))
    check_folder(path.parent, missing)
    _refuse_special(path)


def check_folder(folder: Path, missing: int = 0) -> None:
    """Check that something could be put into a folder.

    Args:
        folder: The folder.
        missing: How many parts of its path, the last ones, may have to be made.

    Raises:
        OSError: Nothing could be put into it.
    """
    while missing and not os.path.lexists(folder):
        folder = folder.parent
        missing -= 1
    if not os.path.lexists(folder):
        raise FileNotFoundError(0, f"the directory {folder} does not exist; create it")
    if not folder.is_dir():
        raise NotADirectoryError(
            0, f"{folder} is no directory; move it away, or name another place"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(0, f"the directory {folder} is not writable for this user")


def _refuse_special(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise OSError(0, "that is no regular file; name one that is")


@contextlib.contextmanager
def _write_beside(path: Path, content: bytes, flush: bool) -> Iterator[str]:
    """Write a file with the content in the same folder.

    It is gone afterwards, unless it was renamed.
    """
    with make_unfinished_file(path) as (file, temporary):
        file.write(content)
        file.flush()
        if flush:
            os.fsync(file.fileno())
        yield temporary

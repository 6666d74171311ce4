# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes from a Maildir the files of messages that a killed dsync has made and not noted.

dsync makes these files while it has the lock of ``dovecot-uidlist``, and notes them in this list
before it gives the lock back (docs/host_tools.md#messages-of-a-killed-dsync). If it is killed in
between, whatever reads the folder next takes them for new messages, and gives them UIDs that the
messages of the source then cannot get. So they have to go before anything reads the folder.

A file goes only if everything says that this dsync made it and never noted it: the lock is still
there and names this process, the process is gone, the name of the file has its number and its host,
and the list does not have the file. Whatever Dovecot has read meanwhile is a message, which stays:
then the lock is gone (``leftovers.py``).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Set

from ..content_errors import ContentError
from ..host_tools import run_command
from ..shown_text import show_name
from .commands import make_path_command
from .listing import INBOX, UnreadableListing, parse_path
from .reading import MailboxAccess, make_environment_of_root
from .sync_command import COPIED_STAYS

_LIST = "dovecot-uidlist"
_LOCK = "dovecot-uidlist.lock"
_PARTIAL = "tmp"
_COMPLETE = ("cur", "new")
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def remove_unnoted_files(target: MailboxAccess, process_path: str) -> None:
    """Remove what a dsync has made and not noted, if it was killed in between.

    Of a mailbox in another format than Maildir, nothing is removed.

    Args:
        target: The mailbox.
        process_path: The file with the number of the process of dsync.

    Raises:
        ContentError: A file cannot be removed.
    """
    process = _read_process(process_path)
    if process is None or _is_running(process):
        return
    root = _find_root(target)
    if root is None:
        return

    # Everything is reached from the opened folder: a path to it could lead elsewhere by now.
    for path, folders, files, descriptor in os.fwalk(root):
        folders[:] = [name for name in folders if name not in (_PARTIAL, *_COMPLETE)]
        if _LOCK not in files or _LIST not in files:
            continue
        try:
            _clear_folder(descriptor, process)
        except FileNotFoundError:
            # A program reads the folder just now, so the rest is messages.
            continue
        except OSError as error:
            raise ContentError(
                f"what a killed dsync left in {show_name(path)} cannot be removed: "
                f"{error.strerror}.",
                effect=COPIED_STAYS,
                advice="Run the task again when that is settled.",
            ) from error


def _read_process(path: str) -> int | None:
    """Return the number of the process; None if none was noted."""
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None


def _is_running(process: int) -> bool:
    """Tell whether the process is a doveadm that has not ended. Another one may have its number."""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return b"doveadm" in file.read()
    except OSError:
        return False


def _find_root(target: MailboxAccess) -> str | None:
    """Return the directory of INBOX, in which those of other folders are; None without one."""
    ended = run_command(
        make_path_command(target.name, INBOX), environment=make_environment_of_root()
    )
    if ended.code != 0:
        return None
    try:
        return parse_path(ended.output)
    except UnreadableListing:
        return None


def _clear_folder(folder: int, process: int) -> None:
    """Remove what the process has made in a folder and not noted, if it still has the lock."""
    holder, _colon, host = _read_text(_LOCK, folder).strip().partition(":")
    if holder != str(process) or not host:
        return

    maker = f"P{process}.{host}"
    noted = _read_noted(folder)
    _cut_torn_line(folder)
    for subdirectory in (_PARTIAL, *_COMPLETE):
        with _open_directory(subdirectory, folder) as directory:
            for name in os.listdir(directory):
                base = _cut_flags(name)
                if base.partition(",")[0].endswith(maker) and base not in noted:
                    os.unlink(name, dir_fd=directory)


@contextlib.contextmanager
def _open_directory(name: str, folder: int) -> Iterator[int]:
    """Yield the descriptor of a directory in a folder."""
    descriptor = os.open(name, _READ | os.O_DIRECTORY, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _read_noted(folder: int) -> Set[str]:
    """Return the names of files that the list has, without their flags."""
    # The first line is about the folder, and the last one is empty, or torn by the kill.
    lines = _read_text(_LIST, folder).split("\n")[1:-1]

    return {_cut_flags(line.partition(" :")[2]) for line in lines}


def _cut_torn_line(folder: int) -> None:
    """Cut off a last line that was torn by the kill: Dovecot would write the next one behind it."""
    descriptor = os.open(_LIST, os.O_RDWR | _READ, dir_fd=folder)
    with open(descriptor, "r+b") as file:
        file.truncate(file.read().rfind(b"\n") + 1)


def _cut_flags(name: str) -> str:
    return name.partition(":")[0]


def _read_text(name: str, folder: int) -> str:
    """Return the text of a file in a folder."""
    descriptor = os.open(name, _READ, dir_fd=folder)
    with open(descriptor, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()

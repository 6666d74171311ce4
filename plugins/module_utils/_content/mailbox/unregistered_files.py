# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes from a Maildir the files of messages that a killed dsync has made and not registered.

dsync makes these files while it has the lock of ``dovecot-uidlist``, and registers them in this
list before it gives the lock back (docs/host_tools.md#messages-of-a-killed-dsync). If it is killed
in between, whatever reads the folder next takes them for new messages, and gives them UIDs that the
messages of the source then cannot get. So they have to go before anything reads the folder.

A file goes only if everything says that this dsync made it and never registered it: the lock is
still there and names this process, the process is gone, the name of the file has its number and its
host, and the list does not have the file. On a full disk the lock names nobody, and goes as well.
Whatever Dovecot has read meanwhile is a message, which stays: then the lock is gone
(``leftovers.py``).
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

from ..content_errors import ContentError
from ..shown_text import show_name
from .dsync_notes import DsyncNotes, read_notes
from .maildir import (
    COMPLETE,
    OPEN_AS_IT_IS,
    PARTIAL,
    UIDLIST,
    cut_flags,
    cut_sizes,
    find_root,
    parse_uidlist,
    read_text,
    walk_folders,
)
from .reading import MailboxAccess
from .sync_command import COPIED_STAYS

_LOCK = UIDLIST + ".lock"
_MOMENT = 10.0
"""Seconds: more than Dovecot takes to write whose a lock is."""


def remove_unregistered_files(target: MailboxAccess, notes_path: str) -> None:
    """Remove what a dsync has made and not registered, if it was killed in between.

    Of a mailbox in another format than Maildir, nothing is removed.

    Args:
        target: The mailbox.
        notes_path: The file with the notes of its dsyncs.

    Raises:
        ContentError: A file cannot be removed.
    """
    notes = read_notes(notes_path)
    if not notes.processes or not notes.have_all_ended:
        return
    root = find_root(target)
    if root is None:
        return

    for folder in walk_folders(root):
        if _LOCK not in folder.files or UIDLIST not in folder.files:
            continue
        try:
            _clear_folder(folder.descriptor, notes)
        except FileNotFoundError:
            # A program reads the folder just now, so the rest is messages.
            continue
        except OSError as error:
            raise ContentError(
                f"what a killed dsync left in {show_name(folder.path)} cannot be removed: "
                f"{error.strerror}.",
                effect=COPIED_STAYS,
                advice="Run the task again when that is settled.",
            ) from error


def _clear_folder(folder: int, notes: DsyncNotes) -> None:
    """Remove what a process has made in a folder and not registered, if it still has the lock."""
    holder, _colon, host = read_text(_LOCK, folder).strip().partition(":")
    makers = [
        f"P{process.number}.{host or os.uname().nodename}"
        for process in notes.processes
        if not host or holder == str(process.number)
    ]
    if not makers or not (host or _is_left(folder, notes)):
        return

    registered = {message.file for message in parse_uidlist(read_text(UIDLIST, folder)).messages}
    _cut_torn_line(folder)
    for subdirectory in (PARTIAL, *COMPLETE):
        with _open_directory(subdirectory, folder) as directory:
            for name in os.listdir(directory):
                if cut_sizes(name).endswith(tuple(makers)) and cut_flags(name) not in registered:
                    os.unlink(name, dir_fd=directory)
    if not host:
        # Dovecot waits for it (docs/host_tools.md#full-disks).
        os.unlink(_LOCK, dir_fd=folder)


def _is_left(folder: int, notes: DsyncNotes) -> bool:
    """Tell whether a dsync has left the lock, which does not say whose it is, as on a full disk.

    It was made while they ran, and nobody has it only for a moment.
    """
    locked = os.stat(_LOCK, dir_fd=folder, follow_symlinks=False).st_mtime
    began = min(process.began for process in notes.processes)

    return began <= locked <= time.time() - _MOMENT


@contextlib.contextmanager
def _open_directory(name: str, folder: int) -> Iterator[int]:
    """Yield the descriptor of a directory in a folder."""
    descriptor = os.open(name, OPEN_AS_IT_IS | os.O_DIRECTORY, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _cut_torn_line(folder: int) -> None:
    """Cut off a last line that was torn by the kill: Dovecot would write the next one behind it."""
    descriptor = os.open(UIDLIST, os.O_RDWR | OPEN_AS_IT_IS, dir_fd=folder)
    with open(descriptor, "r+b") as file:
        file.truncate(file.read().rfind(b"\n") + 1)

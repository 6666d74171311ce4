# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the lists in which Dovecot registers the messages of a Maildir, one for each folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..host_tools import run_command
from .commands import INBOX, make_path_command
from .listing import UnreadableListing, parse_paths
from .reading import MailboxAccess, make_environment_of_root

UIDLIST = "dovecot-uidlist"
PARTIAL = "tmp"
COMPLETE = ("cur", "new")
"""The directories with the files of messages: of those that are being saved, and of all others."""
OPEN_AS_IT_IS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""How files of customers are opened."""


class MaildirFolder(NamedTuple):
    """A directory that may be a folder of a Maildir.

    path: Its path, for messages: another directory may be there by now.
    files: The names of its files.
    descriptor: The opened directory.
    """

    path: str
    files: Sequence[str]
    descriptor: int


class RegisteredMessage(NamedTuple):
    """A message as a list has it.

    uid: Its number.
    guid: What tells it from all others.
    file: The name of its file, without flags.
    """

    uid: int
    guid: str
    file: str


class Uidlist(NamedTuple):
    """A list of a folder.

    guid: The GUID of the folder; empty if the list does not say it.
    messages: What Dovecot has registered in it.
    """

    guid: str
    messages: Sequence[RegisteredMessage]


def find_root(target: MailboxAccess) -> str | None:
    """Return the directory of INBOX, in which those of other folders are; None without one."""
    ended = run_command(
        make_path_command(target.name, INBOX), environment=make_environment_of_root()
    )
    if ended.code != 0:
        return None
    try:
        return next(iter(parse_paths(ended.output)), None)
    except UnreadableListing:
        return None


def walk_folders(root: str) -> Iterator[MaildirFolder]:
    """Yield the directories of a Maildir, without those that have the files of messages."""
    # Everything is reached from the opened folder: a path to it could lead elsewhere by now.
    for path, folders, files, descriptor in os.fwalk(root):
        folders[:] = [name for name in folders if name not in (PARTIAL, *COMPLETE)]
        yield MaildirFolder(path, files, descriptor)


def read_text(name: str, folder: int) -> str:
    """Return the text of a file in an opened folder."""
    descriptor = os.open(name, OPEN_AS_IT_IS, dir_fd=folder)
    with open(descriptor, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def parse_uidlist(text: str) -> Uidlist:
    """Read a list of a folder. What is no whole line of it is left out."""
    # The first line is about the folder, and the last one is empty, or torn by a kill.
    header, *lines = text.split("\n")
    guid = next((field[1:] for field in header.split(" ")[1:] if field.startswith("G")), "")
    messages = []
    for line in lines[:-1]:
        beginning, colon, name = line.partition(" :")
        uid, *fields = beginning.split(" ")
        if not colon or not uid.isdigit():
            continue
        file = cut_flags(name)
        # A message that Dovecot has not copied has the name of its file for its GUID.
        own = [field[1:] for field in fields if field.startswith("G")]
        messages.append(RegisteredMessage(int(uid), own[0] if own else file, file))

    return Uidlist(guid, messages)


def cut_flags(name: str) -> str:
    """Return the name of a file without the flags of its message."""
    return name.partition(":")[0]


def cut_sizes(name: str) -> str:
    """Return the name of a file without the flags and the sizes of its message."""
    return cut_flags(name).partition(",")[0]

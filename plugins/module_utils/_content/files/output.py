# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what rsync prints: its release, what it does to each entry, and lists. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .commands import OLDEST_RSYNC

_VERSION = re.compile(rb"rsync +version v?(\d+)\.(\d+)\.(\d+)(\S*) ")
# What is done with an entry, and what of it differs, as the section on --itemize-changes of
# rsync's manual has it: nine signs, or blanks where nothing does. Then the size and the path.
_ITEM = re.compile(rb"(\*deleting|[<>ch.][fdLDS](?:[^ ]{9}| {9})) +(\d+) (.+)")
# How many entries of the source rsync has seen, with the tree itself.
_ENTRIES = re.compile(rb"Number of files: ([\d,]+)\b.*")
# How an entry is listed: permissions, size, date, time, path.
_LISTED = re.compile(rb"[-dlpsbc]\S{9} +\d+ \S+ \S+ (.+)")
# How rsync writes bytes that are not printed, and a backslash before such a number.
_ESCAPED = re.compile(rb"\\#(\d{3})")
_DELETED = b"*deleting"
# Said of a directory that stays, since a pattern keeps something in it. In a trial, rsync then lists
# it as deleted all the same, if it is in another one that stays.
_STAYS = b"cannot delete non-empty directory: "


@dataclass(frozen=True)
class Release:
    """Names a release of rsync, and says whether it is older than ``OLDEST_RSYNC``."""

    name: str
    is_old: bool


@dataclass(frozen=True)
class Item:
    """Describes what rsync does, or would do, with an entry.

    path: From the tree on; ``.`` for the tree itself.
    is_deleted: Whether it goes.
    is_sent: Whether it is made or changed; not where attributes of a directory alone change.
    size: The bytes of a file whose content is sent; else 0.
    """

    path: bytes
    is_deleted: bool
    is_sent: bool
    size: int


@dataclass
class Tally:
    """Counts what rsync does.

    changes: Entries of any kind, also directories of which attributes alone change.
    sent, deleted: Entries.
    size: Bytes of the files that are sent.
    entries: Of the source, with the tree itself and without what is left out; 0 where rsync was not
        asked for it.
    staying: Directories that only the target has, and that are not deleted for what is in them.
    """

    changes: int = 0
    sent: int = 0
    deleted: int = 0
    size: int = 0
    entries: int = 0
    staying: set[bytes] = field(default_factory=set)

    def take_line(self, line: bytes) -> Item | None:
        """Count what a line of rsync's output says, and return the entry that it counts."""
        item = read_item(line)
        if item is not None:
            if item.is_deleted and item.path in self.staying:
                return None
            self.add(item)
            return item
        if line.startswith(_STAYS):
            self.staying.add(unescape(line[len(_STAYS) :]))
            return None

        match = _ENTRIES.fullmatch(line)
        if match is not None:
            self.entries = int(match[1].replace(b",", b""))
        return None

    def add(self, item: Item) -> None:
        """Count one entry."""
        self.changes += 1
        self.sent += item.is_sent
        self.deleted += item.is_deleted
        self.size += item.size

    def list_staying(self) -> list[bytes]:
        """Return the directories that stay, without those in one of them."""
        return sorted(path for path in self.staying if path.rpartition(b"/")[0] not in self.staying)


def read_release(output: bytes) -> Release | None:
    """Return the release that ``rsync --version`` names; None where it names none."""
    match = _VERSION.match(output)
    if match is None:
        return None
    numbers = (int(match[1]), int(match[2]), int(match[3]))
    # What was published before a release has its number, and letters behind it.
    is_early = bool(match[4])
    is_old = numbers < OLDEST_RSYNC or (numbers == OLDEST_RSYNC and is_early)

    return Release(
        b".".join(match.group(1, 2, 3)).decode() + match[4].decode("ascii", "replace"), is_old
    )


def read_item(line: bytes) -> Item | None:
    """Return the entry of a line; None for a line about something else."""
    match = _ITEM.fullmatch(line)
    if match is None:
        return None

    change = match[1]
    path = unescape(match[3])
    if path.endswith(b"/"):
        path = path[:-1]
    is_deleted = change == _DELETED
    is_directory = change[1:2] == b"d"
    is_sent = not is_deleted and not (is_directory and change.startswith(b"."))
    is_content = change[:2] in (b">f", b"<f")

    return Item(path, is_deleted, is_sent, int(match[2]) if is_content else 0)


def read_listed(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the paths of the entries that rsync lists."""
    for line in lines:
        match = _LISTED.fullmatch(line)
        if match is not None:
            yield unescape(match[1])


def unescape(name: bytes) -> bytes:
    """Return a name as it is on the disk."""
    return _ESCAPED.sub(lambda match: bytes([int(match[1], 8) & 0xFF]), name)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds out what of a tree is not copied: read from what the scan of ``src`` has listed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_SPECIAL = {b"b": "device", b"c": "device", b"p": "pipe", b"s": "socket"}
_FIELDS_OF_RECORD = 4
# Of mountinfo: where a path stands, in which spaces and backslashes are written as numbers.
_MOUNT_POINT = 4
_OCTAL = re.compile(rb"\\([0-3][0-7]{2})")
MAILDIR = frozenset({b"cur", b"new", b"tmp"})
"""The names that lie side by side in a Maildir, of directories or of links to them."""
_DIRECTORY = b"d"
_LINK = b"l"


@dataclass(frozen=True)
class Entry:
    """Describes an entry of a tree.

    path: From the tree on; empty for the tree itself.
    kind: As find has it: d for a directory, l for a link.
    device: The number of its file system.
    is_readable: Whether the user who listed it can read it.
    """

    path: bytes
    kind: bytes
    device: bytes
    is_readable: bool


@dataclass(frozen=True)
class LeftOut:
    """Names an entry that is not copied, and the reason."""

    path: bytes
    reason: str


def read_entries(output: bytes) -> list[Entry]:
    """Return the entries that the command of ``make_scan_command`` has printed.

    Raises:
        ValueError: It ends in the middle of an entry.
    """
    fields = output.split(b"\0")
    # Each field ends in NUL, so nothing is behind the last one.
    if fields.pop() or len(fields) % _FIELDS_OF_RECORD:
        raise ValueError("The list of entries is cut off.")

    return [
        Entry(path, kind, device, is_readable=mark == b"entry")
        for mark, kind, device, path in zip(*[iter(fields)] * _FIELDS_OF_RECORD)
    ]


def find_left_out(entries: Iterable[Entry], tree: Entry) -> Iterator[LeftOut]:
    """Yield what is left out of a copy, whatever the task excludes.

    Args:
        entries: Entries of the tree.
        tree: The tree itself.
    """
    for entry in entries:
        if entry is tree or entry.kind == _LINK:
            continue
        if not entry.is_readable:
            yield LeftOut(entry.path, "unreadable")
        elif entry.kind != _DIRECTORY:
            yield LeftOut(entry.path, _SPECIAL.get(entry.kind, "special file"))
        elif entry.device != tree.device:
            yield LeftOut(entry.path, "other file system")


def find_mounts(mounts: bytes, tree: bytes) -> list[bytes]:
    """Return what is mounted in a tree, by the paths from the tree on.

    Args:
        mounts: The file ``mountinfo`` of proc(5).
        tree: The real path of the tree.
    """
    beginning = tree + b"/"
    paths = set()
    for line in mounts.splitlines():
        fields = line.split(b" ")
        path = _OCTAL.sub(lambda digits: bytes([int(digits[1], 8)]), fields[_MOUNT_POINT])
        if path.startswith(beginning):
            paths.add(path[len(beginning) :])

    return sorted(paths)


def find_maildirs(entries: Iterable[Entry]) -> dict[bytes, list[bytes]]:
    """Return the Maildirs of a tree: the path of each, empty for the tree itself, with its three names."""
    directories: dict[bytes, set[bytes]] = {}
    for entry in entries:
        parent, _slash, name = entry.path.rpartition(b"/")
        if entry.kind in (_DIRECTORY, _LINK) and name in MAILDIR:
            directories.setdefault(parent, set()).add(name)

    maildirs: dict[bytes, list[bytes]] = {}
    for parent, names in directories.items():
        if names == MAILDIR:
            prefix = parent + b"/" if parent else b""
            maildirs[parent] = [prefix + name for name in sorted(names)]

    return maildirs

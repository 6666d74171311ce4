# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts what a tree of this host holds, and names what of it a copy may not bring along."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from ..content_errors import ContentError
from ..host_tools import Streams, log_ended, start_command
from ..shown_text import ShownNames, show_name, show_output

# What find prints of an entry: type, number, count of names, owner, size, path, target of a link.
_RECORD = "%y\\0%D:%i\\0%n\\0%U\\0%s\\0%P\\0%l\\0"
_FIELDS = 7
_SPECIAL = (b"b", b"c", b"p", b"s", b"D")
_BLOCK = 1 << 16


@dataclass(frozen=True)
class TreeEntry:
    """Describes an entry of a tree.

    path: From the tree on; empty for the tree itself.
    kind: As find has it.
    inode: What tells a file from all others, whatever its names.
    names: How many names the file has.
    uid: The number of its owner.
    size: In bytes.
    target: Where a link leads.
    """

    path: bytes
    kind: bytes
    inode: bytes
    names: int
    uid: int
    size: int
    target: bytes


class TreeFacts:
    """Counts the entries of a tree, one after the other."""

    def __init__(self, path: str, uid: int | None) -> None:
        """Begin with nothing counted.

        Args:
            path: The tree.
            uid: Whose it is; None for the owner of the directory itself.
        """
        self.path = path
        self.bytes = 0
        self.files = 0
        self.folders = 0
        self.links = 0
        self._uid = uid
        self._foreign = ShownNames()
        self._special = ShownNames()
        self._leaving = ShownNames()
        self._counted: set[bytes] = set()

    def add(self, entry: TreeEntry) -> None:
        """Count an entry; the first one is the tree itself."""
        if not entry.path:
            if self._uid is None:
                self._uid = entry.uid
            return

        if entry.uid != self._uid:
            self._foreign.add(entry.path)
        self._count_kind(entry)

    def describe(self) -> dict[str, Any]:
        """Return the facts as a result has them."""
        return {
            "path": show_name(self.path),
            "bytes": self.bytes,
            "files": self.files,
            "folders": self.folders,
            "links": self.links,
            "foreign": self._foreign.list_all(),
            "special": self._special.list_all(),
            "leaving": self._leaving.list_all(),
        }

    def _count_kind(self, entry: TreeEntry) -> None:
        if entry.kind == b"f":
            self.files += 1
            self._add_size(entry)
        elif entry.kind == b"d":
            self.folders += 1
        elif entry.kind == b"l":
            self._count_link(entry)
        elif entry.kind in _SPECIAL:
            self._special.add(entry.path)

    def _count_link(self, entry: TreeEntry) -> None:
        self.links += 1
        if self._leaves(entry.target):
            self._leaving.add(entry.path)

    def _add_size(self, entry: TreeEntry) -> None:
        """Add the size of a file, once for all of its names."""
        if entry.names > 1:
            if entry.inode in self._counted:
                return
            self._counted.add(entry.inode)
        self.bytes += entry.size

    def _leaves(self, target: bytes) -> bool:
        if not target.startswith(b"/"):
            return False
        root = os.path.normpath(os.fsencode(self.path))
        path = os.path.normpath(target)

        return path != root and not path.startswith(root.rstrip(b"/") + b"/")


def read_tree(path: str, uid: int | None = None, option: str = "trees") -> dict[str, Any]:
    """Return what a tree of this host holds. No link is followed, and no file is opened.

    Args:
        path: The tree.
        uid: Whose it is; None for the owner of the directory itself.
        option: The option that names it, for messages.

    Raises:
        ContentError: It is no directory, or not all of it can be read.
    """
    if not path.startswith("/") or "\0" in path:
        raise ContentError(f"{show_name(path)} is not a whole path.", option)
    if os.path.islink(path) or not os.path.isdir(path):
        raise ContentError(
            f"there is no directory {show_name(path)} on this host; a link is not followed.", option
        )
    facts = TreeFacts(path, uid)
    command = ["find", path, "-ignore_readdir_race", "-xdev", "-printf", _RECORD]
    for entry in _list_entries(command, option):
        facts.add(entry)

    return facts.describe()


def split_records(blocks: Iterator[bytes]) -> Iterator[TreeEntry]:
    """Yield the entries of what find prints, which comes in blocks of any size."""
    fields: list[bytes] = []
    begun = b""
    for block in blocks:
        *complete, begun = (begun + block).split(b"\0")
        fields += complete
        end = len(fields) - len(fields) % _FIELDS
        for begin in range(0, end, _FIELDS):
            yield _read_entry(fields[begin : begin + _FIELDS])
        del fields[:end]


def _read_entry(fields: Sequence[bytes]) -> TreeEntry:
    kind, inode, names, uid, size, path, target = fields

    return TreeEntry(path, kind, inode, int(names), int(uid), int(size), target)


def _list_entries(command: Sequence[str], option: str) -> Iterator[TreeEntry]:
    with tempfile.TemporaryFile() as errors:
        began = time.monotonic()
        process = start_command(command, Streams(subprocess.DEVNULL, stderr=errors))
        with process:
            yield from split_records(_read_blocks(process.stdout))
        log_ended(command, process.returncode, began)
        if process.returncode:
            errors.seek(0)
            raise ContentError(
                f"not all of {show_name(command[1])} can be read: {show_output(errors.read())}",
                option,
                advice="Run the task as root.",
            )


def _read_blocks(stream: IO[bytes] | None) -> Iterator[bytes]:
    while stream is not None:
        block = stream.read(_BLOCK)
        if not block:
            return
        yield block

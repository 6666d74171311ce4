# SPDX-License-Identifier: GPL-3.0-or-later
"""Defines what a mailbox holds, and reads it from what doveadm prints."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .mailbox_commands import FOLDER_FIELDS, MESSAGE_FIELDS

# It says that no client has seen the message yet: reading the folder changes it.
_RECENT = "\\Recent"


class UnreadableListing(Exception):
    """Says that doveadm printed something else than what it was asked for."""


class Message(NamedTuple):
    """A message of a folder.

    uid: Its number in the folder.
    guid: What tells it from all others, on both sides.
    size: Its bytes, with line ends as on the wire: the same in every format of mailboxes.
    flags: Its flags and keywords in order, without \\Recent.
    received: When it was received, in seconds since 1970.
    """

    uid: int
    guid: str
    size: int
    flags: tuple[str, ...]
    received: int


class FolderStatus(NamedTuple):
    """What a folder says of itself.

    name: Its name, with what is before it.
    guid: What tells it from all others, on both sides.
    uid_validity: Its UIDVALIDITY.
    messages: How many it has.
    size: Their bytes.
    """

    name: str
    guid: str
    uid_validity: int
    messages: int
    size: int


class Folder(NamedTuple):
    """A folder with its messages, in the order of their UIDs."""

    name: str
    guid: str
    uid_validity: int
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class Mailbox:
    """Everything of a mailbox that a copy keeps.

    folders: In the order of their names.
    unreadable: The names of folders that doveadm lists and cannot open.
    """

    folders: tuple[Folder, ...]
    unreadable: tuple[str, ...] = ()

    @property
    def message_count(self) -> int:
        """Return the number of messages."""
        return sum(len(folder.messages) for folder in self.folders)


def parse_folders(output: bytes) -> list[FolderStatus]:
    """Read what the command for folders prints.

    Raises:
        UnreadableListing: It is something else.
    """
    rows = _parse_rows(output, ("mailbox", *FOLDER_FIELDS))

    return [
        FolderStatus(
            name=row["mailbox"],
            guid=row["guid"],
            uid_validity=_parse_number(row["uidvalidity"]),
            messages=_parse_number(row["messages"]),
            size=_parse_number(row["vsize"]),
        )
        for row in rows
    ]


def parse_names(output: bytes) -> list[str]:
    """Read what the command for names prints.

    Raises:
        UnreadableListing: It is something else.
    """
    return [row["mailbox"] for row in _parse_rows(output, ("mailbox",))]


def parse_messages(output: bytes) -> dict[str, list[Message]]:
    """Read what the command for messages prints: messages by the names of their folders.

    Raises:
        UnreadableListing: It is something else.
    """
    messages: dict[str, list[Message]] = {}
    for row in _parse_rows(output, MESSAGE_FIELDS):
        message = Message(
            uid=_parse_number(row["uid"]),
            guid=row["guid"],
            size=_parse_number(row["size.virtual"]),
            flags=_parse_flags(row["flags"]),
            received=_parse_number(row["date.received.unixtime"]),
        )
        messages.setdefault(row["mailbox"], []).append(message)

    return messages


def make_folders(
    statuses: Sequence[FolderStatus], messages: Mapping[str, Sequence[Message]]
) -> tuple[Folder, ...]:
    """Return the folders with their messages, in order."""
    folders = [
        Folder(
            name=status.name,
            guid=status.guid,
            uid_validity=status.uid_validity,
            messages=tuple(sorted(messages.get(status.name, ()))),
        )
        for status in statuses
    ]

    return tuple(sorted(folders))


def make_digest(mailbox: Mailbox) -> str:
    """Return the SHA-256 of everything that is compared, in hexadecimal."""
    digest = hashlib.sha256()
    for folder in mailbox.folders:
        _add_line(digest, [folder.name, folder.uid_validity])
        for message in folder.messages:
            _add_line(digest, list(message))
    for name in mailbox.unreadable:
        _add_line(digest, [name])

    return digest.hexdigest()


def _add_line(digest: hashlib._Hash, values: Sequence[object]) -> None:
    # As ASCII, since a name may hold what no UTF-8 can.
    digest.update(json.dumps(values).encode("ascii") + b"\n")


def _parse_rows(output: bytes, fields: Sequence[str]) -> list[dict[str, str]]:
    try:
        rows = json.loads(output.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError) as error:
        raise UnreadableListing from error
    if not isinstance(rows, list):
        raise UnreadableListing

    for row in rows:
        if not isinstance(row, dict):
            raise UnreadableListing
        if not all(isinstance(row.get(field), str) for field in fields):
            raise UnreadableListing

    return rows


def _parse_number(text: str) -> int:
    # Python reads other digits and signs as numbers too.
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise UnreadableListing

    return int(text)


def _parse_flags(text: str) -> tuple[str, ...]:
    return tuple(sorted(flag for flag in text.split() if flag != _RECENT))

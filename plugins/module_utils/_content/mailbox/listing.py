# SPDX-License-Identifier: GPL-3.0-or-later
"""Defines what a mailbox holds, and reads it from what doveadm prints."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

from .commands import INBOX, MESSAGE_FIELDS

# It says that no client has seen the message yet: reading the folder changes it.
_RECENT = "\\Recent"
_NAMESPACE = re.compile(r"^namespace (\w+) \{$", re.MULTILINE | re.ASCII)
_read_fields = itemgetter(*MESSAGE_FIELDS)


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


class Totals(NamedTuple):
    """What a mailbox holds, in a few words.

    folders, messages: How many it has.
    digest: The SHA-256 of everything that is compared, in hexadecimal.
    """

    folders: int
    messages: int
    digest: str


@dataclass(frozen=True)
class Mailbox:
    """Everything of a mailbox that a copy keeps.

    folders: In the order of their names.
    unreadable: The names of folders that doveadm lists and cannot open.
    printed: What doveadm printed; empty if that does not say all.
    """

    folders: tuple[Folder, ...]
    unreadable: tuple[str, ...] = ()
    printed: tuple[bytes, ...] = field(default=(), compare=False, repr=False)

    @property
    def inbox(self) -> str:
        """Return the GUID of its INBOX; empty where there is none."""
        return next((folder.guid for folder in self.folders if folder.name == INBOX), "")

    @property
    def message_count(self) -> int:
        """Return the number of messages."""
        return sum(len(folder.messages) for folder in self.folders)

    @property
    def totals(self) -> Totals:
        """Return what it holds, in a few words."""
        return Totals(len(self.folders), self.message_count, self.digest)

    @cached_property
    def digest_of_printed(self) -> str:
        """Return the digest of what doveadm printed; empty if that is not all."""
        return compute_digest(self.printed)

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 of everything that is compared, in hexadecimal."""
        digest = hashlib.sha256()
        for folder in self.folders:
            digest.update(_encode([folder.name, folder.uid_validity, folder.messages]))
        digest.update(_encode(self.unreadable))

        return digest.hexdigest()


def compute_digest(printed: Sequence[bytes]) -> str:
    """Return the SHA-256 of what doveadm printed, in hexadecimal; empty where that is nothing."""
    if not printed:
        return ""

    digest = hashlib.sha256()
    for output in printed:
        # The length of an output says where the next one begins.
        digest.update(b"%d " % len(output))
        digest.update(output)

    return digest.hexdigest()


def parse_folders(output: bytes) -> list[FolderStatus]:
    """Read what the command for folders prints.

    Raises:
        UnreadableListing: It is something else.
    """
    rows = _parse_rows(output)
    try:
        return [
            FolderStatus(
                name=_check_text(row["mailbox"]),
                guid=_check_text(row["guid"]),
                uid_validity=int(row["uidvalidity"]),
                messages=int(row["messages"]),
                size=int(row["vsize"]),
            )
            for row in rows
        ]
    except (LookupError, TypeError, ValueError) as error:
        raise UnreadableListing from error


def parse_names(output: bytes) -> list[str]:
    """Read what the command for names prints.

    Raises:
        UnreadableListing: It is something else.
    """
    rows = _parse_rows(output)
    try:
        return [_check_text(row["mailbox"]) for row in rows]
    except (LookupError, TypeError) as error:
        raise UnreadableListing from error


def parse_paths(output: bytes) -> list[str]:
    """Read what the command for the directory of a folder prints: one, or none.

    Raises:
        UnreadableListing: It is something else.
    """
    rows = _parse_rows(output)
    try:
        return [_check_text(row["path"]) for row in rows]
    except (LookupError, TypeError) as error:
        raise UnreadableListing from error


def parse_namespaces(output: bytes) -> list[str]:
    """Return the names of the namespaces in settings that Dovecot prints."""
    return _NAMESPACE.findall(output.decode("utf-8", "surrogateescape"))


def parse_messages(output: bytes) -> dict[str, list[Message]]:
    """Read what the command for messages prints: messages by the names of their folders.

    Raises:
        UnreadableListing: It is something else.
    """
    rows = _parse_rows(output)
    messages: dict[str, list[Message]] = {}
    # Most messages of a mailbox have the same few flags.
    flags_by_text: dict[str, tuple[str, ...]] = {}
    try:
        for row in rows:
            folder, uid, guid, size, flags, received = _read_fields(row)
            if not isinstance(guid, str) or not isinstance(folder, str):
                raise UnreadableListing
            if flags not in flags_by_text:
                flags_by_text[flags] = _parse_flags(_check_text(flags))
            message = Message(int(uid), guid, int(size), flags_by_text[flags], int(received))
            if folder not in messages:
                messages[folder] = []
            messages[folder].append(message)
    except (LookupError, TypeError, ValueError) as error:
        raise UnreadableListing from error

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


def _encode(value: object) -> bytes:
    # As ASCII, since a name may hold what no UTF-8 can. What is encoded here has no circles.
    return json.dumps(value, check_circular=False).encode("ascii")


def _parse_rows(output: bytes) -> list[Any]:
    try:
        rows = json.loads(output.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError) as error:
        raise UnreadableListing from error
    if not isinstance(rows, list):
        raise UnreadableListing

    return rows


def _check_text(value: object) -> str:
    if not isinstance(value, str):
        raise UnreadableListing

    return value


def _parse_flags(text: str) -> tuple[str, ...]:
    if not text:
        return ()

    return tuple(sorted(flag for flag in text.split() if flag != _RECENT))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads how much a mailbox of this host holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .commands import MailboxName
from .reading import (
    MailboxAccess,
    check_address,
    check_arguments,
    read_statuses,
    refuse_special_files,
)


@dataclass(frozen=True)
class MailboxFacts:
    """Says how much a mailbox holds.

    address: Its address, as it was asked for.
    folders, messages: Numbers.
    bytes: The size of all messages, with line ends as on the wire.
    """

    address: str
    folders: int
    messages: int
    bytes: int


def read_mailbox(
    address: str, arguments: Sequence[str] = (), option: str = "mailboxes"
) -> MailboxFacts:
    """Read how much a mailbox of this host holds.

    Folders that doveadm lists and cannot open do not count.

    Args:
        address: What the user database knows it by.
        arguments: Options of doveadm that name the mailbox in name of the address.
        option: The option that names the mailbox, for messages.

    Raises:
        ContentError: The user database does not know the address, the address is none, or the
            mailbox cannot be read.
    """
    check_address(address, option)
    check_arguments(arguments, option)
    name = MailboxName(address, tuple(arguments))
    access = MailboxAccess(name, option, option)
    refuse_special_files(access)
    statuses = read_statuses(access)

    return MailboxFacts(
        address=address,
        folders=len(statuses),
        messages=sum(status.messages for status in statuses),
        bytes=sum(status.size for status in statuses),
    )

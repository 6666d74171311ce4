# SPDX-License-Identifier: GPL-3.0-or-later
"""Defines what a run on a mailbox did, and finds whether it changed the target. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from .comparison import Difference, MailboxComparison
from .listing import Mailbox, Message, Totals


@dataclass(frozen=True)
class MailboxOutcome:
    """Says what a run did and held.

    changed: Whether the target changed, or would in check mode.
    totals: What the target holds.
    differences: What the mode asks for and is not so.
    warnings: What an operator should know.
    deleted: How many messages of the source the target has had, and has no longer; None if a
        comparison names them as differences.
    """

    changed: bool
    totals: Totals
    differences: Sequence[Difference]
    warnings: Sequence[str] = ()
    deleted: int | None = None


def count_deleted(comparison: MailboxComparison, seen: Set[str]) -> int:
    """Return how many messages of the source the target has had, and has no longer.

    Dovecot has noted them as deleted, also those whose files were lost
    (docs/host_tools.md#lost-files).

    Args:
        comparison: Both sides.
        seen: The keys of what the target has, or has had, of the source.
    """
    return sum(
        message.target is None and message.key in seen
        for pair in comparison.pairs
        if not pair.is_equal
        for message in pair.messages
    )


def is_changed(source: Mailbox, before: Mailbox, after: Mailbox) -> bool:
    """Say whether a run changed the target; what was delivered there meanwhile is no change.

    Args:
        source: What the source holds.
        before: What the target held before the run.
        after: What it holds now.
    """
    if before == after:
        return False

    guids = {message.guid for mailbox in (source, before) for message in _list_messages(mailbox)}

    return _reduce(before, guids) != _reduce(after, guids)


def _reduce(mailbox: Mailbox, guids: Set[str]) -> list[object]:
    """Return what a mailbox holds of these messages, with its folders."""
    reduced: list[object] = []
    for folder in mailbox.folders:
        messages = [message for message in folder.messages if message.guid in guids]
        reduced.append((folder.name, folder.guid, folder.uid_validity, messages))

    return reduced


def _list_messages(mailbox: Mailbox) -> list[Message]:
    return [message for folder in mailbox.folders for message in folder.messages]

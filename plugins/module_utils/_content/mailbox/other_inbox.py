# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses a source whose INBOX is another one than when messages of it were copied.

Dovecot makes an empty mailbox where the mail of the source is not mounted.
"""

from __future__ import annotations

from collections.abc import Set

from ..content_errors import ContentError
from .commands import INBOX
from .comparison import MailboxComparison
from .kept_mailbox import KeptMailbox
from .reading import MailboxAccess


def has_other_inbox(
    source: MailboxAccess, comparison: MailboxComparison, seen: Set[str], kept: KeptMailbox
) -> bool:
    """Say whether the source has another INBOX than when messages of it were copied.

    An INBOX that lost its GUID, but has messages of before, is the same one, also if the target
    has deleted them.

    Args:
        source: The mailbox of the source.
        comparison: Both sides.
        seen: The keys of what the target has, or has had, of the source; also of ``find_renewed``.
        kept: What is kept of the target.
    """
    if kept.origin != source.origin or not kept.message_count:
        return False

    for pair in comparison.pairs:
        if pair.source.name == INBOX:
            if not seen or pair.key in seen:
                return False
            return not any(
                message.target is not None or message.key in seen for message in pair.messages
            )

    return False


def make_inbox_refusal(source: MailboxAccess, path: str, effect: str) -> ContentError:
    """Return the error of a source that has another INBOX.

    Args:
        source: The mailbox of the source.
        path: The file that has what is kept of the target.
        effect: What was written.
    """
    return ContentError(
        f"the INBOX of {source.name.address} on {source.where} is not the one that an earlier run"
        " copied, and has none of its messages.",
        source.option,
        effect,
        "Check that the mail of the source is mounted there. If its mailbox was created again, remove"
        f" {path} on the target, with which it is forgotten what was deleted there.",
    )

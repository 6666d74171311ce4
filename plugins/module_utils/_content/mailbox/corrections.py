# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets right on the target what dsync does not do as it is meant.

dsync decides by numbers of messages what was deleted. Where the target had mail of its own, it takes
a deleted message for a new one and brings it back: such a message is returned, and removed again.

A message that is delivered on the target while dsync runs may be there twice afterwards: it is
doubled, and the second one is removed. After a run that was killed in between it stays: a copy that a
customer makes has the same GUID and the same dates.

A dsync that is killed while it saves messages leaves some of them in a form in which the next one
takes them for others, and copies them again: they are leftovers, and removed once the copy of the same
text is there (``leftovers.py``).

Dovecot may have given a folder of the target another UIDVALIDITY, as after a loss of its files.
dsync might write it on the source, so that of the source is restored before.

What was copied into a folder that is gone, since the source has deleted it, is removed here, and the
folder with it if it is empty then: dsync does not get such a folder.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from ..content_errors import ContentError
from ..shown_text import show_count, show_name
from ..watched_command import run_watched
from .commands import (
    make_delete_command,
    make_expunge_command,
    make_flag_command,
    make_validity_command,
)
from .comparison import MailboxComparison, find_copied, find_doubled, find_other_validity
from .leftovers import Copy, find_leftovers, find_suspects
from .listing import Mailbox
from .progress import Progress
from .reading import (
    MailboxAccess,
    digest_texts,
    explain_code,
    make_environment_of_root,
    read_mailbox_of,
)

_MOST_UIDS_AT_ONCE = 1000


def restore_validity(target: MailboxAccess, comparison: MailboxComparison) -> Mailbox:
    """Give folders of the target the UIDVALIDITY of the source, and return what it holds then.

    Of two that are the same folder, dsync takes the UIDVALIDITY of the one with more messages, and
    writes it on the source too (docs/host_tools.md#uidvalidity).

    Args:
        target: The mailbox.
        comparison: Both sides, before dsync runs.

    Raises:
        ContentError: doveadm cannot set it.
    """
    unequal = find_other_validity(comparison)
    for source, counterpart in unequal:
        command = make_validity_command(target.name, counterpart.name, source.uid_validity)
        ended = run_watched(command, make_environment_of_root())
        if ended.code != 0:
            raise ContentError(
                f"doveadm cannot set the UIDVALIDITY of {show_name(counterpart.name)} back to that"
                f" of the source, and {explain_code(ended.code)}: {ended.shown_errors}",
                effect="Nothing was copied.",
                advice="Run the task again when that is settled.",
            )
    if not unequal:
        return comparison.target

    return read_mailbox_of(target)


def remove_returned(
    target: MailboxAccess, comparison: MailboxComparison, deleted: Set[str]
) -> Mailbox:
    """Remove from the target what dsync brought back, and return what it holds then.

    Only messages that the source still has are removed.

    Args:
        target: The mailbox.
        comparison: Both sides.
        deleted: The keys of what the target had deleted before dsync ran.

    Raises:
        ContentError: It cannot be removed.
    """
    if not deleted:
        return comparison.target

    returned = _find_returned(comparison, deleted)
    for folder, uids in returned.items():
        _expunge(target, folder, uids, "the target had deleted and dsync brought back")
    if not returned:
        return comparison.target

    return read_mailbox_of(target)


def remove_doubled(target: MailboxAccess, before: MailboxComparison, after: Mailbox) -> Mailbox:
    """Remove second copies that dsync made of messages, and return what the target holds then.

    Args:
        target: The mailbox.
        before: Both sides before dsync ran.
        after: What the target holds now.

    Raises:
        ContentError: They cannot be removed.
    """
    doubled = find_doubled(before.source, before.target, after)
    for folder, uids in doubled.items():
        _expunge(target, folder, uids, "dsync made a second time")
    if not doubled:
        return after

    return read_mailbox_of(target)


def find_leftovers_of(
    target: MailboxAccess,
    comparison: MailboxComparison,
    former: Set[str],
    deleted: Set[str],
    is_in_use: bool,
) -> list[Copy]:
    """Return what a killed dsync has left, and is there once more: its text is compared.

    Args:
        target: The mailbox.
        comparison: Both sides, after dsync has copied what is missing.
        former: The digests of the GUIDs of what the target held before the dsync that was killed.
        deleted: The keys of what the target had deleted before dsync ran.
        is_in_use: Whether customers use the target, so that it has flags of its own.
    """
    leftovers = []
    for suspects in find_suspects(comparison, former, deleted):
        digests = digest_texts(target, suspects.folder, suspects.uids)
        leftovers += find_leftovers(suspects, digests, is_in_use)

    return leftovers


def remove_copies(
    target: MailboxAccess, comparison: MailboxComparison, copies: Sequence[Copy]
) -> Mailbox:
    """Remove second copies, which hand their flags on, and return what the target holds then.

    Args:
        target: The mailbox.
        comparison: Both sides.
        copies: What a killed dsync has left on the target.

    Raises:
        ContentError: They cannot be removed.
    """
    uids: dict[str, list[int]] = {}
    for copy in copies:
        if copy.flags:
            _give_flags(target, copy)
        uids.setdefault(copy.folder, []).append(copy.uid)
    for folder, uids_of_folder in uids.items():
        _expunge(target, folder, uids_of_folder, "a killed dsync left a second time")
    if not copies:
        return comparison.target

    return read_mailbox_of(target)


def remove_gone_folders(target: MailboxAccess, progress: Progress) -> Progress:
    """Remove what was copied into folders that the source has deleted since.

    Args:
        target: The mailbox.
        progress: What is known when dsync has ended.

    Returns:
        What is known then.

    Raises:
        ContentError: It cannot be removed.
    """
    comparison = progress.comparison
    guids = [folder.guid for folder in comparison.target.folders]
    # A folder that has stayed before stays.
    removable = progress.seen - progress.gone_before
    removed = []
    for folder in reversed(comparison.unpaired):
        uids = find_copied(folder, removable)
        if uids is None or guids.count(folder.guid) > 1:
            continue
        _expunge(target, folder.guid, uids, "lay in an IMAP folder that the source has deleted")
        # Where mail has just arrived, the folder stays.
        run_watched(make_delete_command(target.name, folder.name), make_environment_of_root())
        removed.append(folder)
    if not removed:
        return progress

    return progress.remove_folders(removed, read_mailbox_of(target))


def _find_returned(comparison: MailboxComparison, deleted: Set[str]) -> dict[str, list[int]]:
    """Return the UIDs of messages that were deleted and are there, by the GUID of the folder."""
    returned: dict[str, list[int]] = {}
    for pair in comparison.pairs:
        if pair.target is None:
            continue
        uids = [
            message.target.uid
            for message in pair.messages
            if message.target is not None and message.key in deleted
        ]
        if uids:
            returned[pair.target.guid] = uids

    return returned


def _give_flags(target: MailboxAccess, copy: Copy) -> None:
    """Give the flags of a copy to the message that stays in its place.

    Raises:
        ContentError: doveadm cannot give them.
    """
    command = make_flag_command(target.name, copy.folder, copy.original, copy.flags)
    ended = run_watched(command, make_environment_of_root())
    if ended.code != 0:
        raise ContentError(
            "doveadm cannot give a message the flags of its second copy, which a killed dsync"
            f" left, and {explain_code(ended.code)}: {ended.shown_errors}",
            effect="Everything else was copied.",
            advice="Run the task again, which removes the second copy.",
        )


def _expunge(target: MailboxAccess, folder: str, uids: Sequence[int], cause: str) -> None:
    """Remove messages of a folder of the target.

    Args:
        target: The mailbox.
        folder: The folder's GUID.
        uids: The messages.
        cause: What they are, for a message.

    Raises:
        ContentError: doveadm cannot remove them.
    """
    for start in range(0, len(uids), _MOST_UIDS_AT_ONCE):
        batch = uids[start : start + _MOST_UIDS_AT_ONCE]
        command = make_expunge_command(target.name, folder, batch)
        ended = run_watched(command, make_environment_of_root())
        if ended.code != 0:
            raise ContentError(
                f"doveadm cannot remove {show_count(len(batch), 'message', 'messages')} that {cause}, "
                f"and {explain_code(ended.code)}: {ended.shown_errors}",
                effect="Everything else was copied.",
                advice="Run the task again, which removes them.",
            )

# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs dsync, and chooses the folders of the target that it does not get: they are spared.

Where it fails for want of room, the message names the disk.

dsync deletes a folder that the source has deleted, with all the mail that the target has received
in it, also in the moment before. So it gets only those folders into which it has to copy something.
Folders that only the target has are spared, and folders that are settled, since nothing has to be
copied into them.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence, Set

from ..content_errors import ContentError
from ..full_disk import name_full_disk
from ..host_tools import make_environment
from ..watched_command import run_watched
from .commands import INBOX, is_mask_of_one, make_serving_command, make_sync_command
from .comparison import MailboxComparison, find_settled
from .dsync_notes import note_process
from .maildir import find_root
from .reading import (
    MOST_REPEATS,
    MailboxAccess,
    explain_code,
    make_environment_of_root,
    repeat_while,
)

COPIED_STAYS = "What it has copied stays, and nothing was written on the source."
# The exit code by which doveadm asks to be run again.
_AGAIN = 2
# All of them stand in one command. Of settled folders the rest may be copied again.
_MOST_SPARED = 5000


def run_sync(
    source: MailboxAccess, target: MailboxAccess, spared: Sequence[str], notes_path: str
) -> list[str]:
    """Run dsync until it does not ask for another run, or has asked too often.

    What a run left undone after the last repeat is for the comparison to find: of a folder whose
    name has a percent sign, Dovecot 2.3 says so each time (docs/host_tools.md#percent-signs).

    Args:
        source: The mailbox that is read.
        target: The mailbox that is written.
        spared: The names of the folders of the target that dsync does not get.
        notes_path: The file with the notes of dsyncs.

    Returns:
        Warnings: that it has asked too often.

    Raises:
        ContentError: dsync failed.
    """
    command = note_process(make_sync_command(target.name, _reach(source), spared), notes_path)
    ended = repeat_while(_AGAIN, lambda: run_watched(command, make_environment_of_root()))
    if ended.code == 0:
        return []
    if ended.code == _AGAIN:
        times = MOST_REPEATS + 1
        return [f"doveadm sync asked for another run {times} times: {ended.shown_errors}"]

    raise ContentError(
        f"doveadm sync {explain_code(ended.code)}: {ended.shown_errors}",
        effect=COPIED_STAYS,
        advice="Run the task again when that is settled.",
    )


def find_spared(comparison: MailboxComparison, seen: Set[str], is_in_use: bool) -> list[str]:
    """Return the names of the folders that dsync does not get.

    Folders that doveadm cannot open are among them: one whose name no folder can have, such as
    ``.a..b``, would end dsync on its side (docs/host_tools.md#names-of-no-folder).

    Args:
        comparison: Both sides.
        seen: The keys of what the target has, or has had, of the source.
        is_in_use: Whether customers use the target, so that it has flags of its own.
    """
    spared = [folder.name for folder in comparison.unpaired]
    closed = (*comparison.source.unreadable, *comparison.target.unreadable)
    spared += [name for name in closed if is_mask_of_one(name)]
    settled = find_settled(comparison, seen, is_in_use)
    # dsync never deletes INBOX.
    spared += [name for name in settled if name != INBOX and is_mask_of_one(name)]

    return spared[:_MOST_SPARED]


def refuse_own_folders(target: MailboxAccess, comparison: MailboxComparison) -> None:
    """Refuse a target with more folders that only it has than can be spared.

    Raises:
        ContentError: dsync might delete some of them.
    """
    number = len(comparison.unpaired)
    if number > _MOST_SPARED:
        raise ContentError(
            f"{target.name.address} has {number} IMAP folders that the source does not have, and"
            f" dsync can leave {_MOST_SPARED} alone.",
            target.option,
            "Nothing in these IMAP folders was changed.",
            "Copy into a new mailbox, or join some of these IMAP folders.",
        )


def name_disk_of(target: MailboxAccess, error: ContentError, needed: int = 0) -> ContentError:
    """Return an error whose advice names the disk of a mailbox; the error itself if it has room.

    The mailbox is not read: what a dsync has left would become messages.

    Args:
        target: The mailbox, on this host.
        error: What failed.
        needed: The bytes for which there has to be room.
    """
    root = find_root(target)
    if root is None:
        return error

    return name_full_disk(error, root, needed)


def find_largest_size(comparison: MailboxComparison, seen: Set[str]) -> int:
    """Return the size of the largest message that is to be copied; 0 if there is none.

    Args:
        comparison: Both sides.
        seen: The keys of what the target has, or has had, of the source.
    """
    missing = comparison.missing - seen
    sizes = [0]
    for pair in comparison.pairs:
        sizes += [message.source.size for message in pair.messages if message.key in missing]
    return max(sizes)


def _reach(source: MailboxAccess) -> list[str]:
    """Return the command by which dsync reaches and serves the mailbox of the source."""
    serving = make_serving_command(source.name)
    if source.host is not None:
        # dsync looks for its own word at the end, so the last word stays alone.
        return [*source.host.make_ssh_command(), "--", source.host.host, *_join(serving)]

    # dsync hands its own settings on in the environment, where they would decide.
    environment = {**make_environment(), **make_environment_of_root()}
    variables = [f"{name}={value}" for name, value in environment.items()]

    return ["env", "-i", *variables, *serving]


def _join(command: Sequence[str]) -> list[str]:
    return [shlex.join(command[:-1]), command[-1]]

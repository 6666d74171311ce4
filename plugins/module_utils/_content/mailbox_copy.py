# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies a mailbox with dsync, and proves by a comparison what it did.

dsync decides by numbers of messages what was deleted. Where the target had mail of its own, it
takes a deleted message for a new one and brings it back. So the keys of everything that was on the
target are kept, and what comes back is removed again. And it deletes a folder that the source has
deleted, with the mail that the target has received in it. So such a folder is left out.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, MutableMapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from .commands import Ended, make_environment
from .content_errors import ContentError
from .mailbox_commands import make_expunge_command, make_serving_command, make_sync_command
from .mailbox_comparison import (
    Difference,
    FolderPair,
    find_keys,
    find_present,
    find_spared,
    find_uncopied,
    find_unequal,
    pair_folders,
)
from .mailbox_listing import Mailbox, make_digest
from .mailbox_reading import MailboxAccess, explain_code, make_environment_of_root, read_mailbox_of
from .watched_command import run_watched

AGAIN = 2
"""The exit code by which doveadm asks to be run again."""
_MOST_REPEATS = 3
# A source that changes while it is copied is read and copied again.
_MOST_ROUNDS = 3
_MOST_UIDS_AT_ONCE = 1000
_INBOX = "INBOX"

State = MutableMapping[str, Any]
"""What is kept of a mailbox of the target.

inbox: The GUID of its INBOX. A mailbox with another one was made anew.
seen: The keys of what the target had of the source.
deleted: While dsync runs, the keys of what the target has deleted.
source: The digest of the source after a copy that found no difference.
"""


@dataclass(frozen=True)
class MailboxOutcome:
    """Says what a run did and held.

    changed: Whether the target changed, or would in check mode.
    target: What the target holds.
    differences: What the mode asks for and is not so.
    warnings: What an operator should know.
    """

    changed: bool
    target: Mailbox
    differences: Sequence[Difference]
    warnings: Sequence[str] = ()


def compare_mailboxes(source: MailboxAccess, target: MailboxAccess) -> MailboxOutcome:
    """Compare two mailboxes, and change nothing.

    Raises:
        ContentError: One of them cannot be read.
    """
    wanted = read_mailbox_of(source)
    held = read_mailbox_of(target)

    return MailboxOutcome(False, held, find_unequal(wanted, held))


def foresee_copy(source: MailboxAccess, target: MailboxAccess, state: State) -> MailboxOutcome:
    """Say what a copy would do, and change nothing.

    Raises:
        ContentError: One of the mailboxes cannot be read.
    """
    wanted = read_mailbox_of(source)
    held = read_mailbox_of(target)
    pairs = pair_folders(wanted, held)
    present = find_present(pairs)
    seen = _read_seen(state, held) | present
    differences = find_uncopied(wanted, pairs, seen, seen)
    is_moved_on = state.get("source") != make_digest(wanted)
    changed = bool(differences) or (is_moved_on and _has_news(pairs, seen))

    return MailboxOutcome(changed, held, differences)


def copy_mailbox(
    source: MailboxAccess,
    target: MailboxAccess,
    state: State,
    keep: Callable[[State], None],
    is_late: bool = False,
) -> MailboxOutcome:
    """Bring into the mailbox of the target what the source has.

    Args:
        source: The mailbox that is read.
        target: The mailbox that is written.
        state: What is kept of the target. This changes it, and the caller keeps it.
        keep: Writes the state at once.
        is_late: Whether the target receives mail while this runs.

    Raises:
        ContentError: A mailbox cannot be read, or dsync failed.
    """
    wanted = read_mailbox_of(source)
    before = read_mailbox_of(target)
    interrupted = set(state.get("deleted", ())) & _read_seen(state, before)
    held = _remove_returned(target, wanted, before, interrupted)
    pairs = pair_folders(wanted, held)
    present = find_present(pairs)
    seen = _read_seen(state, held) | present

    for _round in range(_MOST_ROUNDS):
        # What an earlier round copied is on the target, so only the rest was deleted there.
        deleted = (seen & find_keys(pairs)) - find_present(pairs)
        if deleted:
            # A run that is killed while dsync runs leaves to the next one what it brought back.
            state.update(inbox=_find_inbox(held), seen=sorted(seen), deleted=sorted(deleted))
            keep(state)
        copied = seen
        if is_late:
            # Mail may arrive between reading the target and dsync.
            copied = set()
        spared = find_spared(pairs, held, copied)
        ended = _run_sync(source, target, spared)
        held = _remove_returned(target, wanted, read_mailbox_of(target), deleted)
        pairs = pair_folders(wanted, held)
        differences = find_uncopied(wanted, pairs, seen, present)
        seen |= find_present(pairs)
        if not differences:
            break
        reread = read_mailbox_of(source)
        if reread == wanted:
            break
        wanted = reread
        pairs = pair_folders(wanted, held)

    state.pop("deleted", None)
    # A copy gives INBOX the GUID of the source's.
    state["inbox"] = _find_inbox(held)
    # What the source has no longer cannot come back.
    state["seen"] = sorted(seen & find_keys(pairs))
    state["source"] = make_digest(wanted)
    if differences:
        state["source"] = ""

    return MailboxOutcome(
        changed=_is_changed(wanted, before, held),
        target=held,
        differences=differences,
        warnings=_explain_again(ended),
    )


def _run_sync(source: MailboxAccess, target: MailboxAccess, spared: Sequence[str]) -> Ended:
    """Run dsync until it does not ask for another run, or has asked too often.

    What a run left undone after the last repeat is for the comparison to find: of a folder whose
    name has a percent sign, Dovecot 2.3 says so each time.

    Raises:
        ContentError: dsync failed.
    """
    command = make_sync_command(target.name, _reach(source), spared)
    ended = run_watched(command, make_environment_of_root())
    for _repeat in range(_MOST_REPEATS):
        if ended.code != AGAIN:
            break
        ended = run_watched(command, make_environment_of_root())
    if ended.code not in (0, AGAIN):
        raise ContentError(
            f"doveadm sync {explain_code(ended.code)}: {ended.shown_errors}",
            effect="What it has copied stays, and nothing was written on the source.",
            advice="Run the task again when that is settled.",
        )

    return ended


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


def _remove_returned(
    target: MailboxAccess, wanted: Mailbox, held: Mailbox, keys: Set[str]
) -> Mailbox:
    """Remove from the target what dsync brought back, and return what it holds then.

    Only messages that the source still has are removed.

    Args:
        target: The mailbox.
        wanted: What the source has.
        held: What the target holds.
        keys: What the target had deleted before dsync ran.

    Raises:
        ContentError: It cannot be removed.
    """
    if not keys:
        return held

    returned = _find_returned(pair_folders(wanted, held), keys)
    for folder, uids in returned.items():
        for start in range(0, len(uids), _MOST_UIDS_AT_ONCE):
            batch = uids[start : start + _MOST_UIDS_AT_ONCE]
            command = make_expunge_command(target.name, folder, batch)
            ended = run_watched(command, make_environment_of_root())
            if ended.code != 0:
                raise ContentError(
                    f"doveadm cannot remove {len(batch)} messages that the target had deleted and "
                    f"dsync brought back, and {explain_code(ended.code)}: {ended.shown_errors}",
                    effect="Everything else was copied.",
                    advice="Run the task again, which removes them.",
                )

    if not returned:
        return held

    return read_mailbox_of(target)


def _find_returned(pairs: Sequence[FolderPair], keys: Set[str]) -> dict[str, list[int]]:
    """Return the UIDs of messages that were deleted and are there, by the GUID of the folder."""
    returned: dict[str, list[int]] = {}
    for pair in pairs:
        if pair.target is None:
            continue
        uids = [
            message.target.uid
            for message in pair.messages
            if message.target is not None and message.key in keys
        ]
        if uids:
            returned[pair.target.guid] = uids

    return returned


def _read_seen(state: State, target: Mailbox) -> set[str]:
    """Return what the target had once; nothing where its mailbox was made anew since."""
    if state.get("inbox") != _find_inbox(target):
        return set()

    return set(state.get("seen", ()))


def _find_inbox(mailbox: Mailbox) -> str:
    return next((folder.guid for folder in mailbox.folders if folder.name == _INBOX), "")


def _has_news(pairs: Sequence[FolderPair], seen: Set[str]) -> bool:
    """Say whether a source that is not as after the last copy has other flags, or less mail."""
    keys = find_keys(pairs)
    if seen - keys:
        return True

    return any(
        message.target is not None and message.source.flags != message.target.flags
        for pair in pairs
        for message in pair.messages
    )


def _is_changed(wanted: Mailbox, before: Mailbox, after: Mailbox) -> bool:
    """Say whether a run changed the target; what was delivered there meanwhile is no change."""
    guids = {message.guid for mailbox in (wanted, before) for message in _list_messages(mailbox)}

    return _reduce(before, guids) != _reduce(after, guids)


def _reduce(mailbox: Mailbox, guids: Set[str]) -> list[object]:
    """Return what a mailbox holds of these messages, with its folders."""
    reduced: list[object] = []
    for folder in mailbox.folders:
        messages = [message for message in folder.messages if message.guid in guids]
        reduced.append((folder.name, folder.guid, folder.uid_validity, messages))

    return reduced


def _list_messages(mailbox: Mailbox) -> list[Any]:
    return [message for folder in mailbox.folders for message in folder.messages]


def _explain_again(ended: Ended) -> list[str]:
    if ended.code != AGAIN:
        return []

    times = _MOST_REPEATS + 1

    return [f"doveadm sync asked for another run {times} times: {ended.shown_errors}"]

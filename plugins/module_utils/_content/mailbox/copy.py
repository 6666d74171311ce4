# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies a mailbox with dsync, and proves by a comparison what it did.

dsync decides by numbers of messages what was deleted. Where the target had mail of its own, it
takes a deleted message for a new one and brings it back. So the keys of everything that was on the
target are kept, and what comes back is removed again. A message that is delivered on the target while
dsync runs may be there twice afterwards; the second one is removed too. After a run that was killed in
between it stays: a copy that a customer makes has the same GUID and the same dates.

dsync deletes a folder that the source has deleted, with all the mail that the target has received
in it, also in the moment before. So it gets only those folders into which it has to copy something.
What it copied into a folder that the source has deleted is removed here, and the folder with it if
it is empty then.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from ..content_errors import ContentError
from ..host_tools import Ended, make_environment
from ..kept_state import HeldObject
from .commands import (
    is_mask_of_one,
    make_delete_command,
    make_expunge_command,
    make_serving_command,
    make_sync_command,
)
from .comparison import (
    Difference,
    MailboxComparison,
    find_copied,
    find_doubled,
    find_settled,
    find_uncopied,
    find_unequal,
    has_news,
    make_folder_key,
    make_message_keys,
)
from .listing import Folder, Mailbox, Totals, digest_printed
from .memory import Memory, find_deleted, find_gone, join_keys, read_memory, write_memory
from .reading import (
    MOST_REPEATS,
    NOTHING_WRITTEN,
    MailboxAccess,
    explain_code,
    make_environment_of_root,
    print_mailbox,
    read_mailbox_of,
    repeat_while,
)
from .watched_command import run_watched

AGAIN = 2
"""The exit code by which doveadm asks to be run again."""
# A source that changes while it is copied is read and copied again.
_MOST_ROUNDS = 3
_MOST_UIDS_AT_ONCE = 1000
# All of them stand in one command. Of settled folders the rest may be copied again.
_MOST_SPARED = 5000
_INBOX = "INBOX"
_COPIED_STAYS = "What it has copied stays, and nothing was written on the source."

State = Mapping[str, Any]
"""What is kept of a mailbox of the target.

inbox: The GUID of its INBOX. A mailbox with another one was created again.
seen: The keys of what the target had of the source, as a listing of it has shown.
of_folders: What is known of folders, in case they come back: a ``Memory``.
deleted: While dsync runs, the keys of what the target had deleted before.
origin: Where the mailbox was copied from.
messages: How many messages it had there.
folders: How many folders it had there.
source: The digest of the source after a copy that found no difference.
printed: A digest of what doveadm then printed of the source.
"""


@dataclass(frozen=True)
class MailboxOutcome:
    """Says what a run did and held.

    changed: Whether the target changed, or would in check mode.
    totals: What the target holds.
    differences: What the mode asks for and is not so.
    warnings: What an operator should know.
    """

    changed: bool
    totals: Totals
    differences: Sequence[Difference]
    warnings: Sequence[str] = ()


def compare_mailboxes(source: MailboxAccess, target: MailboxAccess, state: State) -> MailboxOutcome:
    """Compare two mailboxes, and change nothing.

    Args:
        source, target: The mailboxes.
        state: What is kept of the target. If doveadm prints of both sides what it printed after a
            copy, nothing has to be taken apart again.

    Raises:
        ContentError: One of them cannot be read.
    """
    of_source = print_mailbox(source)
    of_target = print_mailbox(target)
    if of_source.outputs == of_target.outputs:
        totals = _read_totals(state, digest_printed(of_target.outputs))
        if totals is not None:
            return MailboxOutcome(False, totals, ())

    wanted = read_mailbox_of(source, printed=of_source)
    held = read_mailbox_of(target, wanted, of_target)

    return MailboxOutcome(False, held.totals, find_unequal(MailboxComparison(wanted, held)))


def foresee_copy(
    source: MailboxAccess, target: MailboxAccess, state: State, path: str, is_late: bool = False
) -> MailboxOutcome:
    """Say what a copy would do, and change nothing.

    Args:
        source: The mailbox that is read.
        target: The mailbox that would be written.
        state: What is kept of the target.
        path: The file that has it, for a message.
        is_late: As for ``copy_mailbox``.

    Raises:
        ContentError: One of the mailboxes cannot be read, or that of the source is another one.
    """
    wanted = read_mailbox_of(source)
    held = read_mailbox_of(target, wanted)
    comparison = MailboxComparison(wanted, held)
    seen = _read_seen(state, held)
    if _has_other_inbox(source, comparison, seen, state):
        raise _refuse_other_inbox(source, path, NOTHING_WRITTEN)
    if len(comparison.unpaired) > _MOST_SPARED:
        raise _refuse_own_folders(target, len(comparison.unpaired))

    seen = seen | comparison.present
    differences = find_uncopied(comparison, seen, seen)
    is_moved_on = state.get("source") != wanted.digest
    gone_before = join_keys(find_gone(_read_memory(state, held), comparison.pairs, (), seen))
    changed = bool(differences) or (
        is_moved_on and has_news(comparison, seen - gone_before, is_late)
    )

    return MailboxOutcome(changed, held.totals, differences)


def copy_mailbox(
    source: MailboxAccess,
    target: MailboxAccess,
    held_object: HeldObject,
    is_late: bool = False,
) -> MailboxOutcome:
    """Bring into the mailbox of the target what the source has.

    Args:
        source: The mailbox that is read.
        target: The mailbox that is written.
        held_object: The target, for what is kept of it, a ``State``.
        is_late: Whether customers use the target: it has flags of its own, and keeps each folder.

    Raises:
        ContentError: A mailbox cannot be read, that of the source is another one, or dsync failed.
    """
    return _Copy(source, target, held_object, is_late).carry_out()


@dataclass(frozen=True)
class _Round:
    """Holds what is known when dsync is run, and when it has ended.

    comparison: Both sides.
    seen: The keys of what the target has had of the source.
    absent: What is known of folders that the source does not have.
    absent_before: The keys of what was known of them before this run. Such a folder has stayed.
    is_settled: Whether the state is right as it is, since nothing is new: then no keys are made.

    What becomes of a message on the target:

    ============= ============= ======== ======================================================
    on the source on the target in seen  effect
    ============= ============= ======== ======================================================
    yes           yes           any      It gets the flags of the source. In the step late it
                                         keeps flags of its own.
    yes           no            no       It is copied. If it is missing still: a difference.
    yes           no            yes      It was deleted on the target. If dsync brings it back, it
                                         is removed again.
    no            yes           no       It is the target's own, and stays.
    no            yes           yes      It was deleted on the source, and is deleted.
    ============= ============= ======== ======================================================

    A folder that the source has deleted goes with what was copied into it, if nothing of the
    target's own is in it, and never in the step late.
    """

    comparison: MailboxComparison
    seen: Set[str]
    absent: Memory
    absent_before: Set[str]
    is_settled: bool

    @property
    def present(self) -> Set[str]:
        """Return the keys of what the target has of the source; of settled sides, of all it had."""
        return self.seen if self.is_settled else self.comparison.present

    def read_target(self, target: Mailbox) -> _Round:
        """Return what is known once the target is read again."""
        comparison = self.comparison
        is_settled = self.is_settled
        if target != comparison.target:
            comparison = MailboxComparison(comparison.source, target)
            is_settled = False
        seen = self.seen if is_settled else self.seen | comparison.present

        return replace(self, comparison=comparison, seen=seen, is_settled=is_settled)

    def read_source(self, source: Mailbox) -> _Round:
        """Return what is known once the source is read again, and has changed."""
        target = self.comparison.target
        comparison = MailboxComparison(source, target)
        absent = find_gone(self.absent, comparison.pairs, target.folders, self.seen)

        return replace(self, comparison=comparison, absent=absent, is_settled=False)

    def forget_removed(self, folder: Folder) -> _Round:
        """Return what is known once a folder that the source has deleted is removed.

        If it comes back, only what the target had deleted before is not copied.
        """
        key = make_folder_key(folder)
        deleted = self.absent.get(key, set()) - make_message_keys(folder) - {key}

        return replace(self, absent={**self.absent, key: deleted})

    def remember_folders(self) -> dict[str, list[str]]:
        """Return what a state keeps of folders, in case they come back."""
        return write_memory({**self.absent, **find_deleted(self.comparison.pairs, self.seen)})


class _Copy:
    """Copies one mailbox."""

    def __init__(
        self,
        source: MailboxAccess,
        target: MailboxAccess,
        held_object: HeldObject,
        is_late: bool,
    ) -> None:
        self._source = source
        self._target = target
        self._held_object = held_object
        self._is_late = is_late

    def carry_out(self) -> MailboxOutcome:
        """Copy until nothing of the source is missing, or it stands still, or a few times."""
        wanted = read_mailbox_of(self._source)
        before = read_mailbox_of(self._target, wanted)
        comparison = MailboxComparison(wanted, before)
        known = _read_seen(self._held_object.kept, before)
        self._check_inbox(comparison, known, NOTHING_WRITTEN)

        interrupted = set(self._held_object.kept.get("deleted", ())) & known
        held = _remove_returned(self._target, comparison, interrupted)
        if held is not before:
            comparison = MailboxComparison(wanted, held)
        beginning = self._begin(comparison)

        current = beginning
        for _round in range(_MOST_ROUNDS):
            ended, held = self._copy_once(current)
            current = current.read_target(held)
            differences = find_uncopied(current.comparison, current.seen, beginning.present)
            if not differences:
                break
            reread = read_mailbox_of(self._source, current.comparison.source)
            if reread == current.comparison.source:
                break
            current = current.read_source(reread)
            self._check_inbox(current.comparison, current.seen, _COPIED_STAYS)

        wanted = current.comparison.source
        # A mailbox that is not the one of an earlier copy, or does not open whole, says nothing about
        # what was deleted in it.
        is_same = _find_inbox(wanted) == _find_inbox(before) and not wanted.unreadable
        if is_same and not self._is_late:
            current = self._remove_deleted_folders(current)
        if differences or not current.is_settled:
            self._conclude(current, bool(differences))

        held = current.comparison.target
        return MailboxOutcome(
            changed=_is_changed(wanted, before, held),
            totals=_read_totals(self._held_object.kept, held.digest_of_printed) or held.totals,
            differences=differences,
            warnings=_explain_again(ended),
        )

    def _check_inbox(self, comparison: MailboxComparison, seen: Set[str], effect: str) -> None:
        if _has_other_inbox(self._source, comparison, seen, self._held_object.kept):
            raise _refuse_other_inbox(self._source, self._held_object.path, effect)

    def _begin(self, comparison: MailboxComparison) -> _Round:
        """Return what is known before dsync runs, by what earlier runs kept."""
        kept = self._held_object.kept
        target = comparison.target
        seen = _read_seen(kept, target)
        memory = _read_memory(kept, target)
        is_settled = _is_unchanged(kept, comparison) and comparison.has_everything

        return _Round(
            comparison,
            seen if is_settled else seen | comparison.present,
            find_gone(memory, comparison.pairs, target.folders, seen),
            join_keys(find_gone(memory, comparison.pairs, (), seen)),
            is_settled,
        )

    def _copy_once(self, current: _Round) -> tuple[Ended, Mailbox]:
        """Run dsync, and return how it ended and what the target holds then."""
        comparison = current.comparison
        spared = self._find_spared(current)
        # What an earlier round copied is on the target, so only the rest was deleted there.
        deleted = current.seen & comparison.missing
        if not current.is_settled:
            # A run that is killed leaves to the next one what it knew: what the target has had, also
            # of earlier rounds, so that what is deleted there from now on is told from what is missing.
            self._held_object.keep(
                {
                    "inbox": _find_inbox(comparison.target),
                    "seen": sorted(current.seen),
                    "of_folders": current.remember_folders(),
                    "deleted": sorted(deleted),
                    "origin": self._source.origin,
                    "messages": comparison.source.message_count,
                    "source": self._held_object.kept.get("source", ""),
                }
            )
        ended = _run_sync(self._source, self._target, spared)
        after = read_mailbox_of(self._target, comparison.target)
        if after is not comparison.target:
            after = _remove_doubled(self._target, comparison, after)
            after = _remove_returned(
                self._target, MailboxComparison(comparison.source, after), deleted
            )

        return ended, after

    def _find_spared(self, current: _Round) -> list[str]:
        """Return the names of the folders of the target that dsync does not get.

        Raises:
            ContentError: There are too many of those that it might delete.
        """
        spared = [folder.name for folder in current.comparison.unpaired]
        if len(spared) > _MOST_SPARED:
            raise _refuse_own_folders(self._target, len(spared))

        settled = find_settled(current.comparison, current.seen, has_own_flags=self._is_late)
        # dsync never deletes INBOX.
        spared += [name for name in settled if name != _INBOX and is_mask_of_one(name)]

        return spared[:_MOST_SPARED]

    def _remove_deleted_folders(self, current: _Round) -> _Round:
        """Remove what was copied into folders that the source has deleted since.

        Raises:
            ContentError: It cannot be removed.
        """
        has_removed = False
        comparison = current.comparison
        guids = [folder.guid for folder in comparison.target.folders]
        for folder in reversed(comparison.unpaired):
            # One that has stayed before stays.
            uids = find_copied(folder, current.seen - current.absent_before)
            if uids is None or guids.count(folder.guid) > 1:
                continue
            _expunge(
                self._target,
                folder.guid,
                uids,
                "were in an IMAP folder that the source has deleted",
            )
            # Where mail has just arrived, the folder stays.
            run_watched(
                make_delete_command(self._target.name, folder.name), make_environment_of_root()
            )
            has_removed = True
            current = current.forget_removed(folder)
        if not has_removed:
            return current

        target = read_mailbox_of(self._target)

        return replace(current, comparison=MailboxComparison(comparison.source, target))

    def _conclude(self, current: _Round, has_differences: bool) -> None:
        """Keep what the next run has to know."""
        source = current.comparison.source
        seen = current.seen
        if not source.unreadable:
            # What a folder has no longer cannot come back. A folder can, and what is in one that does
            # not open.
            seen = (seen & current.comparison.keys) | join_keys(current.absent)
        self._held_object.keep(
            {
                # A copy gives INBOX the GUID of the source's.
                "inbox": _find_inbox(current.comparison.target),
                "seen": sorted(seen),
                "of_folders": current.remember_folders(),
                "origin": self._source.origin,
                "messages": source.message_count,
                "folders": len(source.folders),
                "source": "" if has_differences else source.digest,
                "printed": "" if has_differences else source.digest_of_printed,
            }
        )


def _run_sync(source: MailboxAccess, target: MailboxAccess, spared: Sequence[str]) -> Ended:
    """Run dsync until it does not ask for another run, or has asked too often.

    What a run left undone after the last repeat is for the comparison to find: of a folder whose
    name has a percent sign, Dovecot 2.3 says so each time.

    Raises:
        ContentError: dsync failed.
    """
    command = make_sync_command(target.name, _reach(source), spared)
    ended = repeat_while(AGAIN, lambda: run_watched(command, make_environment_of_root()))
    if ended.code not in (0, AGAIN):
        raise ContentError(
            f"doveadm sync {explain_code(ended.code)}: {ended.shown_errors}",
            effect=_COPIED_STAYS,
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


def _remove_doubled(target: MailboxAccess, before: MailboxComparison, after: Mailbox) -> Mailbox:
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


def _remove_returned(
    target: MailboxAccess, comparison: MailboxComparison, keys: Set[str]
) -> Mailbox:
    """Remove from the target what dsync brought back, and return what it holds then.

    Only messages that the source still has are removed.

    Args:
        target: The mailbox.
        comparison: Both sides.
        keys: What the target had deleted before dsync ran.

    Raises:
        ContentError: It cannot be removed.
    """
    if not keys:
        return comparison.target

    returned = _find_returned(comparison, keys)
    for folder, uids in returned.items():
        _expunge(target, folder, uids, "the target had deleted and dsync brought back")
    if not returned:
        return comparison.target

    return read_mailbox_of(target)


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
                f"doveadm cannot remove {len(batch)} messages that {cause}, "
                f"and {explain_code(ended.code)}: {ended.shown_errors}",
                effect="Everything else was copied.",
                advice="Run the task again, which removes them.",
            )


def _find_returned(comparison: MailboxComparison, keys: Set[str]) -> dict[str, list[int]]:
    """Return the UIDs of messages that were deleted and are there, by the GUID of the folder."""
    returned: dict[str, list[int]] = {}
    for pair in comparison.pairs:
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
    """Return what the target had once; nothing where its mailbox was created again since."""
    if state.get("inbox") != _find_inbox(target):
        return set()

    return set(state.get("seen", ()))


def _read_totals(state: State, printed: str) -> Totals | None:
    """Return what a mailbox holds of which doveadm prints the same as after a copy.

    Args:
        state: What is kept of the copy.
        printed: The digest of what doveadm prints of the mailbox; empty if that does not say all.

    Returns:
        None if doveadm prints something else.
    """
    if not printed or state.get("printed") != printed:
        return None

    return Totals(state["folders"], state["messages"], state["source"])


def _read_memory(state: State, target: Mailbox) -> Memory:
    """Return what is known of folders; nothing where the mailbox was created again since."""
    if state.get("inbox") != _find_inbox(target):
        return {}

    return read_memory(state.get("of_folders", {}))


def _has_other_inbox(
    source: MailboxAccess, comparison: MailboxComparison, seen: Set[str], state: State
) -> bool:
    """Say whether the source has another INBOX than when messages of it were copied.

    Dovecot makes an empty mailbox where the mail of the source is not mounted. An INBOX that lost its
    GUID, but has messages of before, is the same one.

    Args:
        source: The mailbox of the source.
        comparison: Of both sides.
        seen: The keys of what the target had of the source.
        state: What is kept of the target.
    """
    if state.get("origin") != source.origin or not state.get("messages"):
        return False

    for pair in comparison.pairs:
        if pair.source.name == _INBOX:
            if not seen or pair.key in seen:
                return False
            return not any(message.target is not None for message in pair.messages)

    return False


def _refuse_other_inbox(source: MailboxAccess, path: str, effect: str) -> ContentError:
    return ContentError(
        f"the INBOX of {source.name.address} on {source.where} is not the one that an earlier run"
        " copied, and has none of its messages.",
        source.option,
        effect,
        "Check that the mail of the source is mounted there. If its mailbox was created again, remove"
        f" {path} on the target, with which it is forgotten what was deleted there.",
    )


def _refuse_own_folders(target: MailboxAccess, number: int) -> ContentError:
    return ContentError(
        f"{target.name.address} has {number} IMAP folders that the source does not have, and dsync"
        f" can leave {_MOST_SPARED} alone.",
        target.option,
        "Nothing in these IMAP folders was changed.",
        "Copy into a new mailbox, or join some of these IMAP folders.",
    )


def _is_unchanged(state: State, comparison: MailboxComparison) -> bool:
    """Say whether the source is as it was after a copy into this mailbox that found no difference."""
    if "deleted" in state or state.get("inbox") != _find_inbox(comparison.target):
        return False

    source = comparison.source
    return bool(source.printed) and state.get("printed") == source.digest_of_printed


def _find_inbox(mailbox: Mailbox) -> str:
    return next((folder.guid for folder in mailbox.folders if folder.name == _INBOX), "")


def _is_changed(wanted: Mailbox, before: Mailbox, after: Mailbox) -> bool:
    """Say whether a run changed the target; what was delivered there meanwhile is no change."""
    if before == after:
        return False

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

    times = MOST_REPEATS + 1

    return [f"doveadm sync asked for another run {times} times: {ended.shown_errors}"]

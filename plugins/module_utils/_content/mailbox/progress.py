# SPDX-License-Identifier: GPL-3.0-or-later
"""Defines what is known of a copy on its way. Pure.

Folders and messages are known by keys, which stay the same when a name or a UID changes. These words
say what is known of a key:

- seen: The target has it of the source, or has had it.
- present, missing: The source has it, and the target has it now, or does not.
- deleted: It is missing, and was seen. So the target has deleted it.
- gone: It is of a folder that the source does not have, and had.

What becomes of a message on the target:

============= ============= ======== ======================================================
on the source on the target seen     effect
============= ============= ======== ======================================================
yes           yes           any      It gets the flags of the source. In the step late it
                                     keeps flags of its own.
yes           no            no       It is copied. If it is missing still: a difference.
yes           no            yes      It was deleted on the target. If dsync brings it back, it
                                     is removed again.
no            yes           no       It is the target's own, and stays.
no            yes           yes      It was deleted on the source, and is deleted.
============= ============= ======== ======================================================

A folder that the source has deleted goes with what was copied into it, if nothing of the target's
own is in it, and never in the step late.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from .comparison import (
    Difference,
    MailboxComparison,
    find_renewed,
    find_uncopied,
    find_unflagged,
    forget_withdrawn,
    make_folder_key,
    make_message_keys,
)
from .kept_mailbox import KeptMailbox
from .listing import Folder, Mailbox
from .memory import Memory, find_deleted, find_gone, join_keys


@dataclass(frozen=True)
class Progress:
    """Holds what is known when dsync is run, and when it has ended.

    comparison: Both sides, by their last readings.
    seen: The keys of what the target has, or has had, of the source.
    present_before: The keys of what of the source the target had before this run, with its flags.
    gone: What is known of folders that the source does not have.
    gone_before: The keys of what was known of them before this run. Such a folder has stayed.
    has_lost: Whether the target lacks something that it had of the source when dsync began. Then
        the source may have deleted it meanwhile.
    is_as_kept: Whether nothing is new since the last run, so what it kept is right. Then no keys
        are made.
    differences: What of the source was not on the target when dsync had ended.
    warnings: What an operator should know of how dsync has ended.
    """

    comparison: MailboxComparison
    seen: Set[str]
    present_before: Set[str]
    gone: Memory
    gone_before: Set[str]
    is_as_kept: bool
    has_lost: bool = False
    differences: Sequence[Difference] = ()
    warnings: Sequence[str] = ()

    @property
    def deleted(self) -> Set[str]:
        """Return the keys of what the target has deleted."""
        return self.seen & self.comparison.missing

    @property
    def withdrawn(self) -> Set[str]:
        """Return the keys of what the source has deleted.

        Of a folder that does not open, nobody knows what the source has.
        """
        if self.comparison.source.unreadable:
            return frozenset()

        return self.seen - self.comparison.keys - join_keys(self.gone)

    @property
    def unflagged(self) -> Set[str]:
        """Return the keys of what the target has got without a flag of the source."""
        keys: set[str] = set()
        for pair in self.comparison.pairs:
            keys.update(message.key for message in find_unflagged(pair, self.present_before))

        return keys

    @property
    def memory(self) -> Memory:
        """Return what the next run has to know of folders, in case they come back."""
        return {**self.gone, **find_deleted(self.comparison.pairs, self.seen)}

    def read_target(self, target: Mailbox, warnings: Sequence[str]) -> Progress:
        """Return what is known once dsync has ended, and the target is read again."""
        comparison = self.comparison
        is_as_kept = self.is_as_kept
        if target != comparison.target:
            comparison = MailboxComparison(comparison.source, target)
            is_as_kept = False
        seen = self.seen
        has_lost = False
        if not is_as_kept:
            seen = forget_withdrawn(seen, self.withdrawn, target) | comparison.present
            has_lost = bool(self.comparison.present & comparison.missing)

        return replace(
            self,
            comparison=comparison,
            seen=seen,
            is_as_kept=is_as_kept,
            has_lost=has_lost,
            differences=find_uncopied(comparison, seen, self.present_before),
            warnings=warnings,
        )

    def read_source(self, source: Mailbox) -> Progress:
        """Return what is known once the source is read again, and has changed."""
        target = self.comparison.target
        comparison = MailboxComparison(source, target)
        gone = find_gone(self.gone, comparison.pairs, target.folders, self.seen)

        read = replace(self, comparison=comparison, gone=gone, is_as_kept=False)

        return replace(read, seen=forget_withdrawn(read.seen, read.withdrawn, target))

    def remove_folders(self, removed: Sequence[Folder], target: Mailbox) -> Progress:
        """Return what is known once folders that the source has deleted are removed.

        If one comes back, only what the target had deleted before is not copied.

        Args:
            removed: The folders, as they were.
            target: The target, read again.
        """
        gone = dict(self.gone)
        for folder in removed:
            key = make_folder_key(folder)
            gone[key] = gone.get(key, set()) - make_message_keys(folder) - {key}

        return replace(
            self, comparison=MailboxComparison(self.comparison.source, target), gone=gone
        )


def begin_progress(comparison: MailboxComparison, kept: KeptMailbox) -> Progress:
    """Return what is known before dsync runs."""
    target = comparison.target
    kept_of_target = kept.adapt_to_mailbox(target)
    seen = kept_of_target.seen | find_renewed(comparison, kept_of_target.seen)
    memory = kept_of_target.memory
    is_as_kept = kept.has_copied(comparison) and comparison.has_everything
    present = seen
    if not is_as_kept:
        present = comparison.present

    return Progress(
        comparison=comparison,
        seen=seen | present,
        present_before=present - kept_of_target.unflagged,
        gone=find_gone(memory, comparison.pairs, target.folders, seen),
        gone_before=find_gone_keys(memory, comparison),
        is_as_kept=is_as_kept,
    )


def find_gone_keys(memory: Memory, comparison: MailboxComparison) -> Set[str]:
    """Return the keys of what is remembered of folders that the source does not have."""
    return join_keys(find_gone(memory, comparison.pairs, (), frozenset()))

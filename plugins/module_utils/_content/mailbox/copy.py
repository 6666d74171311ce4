# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies a mailbox with dsync, and proves by a comparison what it did.

This is the order of a copy. The words for what is known of folders and messages are explained in
``progress.py``, what dsync gets in ``sync_command.py``, and what is set right after it in
``corrections.py``.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from ..._log import log_plan
from ..clean_up import clean_up_despite
from ..content_errors import NOTHING_WRITTEN, ContentError
from ..kept_state import HeldObject
from .comparison import MailboxComparison, find_renewed, find_uncopied, find_unequal, has_news
from .corrections import (
    find_leftovers_of,
    remove_copies,
    remove_doubled,
    remove_gone_folders,
    remove_returned,
    restore_validity,
)
from .dsync_notes import begin_notes, read_notes, remove_notes
from .kept_mailbox import KeptMailbox
from .leftovers import Copy, digest_guids, find_renumbered
from .listing import Mailbox, compute_digest
from .memory import join_keys
from .other_inbox import has_other_inbox, make_inbox_refusal
from .outcome import MailboxOutcome, count_deleted, is_changed
from .progress import Progress, begin_progress, find_gone_keys
from .reading import MailboxAccess, fetch_listing, read_mailbox_of
from .second_copies import digest_repeated, find_second_copies, has_equal_messages, read_files
from .sync_command import (
    COPIED_STAYS,
    find_largest_size,
    find_spared,
    name_disk_of,
    refuse_own_folders,
    run_sync,
)
from .unregistered_files import remove_unregistered_files

# A source that changes while it is copied is read and copied again.
_MOST_ROUNDS = 3
_LEFT_FILES = "Files of this dsync are left in the mailbox; the next run removes them."


def compare_mailboxes(
    source: MailboxAccess, target: MailboxAccess, kept: KeptMailbox
) -> MailboxOutcome:
    """Compare two mailboxes, and change nothing.

    Args:
        source, target: The mailboxes.
        kept: What is kept of the target. If doveadm prints of both sides what it printed after a
            copy, nothing has to be taken apart again.

    Raises:
        ContentError: One of them cannot be read.
    """
    source_listing = fetch_listing(source)
    target_listing = fetch_listing(target)
    if source_listing.outputs == target_listing.outputs:
        totals = kept.find_totals(compute_digest(target_listing.outputs))
        if totals is not None:
            return MailboxOutcome(False, totals, ())

    source_mailbox = read_mailbox_of(source, listing=source_listing)
    target_mailbox = read_mailbox_of(target, source_mailbox, target_listing)
    comparison = MailboxComparison(source_mailbox, target_mailbox)

    return MailboxOutcome(False, target_mailbox.totals, find_unequal(comparison))


def foresee_copy(
    source: MailboxAccess,
    target: MailboxAccess,
    kept: KeptMailbox,
    path: str,
    is_in_use: bool = False,
) -> MailboxOutcome:
    """Say what a copy would do, and change nothing.

    Args:
        source: The mailbox that is read.
        target: The mailbox that would be written.
        kept: What is kept of the target.
        path: The file that has it, for a message.
        is_in_use: As for ``copy_mailbox``.

    Raises:
        ContentError: One of the mailboxes cannot be read, that of the source is another one, or
            the target has too many folders of its own.
    """
    comparison = _read_both(source, target)
    kept_of_target = kept.adapt_to_mailbox(comparison.target)
    seen_before = kept_of_target.seen | find_renewed(comparison, kept_of_target.seen)
    if has_other_inbox(source, comparison, seen_before, kept):
        raise make_inbox_refusal(source, path, NOTHING_WRITTEN)
    refuse_own_folders(target, comparison)

    seen = seen_before | comparison.present
    differences = find_uncopied(comparison, seen, seen)
    changed = bool(differences)
    if not changed and kept.source_digest != comparison.source.digest:
        removable = seen - find_gone_keys(kept_of_target.memory, comparison)
        changed = has_news(comparison, removable, is_in_use)
    if not changed and kept.was_interrupted:
        leftovers = find_leftovers_of(
            target, comparison, kept.former, kept_of_target.deleted, is_in_use=is_in_use
        )
        changed = bool(leftovers or find_renumbered(comparison))
    if not changed:
        changed = bool(_find_copies_left_by_dsync(target, comparison, _make_notes_path(path)))

    return MailboxOutcome(
        changed=changed,
        totals=comparison.target.totals,
        differences=differences,
        deleted=count_deleted(comparison, seen),
    )


def copy_mailbox(
    source: MailboxAccess,
    target: MailboxAccess,
    held: HeldObject,
    is_in_use: bool = False,
) -> MailboxOutcome:
    """Bring into the mailbox of the target what the source has.

    Args:
        source: The mailbox that is read.
        target: The mailbox that is written.
        held: The target, for what is kept of it, a ``KeptMailbox``.
        is_in_use: Whether customers use the target: it has flags of its own, and keeps each folder.

    Raises:
        ContentError: A mailbox cannot be read, that of the source is another one, the target has
            too many folders of its own, or dsync failed.
    """
    remove_unregistered_files(target, _make_notes_path(held.path))
    try:
        before = _read_both(source, target)
    except ContentError as error:
        raise name_disk_of(target, error) from error

    return _Copy(source, target, held, is_in_use, before).carry_out()


def _make_notes_path(path: str) -> str:
    """Return the path of the file with the notes of dsyncs. path: That of what is kept."""
    return path + ".dsync"


def _read_both(source: MailboxAccess, target: MailboxAccess) -> MailboxComparison:
    source_mailbox = read_mailbox_of(source)

    return MailboxComparison(source_mailbox, read_mailbox_of(target, source_mailbox))


def _find_copies_left_by_dsync(
    target: MailboxAccess, comparison: MailboxComparison, notes_path: str
) -> list[Copy]:
    """Return the copies of messages that the dsyncs since a run came to its end have left."""
    notes = read_notes(notes_path)
    if not has_equal_messages(comparison, notes.repeated):
        return []

    return find_second_copies(comparison, read_files(target, notes), notes.repeated)


def _find_former(kept: KeptMailbox, target: Mailbox) -> Set[str]:
    """Return the digests of the GUIDs of what the target held before dsync first ran.

    If this run is killed too, the next one needs what the first one has seen.
    """
    if kept.was_interrupted:
        return kept.former

    return digest_guids(target)


class _Copy:
    """Copies one mailbox."""

    def __init__(
        self,
        source: MailboxAccess,
        target: MailboxAccess,
        held: HeldObject,
        is_in_use: bool,
        before: MailboxComparison,
    ) -> None:
        """Prepare to copy a mailbox.

        Args:
            source, target, held, is_in_use: As for ``copy_mailbox``.
            before: Both sides, before anything is written.
        """
        self._source = source
        self._target = target
        self._held = held
        self._is_in_use = is_in_use
        self._before = before
        self._kept = KeptMailbox.read(held.kept)
        self._follows_killed = self._kept.was_interrupted
        self._notes_path = _make_notes_path(held.path)

    def carry_out(self) -> MailboxOutcome:
        """Copy, remove folders that the source has deleted, and keep what the next run needs."""
        target_before = self._before.target
        seen_before = self._kept.adapt_to_mailbox(target_before).seen
        seen_before |= find_renewed(self._before, seen_before)
        self._check_inbox(self._before, seen_before, NOTHING_WRITTEN)
        comparison = self._clean_after_killed_run()
        comparison = comparison.with_target(restore_validity(self._target, comparison))
        progress = self._copy_in_rounds(begin_progress(comparison, self._kept))
        if self._may_remove_folders(target_before, progress.comparison.source):
            progress = remove_gone_folders(self._target, progress)
        if progress.differences or not progress.is_as_kept:
            self._keep_after_copy(progress)
        remove_notes(self._notes_path)

        source = progress.comparison.source
        target = progress.comparison.target
        return MailboxOutcome(
            changed=is_changed(source, target_before, target),
            totals=self._kept.find_totals(target.digest_of_printed) or target.totals,
            differences=progress.differences,
            warnings=progress.warnings,
            deleted=count_deleted(progress.comparison, progress.seen),
        )

    def _clean_after_killed_run(self) -> MailboxComparison:
        """Remove what a killed run left on the target, and return both sides as they are then.

        Raises:
            ContentError: It cannot be removed.
        """
        comparison = self._before
        if self._follows_killed:
            comparison = self._clean_what_was_renumbered(comparison)

        return comparison.with_target(self._remove_second_copies(comparison))

    def _remove_second_copies(self, comparison: MailboxComparison) -> Mailbox:
        """Remove what dsync has copied within a folder and left, and return what is there then."""
        second_copies = _find_copies_left_by_dsync(self._target, comparison, self._notes_path)

        return remove_copies(self._target, comparison, second_copies)

    def _clean_what_was_renumbered(self, comparison: MailboxComparison) -> MailboxComparison:
        """Remove messages with their former UIDs, and what dsync has brought back."""
        renumbered = find_renumbered(comparison)
        target = remove_copies(self._target, comparison, renumbered)
        comparison = comparison.with_target(target)
        kept_of_target = self._kept.adapt_to_mailbox(self._before.target)
        deleted = kept_of_target.deleted & kept_of_target.seen
        target = remove_returned(self._target, comparison, deleted)

        return comparison.with_target(target)

    def _check_inbox(self, comparison: MailboxComparison, seen: Set[str], effect: str) -> None:
        if has_other_inbox(self._source, comparison, seen, self._kept):
            raise make_inbox_refusal(self._source, self._held.path, effect)

    def _copy_in_rounds(self, progress: Progress) -> Progress:
        """Copy until nothing of the source is missing, or it stands still, or a few times."""
        for round_number in range(1, _MOST_ROUNDS + 1):
            log_plan(f"mailbox {self._target.name.label}", f"run dsync, round {round_number}")
            progress = self._copy_once(progress)
            if not progress.differences and not progress.has_lost:
                break
            source = read_mailbox_of(self._source, progress.comparison.source)
            if source == progress.comparison.source:
                break
            progress = progress.read_source(source)
            self._check_inbox(progress.comparison, progress.seen, COPIED_STAYS)

        return progress

    def _copy_once(self, progress: Progress) -> Progress:
        """Run dsync, set right what it did, and return what is known then."""
        comparison = progress.comparison
        refuse_own_folders(self._target, comparison)
        spared = find_spared(comparison, progress.seen, is_in_use=self._is_in_use)
        # What an earlier round copied is on the target, so only the rest was deleted there.
        deleted = progress.deleted
        if not progress.is_as_kept:
            self._keep_before_sync(progress, deleted)
        begin_notes(self._notes_path, digest_repeated(comparison.target))
        try:
            warnings = run_sync(self._source, self._target, spared, self._notes_path)
        except ContentError as error:
            # As long as all that dsync has made is there: then the disk is as full as for dsync.
            needed = find_largest_size(comparison, progress.seen)
            named = name_disk_of(self._target, error, needed)
            # The next run may not be the first to read the target.
            clean_up_despite(
                named,
                lambda: remove_unregistered_files(self._target, self._notes_path),
                _LEFT_FILES,
            )
            raise named from error
        target = read_mailbox_of(self._target, comparison.target)
        if target is not comparison.target:
            target = remove_doubled(self._target, comparison, target)
        target = self._remove_second_copies(comparison.with_target(target))
        if self._follows_killed:
            target = self._remove_leftovers(comparison.with_target(target), deleted)
        if target is not comparison.target:
            target = remove_returned(self._target, comparison.with_target(target), deleted)

        return progress.read_target(target, warnings)

    def _remove_leftovers(self, comparison: MailboxComparison, deleted: Set[str]) -> Mailbox:
        """Remove what a killed dsync left and this one has copied; return what is there then."""
        former = self._kept.former
        leftovers = find_leftovers_of(
            self._target, comparison, former, deleted, is_in_use=self._is_in_use
        )

        return remove_copies(self._target, comparison, leftovers)

    def _may_remove_folders(self, target_before: Mailbox, source: Mailbox) -> bool:
        """Say whether what the source does not have was deleted there.

        A mailbox that is not the one of an earlier copy, or does not open whole, says nothing about
        what was deleted in it.
        """
        if self._is_in_use or source.unreadable:
            return False

        return source.inbox == target_before.inbox

    def _keep_before_sync(self, progress: Progress, deleted: Set[str]) -> None:
        """Keep what the next run has to know if this one is killed.

        It is what the target has had, also of earlier rounds, so that what is deleted there from
        now on is told from what is missing.
        """
        comparison = progress.comparison
        self._keep(
            KeptMailbox(
                inbox=comparison.target.inbox,
                inbox_of_source=comparison.source.inbox,
                seen=progress.seen,
                memory=progress.memory,
                origin=self._source.origin,
                settings=self._target.name.settings,
                message_count=comparison.source.message_count,
                source_digest=self._kept.source_digest,
                was_interrupted=True,
                deleted=deleted,
                withdrawn=progress.withdrawn,
                former=_find_former(self._kept, self._before.target),
                unflagged=progress.unflagged,
            )
        )

    def _keep_after_copy(self, progress: Progress) -> None:
        """Keep what the next run has to know."""
        source = progress.comparison.source
        seen = progress.seen
        if not source.unreadable:
            # What a folder has no longer cannot come back. A folder can, and what is in one that does
            # not open.
            seen = (seen & progress.comparison.keys) | join_keys(progress.gone)
        kept = KeptMailbox(
            # A copy gives INBOX the GUID of the source's.
            inbox=progress.comparison.target.inbox,
            seen=seen,
            memory=progress.memory,
            origin=self._source.origin,
            settings=self._target.name.settings,
            message_count=source.message_count,
            folder_count=len(source.folders),
            unflagged=progress.unflagged,
        )
        if not progress.differences:
            kept = replace(
                kept, source_digest=source.digest, printed_digest=source.digest_of_printed
            )
        self._keep(kept)

    def _keep(self, kept: KeptMailbox) -> None:
        self._held.keep(kept.write())
        self._kept = kept

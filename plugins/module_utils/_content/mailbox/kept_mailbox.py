# SPDX-License-Identifier: GPL-3.0-or-later
"""Defines what runs keep of a mailbox of the target, and its form in a file. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

from ..kept_forms import KeptKind, has_lists_of_texts, is_count, is_list_of_texts, is_text
from .comparison import MailboxComparison, forget_withdrawn
from .listing import Mailbox, Totals
from .memory import Memory, read_memory, write_memory

KEPT = KeptKind(
    "mailbox",
    {
        "inbox": is_text,
        "inbox_of_source": is_text,
        "seen": is_list_of_texts,
        "of_folders": has_lists_of_texts,
        "origin": is_text,
        "settings": is_list_of_texts,
        "messages": is_count,
        "folders": is_count,
        "source": is_text,
        "printed": is_text,
        "deleted": is_list_of_texts,
        "withdrawn": is_list_of_texts,
        "former": is_list_of_texts,
        "unflagged": is_list_of_texts,
    },
)
"""What ``KeptMailbox.write`` returns."""
_OF_INTERRUPTED_RUN = "former"  # even an empty list; a run that came to its end keeps none


@dataclass(frozen=True)
class KeptMailbox:
    """Holds what the last run kept of a mailbox of the target; nothing before the first run.

    A run keeps it before dsync runs, for the case that it is killed, and anew at its end.

    inbox: The GUID of the mailbox's INBOX. A mailbox with another one was created again.
    inbox_of_source: That of the source, which dsync gives to the mailbox; empty of a run that came
        to its end.
    seen: The keys of what the target has, or has had, of the source.
    memory: What is known of folders, in case they come back.
    origin: Where the mailbox was copied from.
    settings: Those of Dovecot by which its folders had names as there.
    message_count: How many messages it had there.
    folder_count: How many folders it had there; 0 of a run that was killed.
    source_digest: The digest of the source after a copy that found no difference. A run that was
        killed leaves that of the run before.
    printed_digest: The digest of what doveadm then printed of the source; empty of a run that was
        killed.
    was_interrupted: Whether the run was killed, or failed, since it kept this before dsync ran.
    deleted: The keys of what the target had deleted before dsync ran; empty of a run that came to
        its end.
    withdrawn: The keys of what the source had deleted before dsync ran; empty as ``deleted`` is.
    former: The digests of the GUIDs of what the target held before dsync ran, in the first of the
        runs since one came to its end; empty as ``deleted`` is.
    unflagged: The keys of messages that the target has got without a flag of the source. They stay
        a difference until they have it.
    """

    inbox: str = ""
    inbox_of_source: str = ""
    seen: Set[str] = frozenset()
    memory: Memory = field(default_factory=dict)
    origin: str = ""
    settings: tuple[str, ...] = ()
    message_count: int = 0
    folder_count: int = 0
    source_digest: str = ""
    printed_digest: str = ""
    was_interrupted: bool = False
    deleted: Set[str] = frozenset()
    withdrawn: Set[str] = frozenset()
    former: Set[str] = frozenset()
    unflagged: Set[str] = frozenset()

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> KeptMailbox:
        """Read what ``write`` returned; of no values, what there is before the first run."""
        return cls(
            inbox=values.get("inbox", ""),
            inbox_of_source=values.get("inbox_of_source", ""),
            seen=frozenset(values.get("seen", ())),
            memory=read_memory(values.get("of_folders", {})),
            origin=values.get("origin", ""),
            settings=tuple(values.get("settings", ())),
            message_count=values.get("messages", 0),
            folder_count=values.get("folders", 0),
            source_digest=values.get("source", ""),
            printed_digest=values.get("printed", ""),
            was_interrupted=_OF_INTERRUPTED_RUN in values,
            deleted=frozenset(values.get("deleted", ())),
            withdrawn=frozenset(values.get("withdrawn", ())),
            former=frozenset(values.get("former", ())),
            unflagged=frozenset(values.get("unflagged", ())),
        )

    def write(self) -> dict[str, Any]:
        """Return the values that a file keeps."""
        values = {
            "inbox": self.inbox,
            "seen": sorted(self.seen),
            "of_folders": write_memory(self.memory),
            "origin": self.origin,
            "settings": list(self.settings),
            "messages": self.message_count,
            "source": self.source_digest,
            "unflagged": sorted(self.unflagged),
        }
        if self.was_interrupted:
            values["inbox_of_source"] = self.inbox_of_source
            values["deleted"] = sorted(self.deleted)
            values["withdrawn"] = sorted(self.withdrawn)
            values[_OF_INTERRUPTED_RUN] = sorted(self.former)
        else:
            values["folders"] = self.folder_count
            values["printed"] = self.printed_digest

        return values

    def adapt_to_mailbox(self, target: Mailbox) -> KeptMailbox:
        """Return what is kept of this mailbox: of one that was created again, not what it had.

        What a run that was killed has deleted, as the source had, is not the target's deletion. If
        the source has it again, it is new.
        """
        if target.inbox in (self.inbox, self.inbox_of_source or self.inbox):
            return replace(self, seen=forget_withdrawn(self.seen, self.withdrawn, target))

        return replace(
            self,
            seen=frozenset(),
            memory={},
            deleted=frozenset(),
            withdrawn=frozenset(),
            unflagged=frozenset(),
        )

    def has_copied(self, comparison: MailboxComparison) -> bool:
        """Say whether the last run copied all of this source, as it is now, into this target."""
        if self.was_interrupted or self.inbox != comparison.target.inbox:
            return False

        source = comparison.source
        return bool(source.printed) and self.printed_digest == source.digest_of_printed

    def find_totals(self, printed_digest: str) -> Totals | None:
        """Return what a mailbox holds of which doveadm prints the same as after the copy.

        Args:
            printed_digest: The digest of what doveadm prints of the mailbox; empty if that does
                not say all.

        Returns:
            None if doveadm prints something else.
        """
        if not printed_digest or self.printed_digest != printed_digest:
            return None

        return Totals(self.folder_count, self.message_count, self.source_digest)

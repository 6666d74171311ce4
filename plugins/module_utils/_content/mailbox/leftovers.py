# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what a killed dsync has left twice on the target. Pure.

dsync makes the files of messages first, and notes afterwards which GUIDs they have
(docs/host_tools.md#messages-of-a-killed-dsync). In between, a message that it made has a GUID that
nobody knows, and the next dsync copies the same message again. Such a message is a leftover.

In the next moment it removes the messages that it gave another UID, since the source had a message
with that UID. In between, these are there with both UIDs: they are renumbered.

Each copy names the message that stays in its place. So only what is in the folder twice is removed,
and its flags are given to the one that stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from .comparison import FolderPair, MailboxComparison, digest_guid
from .listing import Folder, Mailbox, Message


class Copy(NamedTuple):
    """A second copy of a message, in the same folder.

    folder: The GUID of the folder.
    uid: The copy.
    original: The UID of the message that stays.
    flags: What the copy has, and the message that stays is to get.
    """

    folder: str
    uid: int
    original: int
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Suspects:
    """Messages of a folder of the target that may be leftovers.

    folder: The GUID of the folder.
    unknown: Those that neither the source has, nor the target had before.
    originals: The messages of which they may be copies.
    of_source: The UIDs of those originals that the source has.
    """

    folder: str
    unknown: Sequence[Message]
    originals: Sequence[Message]
    of_source: Set[int]

    @property
    def uids(self) -> list[int]:
        """Return the UIDs of all messages whose texts have to be compared."""
        return [message.uid for message in (*self.unknown, *self.originals)]


def digest_guids(mailbox: Mailbox) -> Set[str]:
    """Return a digest of the GUID of each message."""
    return {digest_guid(message) for folder in mailbox.folders for message in folder.messages}


def find_suspects(
    comparison: MailboxComparison, former: Set[str], deleted: Set[str]
) -> list[Suspects]:
    """Return the messages that may be leftovers, as far as size and date tell it.

    Args:
        comparison: Both sides, after dsync has copied what is missing.
        former: The digests of the GUIDs of what the target held before the dsync that was killed.
        deleted: The keys of what the target had deleted, which is no original: it is removed again.
            Where Dovecot has lost GUIDs, everything of before seems to be deleted.
    """
    guids = _list_guids(comparison.source)
    suspects = []
    for pair, target in list_pairs(comparison):
        keys = set(pair.message_keys)
        returned = _find_uids(pair, keys & deleted)
        of_source = _find_uids(pair, keys - deleted)
        kept = [message for message in target.messages if message.uid not in returned]
        originals = [
            message
            for message in kept
            if message.uid in of_source or digest_guid(message) in former
        ]
        original_uids = {message.uid for message in originals}
        copies = [message for message in kept if message.uid not in original_uids]
        unknown = [message for message in copies if message.guid not in guids]
        suspect = _limit_to_equal(Suspects(target.guid, unknown, originals, of_source))
        if suspect.unknown:
            suspects.append(suspect)

    return suspects


def find_leftovers(suspects: Suspects, digests: Mapping[int, str], is_in_use: bool) -> list[Copy]:
    """Return the messages that a killed dsync has made, and that are there once more.

    Args:
        suspects: The messages of a folder that may be leftovers.
        digests: By the UID of a message, the digest of its text; without those that are gone or
            cannot be read.
        is_in_use: Whether customers use the target, so that it has flags of its own.
    """
    originals: dict[tuple[int, int, str], Message] = {}
    for message in suspects.originals:
        if message.uid in digests:
            originals[_make_content(message, digests)] = message
    leftovers = []
    guids = set()
    for message in suspects.unknown:
        # A customer who copies a message gives the copy the same GUID. It stays.
        if message.uid not in digests or message.guid in guids:
            continue
        original = originals.get(_make_content(message, digests))
        if original is None:
            continue
        guids.add(message.guid)
        flags: tuple[str, ...] = ()
        if is_in_use or original.uid not in suspects.of_source:
            flags = find_own_flags(message, original)
        leftovers.append(Copy(suspects.folder, message.uid, original.uid, flags))

    return leftovers


def find_renumbered(comparison: MailboxComparison) -> list[Copy]:
    """Return messages that dsync gave another UID, and that still have their former one as well.

    A copy that a customer made has no UID of a message of the source that dsync has made room for.

    Args:
        comparison: Both sides, before dsync runs again.
    """
    guids = _list_guids(comparison.source)
    copies = []
    for pair, target in list_pairs(comparison):
        # Of equal messages, the last one: dsync gives a higher UID.
        last = {_make_identity(message): message for message in target.messages}
        if len(last) == len(target.messages):
            continue
        taken = _find_taken_uids(pair)
        for message in target.messages:
            original = last[_make_identity(message)]
            if message is original or message.uid not in taken or message.guid in guids:
                continue
            flags = find_own_flags(message, original)
            copies.append(Copy(target.guid, message.uid, original.uid, flags))

    return copies


def list_pairs(comparison: MailboxComparison) -> Iterator[tuple[FolderPair, Folder]]:
    """Yield the folders of both sides that may be unequal, and that no other has the GUID of."""
    counts = Counter(folder.guid for folder in comparison.target.folders)
    for pair in comparison.pairs:
        if pair.target is not None and not pair.is_equal and counts[pair.target.guid] == 1:
            yield pair, pair.target


def group_equal_messages(folder: Folder) -> list[list[Message]]:
    """Return the messages of a folder that are there more than once, in the order of their UIDs."""
    groups: dict[tuple[str, int, int], list[Message]] = {}
    for message in folder.messages:
        groups.setdefault(_make_identity(message), []).append(message)

    return [equal for equal in groups.values() if len(equal) > 1]


def _list_guids(mailbox: Mailbox) -> Set[str]:
    return {message.guid for folder in mailbox.folders for message in folder.messages}


def _find_uids(pair: FolderPair, keys: Set[str]) -> Set[int]:
    """Return the UIDs that messages of the source have on the target, by their keys."""
    return {
        message.target.uid
        for message in pair.messages
        if message.target is not None and message.key in keys
    }


def _find_taken_uids(pair: FolderPair) -> Set[int]:
    """Return the UIDs that messages of the source have there, and could not get on the target."""
    return {
        message.source.uid
        for message in pair.messages
        if message.target is not None and message.target.uid != message.source.uid
    }


def _limit_to_equal(suspects: Suspects) -> Suspects:
    """Return these without messages that have another size or date than all that they may equal."""
    unknown = {(message.size, message.received) for message in suspects.unknown}
    originals = {(message.size, message.received) for message in suspects.originals}

    return Suspects(
        folder=suspects.folder,
        unknown=_choose(suspects.unknown, originals),
        originals=_choose(suspects.originals, unknown),
        of_source=suspects.of_source,
    )


def _choose(messages: Sequence[Message], measures: Set[tuple[int, int]]) -> list[Message]:
    return [message for message in messages if (message.size, message.received) in measures]


def _make_identity(message: Message) -> tuple[str, int, int]:
    return message.guid, message.size, message.received


def _make_content(message: Message, digests: Mapping[int, str]) -> tuple[int, int, str]:
    return message.size, message.received, digests[message.uid]


def find_own_flags(message: Message, other: Message) -> tuple[str, ...]:
    """Return the flags of a message that another does not have."""
    return tuple(flag for flag in message.flags if flag not in other.flags)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds messages of the target that dsync has left twice.

dsync gives another UID to a message of the target by a copy. If the message is delivered while dsync
runs, both may stay (docs/host_tools.md#deliveries-during-dsync). If the run is killed before it
removes the copy, the next one has to tell it from one that a customer made: the name of its file
has the process of a dsync that is noted, and a second that is not before this process. And the
message that stays was certainly there before it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from .comparison import FolderPair, MailboxComparison, digest_guid
from .dsync_notes import DsyncNotes, DsyncProcess
from .leftovers import Copy, find_own_flags, group_equal_messages, list_pairs
from .listing import Folder, Mailbox, Message
from .maildir import (
    UIDLIST,
    RegisteredMessage,
    cut_sizes,
    find_root,
    parse_uidlist,
    read_text,
    walk_folders,
)
from .reading import MailboxAccess

# No file was made in this second.
_UNKNOWN = -1


@dataclass(frozen=True)
class FolderFiles:
    """Holds what is known of the files of a folder of a Maildir.

    messages: Its messages as Dovecot has registered them, by their UIDs.
    copied: The UIDs of those whose files a noted dsync has made.
    """

    messages: Mapping[int, RegisteredMessage]
    copied: Set[int]

    def is_before(self, uid: int, copies: Sequence[int]) -> bool:
        """Say whether a message was certainly there before its copies, by their UIDs.

        Only what is no copy has its GUID from the name of its file. A copy has another name, with
        the second in which it was made.
        """
        message = self.messages[uid]
        if message.file == message.guid:
            return True

        second = _read_seconds(message.file)
        seconds_of_copies = [_read_seconds(self.messages[copy].file) for copy in copies]

        return _UNKNOWN < second < min(seconds_of_copies)


def digest_repeated(mailbox: Mailbox) -> Set[str]:
    """Return the digests of the GUIDs that a folder has more than once."""
    repeated = set()
    for folder in mailbox.folders:
        guids = set()
        for message in folder.messages:
            if message.guid in guids:
                repeated.add(digest_guid(message))
            guids.add(message.guid)

    return repeated


def read_files(target: MailboxAccess, notes: DsyncNotes) -> Mapping[str, FolderFiles]:
    """Return what is known of the files of a Maildir, by the GUIDs of its folders.

    Of a mailbox in another format, or with lists in other places, there is nothing; and nothing
    while one of the noted dsyncs runs.
    """
    if not notes.processes or not notes.have_all_ended:
        return {}
    root = find_root(target)
    if root is None:
        return {}

    files = {}
    host = os.uname().nodename
    for folder in walk_folders(root):
        if UIDLIST not in folder.files:
            continue
        try:
            uidlist = parse_uidlist(read_text(UIDLIST, folder.descriptor))
        except OSError:
            # It is gone, or no file: nobody knows who has made its messages.
            continue
        messages = {message.uid: message for message in uidlist.messages}
        copied = {
            message.uid
            for message in uidlist.messages
            if _is_made_by(message.file, notes.processes, host)
        }
        files[uidlist.guid] = FolderFiles(messages, copied)

    return files


def find_second_copies(
    comparison: MailboxComparison, files: Mapping[str, FolderFiles], repeated: Set[str]
) -> list[Copy]:
    """Return the copies that dsync has made of messages, and that are there once more.

    Args:
        comparison: Both sides, while no dsync runs.
        files: What is known of the files of the target.
        repeated: The digests of the GUIDs that a folder had more than once before: a customer made
            these copies, and all of them stay.
    """
    copies = []
    for pair, target, equal in _list_equal_messages(comparison, repeated):
        files_of_folder = files.get(target.guid)
        if files_of_folder is None or not _are_registered(equal, files_of_folder):
            continue
        original = _choose_original(pair.source, equal, files_of_folder)
        if original is None:
            continue
        for message in equal:
            if message != original and message.uid in files_of_folder.copied:
                flags = find_own_flags(message, original)
                copies.append(Copy(target.guid, message.uid, original.uid, flags))

    return copies


def has_equal_messages(comparison: MailboxComparison, repeated: Set[str]) -> bool:
    """Say whether anything may be there twice, before the files are read.

    Args:
        comparison, repeated: As for ``find_second_copies``.
    """
    return any(True for _equal in _list_equal_messages(comparison, repeated))


def _list_equal_messages(
    comparison: MailboxComparison, repeated: Set[str]
) -> Iterator[tuple[FolderPair, Folder, Sequence[Message]]]:
    """Yield messages of the target that are equal, and that no customer had there more than once."""
    for pair, target in list_pairs(comparison):
        for equal in group_equal_messages(target):
            if digest_guid(equal[0]) not in repeated:
                yield pair, target, equal


def _are_registered(equal: Sequence[Message], files: FolderFiles) -> bool:
    """Tell whether Dovecot has registered them as it lists them, and dsync has made one of them."""
    for message in equal:
        registered = files.messages.get(message.uid)
        if registered is None or registered.guid != message.guid:
            return False

    return any(message.uid in files.copied for message in equal)


def _choose_original(
    source: Folder, equal: Sequence[Message], files: FolderFiles
) -> Message | None:
    """Return the one of equal messages that stays; None where it is not certain.

    Args:
        source: The folder of the source.
        equal: All that are equal, in the order of their UIDs.
        files: What is known of the files of the folder.
    """
    uids = [message.uid for message in source.messages if message.guid == equal[0].guid]
    if len(uids) > 1:
        return None
    if uids:
        return next((message for message in equal if message.uid == uids[0]), equal[0])

    copied = [message.uid for message in equal if message.uid in files.copied]
    if len(copied) == len(equal):
        # A later dsync has copied what an earlier one made, with a higher UID.
        return equal[-1]

    # A customer may have copied what dsync has made, and that had no other copy any more.
    originals = [
        message
        for message in equal
        if message.uid not in copied and files.is_before(message.uid, copied)
    ]

    return originals[0] if originals else None


def _is_made_by(name: str, processes: Sequence[DsyncProcess], host: str) -> bool:
    """Tell whether one of these processes has made a file, by its name: SECONDS.M1P2.HOST."""
    _seconds, _dot, rest = cut_sizes(name).partition(".")

    return any(
        rest.startswith("M")
        and rest.endswith(f"P{process.number}.{host}")
        and _read_seconds(name) >= process.began
        for process in processes
    )


def _read_seconds(name: str) -> int:
    """Return the second in which a file was made, by its name; _UNKNOWN if that does not say it."""
    seconds = name.partition(".")[0]

    return int(seconds) if seconds.isdigit() else _UNKNOWN

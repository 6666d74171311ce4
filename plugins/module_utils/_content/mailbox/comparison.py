# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares two mailboxes: whether they are equal, or whether one has everything of the other."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..shown_text import show_count, show_name
from .listing import Folder, Mailbox, Message

MOST_DIFFERENCES = 1000
"""How many differences a result names; the last one says how many more there are."""
_MOST_UIDS = 10


@dataclass(frozen=True)
class Difference:
    """Names a folder, and what is not equal in it."""

    folder: str
    reason: str

    def show(self) -> dict[str, str]:
        """Return the difference for a result."""
        return {"folder": show_name(self.folder), "why": self.reason}


class MessagePair(NamedTuple):
    """A message of the source, and the one on the target that is it; None where there is none.

    identity: What it is: the GUID of the folder of the source, the message's number among those
        with the same GUID, and its GUID.
    """

    identity: tuple[str, int, str]
    source: Message
    target: Message | None

    @property
    def key(self) -> str:
        """Return a digest of what the message is, which stays the same when its UID changes."""
        return _make_message_key(self.identity)


@dataclass(frozen=True)
class FolderPair:
    """A folder of the source, and the one on the target that is it; None where there is none."""

    source: Folder
    target: Folder | None

    @cached_property
    def is_equal(self) -> bool:
        """Return whether both are the same, with all their messages."""
        return self.source == self.target

    @cached_property
    def messages(self) -> Sequence[MessagePair]:
        """Return all messages of the folder of the source. Nothing asks equal folders for them."""
        return list(_pair_messages(self.source, self.target))

    @property
    def key(self) -> str:
        """Return a digest of what the folder is, which stays the same when its name changes."""
        return _make_key(self.source.guid)

    @cached_property
    def message_keys(self) -> list[str]:
        """Return the keys of its messages, in their order."""
        return [message.key for message in self.messages]


@dataclass(frozen=True)
class MailboxComparison:
    """Compares a reading of the source with one of the target.

    Its pairs and its lists belong to these two readings, so whoever has another one compares anew.
    """

    source: Mailbox
    target: Mailbox

    def with_target(self, target: Mailbox) -> MailboxComparison:
        """Return the comparison with a reading of the target; this one if the reading is its own."""
        if target is self.target:
            return self

        return MailboxComparison(self.source, target)

    @cached_property
    def pairs(self) -> Sequence[FolderPair]:
        """Return each folder of the source with the one on the target that is it.

        A copy gives a folder of the target the GUID of the source's. It may have another name: one
        with control characters is not made as it is, and the user of the target may rename it.
        """
        by_guid = {folder.guid: folder for folder in self.target.folders}
        by_name = {folder.name: folder for folder in self.target.folders}
        guids = {folder.guid for folder in self.source.folders}
        pairs = []
        for folder in self.source.folders:
            counterpart = by_name.get(folder.name)
            if counterpart is None or counterpart.guid != folder.guid:
                # A folder of this name may be the one of another name on the source.
                if counterpart is not None and counterpart.guid in guids:
                    counterpart = None
                counterpart = by_guid.get(folder.guid, counterpart)
            pairs.append(FolderPair(folder, counterpart))

        return pairs

    @cached_property
    def unpaired(self) -> Sequence[Folder]:
        """Return the folders that only the target has.

        A folder that was copied by its files may have the GUID of another one.
        """
        paired = {_name_folder(pair.target) for pair in self.pairs if pair.target is not None}

        return [folder for folder in self.target.folders if _name_folder(folder) not in paired]

    @property
    def has_everything(self) -> bool:
        """Return whether the target has all folders and messages of the source."""
        return all(pair.is_equal or _has_all_messages(pair) for pair in self.pairs)

    @cached_property
    def keys(self) -> Set[str]:
        """Return the keys of everything that the source has."""
        keys = {pair.key for pair in self.pairs}
        for pair in self.pairs:
            keys.update(pair.message_keys)

        return keys

    @cached_property
    def present(self) -> Set[str]:
        """Return the keys of everything of the source that the target has."""
        keys = {pair.key for pair in self.pairs if pair.target is not None}
        for pair in self.pairs:
            if pair.target is not None:
                keys.update(
                    key
                    for key, message in zip(pair.message_keys, pair.messages)
                    if message.target is not None
                )

        return keys

    @cached_property
    def missing(self) -> Set[str]:
        """Return the keys of everything of the source that the target does not have."""
        keys = {pair.key for pair in self.pairs if pair.target is None}
        for pair in self.pairs:
            if not pair.is_equal:
                keys.update(message.key for message in pair.messages if message.target is None)

        return keys


def find_settled(
    comparison: MailboxComparison, seen: Set[str], is_in_use: bool = False
) -> list[str]:
    """Return the names of the folders into which nothing has to be copied.

    Args:
        comparison: Of both sides.
        seen: The keys of what the target has, or has had, of the source. What is missing of it was
            deleted there.
        is_in_use: Whether customers use the target, so that it has flags of its own.
    """
    return [
        pair.source.name
        for pair in comparison.pairs
        if pair.target is not None and _is_settled(pair, pair.target, seen, is_in_use)
    ]


def has_news(comparison: MailboxComparison, seen: Set[str], is_in_use: bool) -> bool:
    """Say whether a copy would change or remove anything that the target holds.

    Args:
        comparison: Of both sides.
        seen: The keys of what the target has, or has had, of the source.
        is_in_use: Whether customers use the target: it has flags of its own, and keeps each folder.
    """
    if not is_in_use:
        for folder in comparison.unpaired:
            if find_copied(folder, seen) is not None:
                return True

    return any(
        _has_news(pair, pair.target, seen, is_in_use=is_in_use)
        for pair in comparison.pairs
        if pair.target is not None and not pair.is_equal
    )


def _has_news(pair: FolderPair, target: Folder, seen: Set[str], is_in_use: bool) -> bool:
    for message in pair.messages:
        if _lacks_flags(message) or (_have_other(message, "flags") and not is_in_use):
            return True

    return _has_deleted_messages(pair, target, seen)


def find_copied(folder: Folder, seen: Set[str]) -> list[int] | None:
    """Return the UIDs of a folder that only the target has; None if it has anything of its own.

    Args:
        folder: The folder.
        seen: The keys of what the target has, or has had, of the source. All else is its own.
    """
    if not _make_keys(folder) <= seen:
        return None

    return [message.uid for message in folder.messages]


def find_other_validity(comparison: MailboxComparison) -> list[tuple[Folder, Folder]]:
    """Return the folders of the source that the target has with another UIDVALIDITY, with those.

    Of a folder that was not copied yet, which has another GUID, dsync takes that of the source.
    """
    return [
        (pair.source, pair.target)
        for pair in comparison.pairs
        if pair.target is not None
        and pair.target.guid == pair.source.guid
        and pair.target.uid_validity != pair.source.uid_validity
    ]


def find_renewed(comparison: MailboxComparison, seen: Set[str]) -> Set[str]:
    """Return the keys of what was seen in folders that the source has made anew since.

    A folder whose lists are lost gets another GUID. Its messages keep theirs, and the target has
    the former GUID of the folder until dsync runs.

    Args:
        comparison: Both sides, before dsync runs.
        seen: The keys of what the target has, or has had, of the source.
    """
    keys = set()
    for pair in comparison.pairs:
        if pair.target is None or pair.target.guid == pair.source.guid:
            continue
        for message in pair.messages:
            _folder, number, guid = message.identity
            if _make_message_key((pair.target.guid, number, guid)) in seen:
                keys.add(message.key)

    return keys


def make_folder_key(folder: Folder) -> str:
    """Return the key of a folder, which is that of its pair."""
    return _make_key(folder.guid)


def make_message_keys(folder: Folder) -> set[str]:
    """Return the keys of the messages of a folder."""
    return {message.key for message in _pair_messages(folder, None)}


def digest_guid(message: Message) -> str:
    """Return a digest of the GUID of a message, which is the same in every folder."""
    return _make_key(message.guid)


def forget_withdrawn(seen: Set[str], withdrawn: Set[str], target: Mailbox) -> Set[str]:
    """Return what the target has, or has had, without what the source and then it have deleted.

    Args:
        seen: The keys of what the target has, or has had, of the source.
        withdrawn: The keys of what the source has deleted.
        target: What the target holds now.
    """
    if not withdrawn:
        return seen

    return seen - (withdrawn - _make_keys_of_mailbox(target))


def _make_keys_of_mailbox(mailbox: Mailbox) -> Set[str]:
    keys: set[str] = set()
    for folder in mailbox.folders:
        keys.update(_make_keys(folder))

    return keys


def find_doubled(source: Mailbox, before: Mailbox, after: Mailbox) -> dict[str, list[int]]:
    """Return the UIDs of second copies of the target's own messages, by the GUID of the folder.

    dsync gives another number to a message that is delivered while it runs, by a copy, and may
    leave the first one. Of equal messages, the one with the most flags is no second copy.

    Args:
        source: The mailbox of the source.
        before: What the target held before dsync ran.
        after: What it holds now.
    """
    of_source: set[str] = set()
    for folder in source.folders:
        of_source.update(_count_guids(folder.messages))
    doubled = {}
    for folder in after.folders:
        # The folder may have got another GUID or another name.
        former = [
            old for old in before.folders if folder.guid == old.guid or folder.name == old.name
        ]
        delivered = [message for message in folder.messages if message.guid not in of_source]
        if former and len(_count_guids(delivered)) < len(delivered):
            uids = _find_surplus_uids(delivered, former)
            if uids:
                doubled[folder.guid] = uids

    return doubled


def _find_surplus_uids(messages: Sequence[Message], former: Sequence[Folder]) -> list[int]:
    """Return the UIDs of messages of a folder that there are more often than before.

    Args:
        messages: The messages that may be there twice.
        former: What the folder may have been before.
    """
    counts = [_count_guids(folder.messages) for folder in former]
    copies: dict[str, list[Message]] = {}
    for message in sorted(messages, key=lambda message: (-len(message.flags), message.uid)):
        copies.setdefault(message.guid, []).append(message)
    uids = []
    for guid, equal in copies.items():
        count_before = max(1, *(count[guid] for count in counts))
        uids += [message.uid for message in equal[count_before:]]

    return sorted(uids)


def _count_guids(messages: Sequence[Message]) -> Counter[str]:
    return Counter(message.guid for message in messages)


def find_unequal(comparison: MailboxComparison) -> list[Difference]:
    """Return what is not equal on both sides; nothing where they are."""
    source, target = comparison.source, comparison.target
    differences = _name_unreadable(source, "source") + _name_unreadable(target, "target")
    if source.folders == target.folders:
        return differences

    for pair in comparison.pairs:
        differences += _compare_folder(pair)
    for folder in comparison.unpaired:
        differences.append(Difference(folder.name, "is only on the target"))

    return differences


def find_uncopied(
    comparison: MailboxComparison, seen: Set[str], before: Set[str]
) -> list[Difference]:
    """Return what of the source is not on the target.

    Args:
        comparison: Of both sides, after the copy.
        seen: The keys of what the target has, or has had, of the source. What is missing of it was
            deleted there.
        before: The keys of what the target had before the copy, with its flags. Those of all else
            were copied just now, so the target has them.
    """
    differences = _name_unreadable(comparison.source, "source")
    for pair in comparison.pairs:
        if pair.is_equal:
            continue
        unequal = [message for message in pair.messages if message.source != message.target]
        missing = [
            message.source
            for message in unequal
            if message.target is None and message.key not in seen
        ]
        if pair.target is None:
            differences += _explain_missing_folder(pair, missing, seen)
            continue
        unflagged = [message.source for message in find_unflagged(pair, before)]
        differences += _compare_validity(pair.source, pair.target)
        differences += _describe_messages(pair.source, "missing on the target", missing)
        differences += _compare_content(pair.source, unequal)
        differences += _describe_messages(pair.source, "without a flag of the source", unflagged)

    return differences


def find_unflagged(pair: FolderPair, before: Set[str]) -> list[MessagePair]:
    """Return the messages that the target has got without a flag of the source.

    Args:
        pair: The folder.
        before: The keys of what the target had before the copy, with its flags.
    """
    if pair.is_equal or pair.target is None:
        return []

    return [
        message for message in pair.messages if message.key not in before and _lacks_flags(message)
    ]


def show_differences(differences: Sequence[Difference]) -> list[dict[str, str]]:
    """Return the differences for a result, of many the first."""
    visible = [difference.show() for difference in differences[:MOST_DIFFERENCES]]
    more = len(differences) - len(visible)
    if more:
        visible.append({"folder": "", "why": f"{more} more differences"})

    return visible


def _pair_messages(source: Folder, target: Folder | None) -> Iterator[MessagePair]:
    """Yield each message of a folder of the source with the one on the target that is it."""
    on_target: Mapping[tuple[int, str], Message] = {}
    if target is not None:
        on_target = _number_messages(target.messages)
    for numbered_guid, message in _number_messages(source.messages).items():
        identity = (source.guid, *numbered_guid)
        yield MessagePair(identity, message, on_target.get(numbered_guid))


def _number_messages(messages: Sequence[Message]) -> Mapping[tuple[int, str], Message]:
    """Return messages by a number and their GUID: a format may keep the GUID for a second copy."""
    numbered = {(0, message.guid): message for message in messages}
    if len(numbered) == len(messages):
        return numbered

    numbered = {}
    counts: dict[str, int] = {}
    for message in messages:
        number = counts.get(message.guid, 0)
        counts[message.guid] = number + 1
        numbered[number, message.guid] = message

    return numbered


def _has_all_messages(pair: FolderPair) -> bool:
    if pair.target is None:
        return False

    return all(message.target is not None for message in pair.messages)


def _is_settled(pair: FolderPair, target: Folder, seen: Set[str], is_in_use: bool) -> bool:
    if pair.is_equal:
        return True
    if _identify(target) != _identify(pair.source):
        return False
    for message in pair.messages:
        if not _is_settled_message(message, seen, is_in_use):
            return False

    return not _has_deleted_messages(pair, target, seen)


def _name_folder(folder: Folder) -> tuple[str, str]:
    return folder.guid, folder.name


def _identify(folder: Folder) -> tuple[str, str, int]:
    return folder.name, folder.guid, folder.uid_validity


def _is_settled_message(message: MessagePair, seen: Set[str], is_in_use: bool) -> bool:
    if message.source == message.target:
        return True
    if message.target is None:
        return message.key in seen
    if _lacks_flags(message):
        return False

    return is_in_use or not _have_other(message, "flags")


def _has_deleted_messages(pair: FolderPair, target: Folder, seen: Set[str]) -> bool:
    """Tell whether the target holds what the source has deleted since it was copied."""
    on_source = {message.identity for message in pair.messages}
    for numbered_guid in _number_messages(target.messages):
        identity = (target.guid, *numbered_guid)
        if identity not in on_source and _make_message_key(identity) in seen:
            return True

    return False


def _make_keys(folder: Folder) -> set[str]:
    return {make_folder_key(folder)} | make_message_keys(folder)


def _make_message_key(identity: tuple[str, int, str]) -> str:
    folder, number, guid = identity

    return _make_key(f"{folder}/{number}/{guid}")


def _make_key(text: str) -> str:
    # A format of mailboxes may make the GUID of a message from its headers.
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass"))

    return digest.hexdigest()[:32]


def _compare_folder(pair: FolderPair) -> list[Difference]:
    source, target = pair.source, pair.target
    if target is None:
        return [Difference(source.name, "it is missing on the target")]

    differences = []
    if target.name != source.name:
        renamed = f"is {show_name(target.name)} on the target"
        differences.append(Difference(source.name, renamed))
    missing = [message.source for message in pair.messages if message.target is None]
    paired = {message.target.uid for message in pair.messages if message.target is not None}
    added = [message for message in target.messages if message.uid not in paired]
    renumbered = [message.source for message in pair.messages if _have_other(message, "uid")]
    flagged = [message.source for message in pair.messages if _have_other(message, "flags")]
    differences += _compare_validity(source, target)
    differences += _describe_messages(source, "missing on the target", missing)
    differences += _describe_messages(source, "only on the target", added)
    differences += _describe_messages(source, "there with another UID", renumbered)
    differences += _describe_messages(source, "there with other flags", flagged)

    return differences + _compare_content(source, pair.messages)


def _compare_validity(source: Folder, target: Folder) -> list[Difference]:
    if source.uid_validity == target.uid_validity:
        return []

    validity = f"the UIDVALIDITY {target.uid_validity} on the target, not {source.uid_validity}"

    return [Difference(source.name, f"has {validity}")]


def _compare_content(folder: Folder, pairs: Sequence[MessagePair]) -> list[Difference]:
    sizes = [pair.source for pair in pairs if _have_other(pair, "size")]
    dates = [pair.source for pair in pairs if _have_other(pair, "received")]
    differences = _describe_messages(folder, "there with another size", sizes)

    return differences + _describe_messages(folder, "there with another date", dates)


def _have_other(pair: MessagePair, field: str) -> bool:
    if pair.target is None:
        return False

    return bool(getattr(pair.source, field) != getattr(pair.target, field))


def _lacks_flags(pair: MessagePair) -> bool:
    if pair.target is None:
        return False

    return not set(pair.source.flags) <= set(pair.target.flags)


def _explain_missing_folder(
    pair: FolderPair, missing: Sequence[Message], seen: Set[str]
) -> list[Difference]:
    if pair.key not in seen:
        return [Difference(pair.source.name, "it is missing on the target")]

    return _describe_messages(
        pair.source, "missing on the target, which deleted the IMAP folder", missing
    )


def _describe_messages(
    folder: Folder, problem: str, messages: Sequence[Message]
) -> list[Difference]:
    if not messages:
        return []

    uids = sorted(message.uid for message in messages)
    numbers = ", ".join(str(uid) for uid in uids[:_MOST_UIDS])
    if len(uids) > _MOST_UIDS:
        numbers += ", ..."
    count = show_count(len(uids), "message is", "messages are")

    return [Difference(folder.name, f"{count} {problem} (UID {numbers})")]


def _name_unreadable(mailbox: Mailbox, host: str) -> list[Difference]:
    problem = f"is listed by doveadm on the {host}, which cannot open it"

    return [Difference(name, problem) for name in mailbox.unreadable]

"""Which mailboxes are equal, and which have everything of others."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.comparison import (
    MOST_DIFFERENCES,
    Difference,
    MailboxComparison,
    find_copied,
    find_doubled,
    find_other_validity,
    find_renewed,
    find_settled,
    find_uncopied,
    find_unequal,
    forget_withdrawn,
    make_folder_key,
    make_message_keys,
    show_differences,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.listing import (
    Folder,
    Mailbox,
    Message,
)

FIRST = Message(1, "g1", 10, ("\\Seen",), 1000)
SECOND = Message(2, "g2", 20, (), 2000)
INBOX = Folder("INBOX", "f1", 7, (FIRST, SECOND))
WORK = Folder("INBOX.Work", "f2", 8, ())
SOURCE = Mailbox((INBOX, WORK))
NO_KEYS: frozenset[str] = frozenset()


def find_missing(
    target: Mailbox, seen: frozenset[str] = NO_KEYS, source: Mailbox = SOURCE
) -> list[tuple[str, str]]:
    """Return what a copy to the target would have left out."""
    differences = find_uncopied(MailboxComparison(source, target), seen, NO_KEYS)
    return [(difference.folder, difference.reason) for difference in differences]


def test_mailbox_is_equal_to_itself_and_has_everything_of_itself() -> None:
    assert find_unequal(MailboxComparison(SOURCE, SOURCE)) == []
    assert find_missing(SOURCE) == []


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (FIRST._replace(uid=9), "1 message is there with another UID (UID 1)"),
        (FIRST._replace(size=11), "1 message is there with another size (UID 1)"),
        (FIRST._replace(flags=()), "1 message is there with other flags (UID 1)"),
        (FIRST._replace(received=1001), "1 message is there with another date (UID 1)"),
    ],
    ids=["UID", "size", "flags", "date"],
)
def test_each_field_of_a_message_is_compared(changed: Message, reason: str) -> None:
    target = Mailbox((INBOX._replace(messages=(changed, SECOND)), WORK))
    assert find_unequal(MailboxComparison(SOURCE, target)) == [Difference("INBOX", reason)]


def test_copy_may_give_a_message_another_number_and_the_target_other_flags() -> None:
    renumbered = FIRST._replace(uid=9, flags=("\\Answered", "\\Seen"))
    assert find_missing(Mailbox((INBOX._replace(messages=(SECOND, renumbered)), WORK))) == []


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (FIRST._replace(size=11), "1 message is there with another size (UID 1)"),
        (FIRST._replace(received=1), "1 message is there with another date (UID 1)"),
        (FIRST._replace(flags=()), "1 message is without a flag of the source (UID 1)"),
        (FIRST._replace(guid="g9"), "1 message is missing on the target (UID 1)"),
    ],
    ids=["size", "date", "flag", "identity"],
)
def test_copy_must_keep_what_a_message_is(changed: Message, reason: str) -> None:
    target = Mailbox((INBOX._replace(messages=(changed, SECOND)), WORK))
    assert find_missing(target) == [("INBOX", reason)]


def test_other_uidvalidity_is_a_difference_in_each_mode() -> None:
    target = Mailbox((INBOX._replace(uid_validity=6), WORK))
    reason = "has the UIDVALIDITY 6 on the target, not 7"
    assert find_unequal(MailboxComparison(SOURCE, target)) == [Difference("INBOX", reason)]
    assert find_missing(target) == [("INBOX", reason)]


@pytest.mark.parametrize(
    ("counterpart", "is_other"),
    [
        (INBOX, False),
        (INBOX._replace(uid_validity=9), True),
        (INBOX._replace(uid_validity=9, guid="not copied yet"), False),
        (WORK, False),
    ],
    ids=["the same", "other", "not copied yet", "missing"],
)
def test_copied_folder_with_another_uidvalidity_is_found(
    counterpart: Folder, is_other: bool
) -> None:
    comparison = MailboxComparison(Mailbox((INBOX,)), Mailbox((counterpart,)))
    assert find_other_validity(comparison) == ([(INBOX, counterpart)] if is_other else [])


def test_what_the_target_once_had_is_not_missing() -> None:
    comparison = MailboxComparison(SOURCE, SOURCE)
    everything = frozenset(comparison.present)
    assert everything == comparison.keys
    assert find_missing(Mailbox(()), everything) == []
    assert len(find_missing(Mailbox(()))) == 2


def test_deleted_folder_is_named_where_new_mail_is_in_it() -> None:
    seen = frozenset(MailboxComparison(SOURCE, SOURCE).present)
    source = Mailbox((INBOX, WORK._replace(messages=(FIRST,))))
    reason = "1 message is missing on the target, which deleted the IMAP folder (UID 1)"
    assert find_missing(Mailbox((INBOX,)), seen, source) == [("INBOX.Work", reason)]


def test_second_copy_of_a_message_in_a_folder_is_missed_alone() -> None:
    twice = Mailbox((INBOX._replace(messages=(FIRST, FIRST._replace(uid=5))),))
    once = Mailbox((INBOX._replace(messages=(FIRST,)),))
    assert find_missing(once, source=twice) == [
        ("INBOX", "1 message is missing on the target (UID 5)")
    ]


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ([WORK._replace(name="INBOX.Jobs")], "INBOX.Jobs"),
        ([WORK._replace(guid="f9")], "INBOX.Work"),
        ([WORK._replace(name="INBOX.Jobs"), WORK._replace(guid="f9")], "INBOX.Jobs"),
        ([WORK._replace(guid="f1")], None),
    ],
    ids=["other name", "other GUID", "GUID first", "GUID of another folder"],
)
def test_folder_is_found_by_guid_and_else_by_name(target: list[Folder], name: str | None) -> None:
    pair = MailboxComparison(SOURCE, Mailbox(tuple(target))).pairs[1]
    assert (pair.target.name if pair.target else None) == name


def test_folder_that_only_the_target_has_is_a_copy_if_nothing_in_it_is_its_own() -> None:
    copied = Folder("INBOX.Old", "f8", 1, (FIRST,))
    seen = MailboxComparison(Mailbox((copied,)), Mailbox(())).keys
    grown = copied._replace(messages=(FIRST, SECOND))
    target = Mailbox((INBOX, copied))
    assert MailboxComparison(SOURCE, target).unpaired == [copied]
    assert find_copied(copied, seen) == [FIRST.uid]
    assert find_copied(grown, seen) is None
    assert find_copied(copied, NO_KEYS) is None


def test_what_the_source_has_deleted_is_forgotten_once_the_target_has_deleted_it_too() -> None:
    seen = MailboxComparison(SOURCE, SOURCE).present
    withdrawn = seen - MailboxComparison(Mailbox((INBOX._replace(messages=()),)), SOURCE).keys
    target = Mailbox((INBOX._replace(messages=(SECOND,)), WORK))
    forgotten = seen - MailboxComparison(SOURCE, target).present
    assert len(forgotten) == 1
    assert forget_withdrawn(seen, withdrawn, SOURCE) == seen
    assert forget_withdrawn(seen, withdrawn, target) == seen - forgotten
    assert forget_withdrawn(seen, NO_KEYS, target) == seen


def test_folder_that_was_copied_with_the_files_of_another_one_is_the_targets_alone() -> None:
    double = INBOX._replace(name="INBOX.Copy")
    assert MailboxComparison(SOURCE, Mailbox((INBOX, WORK, double))).unpaired == [double]


@pytest.mark.parametrize(
    ("target", "is_settled"),
    [
        (INBOX, True),
        (INBOX._replace(messages=(FIRST, SECOND, FIRST._replace(guid="own"))), True),
        (INBOX._replace(messages=(FIRST,)), False),
        (INBOX._replace(name="INBOX.Other"), False),
        (INBOX._replace(guid="f9"), False),
        (INBOX._replace(uid_validity=9), False),
        (INBOX._replace(messages=(FIRST._replace(flags=()), SECOND)), False),
    ],
    ids=["equal", "own mail", "missing", "other name", "other GUID", "UIDVALIDITY", "flags"],
)
def test_folder_is_settled_where_nothing_has_to_be_copied(target: Folder, is_settled: bool) -> None:
    comparison = MailboxComparison(Mailbox((INBOX,)), Mailbox((target,)))
    assert find_settled(comparison, comparison.present) == (["INBOX"] if is_settled else [])


def test_settled_folder_may_miss_what_was_deleted_and_have_flags_of_its_own() -> None:
    flagged = SECOND._replace(flags=("\\Seen",))
    target = Mailbox((INBOX._replace(messages=(flagged,)),))
    comparison = MailboxComparison(Mailbox((INBOX,)), target)
    assert find_settled(comparison, comparison.keys) == []
    assert find_settled(comparison, comparison.keys, is_in_use=True) == ["INBOX"]


def test_folder_in_which_the_source_has_deleted_something_is_not_settled() -> None:
    seen = MailboxComparison(SOURCE, Mailbox(())).keys
    source = Mailbox((INBOX._replace(messages=(SECOND,)),))
    assert find_settled(MailboxComparison(source, SOURCE), seen) == []


def test_folder_that_does_not_open_is_a_difference() -> None:
    source = Mailbox((INBOX, WORK), ("INBOX.a\nb",))
    assert [folder for folder, _reason in find_missing(SOURCE, source=source)] == ["INBOX.a\nb"]
    assert (
        show_differences(find_unequal(MailboxComparison(source, SOURCE)))[0]["folder"]
        == "INBOX.a\\x0ab"
    )


def test_of_many_differences_the_first_are_named_and_the_others_counted() -> None:
    differences = [Difference(str(number), "why") for number in range(MOST_DIFFERENCES + 5)]
    visible = show_differences(differences)
    assert len(visible) == MOST_DIFFERENCES + 1
    assert visible[-1] == {"folder": "", "why": "5 more differences"}


def test_of_many_messages_the_first_uids_are_named() -> None:
    messages = tuple(Message(uid, f"g{uid}", 1, (), 1) for uid in range(1, 31))
    source = Mailbox((INBOX._replace(messages=messages),))
    target = Mailbox((INBOX._replace(messages=()),))
    reason = "30 messages are missing on the target (UID 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...)"
    assert find_missing(target, source=source) == [("INBOX", reason)]


DELIVERED = Message(3, "own", 30, (), 3000)
READ = DELIVERED._replace(uid=4, flags=("\\Seen",))


def find_doubled_uids(
    before: tuple[Message, ...], after: tuple[Message, ...], former: Folder = INBOX
) -> dict[str, list[int]]:
    """Return the UIDs that are second copies in the INBOX of the target, which was another one."""
    held = Mailbox((former._replace(messages=before),))
    return find_doubled(SOURCE, held, Mailbox((INBOX._replace(messages=after),)))


def test_of_a_message_that_a_copy_doubled_the_one_with_flags_stays() -> None:
    assert find_doubled_uids((FIRST,), (FIRST, DELIVERED, DELIVERED._replace(uid=4))) == {"f1": [4]}
    assert find_doubled_uids((FIRST,), (FIRST, DELIVERED, READ)) == {"f1": [3]}
    assert find_doubled_uids((DELIVERED,), (DELIVERED, READ)) == {"f1": [3]}


def test_what_was_there_twice_before_or_is_of_the_source_is_no_second_copy() -> None:
    assert find_doubled_uids((DELIVERED, READ), (DELIVERED, READ)) == {}
    assert find_doubled_uids((), (FIRST, FIRST._replace(uid=9))) == {}


def test_a_folder_that_was_not_there_before_has_no_second_copies() -> None:
    neighbour = INBOX._replace(name="INBOX.Other", guid="f9")
    assert find_doubled_uids((), (DELIVERED, READ), neighbour) == {}
    assert find_doubled_uids((), (DELIVERED, READ), INBOX._replace(guid="f9")) == {"f1": [3]}


def test_messages_of_a_folder_that_the_source_made_anew_are_those_of_before() -> None:
    former = MailboxComparison(SOURCE, SOURCE)
    renewed = INBOX._replace(guid="renewed")
    comparison = MailboxComparison(Mailbox((renewed, WORK)), SOURCE)
    seen = make_message_keys(INBOX._replace(messages=(FIRST,))) | {make_folder_key(INBOX)}

    assert find_renewed(comparison, seen) == make_message_keys(renewed._replace(messages=(FIRST,)))
    assert find_renewed(comparison, NO_KEYS) == set()
    assert find_renewed(former, seen) == set()
    assert find_renewed(MailboxComparison(Mailbox((renewed,)), Mailbox(())), seen) == set()

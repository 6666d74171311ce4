"""Which messages a killed dsync has left twice on the target."""

from __future__ import annotations

from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.comparison import (
    MailboxComparison,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.leftovers import (
    Copy,
    digest_guids,
    find_leftovers,
    find_renumbered,
    find_suspects,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.listing import (
    Folder,
    Mailbox,
    Message,
)

NO_KEYS: frozenset[str] = frozenset()
FIRST = Message(1, "g1", 10, ("\\Seen",), 1000)
SECOND = Message(2, "g2", 20, (), 2000)
OWN = Message(3, "own", 30, (), 3000)
# What the killed dsync made of the second message, and did not note whose copy it is.
LEFTOVER = SECOND._replace(uid=7, guid="made by dsync")
DIGESTS = {1: "first", 2: "second", 3: "own", 7: "second", 8: "second", 9: "own"}


def make_mailbox(*messages: Message) -> Mailbox:
    """Return a mailbox with these messages in INBOX."""
    return Mailbox((Folder("INBOX", "INBOX", 7, messages),))


SOURCE = make_mailbox(FIRST, SECOND)
FORMER = digest_guids(make_mailbox(FIRST, OWN))


def find_uids(
    *messages: Message,
    digests: dict[int, str] = DIGESTS,
    deleted: frozenset[str] = NO_KEYS,
) -> list[int]:
    """Return the UIDs of leftovers in a folder with these messages."""
    return [copy.uid for copy in find_copies(*messages, digests=digests, deleted=deleted)]


def find_copies(
    *messages: Message,
    digests: dict[int, str] = DIGESTS,
    deleted: frozenset[str] = NO_KEYS,
    is_in_use: bool = True,
) -> list[Copy]:
    """Return the leftovers in a folder with these messages."""
    comparison = MailboxComparison(SOURCE, make_mailbox(*messages))
    copies = []
    for suspects in find_suspects(comparison, FORMER, deleted):
        copies += find_leftovers(suspects, digests, is_in_use)
    return copies


def test_unknown_message_with_the_text_of_one_of_the_source_is_a_leftover() -> None:
    assert find_copies(FIRST, SECOND, OWN, LEFTOVER) == [Copy("INBOX", 7, 2, ())]


def test_each_leftover_is_found_also_of_two_killed_runs() -> None:
    second = LEFTOVER._replace(uid=8, guid="made by another dsync")

    assert find_uids(FIRST, SECOND, OWN, LEFTOVER, second) == [7, 8]


def test_second_copy_of_a_message_that_the_target_had_before_is_a_leftover_too() -> None:
    copy = OWN._replace(uid=9, guid="made by dsync")

    assert find_uids(FIRST, OWN, copy) == [9]


def test_message_that_was_there_before_the_killed_run_is_none() -> None:
    comparison = MailboxComparison(SOURCE, make_mailbox(FIRST, SECOND, LEFTOVER))
    former = digest_guids(make_mailbox(LEFTOVER))

    assert find_suspects(comparison, former, NO_KEYS) == []


def test_message_that_is_not_there_once_more_is_none() -> None:
    assert find_uids(FIRST, OWN, LEFTOVER) == []


def test_message_of_another_text_size_or_date_is_none() -> None:
    other_size = LEFTOVER._replace(size=21)
    other_date = LEFTOVER._replace(received=2001)

    assert find_uids(FIRST, SECOND, LEFTOVER, digests={**DIGESTS, 7: "another"}) == []
    assert find_uids(FIRST, SECOND, other_size) == []
    assert find_uids(FIRST, SECOND, other_date) == []


def test_message_whose_text_cannot_be_read_is_none() -> None:
    assert find_uids(FIRST, SECOND, LEFTOVER, digests={2: "second"}) == []
    assert find_uids(FIRST, SECOND, LEFTOVER, digests={7: "second"}) == []


def test_copy_that_a_customer_made_of_a_leftover_stays() -> None:
    assert find_uids(FIRST, SECOND, LEFTOVER, LEFTOVER._replace(uid=8)) == [7]


def test_message_in_another_folder_than_its_copy_is_none() -> None:
    work = Folder("INBOX.Work", "work", 8, (LEFTOVER,))
    source = Mailbox((*SOURCE.folders, work._replace(messages=())))
    target = Mailbox((*SOURCE.folders, work))

    assert find_suspects(MailboxComparison(source, target), FORMER, NO_KEYS) == []


def test_copy_of_what_the_target_had_deleted_and_loses_again_is_none() -> None:
    # Where Dovecot has lost GUIDs, all that was copied before is there as something unknown.
    comparison = MailboxComparison(SOURCE, SOURCE)
    deleted = frozenset(comparison.keys)
    lost_guid = FIRST._replace(uid=8, guid="another")
    digests = {**DIGESTS, 8: "first"}

    assert find_uids(FIRST, SECOND, LEFTOVER, lost_guid, digests=digests, deleted=deleted) == []


def test_flags_that_only_the_leftover_has_are_handed_on() -> None:
    flagged = LEFTOVER._replace(flags=("$Label", "\\Seen"))
    original = SECOND._replace(flags=("\\Answered", "\\Seen"))

    assert find_copies(FIRST, original, flagged) == [Copy("INBOX", 7, 2, ("$Label",))]


def test_message_of_the_source_has_the_flags_of_the_source_before_the_target_is_used() -> None:
    flagged = LEFTOVER._replace(flags=("\\Seen",))
    copy_of_own = OWN._replace(uid=9, guid="made by it too", flags=("\\Seen",))

    assert find_copies(SECOND, OWN, flagged, copy_of_own, is_in_use=False) == [
        Copy("INBOX", 7, 2, ()),
        Copy("INBOX", 9, 3, ("\\Seen",)),
    ]


def test_folders_with_the_same_guid_have_no_leftovers() -> None:
    folder = Folder("INBOX", "INBOX", 7, (FIRST, SECOND, LEFTOVER))
    twice = Mailbox((folder, folder._replace(name="INBOX.Copied files")))

    assert find_suspects(MailboxComparison(SOURCE, twice), FORMER, NO_KEYS) == []


# Its UID is that of a message of the source, which got another one on the target.
KEPT = OWN._replace(uid=2, flags=("\\Flagged",))
MOVED = OWN._replace(uid=6)
SECOND_MOVED = SECOND._replace(uid=5)


def find_copies_with_two_uids(*messages: Message) -> list[Copy]:
    """Return what has its former UID as well as another in a folder with these messages."""
    return find_renumbered(MailboxComparison(SOURCE, make_mailbox(*messages)))


def test_message_that_has_its_former_uid_as_well_is_there_twice() -> None:
    copies = find_copies_with_two_uids(FIRST, KEPT, SECOND_MOVED, MOVED)

    assert copies == [Copy("INBOX", 2, 6, ("\\Flagged",))]


def test_copy_that_a_customer_made_of_a_message_with_a_uid_of_its_own_stays() -> None:
    assert find_copies_with_two_uids(FIRST, SECOND, OWN, MOVED) == []
    assert find_copies_with_two_uids(FIRST, SECOND_MOVED, MOVED, OWN._replace(uid=7)) == []


def test_copy_that_a_customer_made_before_dsync_made_room_stays() -> None:
    assert find_copies_with_two_uids(FIRST, KEPT, MOVED) == []


def test_second_message_with_one_guid_on_the_source_stays() -> None:
    source = make_mailbox(FIRST, SECOND, SECOND._replace(uid=3))
    target = make_mailbox(FIRST, SECOND._replace(uid=3), SECOND._replace(uid=4))

    assert find_renumbered(MailboxComparison(source, target)) == []


def test_message_with_its_former_uid_alone_stays() -> None:
    assert find_copies_with_two_uids(FIRST, KEPT, SECOND_MOVED) == []

"""What runs keep of a mailbox, and its form in a file."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.comparison import (
    MailboxComparison,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.kept_mailbox import (
    KEPT,
    KeptMailbox,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.listing import (
    Folder,
    Mailbox,
    Totals,
)

SOURCE = Mailbox((Folder("INBOX", "i", 1, ()),), printed=(b"listing",))
COPIED = KeptMailbox(
    inbox="i",
    seen=frozenset({"b", "a"}),
    memory={"f": frozenset({"d", "c"})},
    origin=": info@mail.example",
    settings=("namespace/inbox/prefix=",),
    message_count=2,
    folder_count=1,
    source_digest="source",
    printed_digest=SOURCE.digest_of_printed,
    unflagged=frozenset({"h", "g"}),
)
# What a run keeps before dsync runs, and what is there after it is killed.
KILLED = replace(
    COPIED,
    folder_count=0,
    printed_digest="",
    was_interrupted=True,
    deleted=frozenset({"b"}),
    withdrawn=frozenset({"d"}),
    former=frozenset({"f", "e"}),
    inbox_of_source="s",
)
COMMON = {
    "inbox": "i",
    "seen": ["a", "b"],
    "of_folders": {"f": ["c", "d"]},
    "origin": ": info@mail.example",
    "settings": ["namespace/inbox/prefix="],
    "messages": 2,
    "source": "source",
    "unflagged": ["g", "h"],
}


def test_the_file_of_a_run_that_came_to_its_end_has_what_doveadm_printed() -> None:
    values = {**COMMON, "folders": 1, "printed": SOURCE.digest_of_printed}

    assert COPIED.write() == values
    assert KeptMailbox.read(values) == COPIED


def test_the_file_of_a_killed_run_has_what_was_there_and_deleted_even_if_that_is_nothing() -> None:
    nothing_before = replace(KILLED, deleted=frozenset(), former=frozenset())
    before_sync = {"deleted": ["b"], "withdrawn": ["d"], "former": ["e", "f"]}
    values = {**COMMON, **before_sync, "inbox_of_source": "s"}

    assert KILLED.write() == values
    assert nothing_before.write() == {**values, "deleted": [], "former": []}
    assert KeptMailbox.read(values) == KILLED
    assert KeptMailbox.read(nothing_before.write()).was_interrupted


def test_each_value_of_the_file_has_a_form() -> None:
    assert set(KEPT.forms) == {*COPIED.write(), *KILLED.write()}


def test_nothing_is_kept_before_the_first_run() -> None:
    assert KeptMailbox.read({}) == KeptMailbox()


def test_a_mailbox_that_was_created_again_has_had_nothing() -> None:
    created_again = Mailbox((Folder("INBOX", "another", 1, ()),))
    kept = KILLED.adapt_to_mailbox(created_again)

    assert KILLED.adapt_to_mailbox(SOURCE) == KILLED
    assert (kept.seen, kept.memory, kept.deleted) == (set(), {}, set())
    # The first copy gives INBOX another GUID, so this may be the mailbox of before.
    assert kept.former == {"e", "f"}
    assert (kept.origin, kept.message_count, kept.source_digest) == (
        ": info@mail.example",
        2,
        "source",
    )


def test_a_mailbox_that_a_killed_run_gave_the_inbox_of_the_source_is_the_same() -> None:
    as_on_source = Mailbox((Folder("INBOX", "s", 1, ()),))

    assert KILLED.adapt_to_mailbox(as_on_source).seen == {"a", "b"}
    assert COPIED.adapt_to_mailbox(as_on_source).seen == set()
    assert COPIED.adapt_to_mailbox(Mailbox(())).seen == set()


def test_only_a_run_that_came_to_its_end_has_copied_all() -> None:
    changed_source = replace(SOURCE, printed=(b"another listing",))
    created_again = Mailbox((Folder("INBOX", "another", 1, ()),))

    assert COPIED.has_copied(MailboxComparison(SOURCE, SOURCE))
    assert not COPIED.has_copied(MailboxComparison(changed_source, SOURCE))
    assert not COPIED.has_copied(MailboxComparison(SOURCE, created_again))
    assert not KILLED.has_copied(MailboxComparison(SOURCE, SOURCE))
    interrupted = replace(COPIED, was_interrupted=True)
    assert not interrupted.has_copied(MailboxComparison(SOURCE, SOURCE))


def test_what_is_printed_as_after_the_copy_has_the_totals_of_the_copy() -> None:
    assert COPIED.find_totals(SOURCE.digest_of_printed) == Totals(1, 2, "source")
    assert COPIED.find_totals("another") is None
    # Not all is printed of a mailbox with a folder that does not open.
    assert KILLED.find_totals("") is None

"""Which second copies of its own messages a killed run has left on the target."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content import host_tools
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.commands import (
    MailboxName,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.comparison import (
    MailboxComparison,
    digest_guid,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.dsync_notes import (
    DsyncNotes,
    DsyncProcess,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.leftovers import Copy
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.listing import (
    Folder,
    Mailbox,
    Message,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.maildir import (
    parse_uidlist,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.reading import (
    MailboxAccess,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.second_copies import (
    digest_repeated,
    find_second_copies,
    has_equal_messages,
    read_files,
)

TARGET = MailboxAccess(MailboxName("info@mail.example"), "address", "doveadm_args")
HOST = os.uname().nodename
# No process has these: they are above what a kernel gives.
FIRST_DSYNC = DsyncProcess(2**22 + 7, 1_700_000_100)
SECOND_DSYNC = DsyncProcess(2**22 + 8, 1_700_000_200)
NOTES = DsyncNotes((FIRST_DSYNC, SECOND_DSYNC))
# What dsync has read of the source, the message that was delivered, and the copies of it.
COPIED = "1700000000.M1P1.old.example"
OWN = f"1700000050.M2P77.{HOST},S=10,W=12"
MADE = f"1700000100.M3P{FIRST_DSYNC.number}.{HOST},S=10,W=12"
MADE_LATER = f"1700000200.M4P{SECOND_DSYNC.number}.{HOST},S=10,W=12"
BY_CUSTOMER = f"1700000100.M5P78.{HOST},S=10,W=12"
BY_CUSTOMER_BEFORE = f"1700000060.M5P78.{HOST},S=10,W=12"


@pytest.fixture
def maildir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty Maildir, and let doveadm tell its directory."""
    program = tmp_path / "doveadm"
    text = json.dumps([{"path": str(tmp_path / "mail")}])
    program.write_text(f"#!/bin/sh\necho '{text}'\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", f"{tmp_path}:{os.defpath}")
    for name in ("cur", "new", "tmp"):
        (tmp_path / "mail" / name).mkdir(parents=True)
    return tmp_path / "mail"


def note_messages(maildir: Path, *files: str, guid: str = OWN) -> list[Message]:
    """Let Dovecot have registered these files, which have one GUID, and return the messages."""
    lines = ["3 V7 N90 Ginbox", f"1 W12 :{COPIED}"]
    messages = [Message(1, COPIED, 10, (), 1000)]
    for uid, file in enumerate(files, 2):
        # It notes no GUID that is the name of the file.
        field = "" if file == guid else f"G{guid} "
        lines.append(f"{uid} {field}:{file}")
        messages.append(Message(uid, guid, 10, (), 1000))
    (maildir / "dovecot-uidlist").write_text("\n".join([*lines, ""]), encoding="ascii")
    return messages


def compare(*messages: Message, of_source: tuple[Message, ...] = ()) -> MailboxComparison:
    """Return a comparison of mailboxes with these messages in INBOX."""
    copied = Message(1, COPIED, 10, (), 1000)
    source = Mailbox((Folder("INBOX", "inbox", 7, (copied, *of_source)),))
    return MailboxComparison(source, Mailbox((Folder("INBOX", "inbox", 7, messages),)))


def find_uids(
    maildir: Path, *files: str, notes: DsyncNotes = NOTES, guid: str = OWN
) -> dict[int, int]:
    """Return the UIDs of second copies with those of the messages that stay."""
    comparison = compare(*note_messages(maildir, *files, guid=guid))
    copies = find_second_copies(comparison, read_files(TARGET, notes), notes.repeated)
    return {copy.uid: copy.original for copy in copies}


def test_copy_that_dsync_made_of_a_message_is_found_on_either_side_of_it(maildir: Path) -> None:
    assert find_uids(maildir, MADE, OWN) == {2: 3}
    assert find_uids(maildir, OWN, MADE) == {3: 2}


def test_copy_that_a_later_dsync_made_of_the_copy_of_an_earlier_one_stays(maildir: Path) -> None:
    assert find_uids(maildir, MADE, MADE_LATER) == {2: 3}


def test_each_copy_is_found_where_the_message_itself_is_there_too(maildir: Path) -> None:
    assert find_uids(maildir, MADE, MADE_LATER, OWN) == {2: 4, 3: 4}


def test_message_with_no_other_copy_is_none(maildir: Path) -> None:
    assert find_uids(maildir, OWN) == {}
    assert find_uids(maildir, MADE) == {}


def test_copy_that_a_customer_made_stays(maildir: Path) -> None:
    assert find_uids(maildir, OWN, BY_CUSTOMER) == {}


def test_copy_that_a_customer_made_of_the_one_of_dsync_stays_with_it(maildir: Path) -> None:
    assert find_uids(maildir, MADE, BY_CUSTOMER) == {}


def test_copy_stays_where_the_other_file_does_not_say_when_it_was_made(maildir: Path) -> None:
    assert find_uids(maildir, "named-by-a-customer", MADE, guid="0" * 32) == {}


def test_copy_of_a_message_that_a_customer_had_copied_from_elsewhere_is_found(
    maildir: Path,
) -> None:
    assert find_uids(maildir, BY_CUSTOMER_BEFORE, MADE) == {3: 2}


def test_message_that_was_there_twice_before_is_none(maildir: Path) -> None:
    messages = note_messages(maildir, OWN, BY_CUSTOMER)
    repeated = digest_repeated(compare(*messages).target)
    assert repeated == {digest_guid(messages[1])}
    notes = DsyncNotes(NOTES.processes, repeated)
    assert find_uids(maildir, BY_CUSTOMER_BEFORE, MADE, notes=notes) == {}


@pytest.mark.parametrize(("uid", "second"), [(3, 2), (9, 3)], ids=["its UID", "another UID"])
def test_copy_of_a_message_of_the_source_is_found_that_has_not_its_uid(
    maildir: Path, uid: int, second: int
) -> None:
    messages = note_messages(maildir, MADE, MADE_LATER)
    comparison = compare(*messages, of_source=(Message(uid, OWN, 10, (), 1000),))
    copies = find_second_copies(comparison, read_files(TARGET, NOTES), frozenset())
    assert [copy.uid for copy in copies] == [second]


def test_message_that_the_source_has_twice_is_none(maildir: Path) -> None:
    messages = note_messages(maildir, MADE, MADE_LATER)
    on_source = Message(8, OWN, 10, (), 1000)
    comparison = compare(*messages, of_source=(on_source, on_source._replace(uid=9)))
    assert find_second_copies(comparison, read_files(TARGET, NOTES), frozenset()) == []


def test_copy_that_a_customer_made_of_a_message_of_the_source_stays(maildir: Path) -> None:
    messages = note_messages(maildir, MADE, BY_CUSTOMER)
    comparison = compare(*messages, of_source=(Message(2, OWN, 10, (), 1000),))
    assert find_second_copies(comparison, read_files(TARGET, NOTES), frozenset()) == []


def test_files_are_read_only_where_messages_are_equal(maildir: Path) -> None:
    messages = note_messages(maildir, MADE, OWN)
    assert has_equal_messages(compare(*messages), frozenset())
    assert not has_equal_messages(compare(*messages), {digest_guid(messages[1])})
    assert not has_equal_messages(compare(*messages[:2]), frozenset())


@pytest.mark.parametrize(
    "file",
    [
        f"1700000099.M3P{FIRST_DSYNC.number}.{HOST}",
        f"1700000100.M3P{FIRST_DSYNC.number}.other.example",
        f"1700000100.M3P1{FIRST_DSYNC.number}.{HOST}",
        f"now.M3P{FIRST_DSYNC.number}.{HOST}",
        f"P{FIRST_DSYNC.number}.{HOST}",
    ],
    ids=["before it", "other host", "other process", "no second", "other form"],
)
def test_file_that_no_noted_dsync_made_is_none(maildir: Path, file: str) -> None:
    assert find_uids(maildir, file, OWN) == {}


def test_nothing_is_found_while_a_dsync_runs(maildir: Path) -> None:
    streams = host_tools.Streams(subprocess.PIPE)
    with host_tools.start_command(["sh", "-c", "read -r end", "doveadm"], streams) as process:
        notes = DsyncNotes((*NOTES.processes, DsyncProcess(process.pid, 0)))
        assert find_uids(maildir, MADE, OWN, notes=notes) == {}


def test_nothing_is_found_where_no_dsync_was_noted(maildir: Path) -> None:
    assert find_uids(maildir, MADE, OWN, notes=DsyncNotes()) == {}


def test_nothing_is_found_where_dovecot_has_registered_something_else(maildir: Path) -> None:
    messages = note_messages(maildir, MADE, OWN, guid="of another message")
    listed = [message._replace(guid=OWN) for message in messages]
    assert find_second_copies(compare(*listed), read_files(TARGET, NOTES), frozenset()) == []
    (maildir / "dovecot-uidlist").unlink()
    assert read_files(TARGET, NOTES) == {}
    (maildir / "dovecot-uidlist").symlink_to(maildir.parent / "elsewhere")
    assert read_files(TARGET, NOTES) == {}


def test_nothing_is_found_where_doveadm_tells_no_directory(maildir: Path) -> None:
    (maildir.parent / "doveadm").write_text("#!/bin/sh\nexit 75\n", encoding="ascii")
    assert read_files(TARGET, NOTES) == {}


def test_flags_that_only_the_copy_has_are_handed_on(maildir: Path) -> None:
    copied, copy, delivered = note_messages(maildir, MADE, OWN)
    flagged = copy._replace(flags=("$Label",))
    files = read_files(TARGET, NOTES)
    copies = find_second_copies(compare(copied, flagged, delivered), files, frozenset())
    assert copies == [Copy("inbox", 2, 3, ("$Label",))]


def test_list_is_read_without_what_is_no_whole_line_of_it() -> None:
    lines = ["3 V7 N9 Gfolder", "1 Gguid W12 :a,S=1:2,S", "2 :b", "x :c", "3 W1", "4 :torn"]
    uidlist = parse_uidlist("\n".join(lines))
    assert uidlist.guid == "folder"
    assert uidlist.messages == [(1, "guid", "a,S=1"), (2, "b", "b")]
    assert parse_uidlist("") == ("", [])

"""What a dsync that is killed while it saves messages leaves, and what the next run makes of it."""

from __future__ import annotations

import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content import host_tools
from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from tests.content.test_mailbox_sync import (
    SECONDS,
    Move,
    compose_delivery,
    end,
    end_all,
    find_processes,
    let_sync,
    mailbox_copy,
    make_move,
)
from tests.support.dovecot import (
    RealMailbox,
    fill_maildir,
    make_mail_folder,
    write_messages,
    write_program,
)
from tests.support.needed import require_content_tools

# What the source and the target have before, and what the source has next.
EARLIER = 50
OWN = [f"own-{number}" for number in range(3)]
NEW = [f"new-{number}" for number in range(8)]


@pytest.fixture
def unused_move() -> Iterator[Move]:
    """Yield two mailboxes, of which the source has new mail since a copy."""
    require_content_tools("doveadm", "dovecot", "prlimit")
    with make_mail_folder() as folder:
        move = make_move(folder)
        fill_maildir(move.source.maildir, EARLIER, 300)
        move.copy()
        write_messages(move.source.maildir, *NEW)
        yield move


@pytest.fixture
def move(unused_move: Move) -> Move:
    """Return two mailboxes, of which both have new mail with the same UIDs since a copy."""
    for subject in OWN:
        unused_move.target.deliver(subject)
    return unused_move


def count_subjects(mailbox: RealMailbox) -> dict[str, int]:
    """Return how often each subject is in INBOX, of those that are there more than once."""
    counts = Counter(mailbox.list_subjects())
    return {subject: count for subject, count in counts.items() if count > 1}


def list_leftovers(move: Move) -> list[str]:
    """Return the subjects of messages of the source that have another GUID on the target."""
    rows = move.target.list_messages("INBOX", "guid", "hdr")
    subjects = [row["hdr"].splitlines()[0][9:] for row in rows if "old.example" not in row["guid"]]
    return sorted(subject for subject in subjects if subject in NEW)


def has_each_message_once(move: Move) -> bool:
    """Return whether the target has each message of both, and none twice."""
    subjects = move.target.list_subjects()
    expected = {*OWN, *NEW, *(f"message {number}" for number in range(EARLIER))}
    return len(subjects) == len(expected) and set(subjects) == expected


def kill_sync(move: Move, monkeypatch: pytest.MonkeyPatch, registered_bytes: int = 0) -> None:
    """Run a copy whose dsync is killed after it made all files, when it notes their GUIDs.

    What it has made stays, and Dovecot takes it for messages.

    Args:
        move: The mailboxes.
        monkeypatch: What puts the program in the place of doveadm.
        registered_bytes: What dsync may write into the list of GUIDs before.
    """
    kill_run(move, monkeypatch, registered_bytes)
    move.target.list_subjects()


def kill_run(move: Move, monkeypatch: pytest.MonkeyPatch, registered_bytes: int = 0) -> None:
    """Kill dsync as ``kill_sync`` does, and with it the run, which removes nothing any more."""
    with monkeypatch.context() as patch:
        patch.setattr(mailbox_copy, "remove_unregistered_files", lambda *_arguments: None)
        kill_dsync(move, patch, registered_bytes)


def kill_dsync(move: Move, monkeypatch: pytest.MonkeyPatch, registered_bytes: int = 0) -> None:
    """Kill dsync as ``kill_sync`` does, while the run itself goes on and ends with an error.

    The kernel kills a process that makes a file larger than its limit.
    """
    uidlist = move.target.maildir / "dovecot-uidlist"
    limit = (uidlist.stat().st_size if uidlist.exists() else 0) + registered_bytes
    script = f'exec prlimit --fsize={limit} /usr/bin/doveadm "$@"'
    with monkeypatch.context() as patch:
        let_sync(patch, move.folder, script)
        with pytest.raises(ContentError, match="ended by signal 25"):
            move.run()


def list_files(mailbox: RealMailbox) -> list[str]:
    """Return the files of messages in INBOX, also those that are not complete."""
    return sorted(
        path.name
        for directory in ("cur", "new", "tmp")
        for path in mailbox.maildir.glob(f"{directory}/*")
    )


@pytest.mark.parametrize("mode", ["copy", "late"])
@pytest.mark.parametrize("kill", [kill_dsync, kill_run], ids=["dsync alone", "all of it"])
@pytest.mark.parametrize("registered_bytes", [0, 300], ids=["no GUID", "some GUIDs"])
def test_messages_have_the_uids_of_the_source_after_a_killed_dsync_and_the_next_run(
    unused_move: Move,
    monkeypatch: pytest.MonkeyPatch,
    registered_bytes: int,
    kill: Callable[[Move, pytest.MonkeyPatch, int], None],
    mode: str,
) -> None:
    kill(unused_move, monkeypatch, registered_bytes)
    assert unused_move.copy(mode)["changed"] is True
    assert unused_move.compare() == []
    assert unused_move.copy(mode)["changed"] is False


def test_messages_that_are_read_between_a_killed_dsync_and_the_next_have_other_uids(
    unused_move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_sync(unused_move, monkeypatch)
    unused_move.copy()
    [difference] = unused_move.compare()
    assert f"{len(NEW)} messages are there with another UID" in difference["why"]


def test_dsync_that_is_killed_leaves_no_file_that_it_has_not_registered(
    unused_move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = list_files(unused_move.target)
    kill_dsync(unused_move, monkeypatch)
    assert list_files(unused_move.target) == before


def test_mail_that_arrives_after_a_killed_run_and_that_nobody_has_read_stays(
    unused_move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_run(unused_move, monkeypatch)
    write_messages(unused_move.target.maildir, "unread")
    unused_move.copy()
    assert unused_move.target.list_subjects().count("unread") == 1
    assert len(unused_move.target.list_subjects()) == EARLIER + len(NEW) + 1


def test_check_mode_after_a_killed_run_removes_nothing(
    unused_move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_run(unused_move, monkeypatch)
    before = len(list_files(unused_move.target))
    assert unused_move.run(is_check=True).values["changed"] is True
    assert len(list_files(unused_move.target)) == before


def test_messages_of_a_killed_dsync_have_guids_of_their_own(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_sync(move, monkeypatch)
    leftovers = list_leftovers(move)
    assert leftovers
    subjects = move.target.list_subjects()
    assert leftovers == [subject for subject in subjects if subject.startswith("new-")]
    assert count_subjects(move.target) == dict.fromkeys(OWN, 2)


@pytest.mark.parametrize("mode", ["copy", "late"])
@pytest.mark.parametrize("registered_bytes", [0, 300], ids=["no GUID", "some GUIDs"])
def test_run_after_a_killed_dsync_has_each_message_once(
    move: Move, monkeypatch: pytest.MonkeyPatch, registered_bytes: int, mode: str
) -> None:
    kill_sync(move, monkeypatch, registered_bytes)
    assert move.run(mode, is_check=True).values["changed"] is True
    assert move.copy(mode)["changed"] is True
    assert has_each_message_once(move)
    assert move.copy(mode)["changed"] is False


def test_run_after_two_killed_dsyncs_has_each_message_once(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_sync(move, monkeypatch)
    kill_sync(move, monkeypatch, 300)
    move.copy()
    assert has_each_message_once(move)


def test_run_that_ends_before_it_removes_leftovers_is_completed_by_the_next(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_sync(move, monkeypatch)
    leftovers = list_leftovers(move)
    with monkeypatch.context() as patch:
        let_expunge_fail(patch, move)
        with pytest.raises(ContentError, match="a killed dsync left a second time"):
            move.run()
    assert count_subjects(move.target) == dict.fromkeys([*leftovers, *OWN], 2)
    assert not any("missing" in difference["why"] for difference in move.compare())
    assert move.run(is_check=True).values["changed"] is True
    move.copy()
    assert has_each_message_once(move)


def let_expunge_fail(monkeypatch: pytest.MonkeyPatch, move: Move) -> None:
    """Let doveadm remove nothing."""
    test = 'case " $* " in *" expunge "*) exit 75;; esac'
    path = write_program(move.folder / "bin", f'{test}\nexec /usr/bin/doveadm "$@"')
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", path)


def test_comparison_names_what_a_killed_dsync_left(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_sync(move, monkeypatch)
    extra = len(list_leftovers(move)) + 2 * len(OWN)
    reasons = " ".join(difference["why"] for difference in move.compare())
    assert f"{len(NEW)} messages are missing on the target" in reasons
    assert f"{extra} messages are only on the target" in reasons


@pytest.mark.parametrize("mode", ["copy", "late"])
def test_flags_that_a_customer_gave_to_a_leftover_stay_in_the_step_late(
    move: Move, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    kill_sync(move, monkeypatch)
    subject = list_leftovers(move)[-1]
    move.target.flag("\\Flagged $Label", subject)
    move.copy(mode)
    assert has_each_message_once(move)
    rows = move.target.list_messages("INBOX", "flags", "hdr")
    [flags] = [row["flags"] for row in rows if row["hdr"].startswith(f"Subject: {subject}\n")]
    kept = {"$Label", "\\Flagged"} & set(flags.split())
    assert kept == ({"$Label", "\\Flagged"} if mode == "late" else set())


def test_what_others_delivered_after_a_killed_dsync_stays(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_sync(move, monkeypatch)
    move.target.deliver("own-3")
    subject = list_leftovers(move)[0]
    # A second delivery has another date.
    move.target.deliver(subject)
    move.target.run("copy", "INBOX", "mailbox", "INBOX", "subject", "own-3")
    move.copy("late")
    assert count_subjects(move.target) == {subject: 2, "own-3": 2}


def test_copy_that_a_customer_made_of_a_leftover_stays(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_sync(move, monkeypatch)
    subject = list_leftovers(move)[-1]
    move.target.make_folders("INBOX.Mine")
    move.target.run("copy", "INBOX.Mine", "mailbox", "INBOX", "HEADER", "subject", subject)
    move.copy("late")
    assert move.target.list_subjects("INBOX.Mine") == [subject]
    assert has_each_message_once(move)


def test_nothing_is_lost_where_dovecot_loses_the_guids_of_a_folder(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_sync(move, monkeypatch)
    # As after a loss of power: everything of before seems to be deleted, and something else there.
    uidlist = move.target.maildir / "dovecot-uidlist"
    lines = uidlist.read_text(encoding="utf-8").splitlines(keepends=True)
    uidlist.write_text("".join([lines[0], *lines[EARLIER + 1 :]]), encoding="utf-8")
    move.copy()
    assert has_each_message_once(move)


def test_own_mail_that_a_killed_dsync_gave_another_uid_is_there_once(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    maildir = move.target.maildir
    before = move.folder / "before"
    # It has registered all GUIDs, and not removed what it gave another UID.
    restore = f"cp -a {before}/new/. {maildir}/new; cp -a {before}/dovecot.index* {maildir}"
    script = f'cp -a {maildir} {before}; /usr/bin/doveadm "$@"; {restore}; exit 137'
    with monkeypatch.context() as patch:
        let_sync(patch, move.folder, script)
        with pytest.raises(ContentError, match="ended by signal 9"):
            move.run()
    assert count_subjects(move.target) == dict.fromkeys(OWN, 2)
    assert move.run(is_check=True).values["changed"] is True
    move.copy()
    assert has_each_message_once(move)


@pytest.mark.parametrize("mode", ["copy", "late"])
def test_own_mail_that_dsync_doubled_before_the_run_was_killed_is_there_once(
    unused_move: Move, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    def end_run(*_arguments: Any) -> None:
        raise KeyboardInterrupt

    move = unused_move
    deliver = compose_delivery(move.target, "own", "INBOX")
    settings = move.target.configuration
    # The process that makes the second copy is the one that the run has noted for dsync.
    double = f"exec /usr/bin/doveadm -c {settings} copy INBOX mailbox INBOX subject own"
    with monkeypatch.context() as patch:
        let_sync(patch, move.folder, f'/usr/bin/doveadm "$@"; {deliver}; {double}')
        patch.setattr(mailbox_copy, "remove_doubled", end_run)
        with pytest.raises(KeyboardInterrupt):
            move.run()
    assert count_subjects(move.target) == {"own": 2}
    assert move.run(is_check=True).values["changed"] is True
    move.copy(mode)
    assert move.target.list_subjects().count("own") == 1
    assert count_subjects(move.target) == {}
    assert move.copy(mode)["changed"] is False


class Deliveries(threading.Thread):
    """Saves mail in a mailbox until it is told to end. subjects: Of what it has saved."""

    def __init__(self, mailbox: RealMailbox, pause: float) -> None:
        super().__init__()
        self.subjects: list[str] = []
        self._mailbox = mailbox
        self._pause = pause
        self._ends = threading.Event()

    def run(self) -> None:
        """Save one message after another, each third as a server does that is not Dovecot."""
        while not self._ends.wait(self._pause):
            subject = f"own-{len(self.subjects)}"
            if len(self.subjects) % 3:
                self._mailbox.deliver(subject)
            else:
                write_messages(self._mailbox.maildir, subject)
            self.subjects.append(subject)

    def stop(self) -> None:
        """End once the last message is saved."""
        self._ends.set()
        self.join(SECONDS)


def wait_for_end_of_dsync(move: Move, process: subprocess.Popen[str]) -> None:
    """Wait until the first dsync of a run has ended: then most messages are there twice."""
    limit = time.monotonic() + SECONDS
    while not is_syncing(move) and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.002)
    while is_syncing(move) and time.monotonic() < limit:
        time.sleep(0.002)


def is_syncing(move: Move) -> bool:
    """Return whether a dsync runs on these mailboxes."""
    return any(" sync -1 " in line for line in find_processes(str(move.folder)))


@pytest.mark.release
@pytest.mark.parametrize("seed", range(60))
def test_each_message_is_there_once_when_a_run_is_killed_while_mail_arrives(seed: int) -> None:
    require_content_tools("doveadm")
    chance = random.Random(seed)
    count = chance.choice([150, 260, 400])
    with make_mail_folder() as folder:
        move = make_move(folder)
        fill_maildir(move.source.maildir, count, 600)
        deliveries = Deliveries(move.target, chance.choice([0, 0.02, 0.06]))
        deliveries.start()
        process = move.start()
        if seed % 2:
            wait_for_end_of_dsync(move, process)
        else:
            time.sleep(chance.uniform(0.4, 2.2))
        chance.choice([end, end_all])(process)
        if chance.random() < 0.5:
            deliveries.stop()
        process.wait(SECONDS)
        mode = chance.choice(["copy", "late"])
        move.copy(mode)
        deliveries.stop()
        subjects = [f"message {number}" for number in range(count)] + deliveries.subjects
        assert move.target.list_subjects() == sorted(subjects)
        move.copy(mode)
        assert move.target.list_subjects() == sorted(subjects)
        assert move.copy(mode)["changed"] is False

"""How mailboxes of a real Dovecot are copied and compared."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content import (
    busy_watch,
    host_tools,
    kept_state,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox import (
    copy as mailbox_copy,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox import (
    reading as mailbox_reading,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox import (
    sync_command,
    unregistered_files,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.commands import (
    MailboxName,
    list_commands_on_source,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.task import (
    MAILBOX_OPTIONS,
    MailboxResult,
    sync_mailbox,
)
from tests.meta.modules import read_documentation
from tests.support.dovecot import (
    MAIL_UID,
    PATH,
    RealMailbox,
    fill_maildir,
    make_mail_folder,
    make_mailbox,
    run_user_database,
    write_messages,
    write_program,
)
from tests.support.needed import require_content_tools
from tests.support.real_ssh import find_descendants, run_ssh
from tools.layout import LINK, ROOT

MODULE = "panel_mailbox_sync"
ADDRESS = "info@mail.example"
SECONDS = 60.0
ALL_FOLDERS = ("*", "INBOX", "INBOX.*", "INBOX/*")
# Runs a copy in a process of its own, which can be killed.
SCRIPT = """\
import json, sys
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.task import sync_mailbox
options, directory = json.load(sys.stdin)
print(json.dumps(sync_mailbox(options, False, directory).values))
"""


@dataclass
class Move:
    """Two mailboxes, and what is kept of runs.

    folder: What has all of it.
    source_host: The option ``source``; None where both are on this host.
    """

    folder: Path
    source: RealMailbox
    target: RealMailbox
    source_host: Mapping[str, Any] | None = None

    @property
    def state(self) -> Path:
        """Return where runs keep what they did."""
        return self.folder / "state"

    def complete(self, mode: str, **options: Any) -> dict[str, Any]:
        """Return all options of the module, with those that a test does not name."""
        defaults = {name: spec.get("default") for name, spec in MAILBOX_OPTIONS.items()}
        local = {"doveadm_args": self.target.arguments}
        remote = {"source_doveadm_args": self.source.arguments}
        common = {"address": ADDRESS, "source": self.source_host, "mode": mode}
        if self.target.user:
            local = remote = {}

        return {**defaults, **common, **local, **remote, **options}

    def run(self, mode: str = "copy", is_check: bool = False, **options: Any) -> MailboxResult:
        """Copy or compare in this process, and return the result."""
        return sync_mailbox(self.complete(mode, **options), is_check, str(self.state))

    def copy(self, mode: str = "copy") -> dict[str, Any]:
        """Copy, which must succeed, and return the result."""
        result = self.run(mode)
        assert not result.failure
        assert result.values["differences"] == []
        return dict(result.values)

    def compare(self) -> list[dict[str, str]]:
        """Return the differences of both mailboxes."""
        differences: list[dict[str, str]] = self.run("compare").values["differences"]
        return differences

    def start(self) -> subprocess.Popen[str]:
        """Copy in a process of its own."""
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(LINK), str(ROOT)])},
        )
        assert process.stdin is not None
        json.dump([self.complete("copy"), str(self.state)], process.stdin)
        process.stdin.close()
        return process


def as_compared(copied: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a comparison says right after a copy with this result."""
    values = {**copied, "changed": False}
    del values["deleted_on_target"]
    return values


@pytest.fixture
def mail_folder() -> Iterator[Path]:
    """Yield a folder for mailboxes."""
    require_content_tools("doveadm", "dovecot")
    with make_mail_folder() as folder:
        yield folder


@pytest.fixture
def move(mail_folder: Path) -> Move:
    """Return two mailboxes with the prefix INBOX., of which the source has mail."""
    return fill(make_move(mail_folder))


# Prefix and separator of the source, and of the target.
OTHER_NAMES = [
    (("", "."), ("INBOX.", ".")),
    (("INBOX.", "."), ("", ".")),
    (("", "/"), ("INBOX.", ".")),
    (("", "."), ("", "/")),
    (("INBOX/", "/"), ("INBOX.", ".")),
]


def make_move_between(
    folder: Path, source: tuple[str, str], target: tuple[str, str]
) -> tuple[Move, str]:
    """Return two mailboxes that name their folders in their own ways, and a name on the target."""
    mailboxes = make_mailbox(folder / "source", *source), make_mailbox(folder / "target", *target)
    move = Move(folder, *mailboxes)
    fill(move, f"{source[0]}Work")
    child = f"{source[0]}Work{source[1]}Child"
    move.source.make_folders(child)
    move.source.run("mailbox subscribe", child)
    write_messages(move.source.maildir / ".Work.Child", "child-1")
    move.target.make_folders(f"{target[0]}Own")
    move.target.deliver("own", f"{target[0]}Own")
    return move, f"{target[0]}Work{target[1]}Child"


def make_move(folder: Path, prefix: str = "INBOX.", separator: str = ".") -> Move:
    """Make two empty mailboxes that no user database knows."""
    source = make_mailbox(folder / "source", prefix, separator)
    return Move(folder, source, make_mailbox(folder / "target", prefix, separator))


def fill(move: Move, work: str = "INBOX.Work") -> Move:
    """Give the source two folders and some mail."""
    move.source.make_folders(work)
    for name, maildir in (("inbox", ""), ("work", ".Work")):
        subjects = [f"{name}-{number}" for number in (1, 2, 3)]
        write_messages(move.source.maildir / maildir, *subjects)
    return move


@pytest.fixture
def remote_move(mail_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Move]:
    """Yield two mailboxes that user databases know, the source behind a real SSH server."""
    require_content_tools("ssh", "ssh-keygen", "sshd")
    users = [ADDRESS, "sales@mail.example"]
    with (
        run_user_database(mail_folder / "old", users) as old,
        run_user_database(mail_folder / "new", users) as new,
        run_ssh(mail_folder / "ssh", f"{mail_folder}/old/bin:{PATH}") as server,
    ):
        path = f"{mail_folder}/new/bin:{PATH}"
        monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", path)
        yield fill(Move(mail_folder, old[ADDRESS], new[ADDRESS], server.source))


@pytest.mark.parametrize(
    ("prefix", "separator"), [("INBOX.", "."), ("", "."), ("INBOX/", "/"), ("", "/")]
)
def test_first_copy_keeps_all_that_a_mail_program_remembers(
    mail_folder: Path, prefix: str, separator: str
) -> None:
    move = fill(make_move(mail_folder, prefix, separator), f"{prefix}Work")
    move.source.make_folders(f"{prefix}Empty")
    move.source.flag("\\Flagged $Label", "work-2", f"{prefix}Work")
    result = move.copy()
    assert result["changed"] is True
    assert (result["folders"], result["messages"]) == (3, 6)
    compared = move.run("compare").values
    assert compared == as_compared(result)
    assert move.target.list_subjects() == ["inbox-1", "inbox-2", "inbox-3"]


@pytest.mark.parametrize(("source", "target"), OTHER_NAMES)
def test_folders_have_the_names_of_the_target_where_those_of_the_source_are_other_ones(
    mail_folder: Path, source: tuple[str, str], target: tuple[str, str]
) -> None:
    move, child_of_target = make_move_between(mail_folder, source, target)
    before = move.source.list_everything()
    first = move.copy()
    names = {row["mailbox"] for row in json.loads(move.target.run("mailbox list", *ALL_FOLDERS))}
    assert names == {"INBOX", f"{target[0]}Work", child_of_target, f"{target[0]}Own"}
    assert move.target.list_subjects(child_of_target) == ["child-1"]
    assert move.target.list_subjects(f"{target[0]}Own") == ["own"]
    subscribed = json.loads(move.target.run("mailbox list", "-s"))
    assert subscribed == [{"mailbox": child_of_target}]
    assert move.copy() == {**first, "changed": False}
    assert move.source.list_everything() == before


@pytest.mark.parametrize(("source", "target"), OTHER_NAMES)
def test_folders_with_other_names_are_compared_and_copied_late_as_all_others(
    mail_folder: Path, source: tuple[str, str], target: tuple[str, str]
) -> None:
    move, child_of_target = make_move_between(mail_folder, source, target)
    child = f"{source[0]}Work{source[1]}Child"
    foreseen = move.run(is_check=True).values["differences"]
    assert child in [difference["folder"] for difference in foreseen]
    move.target.run("mailbox delete", f"{target[0]}Own")
    move.copy()
    shutil.rmtree(move.state)
    assert move.compare() == []
    move.copy()
    move.target.remove("work-1", f"{target[0]}Work")
    move.source.deliver("child-2", child)
    move.target.deliver("own-2", child_of_target)
    move.copy("late")
    assert move.target.list_subjects(child_of_target) == ["child-1", "child-2", "own-2"]
    assert move.target.list_subjects(f"{target[0]}Work") == ["work-2", "work-3"]


@pytest.mark.parametrize("mode", ["copy", "late", "compare"])
def test_names_of_folders_that_cannot_be_brought_together_are_refused_before_anything_is_written(
    mail_folder: Path, mode: str
) -> None:
    source = make_mailbox(mail_folder / "source", "", ".")
    move = fill(Move(mail_folder, source, make_mailbox(mail_folder / "target")), "Work")
    settings = move.target.configuration
    # Dovecot takes a setting of a namespace by the namespace's name.
    settings.write_text(settings.read_text().replace("namespace inbox", "namespace"))
    before = [move.source.list_everything(), move.target.list_everything()]
    with pytest.raises(ContentError) as caught:
        move.run(mode)
    error = caught.value
    assert error.option == "address"
    for names in ("prefix '' and the separator '.'", "prefix 'INBOX.' and the separator '.'"):
        assert names in error.problem
    assert "name the namespace of the INBOX" in error.advice
    assert error.effect == "Nothing was written."
    assert [move.source.list_everything(), move.target.list_everything()] == before


@pytest.mark.parametrize("name", ["source", "target"])
def test_a_prefix_that_a_comparison_would_not_see_is_refused(mail_folder: Path, name: str) -> None:
    prefixes = {"source": "INBOX.", "target": "INBOX.", name: "Mail."}
    move = Move(
        mail_folder,
        make_mailbox(mail_folder / "source", prefixes["source"]),
        make_mailbox(mail_folder / "target", prefixes["target"]),
    )
    getattr(move, name).make_folders("Mail.Work")
    with pytest.raises(ContentError, match="prefix") as caught:
        move.run()
    assert caught.value.option == {"source": "source_address", "target": "address"}[name]


def test_second_copy_is_unchanged_and_the_result_the_same(move: Move) -> None:
    first = move.copy()
    assert move.copy() == {**first, "changed": False}


def test_comparison_after_a_copy_takes_nothing_apart_and_tells_the_same_as_without_it(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = as_compared(move.copy())
    with monkeypatch.context() as patch:
        patch.delattr(mailbox_reading, "parse_messages")
        assert move.run("compare").values == result
    shutil.rmtree(move.state)
    assert move.run("compare").values == result


def test_comparison_of_what_changed_on_both_sides_since_a_copy_tells_what_is_there(
    move: Move,
) -> None:
    result = move.copy()
    for mailbox in (move.source, move.target):
        mailbox.remove("inbox-2")
    compared = move.run("compare").values
    assert (compared["messages"], compared["differences"]) == (5, [])
    assert compared["digest"] != result["digest"]


def test_subscriptions_are_copied_and_not_compared(move: Move) -> None:
    move.source.make_folders("INBOX.News")
    move.source.run("mailbox subscribe", "INBOX.News")

    move.copy()

    assert b"INBOX.News" in move.target.run("mailbox list", "-s")
    move.target.run("mailbox unsubscribe", "INBOX.News")
    assert move.compare() == []


def test_comparison_needs_nothing_of_what_an_earlier_run_kept(move: Move) -> None:
    result = move.copy()
    [state] = move.state.glob("*.json")
    state.write_text("{", encoding="ascii")
    assert move.run("compare").values == as_compared(result)


def test_nothing_is_written_on_the_source(move: Move) -> None:
    before = move.source.list_everything()
    for mode in ("copy", "late", "compare"):
        move.run(mode)
    assert move.source.list_everything() == before


@pytest.mark.parametrize("mode", ["copy", "late"])
@pytest.mark.parametrize("difference", [1000, -1000], ids=["higher", "lower"])
@pytest.mark.parametrize(
    ("delivered", "reasons"),
    [
        pytest.param([], [], id="equal"),
        pytest.param(["own-1", "own-2"], ["2 "], id="more messages"),
    ],
)
def test_uidvalidity_of_the_source_stays_where_the_target_has_got_another_one(
    move: Move, mode: str, difference: int, delivered: list[str], reasons: list[str]
) -> None:
    move.copy()
    for subject in delivered:
        move.target.deliver(subject)
    before = move.source.list_everything()
    for folder in ("INBOX", "INBOX.Work"):
        [status] = json.loads(move.source.run("mailbox status", "uidvalidity", folder))
        uid_validity = str(int(status["uidvalidity"]) + difference)
        move.target.run("mailbox update", "--uid-validity", uid_validity, folder)
    assert move.run(mode, is_check=True).values["changed"] is True
    assert move.copy(mode)["changed"] is True
    assert move.source.list_everything() == before
    assert [entry["why"][:2] for entry in move.compare()] == reasons
    assert move.copy(mode)["changed"] is False


def test_mail_of_the_target_from_before_the_first_copy_stays(move: Move) -> None:
    move.target.deliver("own-1")
    move.target.deliver("own-2")
    move.copy()
    subjects = ["inbox-1", "inbox-2", "inbox-3", "own-1", "own-2"]
    assert move.target.list_subjects() == subjects
    assert move.copy()["changed"] is False
    assert move.target.list_subjects() == subjects
    assert not any("UIDVALIDITY" in difference["why"] for difference in move.compare())


def test_a_message_that_the_source_deletes_stays_where_the_target_had_mail_before(
    move: Move,
) -> None:
    move.target.deliver("own-1")
    move.copy()
    move.source.remove("inbox-1")
    move.copy()
    assert "inbox-1" in move.target.list_subjects()
    assert [difference["folder"] for difference in move.compare()] == ["INBOX"]


@pytest.mark.parametrize("mode", ["copy", "late"])
def test_one_message_that_arrives_on_each_side_is_on_the_target(move: Move, mode: str) -> None:
    move.copy()
    move.source.deliver("new-on-source")
    move.target.deliver("new-on-target")
    assert move.copy(mode)["changed"] is True
    subjects = ["inbox-1", "inbox-2", "inbox-3", "new-on-source", "new-on-target"]
    assert move.target.list_subjects() == subjects
    assert move.copy(mode)["changed"] is False
    assert move.target.list_subjects() == subjects


def test_what_the_target_has_deleted_stays_deleted(move: Move) -> None:
    move.copy()
    move.target.remove("inbox-2")
    move.target.remove("work-1", "INBOX.Work")
    move.source.deliver("inbox-4")
    assert move.run("late", is_check=True).values["deleted_on_target"] == 2
    assert move.copy("late")["deleted_on_target"] == 2
    assert move.target.list_subjects() == ["inbox-1", "inbox-3", "inbox-4"]
    second_run = move.copy("late")
    assert (second_run["changed"], second_run["deleted_on_target"]) == (False, 2)
    assert move.target.list_subjects("INBOX.Work") == ["work-2", "work-3"]


@pytest.mark.parametrize("is_noticed", [True, False], ids=["Dovecot has seen it", "not yet"])
def test_a_message_whose_file_the_target_has_lost_counts_as_deleted_and_a_comparison_names_it(
    move: Move, is_noticed: bool
) -> None:
    move.copy()
    texts = [path for path in move.target.maildir.glob(".Work/*/*") if path.is_file()]
    (message,) = (path for path in texts if b"Subject: work-2" in path.read_bytes())
    message.unlink()
    if is_noticed:
        assert move.target.list_subjects("INBOX.Work") == ["work-1", "work-3"]

    assert move.copy()["deleted_on_target"] == 1

    assert move.target.list_subjects("INBOX.Work") == ["work-1", "work-3"]
    assert move.compare() == [
        {"folder": "INBOX.Work", "why": "1 message is missing on the target (UID 2)"}
    ]


def test_a_message_that_the_target_never_had_is_a_difference_and_not_deleted(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    move.copy()
    move.source.deliver("inbox-4")
    let_sync(monkeypatch, move.folder, "exit 0")

    result = move.run()

    assert result.failure
    assert result.values["deleted_on_target"] == 0
    assert result.values["differences"] == [
        {"folder": "INBOX", "why": "1 message is missing on the target (UID 4)"}
    ]


def test_what_the_target_has_deleted_stays_deleted_where_its_address_is_spelled_otherwise(
    move: Move,
) -> None:
    assert not move.run(address=ADDRESS.title()).failure
    move.target.remove("inbox-2")
    move.copy("late")
    assert move.target.list_subjects() == ["inbox-1", "inbox-3"]


def lose_lists(mailbox: RealMailbox, folder: str = "") -> None:
    """Remove what Dovecot has registered of a folder, which then has another GUID."""
    for path in (mailbox.maildir / folder).glob("dovecot[-.]*"):
        if path.is_file():
            path.unlink()
    mailbox.run("index", "INBOX")
    mailbox.run("index", "INBOX.*")


@pytest.mark.parametrize(("mode", "count"), [("copy", 1), ("late", 3)], ids=["one", "all"])
def test_what_the_target_has_deleted_stays_deleted_where_the_source_has_lost_its_lists(
    move: Move, mode: str, count: int
) -> None:
    move.copy()
    for number in range(1, count + 1):
        move.target.remove(f"inbox-{number}")
        move.target.remove(f"work-{number}", "INBOX.Work")
    lose_lists(move.source)
    lose_lists(move.source, ".Work")
    foreseen = move.run(mode, is_check=True).values["differences"]
    assert not any("missing" in difference["why"] for difference in foreseen)
    for _run in range(2):
        move.copy(mode)
        subjects = move.target.list_subjects() + move.target.list_subjects("INBOX.Work")
        assert len(subjects) == 6 - 2 * count
    assert move.copy(mode)["changed"] is False


def test_what_the_target_has_deleted_stays_so_after_a_killed_run_where_lists_are_lost(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end_run(*_arguments: Any) -> None:
        raise KeyboardInterrupt

    move.copy()
    move.target.remove("inbox-1")
    lose_lists(move.source)
    with monkeypatch.context() as patch:
        patch.setattr(mailbox_copy, "remove_doubled", end_run)
        with pytest.raises(KeyboardInterrupt):
            move.run()
    move.copy()
    assert move.target.list_subjects() == ["inbox-2", "inbox-3"]


def test_what_was_deleted_stays_so_where_dsync_brings_it_back(move: Move) -> None:
    move.target.deliver("own-1")
    move.target.deliver("own-2")
    move.copy()
    for subject in ("inbox-1", "inbox-2", "inbox-3", "own-1"):
        move.target.remove(subject)
    for _ in range(2):
        assert move.copy("late")["changed"] is False
        assert move.target.list_subjects() == ["own-2"]


def test_folder_that_the_target_has_renamed_gets_new_mail_under_its_name(move: Move) -> None:
    move.copy()
    move.target.run("mailbox rename", "INBOX.Work", "INBOX.Jobs")
    move.source.deliver("work-4", "INBOX.Work")
    move.copy("late")
    assert move.target.list_subjects("INBOX.Jobs") == ["work-1", "work-2", "work-3", "work-4"]


def test_message_that_is_merely_missing_is_a_difference(move: Move) -> None:
    move.copy()
    move.target.run("mailbox delete", "INBOX.Work")
    move.copy("late")
    # dsync does not bring the folder back, and ends with 0.
    move.source.deliver("work-4", "INBOX.Work")
    result = move.run("late")
    assert [difference["folder"] for difference in result.values["differences"]] == ["INBOX.Work"]
    assert "1 message is missing" in result.values["differences"][0]["why"]
    assert "Not everything" in result.failure


def test_mail_that_the_target_has_received_is_fetched_back(move: Move) -> None:
    move.copy()
    move.copy("late")
    move.target.deliver("reply")
    move.source.deliver("stray")
    back = replace(move, folder=move.folder / "back", source=move.target, target=move.source)

    back.copy("late")

    subjects = ["inbox-1", "inbox-2", "inbox-3", "reply", "stray"]
    assert sorted(move.source.list_subjects()) == subjects


@pytest.mark.parametrize("mode", ["copy", "late"])
def test_own_mail_stays_in_a_folder_that_the_source_deletes(move: Move, mode: str) -> None:
    move.copy()
    move.target.deliver("own", "INBOX.Work")
    time.sleep(1.1)  # dsync compares seconds.
    move.source.run("mailbox delete", "INBOX.Work")
    time.sleep(1.1)
    for _ in range(2):
        move.copy(mode)
        assert "own" in move.target.list_subjects("INBOX.Work")


def test_folder_without_own_mail_is_deleted_as_on_the_source(move: Move) -> None:
    move.copy()
    time.sleep(1.1)  # dsync compares seconds.
    move.source.run("mailbox delete", "INBOX.Work")
    assert move.copy()["changed"] is True
    assert move.compare() == []


def test_mailbox_that_was_made_anew_gets_everything_again(mail_folder: Path) -> None:
    move = fill(make_move(mail_folder))
    move.copy()
    move.target.maildir.rename(mail_folder / "removed")
    move.target = make_mailbox(mail_folder / "again")
    (mail_folder / "target" / "dovecot.conf").unlink()
    move.target.configuration.rename(mail_folder / "target" / "dovecot.conf")
    move.target = RealMailbox(mail_folder / "target" / "dovecot.conf", move.target.maildir)
    assert move.target.list_subjects() == []
    move.copy()
    assert move.compare() == []
    assert move.target.list_subjects() == ["inbox-1", "inbox-2", "inbox-3"]


def take_source_away(move: Move) -> Path:
    """Leave what Dovecot finds where the mail of the source is not mounted; return where it is."""
    maildir = move.folder / "away"
    move.source.maildir.rename(maildir)
    move.source.maildir.mkdir()
    shutil.chown(move.source.maildir, MAIL_UID, MAIL_UID)
    return maildir


def bring_source_back(move: Move, maildir: Path) -> None:
    """Put the mail of the source where it was."""
    shutil.rmtree(move.source.maildir)
    maildir.rename(move.source.maildir)


@pytest.mark.parametrize("mode", ["copy", "late"])
@pytest.mark.parametrize("has_new_mail", [False, True], ids=["empty", "with new mail"])
def test_source_whose_mail_is_not_mounted_is_an_error_and_nothing_is_forgotten(
    move: Move, mode: str, has_new_mail: bool
) -> None:
    move.copy()
    move.target.remove("inbox-1")
    move.target.deliver("own")
    move.copy(mode)
    mounted = take_source_away(move)
    if has_new_mail:
        move.source.deliver("inbox-4")
    before = move.target.list_everything()
    for is_check in (True, False):
        with pytest.raises(ContentError) as caught:
            move.run(mode, is_check=is_check)
        assert caught.value.option == "source_address"
        assert caught.value.effect == "Nothing was written."
    assert move.target.list_everything() == before
    bring_source_back(move, mounted)
    assert move.copy(mode)["changed"] is False
    assert move.target.list_subjects() == ["inbox-2", "inbox-3", "own"]


def test_source_that_was_made_anew_is_copied_once_the_named_file_is_removed(move: Move) -> None:
    move.copy()
    take_source_away(move)
    move.source.deliver("anew")
    with pytest.raises(ContentError) as caught:
        move.run()
    states = list(move.state.glob("mailbox-*.json"))
    assert len(states) == 1
    assert f" {states[0]} " in caught.value.advice
    states[0].unlink()
    move.copy()
    subjects = ["anew", "inbox-1", "inbox-2", "inbox-3"]
    assert move.target.list_subjects() == subjects


def test_mail_that_was_not_mounted_for_the_first_copy_is_copied_by_the_next(move: Move) -> None:
    mounted = take_source_away(move)
    assert move.copy()["messages"] == 0
    bring_source_back(move, mounted)
    assert move.copy()["messages"] == 6
    assert move.compare() == []


def test_second_source_may_be_copied_into_a_mailbox(mail_folder: Path, move: Move) -> None:
    move.copy()
    second = make_mailbox(mail_folder / "second")
    second.deliver("second-1")
    move.source = second
    move.copy()
    subjects = ["inbox-1", "inbox-2", "inbox-3", "second-1"]
    assert move.target.list_subjects() == subjects


def test_what_was_deleted_is_not_forgotten_where_a_folder_does_not_open(move: Move) -> None:
    move.copy()
    move.target.remove("work-1", "INBOX.Work")
    work = move.source.maildir / ".Work"
    # Another program may give a folder a name that Dovecot lists and does not take.
    closed = work.rename(move.source.maildir / ".a\tb")
    assert "cannot open it" in move.run("late").failure
    closed.rename(work)
    move.copy("late")
    assert move.target.list_subjects("INBOX.Work") == ["work-2", "work-3"]


def take_work_away(move: Move, leaves_mount_point: bool) -> Path:
    """Leave what Dovecot finds where a folder of the source is not mounted; return where it is."""
    work = move.source.maildir / ".Work"
    away = work.rename(move.folder / "work away")
    if leaves_mount_point:
        work.mkdir()
        shutil.chown(work, MAIL_UID, MAIL_UID)
    return away


def bring_work_back(move: Move, away: Path) -> None:
    """Put a folder of the source where it was."""
    work = move.source.maildir / ".Work"
    shutil.rmtree(work, ignore_errors=True)
    away.rename(work)


@pytest.mark.parametrize("leaves_mount_point", [True, False])
@pytest.mark.parametrize("mode", ["copy", "late"])
def test_what_was_deleted_in_a_folder_stays_so_where_the_folder_is_gone_for_a_while(
    move: Move, mode: str, leaves_mount_point: bool
) -> None:
    move.copy()
    move.target.remove("work-1", "INBOX.Work")
    move.target.deliver("own", "INBOX.Work")
    move.copy(mode)
    away = take_work_away(move, leaves_mount_point)
    for _ in range(2):
        move.copy(mode)
        assert move.target.list_subjects("INBOX.Work") == ["own", "work-2", "work-3"]
    move.target.remove("work-2", "INBOX.Work")
    bring_work_back(move, away)
    for _ in range(2):
        move.copy(mode)
        assert move.target.list_subjects("INBOX.Work") == ["own", "work-3"]


def test_a_folder_that_was_removed_and_comes_back_is_named_and_not_taken_for_deleted(
    move: Move,
) -> None:
    move.copy()
    move.target.remove("work-1", "INBOX.Work")
    move.copy()
    away = take_work_away(move, leaves_mount_point=False)
    move.copy()
    assert move.target.run("mailbox list") == b'[{"mailbox":"INBOX"}]'
    bring_work_back(move, away)

    # dsync makes no folder again that was removed here.
    differences = move.run().values["differences"]

    assert differences == [{"folder": "INBOX.Work", "why": "it is missing on the target"}]


def test_a_message_that_the_source_moves_away_and_back_is_copied_again(move: Move) -> None:
    move.copy()
    (message,) = move.source.maildir.glob(".Work/*/*work-1*")
    away = message.rename(move.folder / message.name)
    move.copy()
    assert move.target.list_subjects("INBOX.Work") == ["work-2", "work-3"]
    away.rename(message)
    move.copy()
    assert "work-1" in move.target.list_subjects("INBOX.Work")


def test_comparison_names_each_difference_and_changes_nothing(move: Move) -> None:
    move.copy()
    move.source.deliver("inbox-4")
    move.source.make_folders("INBOX.Only here")
    move.source.flag("\\Seen", "inbox-1")
    move.target.remove("work-2", "INBOX.Work")
    move.target.deliver("own", "INBOX.Work")
    move.target.make_folders("INBOX.Only there")
    before = [move.source.list_everything(), move.target.list_everything()]
    state = [path.read_bytes() for path in sorted(move.state.iterdir())]
    result = move.run("compare")
    assert not result.failure
    assert result.values["changed"] is False
    assert result.values["differences"] == [
        {"folder": "INBOX", "why": "1 message is missing on the target (UID 4)"},
        {"folder": "INBOX", "why": "1 message is there with other flags (UID 1)"},
        {"folder": "INBOX.Only here", "why": "it is missing on the target"},
        {"folder": "INBOX.Work", "why": "1 message is missing on the target (UID 2)"},
        {"folder": "INBOX.Work", "why": "1 message is only on the target (UID 4)"},
        {"folder": "INBOX.Only there", "why": "is only on the target"},
    ]
    assert [move.source.list_everything(), move.target.list_everything()] == before
    assert [path.read_bytes() for path in sorted(move.state.iterdir())] == state


def test_check_mode_says_what_would_be_copied_and_writes_nothing(move: Move) -> None:
    before = move.target.list_everything()
    result = move.run(is_check=True)
    assert not result.failure
    assert result.values["changed"] is True
    assert result.values["messages"] == 0
    reasons = [difference["why"] for difference in result.values["differences"]]
    assert "3 messages are missing on the target (UID 1, 2, 3)" in reasons
    assert move.target.list_everything() == before
    assert not move.state.exists()
    move.copy()
    assert move.run(is_check=True).values["changed"] is False
    move.target.remove("inbox-1")
    move.target.deliver("own")
    move.copy("late")
    assert move.run("late", is_check=True).values["changed"] is False


def take_flag(mailbox: RealMailbox, subject: str) -> None:
    """Take a flag from a message of a folder."""
    query = ["mailbox", "INBOX.Work", "subject", subject]
    mailbox.run("flags remove", "\\Flagged", *query)


CHANGES: dict[str, Callable[[Move], object]] = {
    "nothing": lambda move: None,
    "the source gives a flag": lambda move: move.source.flag("\\Flagged", "work-2", "INBOX.Work"),
    "the source takes a flag": lambda move: take_flag(move.source, "work-1"),
    "the source deletes a message": lambda move: move.source.remove("work-2", "INBOX.Work"),
    "both delete a message": lambda move: [
        mailbox.remove("work-2", "INBOX.Work") for mailbox in (move.source, move.target)
    ],
    "the source deletes a folder": lambda move: move.source.run("mailbox delete", "INBOX.Work"),
    "the source deletes a folder with own mail of the target": lambda move: [
        move.target.deliver("own", "INBOX.Work"),
        move.source.run("mailbox delete", "INBOX.Work"),
    ],
}


@pytest.mark.parametrize("mode", ["copy", "late"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_check_mode_foresees_whether_a_run_changes_the_target(
    move: Move, mode: str, change: Callable[[Move], object]
) -> None:
    move.source.flag("\\Flagged", "work-1", "INBOX.Work")
    move.copy()
    change(move)
    foreseen = move.run(mode, is_check=True).values["changed"]
    assert move.copy(mode)["changed"] is foreseen


def test_folders_with_odd_names_are_copied(mail_folder: Path) -> None:
    move = make_move(mail_folder)
    names = ["q\"uo'te", "a;b", "$(id)", "star*", "?", "&AOk-", "T\xfcr", "-u", "a b", "\\back"]
    move.source.make_folders(*(f"INBOX.{name}" for name in names))
    for name in names:
        move.source.deliver("message", f"INBOX.{name}")
    assert move.copy()["messages"] == len(names)
    assert move.copy("late")["changed"] is False
    assert move.compare() == []


def test_folder_with_control_characters_is_copied_and_its_other_name_shown(move: Move) -> None:
    move.source.make_folders("INBOX.other")
    move.source.deliver("message", "INBOX.other")
    # As the customer's own program may have made it: the name has an escape character.
    (move.source.maildir / ".other").rename(move.source.maildir / ".o&ABs-[31m")
    move.copy()
    assert move.compare() == [
        {"folder": "INBOX.o\\x1b[31m", "why": "is INBOX.o_[31m on the target"}
    ]


def make_closed_folder(mailbox: RealMailbox, name: str) -> None:
    """Make a folder that doveadm lists and does not open."""
    folder = mailbox.maildir / name
    folder.mkdir()
    os.chown(folder, MAIL_UID, MAIL_UID)


def test_folders_that_doveadm_cannot_open_are_named_and_all_else_copied(move: Move) -> None:
    for name in (".a\nb", ".a\tb", ".raw\xe9", ".slash&AC8-"):
        make_closed_folder(move.source, name)
    result = move.run()
    differences = result.values["differences"]
    assert [difference["folder"] for difference in differences] == [
        *("INBOX.a\\x09b", "INBOX.a\\x0ab", "INBOX.raw\xe9", "INBOX.slash&AC8-")
    ]
    assert {difference["why"] for difference in differences} == {
        "is listed by doveadm on the source, which cannot open it"
    }
    assert result.failure.isprintable()
    assert result.values["messages"] == 6


# Another program, or a hand, may leave them.
NAMES_OF_NO_FOLDER = (".a..b", "..x", ".y.")


def test_folders_with_names_that_none_can_have_are_named_and_all_else_copied(move: Move) -> None:
    for name in (*NAMES_OF_NO_FOLDER, ".t\tb"):
        make_closed_folder(move.source, name)

    for _run in range(2):
        result = move.run()

        assert [difference["folder"] for difference in result.values["differences"]] == [
            *("INBOX..x", "INBOX.a..b", "INBOX.t\\x09b", "INBOX.y.")
        ]
        assert "cannot open it" in result.failure
    assert move.target.list_subjects("INBOX.Work") == move.source.list_subjects("INBOX.Work")
    for name in (*NAMES_OF_NO_FOLDER, ".t\tb"):
        shutil.rmtree(move.source.maildir / name)
    move.copy()


def test_folders_of_the_target_with_names_that_none_can_have_are_differences_and_end_no_copy(
    move: Move,
) -> None:
    move.copy()
    for name in NAMES_OF_NO_FOLDER:
        make_closed_folder(move.target, name)
    move.source.deliver("later", "INBOX.Work")

    move.copy()

    assert move.target.list_subjects("INBOX.Work") == move.source.list_subjects("INBOX.Work")
    assert [difference["folder"] for difference in move.compare()] == [
        *("INBOX..x", "INBOX.a..b", "INBOX.y.")
    ]


@pytest.mark.parametrize("mode", ["copy", "late"])
def test_flag_that_dsync_does_not_carry_is_a_difference_in_each_run(move: Move, mode: str) -> None:
    # Another program may write a keyword that Dovecot shows, and takes from nobody.
    keywords = move.source.maildir / "dovecot-keywords"
    keywords.write_bytes(b"0 ordinary\n1 caf\xc3\xa9\n")
    message = move.source.maildir / "cur/1700000009.odd:2,b"
    message.write_bytes(b"Subject: odd\n\nodd\n")
    for path in (keywords, message):
        os.chown(path, MAIL_UID, MAIL_UID)

    for _run in range(3):
        result = move.run(mode)

        assert [difference["why"] for difference in result.values["differences"]] == [
            "1 message is without a flag of the source (UID 4)"
        ]
        assert "without a flag" in result.failure
    message.rename(message.with_name("1700000009.odd:2,"))
    move.copy(mode)


def test_arguments_that_doveadm_does_not_know_are_refused_by_the_name_of_their_option(
    move: Move,
) -> None:
    with pytest.raises(ContentError, match="it knows no such argument") as raised:
        move.run(source_doveadm_args=["nowhere"])

    assert raised.value.option == "source_doveadm_args"


def test_folder_with_a_percent_sign_for_which_dovecot_always_asks_again(move: Move) -> None:
    move.source.make_folders("INBOX.100%")
    move.source.deliver("first", "INBOX.100%")
    move.copy()
    move.source.deliver("second", "INBOX.100%")
    result = move.run()
    assert not result.failure
    assert "asked for another run 4 times" in result.warnings[0]
    assert move.compare() == []


def test_very_many_folders_are_copied(mail_folder: Path) -> None:
    move = make_move(mail_folder)
    move.source.make_folders(*(f"INBOX.Folder {number}" for number in range(300)))
    assert move.copy()["folders"] == 301
    assert move.compare() == []


@pytest.mark.parametrize("is_check", [True, False])
def test_more_own_folders_of_the_target_than_dsync_can_spare_are_an_error(
    move: Move, monkeypatch: pytest.MonkeyPatch, is_check: bool
) -> None:
    move.target.make_folders("INBOX.A", "INBOX.B")
    for folder in ("INBOX.A", "INBOX.B"):
        move.target.deliver("own", folder)
    everything = move.target.list_everything()
    monkeypatch.setattr(sync_command, "_MOST_SPARED", 1)
    with pytest.raises(ContentError) as raised:
        move.run(is_check=is_check)
    assert raised.value.option == "address"
    assert move.target.list_everything() == everything


def let_sync(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> Path:
    """Put a program in place of ``doveadm sync``, which notes its runs in a file."""
    notes = folder / "runs"
    test = f'case " $* " in *" sync "*) echo run >> {notes}; {script};; esac'
    path = write_program(folder / "bin", f'{test}\nexec /usr/bin/doveadm "$@"')
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", path)
    return notes


def test_code_that_means_again_is_repeated(move: Move, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = move.folder
    script = f'[ "$(wc -l < {folder}/runs)" -gt 3 ] || exit 2'
    runs = let_sync(monkeypatch, folder, script)
    result = move.run()
    assert not result.failure
    assert result.warnings == []
    assert len(runs.read_text().splitlines()) == 4


def test_code_that_means_again_is_repeated_three_times_at_most(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = let_sync(monkeypatch, move.folder, "exit 2")
    result = move.run()
    assert "Not everything" in result.failure
    assert len(runs.read_text().splitlines()) == 4


def let_reading_fail_for_now(monkeypatch: pytest.MonkeyPatch, folder: Path, times: int) -> None:
    """Let the first readings of the folders end with the code of a failure for the time being."""
    count = folder / "readings"
    count.touch()
    fail = f'echo >> {count}; [ "$(wc -l < {count})" -gt {times} ] || exit 75'
    test = f'case " $* " in *" mailbox status "*) {fail};; esac'
    path = write_program(folder / "bin", f'{test}\nexec /usr/bin/doveadm "$@"')
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", path)


def test_reading_that_fails_for_the_time_being_is_repeated(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_reading_fail_for_now(monkeypatch, move.folder, times=3)
    assert move.copy()["changed"]


def test_reading_that_fails_for_the_time_being_is_repeated_three_times_at_most(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_reading_fail_for_now(monkeypatch, move.folder, times=4)
    with pytest.raises(ContentError, match="ended with 75, it failed for the time being"):
        move.run()


def test_success_of_dsync_alone_is_no_success(move: Move, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = let_sync(monkeypatch, move.folder, "exit 0")
    result = move.run()
    assert "Not everything" in result.failure
    assert {difference["folder"] for difference in result.values["differences"]} == {
        *("INBOX", "INBOX.Work")
    }
    assert len(runs.read_text().splitlines()) == 1


def test_what_a_first_round_copied_stays_where_the_source_changes_meanwhile(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = move.source.configuration
    remove = f"/usr/bin/doveadm -c {settings} expunge mailbox INBOX HEADER subject inbox-2"
    runs = let_sync(
        monkeypatch, move.folder, f'[ "$(wc -l < {move.folder}/runs)" -gt 1 ] || {remove}'
    )
    result = move.run()
    assert not result.failure
    assert len(runs.read_text().splitlines()) == 2
    assert move.target.list_subjects() == ["inbox-1", "inbox-3"]
    assert move.target.list_subjects("INBOX.Work") == ["work-1", "work-2", "work-3"]
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", PATH)
    assert move.compare() == []
    assert move.copy()["changed"] is False


def test_what_the_target_deleted_stays_deleted_where_a_second_round_follows(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    move.target.deliver("own-1")
    move.target.deliver("own-2")
    move.copy()
    move.target.remove("inbox-1")
    move.source.deliver("inbox-4")
    settings = move.source.configuration
    remove = f"/usr/bin/doveadm -c {settings} expunge mailbox INBOX HEADER subject inbox-4"
    let_sync(monkeypatch, move.folder, f'[ "$(wc -l < {move.folder}/runs)" -gt 1 ] || {remove}')
    result = move.run()
    assert not result.failure
    assert move.target.list_subjects() == ["inbox-2", "inbox-3", "own-1", "own-2"]


@pytest.mark.parametrize("code", [65, 75, 255])
def test_other_codes_are_errors_at_once_and_the_next_run_goes_on(
    move: Move, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    runs = let_sync(monkeypatch, move.folder, f"printf 'of \\033[1mno use' >&2; exit {code}")
    with pytest.raises(ContentError) as caught:
        move.run()
    message = caught.value.compose()
    assert f"{code}" in message
    assert "of [1mno use" in message
    assert len(runs.read_text().splitlines()) == 1
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", PATH)
    move.copy()


def end(process: subprocess.Popen[str]) -> None:
    """Kill the run alone."""
    process.kill()


def end_all(process: subprocess.Popen[str]) -> None:
    """Kill the run and all that it started."""
    for number in (process.pid, *find_descendants(process.pid)):
        # Some end by themselves meanwhile.
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def wait_for_messages(move: Move, process: subprocess.Popen[str], count: int) -> None:
    """Wait until some messages are on the target."""
    limit = time.monotonic() + SECONDS
    while time.monotonic() < limit and process.poll() is None:
        names = [*move.target.maildir.glob("tmp/*"), *move.target.maildir.glob("cur/*")]
        if len(names) >= count:
            return
        time.sleep(0.002)
    raise AssertionError("No message was on its way.")


def find_processes(text: str) -> list[str]:
    """Return the command lines of processes of doveadm with a text."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if text in line and "doveadm" in line:
            lines.append(line)
    return lines


@pytest.mark.parametrize("kill", [end, end_all], ids=["the run alone", "all of it"])
@pytest.mark.parametrize("count", [1, 100])
def test_run_that_is_killed_leaves_nothing_and_the_next_one_completes(
    mail_folder: Path, kill: Callable[[subprocess.Popen[str]], None], count: int
) -> None:
    require_content_tools("sshd")
    with run_ssh(mail_folder / "ssh") as server:
        move = make_move(mail_folder)
        move.source_host = server.source
        fill_maildir(move.source.maildir, 500, 3000)
        process = move.start()
        wait_for_messages(move, process, count)
        kill(process)
        process.wait(SECONDS)
        limit = time.monotonic() + SECONDS
        while find_processes(str(mail_folder)) and time.monotonic() < limit:
            time.sleep(0.01)
        assert find_processes(str(mail_folder)) == []
        assert move.copy()["messages"] == 500
        assert move.compare() == []


@contextlib.contextmanager
def limit_disk(move: Move, size: str) -> Iterator[Callable[[], object]]:
    """Put the target on a small disk, and yield what enlarges it."""
    require_content_tools("mount", "umount")
    maildir = str(move.target.maildir)
    options = f"size={size},uid={MAIL_UID}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", maildir], check=True)
    enlarge = ["mount", "-o", "remount,size=32m", maildir]
    try:
        yield lambda: subprocess.run(enlarge, check=True)
    finally:
        subprocess.run(["umount", maildir], check=True)


def test_full_disk_is_named_and_the_next_run_completes(mail_folder: Path) -> None:
    move = make_move(mail_folder)
    fill_maildir(move.source.maildir, 100, 3000)
    with limit_disk(move, "256k") as enlarge:
        with pytest.raises(ContentError, match="doveadm") as caught:
            move.run()
        assert f"The disk of {move.target.maildir} has " in caught.value.compose()
        enlarge()
        assert move.copy()["messages"] == 100
        assert not any("missing" in difference["why"] for difference in move.compare())


def test_dsync_that_only_computes_on_a_full_disk_is_ended_and_the_next_run_completes(
    mail_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(busy_watch, "MOST_SECONDS", 0.5)
    monkeypatch.setattr(busy_watch, "_PAUSE", 0.1)
    monkeypatch.setattr(unregistered_files, "_MOMENT", 0.0)
    move = make_move(mail_folder)
    fill_maildir(move.source.maildir, 250, 3000)
    with limit_disk(move, "900k") as enlarge:
        for number in range(6):
            move.target.deliver(f"own-{number}")
        # Not on each of these disks dsync computes without end: on some it ends by itself.
        with pytest.raises(ContentError) as caught:
            move.run()
        assert f"The disk of {move.target.maildir} has " in caught.value.compose()
        enlarge()
        assert move.copy()["messages"] == 256
        subjects = move.target.list_subjects()
        assert len(subjects) == len(set(subjects)) == 256


def test_dsync_that_computes_without_end_is_an_error_that_says_so(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(busy_watch, "MOST_SECONDS", 0.2)
    monkeypatch.setattr(busy_watch, "_PAUSE", 0.1)
    let_sync(monkeypatch, move.folder, "while :; do :; done")
    with pytest.raises(ContentError, match="signal 9: it used 120 s of processor time"):
        move.run()


def test_host_that_is_gone_in_the_middle_is_an_error_and_the_next_run_goes_on(
    mail_folder: Path,
) -> None:
    require_content_tools("sshd")
    with run_ssh(mail_folder / "ssh") as server:
        move = make_move(mail_folder)
        move.source_host = server.source
        fill_maildir(move.source.maildir, 500, 3000)
        process = move.start()
        wait_for_messages(move, process, 1)
        server.stop()
        assert process.wait(SECONDS) != 0
        server.start()
        move.source_host = server.source
        assert move.copy()["messages"] == 500
        assert move.compare() == []


def test_second_run_at_the_same_time_is_refused(
    mail_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_state, "MOST_SECONDS", 0)
    move = make_move(mail_folder)
    fill_maildir(move.source.maildir, 500, 3000)
    process = move.start()
    wait_for_messages(move, process, 1)
    with pytest.raises(ContentError, match="another run works"):
        move.run()
    assert process.wait(SECONDS) == 0


def test_what_dsync_brings_back_is_removed_after_a_kill_too(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    move.target.deliver("own-1")
    move.copy()
    move.target.remove("inbox-1")
    test = 'case " $* " in *" expunge "*) exit 75;; esac'
    path = write_program(move.folder / "bin", f'{test}\nexec /usr/bin/doveadm "$@"')
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", path)
    with pytest.raises(ContentError, match="brought back"):
        move.run("late")
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", PATH)
    move.copy("late")
    assert move.target.list_subjects() == ["inbox-2", "inbox-3", "own-1"]


def test_mailbox_of_a_user_comes_over_ssh(remote_move: Move) -> None:
    result = remote_move.copy()
    assert result["messages"] == 6
    assert remote_move.compare() == []
    remote_move.source.deliver("late")
    remote_move.target.deliver("own")
    remote_move.copy("late")
    subjects = ["inbox-1", "inbox-2", "inbox-3", "late", "own"]
    assert remote_move.target.list_subjects() == subjects


def test_mailbox_may_have_another_address_on_the_source(remote_move: Move) -> None:
    result = remote_move.run(address="sales@mail.example", source_address=ADDRESS)
    assert (result.failure, result.values["messages"]) == ("", 6)


@pytest.mark.parametrize("option", ["address", "source_address"])
def test_address_of_no_mailbox_or_of_many_is_an_error_that_names_its_option(
    remote_move: Move, option: str
) -> None:
    for mode in ("copy", "late", "compare"):
        for address in ("nobody@mail.example", "*", "*@mail.example", "inf?@mail.example"):
            addresses = {"address": ADDRESS, "source_address": ADDRESS, option: address}
            with pytest.raises(ContentError) as caught:
                remote_move.run(mode, **addresses)
            assert caught.value.option == option
            assert address in caught.value.problem
    assert remote_move.target.list_subjects() == []


def test_server_with_another_host_key_is_refused(remote_move: Move) -> None:
    ssh = remote_move.folder / "ssh"
    kind, key = (ssh / "key.pub").read_text().split()[:2]
    port = remote_move.complete("copy")["source"]["port"]
    (ssh / "known_hosts").write_text(f"[127.0.0.1]:{port} {kind} {key}\n")
    with pytest.raises(ContentError) as caught:
        remote_move.run()
    assert caught.value.option == "source.known_hosts_file"
    assert remote_move.target.list_subjects() == []


def test_forced_command_that_allows_the_listed_commands_alone_suffices(
    mail_folder: Path, remote_move: Move
) -> None:
    lines = [shlex.join(command) for command in list_commands_on_source(MailboxName(ADDRESS))]
    allowed = mail_folder / "allowed"
    allowed.write_text("\n".join(lines) + "\n")
    gate = mail_folder / "gate"
    check = f'grep -qxF -- "$SSH_ORIGINAL_COMMAND" {allowed} || exit 99'
    gate.write_text(f'#!/bin/sh\n{check}\neval "exec $SSH_ORIGINAL_COMMAND"\n')
    gate.chmod(0o755)
    key = (mail_folder / "ssh" / "key.pub").read_text()
    (mail_folder / "ssh" / "authorized_keys").write_text(f'restrict,command="{gate}" {key}')
    make_closed_folder(remote_move.source, ".a\nb")
    assert "cannot open it" in remote_move.run().failure
    shutil.rmtree(remote_move.source.maildir / ".a\nb")
    assert remote_move.copy()["messages"] == 6


def test_neither_result_nor_state_has_a_message_id(move: Move) -> None:
    result = move.copy()
    kept = "".join(path.read_text() for path in move.state.iterdir())
    for subject in ("inbox-1", "work-1"):
        assert subject not in kept + json.dumps(result)


def run_by_ansible(move: Move, *arguments: str, **options: Any) -> dict[str, Any]:
    """Run the module by Ansible, with a state directory of the test."""
    lib = move.folder / "lib"
    lib.mkdir(exist_ok=True)
    # What a run keeps is below /var/lib.
    script = 'mount --bind "$0" /var/lib && exec "$@"'
    command = ["unshare", "--mount", "sh", "-c", script, str(lib)]
    command += [sys.executable, "-m", "ansible", "adhoc", "host", "--inventory", "host,"]
    command += ["--connection", "local", "--extra-vars"]
    command += [json.dumps({"ansible_python_interpreter": sys.executable})]
    command += ["--module-name", f"hosting.panel.{MODULE}", "--args", json.dumps(options)]
    process = subprocess.run(
        [*command, *arguments], capture_output=True, text=True, timeout=120, check=False
    )
    result: dict[str, Any] = json.loads(process.stdout.partition("=> ")[2])
    return result


def test_task_has_the_documented_result(move: Move) -> None:
    options = {
        "address": ADDRESS,
        "doveadm_args": move.target.arguments,
        "source_doveadm_args": move.source.arguments,
    }
    predicted = run_by_ansible(move, "--check", **options)
    copied = run_by_ansible(move, **options)
    second = run_by_ansible(move, **options)
    assert set(read_documentation(MODULE)["return"]) ^ {"changed", "error"} == set(copied)
    assert (predicted["changed"], predicted["messages"]) == (True, 0)
    assert (copied["changed"], copied["messages"]) == (True, 6)
    assert second == {**copied, "changed": False}


def test_task_that_fails_has_its_differences_too(move: Move) -> None:
    make_closed_folder(move.source, ".a\nb")
    options = {
        "address": ADDRESS,
        "doveadm_args": move.target.arguments,
        "source_doveadm_args": move.source.arguments,
    }
    result = run_by_ansible(move, **options)
    assert result["msg"].startswith(f"Not everything of the source is in {ADDRESS}: INBOX.a\\x0ab")
    assert [difference["folder"] for difference in result["differences"]] == ["INBOX.a\\x0ab"]
    assert (result["error"]["type"], result["error"]["effect"]) == (
        "ContentError",
        "What was copied stays.",
    )
    refused = run_by_ansible(move, **{**options, "address": "*"})
    assert refused["msg"].startswith("address: '*' has a wildcard")


def compose_delivery(mailbox: RealMailbox, subject: str, folder: str) -> str:
    """Return what a shell runs to put a message into a folder."""
    text = f"printf 'Subject: {subject}\\n\\nLines\\n'"
    return f"{text} | /usr/bin/doveadm -c {mailbox.configuration} save -m {folder}"


@pytest.mark.parametrize("mode", ["copy", "late"])
def test_mail_that_arrives_during_a_run_stays_in_a_folder_that_the_source_has_deleted(
    move: Move, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    move.copy()
    time.sleep(1.1)  # dsync compares seconds.
    move.source.run("mailbox delete", "INBOX.Work")
    let_sync(monkeypatch, move.folder, compose_delivery(move.target, "own", "INBOX.Work"))
    move.copy(mode)
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", PATH)
    assert "own" in move.target.list_subjects("INBOX.Work")


@pytest.mark.parametrize("mode", ["copy", "late"])
def test_mail_that_arrives_during_a_run_is_there_once_where_dsync_doubles_it(
    move: Move, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    move.copy()
    move.target.deliver("twice on purpose")
    move.target.run("copy", "INBOX", "mailbox", "INBOX", "subject", "twice on purpose")
    double = f"/usr/bin/doveadm -c {move.target.configuration} copy INBOX mailbox INBOX subject"
    move.source.deliver("new")
    deliver = compose_delivery(move.target, "own", "INBOX")
    # In rare moments dsync copies a message that is delivered, and leaves the first one.
    let_sync(monkeypatch, move.folder, f"{deliver}; {double} own")
    result = move.copy(mode)
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", PATH)
    subjects = move.target.list_subjects()
    assert [subjects.count(name) for name in ("own", "new", "twice on purpose")] == [1, 1, 2]
    assert result["messages"] == len(subjects) + len(move.target.list_subjects("INBOX.Work"))


def test_second_copy_that_a_customer_may_have_made_stays_after_a_run_that_was_ended(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end_run(*_arguments: Any) -> None:
        raise KeyboardInterrupt

    move.copy()
    move.source.deliver("new")
    with monkeypatch.context() as patch:
        patch.setattr(mailbox_copy, "remove_doubled", end_run)
        with pytest.raises(KeyboardInterrupt):
            move.run()
    time.sleep(1 - time.time() % 1)  # Both have to be of one second.
    move.target.deliver("own")
    move.target.run("copy", "INBOX", "mailbox", "INBOX", "subject", "own")
    fields = ("guid", "date.saved", "date.received")
    first, second = move.target.list_messages("INBOX", *fields)[-2:]
    # Nothing tells it from a copy that dsync makes.
    assert [first[field] for field in fields] == [second[field] for field in fields]
    move.copy()
    assert move.target.list_subjects().count("own") == 2


@pytest.mark.parametrize("is_early", [True, False], ids=["before the run", "during the run"])
@pytest.mark.parametrize("mode", ["copy", "late"])
def test_mail_of_the_target_stays_in_a_folder_that_the_source_deletes_during_a_run(
    move: Move, monkeypatch: pytest.MonkeyPatch, mode: str, is_early: bool
) -> None:
    move.copy()
    settings = move.source.configuration
    delete = f"/usr/bin/doveadm -c {settings} mailbox delete INBOX.Work"
    deliver = compose_delivery(move.target, "own", "INBOX.Work")
    if is_early:
        move.target.deliver("own", "INBOX.Work")
        deliver = ":"
    time.sleep(1.1)  # dsync compares seconds.
    steps = f"{deliver}; {delete}; sleep 1.1"
    once = f'[ "$(wc -l < {move.folder}/runs)" -gt 1 ] || {{ {steps}; }}'
    let_sync(monkeypatch, move.folder, once)
    move.copy(mode)
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", PATH)
    assert "own" in move.target.list_subjects("INBOX.Work")


def test_what_is_deleted_after_a_run_that_ended_between_two_rounds_stays_deleted(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = move.source.configuration
    remove = f"/usr/bin/doveadm -c {settings} expunge mailbox INBOX HEADER subject inbox-3"
    second = f'[ "$(wc -l < {move.folder}/runs)" -le 1 ] || exit 75'
    let_sync(monkeypatch, move.folder, f"{second}; {remove}")
    with pytest.raises(ContentError, match="75"):
        move.run()
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", PATH)
    move.target.remove("inbox-1")
    move.copy()
    assert move.target.list_subjects() == ["inbox-2"]
    assert move.target.list_subjects("INBOX.Work") == ["work-1", "work-2", "work-3"]


@pytest.mark.parametrize("mode", ["copy", "late"])
def test_a_message_that_the_source_moves_back_after_a_run_that_failed_is_copied_again(
    move: Move, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    move.copy(mode)
    (message,) = move.source.maildir.glob(".Work/*/*work-1*")
    away = message.rename(move.folder / message.name)
    let_sync(monkeypatch, move.folder, '/usr/bin/doveadm "$@"; exit 75')
    with pytest.raises(ContentError, match="75"):
        move.run(mode)
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", PATH)
    assert move.target.list_subjects("INBOX.Work") == ["work-2", "work-3"]
    away.rename(message)
    assert move.run(mode, is_check=True).values["changed"]
    move.copy(mode)
    assert move.target.list_subjects("INBOX.Work") == ["work-1", "work-2", "work-3"]


@pytest.mark.parametrize("mode", ["copy", "late"])
def test_a_message_that_the_source_moves_away_during_a_run_and_then_back_is_copied_again(
    move: Move, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    move.copy(mode)
    move.source.deliver("work-4", "INBOX.Work")
    (message,) = move.source.maildir.glob(".Work/*/*work-1*")
    away = move.folder / message.name
    let_sync(monkeypatch, move.folder, f"mv {message} {away} 2> {os.devnull}")
    move.copy(mode)
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", PATH)
    assert move.target.list_subjects("INBOX.Work") == ["work-2", "work-3", "work-4"]
    away.rename(message)
    move.copy(mode)
    assert move.target.list_subjects("INBOX.Work") == ["work-1", "work-2", "work-3", "work-4"]


@pytest.mark.parametrize("count", [10, 150])
def test_nothing_that_a_killed_run_gave_another_number_is_taken_for_deleted(
    mail_folder: Path, count: int
) -> None:
    move = make_move(mail_folder)
    fill_maildir(move.source.maildir, 50, 300)
    move.copy()
    # Their numbers are those of what the source has next.
    for number in range(5):
        move.target.deliver(f"own-{number}")
    write_messages(move.source.maildir, *(f"new-{number}" for number in range(300)))
    process = move.start()
    wait_for_messages(move, process, 55 + count)
    end_all(process)
    process.wait(SECONDS)
    assert move.copy()["messages"] == 355


def test_source_that_was_made_anew_deletes_no_folder(move: Move) -> None:
    move.copy()
    move.source.maildir.rename(move.folder / "not-mounted")
    move.source.maildir.mkdir()
    shutil.chown(move.source.maildir, MAIL_UID, MAIL_UID)
    move.source.deliver("anew")
    with pytest.raises(ContentError, match="is not the one that an earlier run copied"):
        move.run()
    next(move.state.glob("mailbox-*.json")).unlink()
    move.copy()
    assert move.target.list_subjects("INBOX.Work") == ["work-1", "work-2", "work-3"]

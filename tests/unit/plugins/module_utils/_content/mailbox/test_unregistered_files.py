"""Which files of a Maildir a killed dsync has made and not registered."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content import host_tools
from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.commands import (
    MailboxName,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.reading import (
    MailboxAccess,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.unregistered_files import (
    remove_unregistered_files,
)

# No process has it: it is above what a kernel gives.
PROCESS = 2**22 + 7
BEGAN = 1_700_000_000
HOST = "mail.example"
TARGET = MailboxAccess(MailboxName("info@mail.example"), "address", "doveadm_args")
REGISTERED = f"1700000001.M1P{PROCESS}.{HOST},S=10,W=12"
UNREGISTERED = f"1700000002.M2P{PROCESS}.{HOST},S=10,W=12:2,S"
PARTIAL = f"1700000003.M3P{PROCESS}.{HOST}"
OTHERS = [
    f"1700000004.M4P1{PROCESS}.{HOST},S=10,W=12",
    f"1700000005.M5P{PROCESS}.other.example,S=10,W=12",
    "1700000006.M6P1.mail.example",
]


@pytest.fixture
def maildir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a Maildir that a dsync was killed in, and let doveadm tell its directory."""
    maildir = tmp_path / "mail"
    fill(maildir)
    let_doveadm_print(tmp_path, monkeypatch, json.dumps([{"path": str(maildir)}]))
    note(tmp_path, PROCESS)
    return maildir


def fill(maildir: Path) -> None:
    """Make a folder with files of all kinds, and the lock of a dsync."""
    for directory in ("cur", "new", "tmp"):
        (maildir / directory).mkdir(parents=True)
    for name in (f"{REGISTERED}:2,", UNREGISTERED, *OTHERS):
        (maildir / "cur" / name).touch()
    (maildir / "new" / UNREGISTERED.partition(":")[0]).touch()
    (maildir / "tmp" / PARTIAL).touch()
    cut_off = f"8 Gsource-8 :{UNREGISTERED}"
    lines = ["3 V7 N9 G1", f"7 Gsource-7 W12 :{REGISTERED}", cut_off]
    (maildir / "dovecot-uidlist").write_text("\n".join(lines), encoding="ascii")
    lock(maildir, PROCESS)


def lock(maildir: Path, process: int) -> None:
    """Let a process have the lock of a folder."""
    (maildir / "dovecot-uidlist.lock").write_text(f"{process}:{HOST}", encoding="ascii")


def note(folder: Path, process: int) -> None:
    """Note the process of dsync."""
    (folder / "process").write_text(f"{process} {BEGAN}\n", encoding="ascii")


def let_doveadm_print(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Put a program in the place of doveadm."""
    program = folder / "doveadm"
    program.write_text(f"#!/bin/sh\necho '{text}'\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", f"{folder}:{os.defpath}")


def list_files(maildir: Path) -> list[str]:
    """Return the files of messages of a folder."""
    return sorted(
        path.name for directory in ("cur", "new", "tmp") for path in (maildir / directory).iterdir()
    )


def list_removed(maildir: Path) -> list[str]:
    """Remove what is not registered, and return the files of the folder that are gone."""
    before = list_files(maildir)
    remove_unregistered_files(TARGET, str(maildir.parent / "process"))
    for name in list_files(maildir):
        before.remove(name)
    return before


def test_files_that_a_killed_dsync_has_not_registered_are_removed(maildir: Path) -> None:
    assert list_removed(maildir) == sorted([UNREGISTERED, UNREGISTERED.partition(":")[0], PARTIAL])


def test_line_that_the_kill_has_torn_is_cut_off(maildir: Path) -> None:
    uidlist = maildir / "dovecot-uidlist"
    lines = uidlist.read_text(encoding="ascii").splitlines(keepends=True)
    for _run in range(2):
        list_removed(maildir)
        assert uidlist.read_text(encoding="ascii") == "".join(lines[:-1])


def test_files_in_another_folder_are_removed(maildir: Path) -> None:
    fill(maildir / ".Work")
    (maildir / "dovecot-uidlist.lock").unlink()
    before = list_files(maildir)
    remove_unregistered_files(TARGET, str(maildir.parent / "process"))
    assert list_files(maildir) == before
    assert list_files(maildir / ".Work") == sorted([f"{REGISTERED}:2,", *OTHERS])


@pytest.mark.parametrize("name", ["dovecot-uidlist.lock", "dovecot-uidlist"])
def test_nothing_is_removed_of_a_folder_that_dovecot_has_read_since(
    maildir: Path, name: str
) -> None:
    (maildir / name).unlink()
    assert list_removed(maildir) == []


@pytest.mark.parametrize("text", ["", str(PROCESS), f"{PROCESS}:"])
def test_nothing_is_removed_where_the_lock_does_not_say_whose_it_is(
    maildir: Path, text: str
) -> None:
    (maildir / "dovecot-uidlist.lock").write_text(text, encoding="ascii")
    assert list_removed(maildir) == []


@pytest.mark.parametrize("text", ["", str(PROCESS), f"{PROCESS}:"])
def test_lock_that_dsync_has_left_on_a_full_disk_is_removed_with_its_files(
    maildir: Path, text: str
) -> None:
    maker = f"P{PROCESS}.{os.uname().nodename}"
    (maildir / "cur" / f"1700000009.M9{maker}:2,").touch()
    make_old_lock(maildir, text, time.time() - 60)
    assert list_removed(maildir) == [f"1700000009.M9{maker}:2,"]
    assert not (maildir / "dovecot-uidlist.lock").exists()


def test_lock_that_no_dsync_has_left_stays(maildir: Path) -> None:
    for seconds in (BEGAN - 1, time.time()):
        make_old_lock(maildir, "", seconds)
        assert list_removed(maildir) == []
        assert (maildir / "dovecot-uidlist.lock").exists()
    make_old_lock(maildir, f"{PROCESS + 1}:{HOST}", time.time() - 60)
    assert list_removed(maildir) == []
    assert (maildir / "dovecot-uidlist.lock").exists()


def make_old_lock(maildir: Path, text: str, seconds: float) -> None:
    """Let a folder have a lock that was made at that time."""
    path = maildir / "dovecot-uidlist.lock"
    path.write_text(text, encoding="ascii")
    os.utime(path, (seconds, seconds))


def test_directory_that_is_not_there_is_passed_over(maildir: Path) -> None:
    shutil.rmtree(maildir / "new")
    remove_unregistered_files(TARGET, str(maildir.parent / "process"))
    assert not list((maildir / "tmp").iterdir())


def test_nothing_is_removed_where_another_process_was_killed(maildir: Path) -> None:
    lock(maildir, PROCESS + 1)
    (maildir / "cur" / f"1700000009.M9P{PROCESS + 1}.{HOST}").touch()
    assert list_removed(maildir) == []


def test_nothing_is_removed_while_dsync_runs(maildir: Path) -> None:
    script = "echo started; read -r end"
    streams = host_tools.Streams(subprocess.PIPE)
    with host_tools.start_command(["sh", "-c", script, "doveadm"], streams) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        lock(maildir, process.pid)
        note(maildir.parent, process.pid)
        for path in (maildir / "tmp").iterdir():
            path.rename(path.with_name(f"1700000003.M3P{process.pid}.{HOST}"))
        assert list_removed(maildir) == []


@pytest.mark.parametrize("text", ["", "12", "[]", '[{"directory": "/"}]'])
def test_nothing_is_removed_where_doveadm_tells_no_directory(
    maildir: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    let_doveadm_print(maildir.parent, monkeypatch, text)
    assert list_removed(maildir) == []


def test_nothing_is_removed_where_no_dsync_was_noted(maildir: Path) -> None:
    (maildir.parent / "process").unlink()
    assert list_removed(maildir) == []


def test_link_in_the_place_of_a_directory_is_an_error_and_is_not_followed(maildir: Path) -> None:
    linked = maildir.parent / "linked"
    (maildir / "new").rename(linked)
    (maildir / "new").symlink_to(linked)
    with pytest.raises(ContentError, match="cannot be removed"):
        remove_unregistered_files(TARGET, str(maildir.parent / "process"))
    assert len(list(linked.iterdir())) == 1

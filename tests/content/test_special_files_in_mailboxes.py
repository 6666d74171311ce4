"""Mailboxes with something else than files where messages are: a real Dovecot would wait for it."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content import host_tools
from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.facts import (
    read_mailbox,
)
from tests.content.test_mailbox_sync import ADDRESS, Move, fill, make_move
from tests.support.dovecot import MAIL_UID, PATH, make_mail_folder, run_user_database
from tests.support.needed import require_content_tools
from tests.support.real_ssh import run_ssh

NAME = "1700000001.special.old.example"


@pytest.fixture
def mail_folder() -> Iterator[Path]:
    """Yield a folder for mailboxes."""
    require_content_tools("doveadm", "dovecot")
    with make_mail_folder() as folder:
        yield folder


@pytest.fixture
def move(mail_folder: Path) -> Move:
    """Return two mailboxes, of which the source has mail."""
    return fill(make_move(mail_folder))


def make_pipe(path: Path) -> None:
    """Make a pipe, which nobody writes."""
    os.mkfifo(path)
    os.chown(path, MAIL_UID, MAIL_UID)


def make_socket(path: Path) -> None:
    """Make a socket, by a short name that a socket can have."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)


def make_device(path: Path) -> None:
    """Make a device that has no end."""
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))


def link_to_device(path: Path) -> None:
    """Make what a customer can make of a device."""
    path.symlink_to("/dev/zero")


def link_to_pipe(path: Path) -> None:
    """Make a link to a pipe that is elsewhere."""
    make_pipe(path.parents[1] / "pipe")
    path.symlink_to("../pipe")


MAKERS = [make_pipe, make_socket, make_device, link_to_device, link_to_pipe]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("mode", ["copy", "late", "compare"])
def test_what_is_no_file_is_named_before_anything_is_read(
    move: Move, mode: str, make: Callable[[Path], None]
) -> None:
    make(move.source.maildir / ".Work" / "new" / NAME)

    with pytest.raises(ContentError) as caught:
        move.run(mode)

    assert caught.value.option == "source_address"
    assert f"{ADDRESS} on this host has .Work/new/{NAME}" in caught.value.compose()
    assert "Nothing was written." in caught.value.compose()


@pytest.mark.parametrize("is_check", [False, True], ids=["run", "check mode"])
def test_what_is_no_file_on_the_target_is_named_too(move: Move, is_check: bool) -> None:
    move.copy()
    make_pipe(move.target.maildir / "cur" / f"{NAME}:2,S")
    make_pipe(move.target.maildir / "new" / f"{NAME}.b")
    move.source.deliver("late")

    with pytest.raises(ContentError) as caught:
        move.run(is_check=is_check)

    assert caught.value.option == "address"
    assert f"has cur/{NAME}:2,S (one of 2)" in caught.value.compose()
    for folder in ("cur", "new"):
        for path in (move.target.maildir / folder).glob(f"{NAME}*"):
            path.unlink()
    assert move.copy()["messages"] == 7


def test_what_dovecot_does_not_read_is_no_error(move: Move) -> None:
    for path in ("new/.hidden", "tmp/1", "pipe", ".Work/pipe"):
        make_pipe(move.source.maildir / path)
    elsewhere = move.folder / "message"
    elsewhere.write_text("Subject: elsewhere\n\n", encoding="utf-8")
    elsewhere.chmod(0o644)
    (move.source.maildir / "new" / "1700000002.link.old.example").symlink_to(elsewhere)

    assert move.copy()["messages"] == 7


def test_facts_of_a_mailbox_name_it(move: Move) -> None:
    make_pipe(move.source.maildir / "new" / NAME)

    with pytest.raises(ContentError, match="has new/") as caught:
        read_mailbox(ADDRESS, move.source.arguments)

    assert caught.value.option == "mailboxes"


def test_what_is_no_file_is_named_on_a_source_behind_ssh(
    mail_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_content_tools("ssh", "ssh-keygen", "sshd")
    with (
        run_user_database(mail_folder / "old", [ADDRESS]) as old,
        run_user_database(mail_folder / "new", [ADDRESS]) as new,
        run_ssh(mail_folder / "ssh", f"{mail_folder}/old/bin:{PATH}") as server,
    ):
        monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", f"{mail_folder}/new/bin:{PATH}")
        move = fill(Move(mail_folder, old[ADDRESS], new[ADDRESS], server.source))
        make_pipe(move.source.maildir / "new" / NAME)

        with pytest.raises(ContentError) as caught:
            move.run()

    assert caught.value.option == "source_address"
    assert f"on 127.0.0.1 has new/{NAME}" in caught.value.compose()

"""Makes mailboxes of a real Dovecot in a folder: without a server, or with its user database."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Dovecot refuses mail of root. Nobody needs to have this number.
MAIL_UID = 5000
SECONDS = 60.0
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_SETTINGS = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = /dev/stderr
mail_fsync = never
first_valid_uid = 1
first_valid_gid = 1
namespace inbox {{
  inbox = yes
  prefix = {prefix}
  separator = {separator}
}}
"""
_LOCAL_SETTINGS = """
mail_uid = {uid}
mail_gid = {uid}
mail_location = maildir:{folder}/mail
"""
_USER_SETTINGS = """
protocols =
ssl = no
mail_location = maildir:{folder}/mail/%u
passdb {{
  driver = passwd-file
  args = {folder}/users
}}
userdb {{
  driver = passwd-file
  args = {folder}/users
}}
"""
# Dovecot 2.4 reads its version before all other settings, and has other names for many of them.
_BEGINNING_OF_2_4 = """
dovecot_config_version = 2.4.1
dovecot_storage_version = 2.4.1
mail_driver = maildir
"""
_LOCAL_SETTINGS_OF_2_4 = """
mail_uid = {uid}
mail_gid = {uid}
mail_home = {folder}/home
mail_path = {folder}/mail
"""
_USER_SETTINGS_OF_2_4 = """
protocols =
ssl = no
mail_path = {folder}/mail/%{{user}}
passdb passwd-file {{
  passwd_file_path = {folder}/users
}}
userdb passwd-file {{
  passwd_file_path = {folder}/users
}}
"""


@dataclass(frozen=True)
class DovecotRelease:
    """A release of Dovecot, and the programs of it.

    doveadm, dovecot: The programs.
    has_new_settings: Whether it is 2.4 or later.
    """

    doveadm: str
    dovecot: str
    has_new_settings: bool = False

    def write_settings(self, folder: Path, is_local: bool, prefix: str, separator: str) -> None:
        """Make the folders of a mailbox, and the settings with or without a user database."""
        general, local, users = _SETTINGS, _LOCAL_SETTINGS, _USER_SETTINGS
        if self.has_new_settings:
            general = _BEGINNING_OF_2_4 + _SETTINGS
            local, users = _LOCAL_SETTINGS_OF_2_4, _USER_SETTINGS_OF_2_4
        settings = general + (local if is_local else users)
        values = {"prefix": prefix, "separator": separator, "uid": MAIL_UID}
        _write_settings(folder, settings, **values)


INSTALLED = DovecotRelease("/usr/bin/doveadm", "/usr/sbin/dovecot")


@dataclass(frozen=True)
class RealMailbox:
    """A mailbox of Dovecot.

    configuration: The file with the settings of Dovecot.
    maildir: The folder with its messages.
    user: What the user database knows it by; empty where there is none.
    release: The Dovecot that has it.
    """

    configuration: Path
    maildir: Path
    user: str = ""
    release: DovecotRelease = INSTALLED

    @property
    def arguments(self) -> list[str]:
        """Return the options of doveadm that name the mailbox without a user database."""
        arguments = ["-c", str(self.configuration)]
        if self.release.has_new_settings and not self.user:
            arguments.append("--no-userdb-lookup")

        return arguments

    def run(self, command: str, *arguments: str, text: bytes = b"") -> bytes:
        """Run a command of doveadm, which must end with 0, and return its output."""
        configuration = ["-c", str(self.configuration)]
        user = ["-u", self.user] if self.user else self.arguments[2:]
        beginning = [self.release.doveadm, *configuration, "-f", "json", *command.split()]
        ended = subprocess.run(
            [*beginning, *user, *arguments],
            input=text,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env={"PATH": PATH, "USER": "root", "HOME": "/root"},
        )
        assert ended.returncode == 0, ended.stderr.decode("utf-8", "replace")
        return ended.stdout

    def make_folders(self, *names: str) -> None:
        """Make folders."""
        self.run("mailbox create", *names)

    def deliver(self, subject: str, folder: str = "INBOX") -> None:
        """Put a message into a folder."""
        header = f"Subject: {subject}\nMessage-ID: <{subject}@mail.example>\n"
        message = f"{header}\nLines of {subject}\n"
        self.run("save", "-m", folder, text=message.encode())

    def remove(self, subject: str, folder: str = "INBOX") -> None:
        """Remove a message from a folder."""
        self.run("expunge", "mailbox", folder, "HEADER", "subject", subject)

    def flag(self, flag: str, subject: str, folder: str = "INBOX") -> None:
        """Give a message a flag."""
        self.run("flags add", flag, "mailbox", folder, "HEADER", "subject", subject)

    def list_subjects(self, folder: str = "INBOX") -> list[str]:
        """Return the subjects of a folder's messages in the order of the alphabet."""
        rows = json.loads(self.run("fetch", "hdr", "mailbox", folder))
        lines = [line for row in rows for line in row["hdr"].splitlines()]
        return sorted(line[9:] for line in lines if line.startswith("Subject: "))

    def list_messages(self, folder: str, *fields: str) -> list[dict[str, Any]]:
        """Return fields of a folder's messages in the order of their UIDs."""
        wanted = " ".join(("uid", *fields))
        rows = json.loads(self.run("fetch", wanted, "mailbox", folder))
        return sorted(rows, key=lambda row: int(row["uid"]))

    def list_everything(self) -> list[Any]:
        """Return all that a mail program can see of the mailbox."""
        folders = self.run("mailbox status", "all", "*", "INBOX", "INBOX.*")
        chosen = ["mailbox", "INBOX", "OR", "mailbox", "INBOX.*"]
        fields = "mailbox uid guid flags date.received date.saved text"
        return [json.loads(folders), json.loads(self.run("fetch", fields, *chosen))]


@contextmanager
def make_mail_folder() -> Iterator[Path]:
    """Yield a folder that the user of mailboxes may enter, and remove it.

    The folders of pytest and of a run are root's alone.
    """
    folder = Path(tempfile.mkdtemp(prefix="mailbox-"))
    for passage in (folder, *folder.parents):
        mode = stat.S_IMODE(passage.stat().st_mode)
        if not mode & stat.S_IXOTH:
            passage.chmod(mode | stat.S_IXOTH)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def make_mailbox(
    folder: Path,
    prefix: str = "INBOX.",
    separator: str = ".",
    release: DovecotRelease = INSTALLED,
) -> RealMailbox:
    """Make an empty mailbox without a user database in a folder that does not exist.

    Args:
        folder: The folder.
        prefix, separator: Of the names of its folders.
        release: The Dovecot that has it.
    """
    release.write_settings(folder, True, prefix, separator)
    return RealMailbox(folder / "dovecot.conf", folder / "mail", release=release)


def write_messages(maildir: Path, *subjects: str) -> None:
    """Put messages into the Maildir of a folder as a delivery does."""
    for name in ("cur", "new", "tmp"):
        (maildir / name).mkdir(exist_ok=True)
        os.chown(maildir / name, MAIL_UID, MAIL_UID)
    for subject in subjects:
        header = f"Subject: {subject}\nMessage-ID: <{subject}@mail.example>\n"
        path = maildir / "new" / f"1700000000.{subject}.old.example"
        path.write_text(f"{header}\nLines of {subject}\n", encoding="utf-8")
        os.chown(path, MAIL_UID, MAIL_UID)


def fill_maildir(maildir: Path, count: int, size: int) -> None:
    """Put messages into a Maildir as a server does that is not Dovecot.

    Args:
        maildir: The folder.
        count: How many messages.
        size: The bytes of each.
    """
    for name in ("cur", "new", "tmp"):
        (maildir / name).mkdir(exist_ok=True)
    for number in range(count):
        header = f"Subject: message {number}\nMessage-ID: <{number}@mail.example>\n\n"
        text = header + "All work and no play.\n" * (size // 22)
        path = maildir / "cur" / f"{1_700_000_000 + number}.M{number}P1.old.example:2,S"
        path.write_text(text, encoding="ascii")
    _give_to_user(maildir)


@contextmanager
def run_user_database(
    folder: Path, users: Sequence[str], release: DovecotRelease = INSTALLED
) -> Iterator[dict[str, RealMailbox]]:
    """Yield empty mailboxes by the names of their users, while Dovecot answers who they are.

    A program doveadm in the folder ``bin`` uses these settings.
    """
    release.write_settings(folder, False, "INBOX.", ".")
    lines = [f"{user}:{{PLAIN}}x:{MAIL_UID}:{MAIL_UID}::{folder}/home/{user}\n" for user in users]
    (folder / "users").write_text("".join(lines), encoding="utf-8")
    configuration = folder / "dovecot.conf"
    write_program(folder / "bin", f'exec {release.doveadm} -c {configuration} "$@"')
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [release.dovecot, "-F", "-c", str(configuration)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={"PATH": PATH},
        )
    try:
        _wait_for(folder / "run" / "auth-userdb", process)
        maildirs = folder / "mail"
        yield {user: RealMailbox(configuration, maildirs / user, user, release) for user in users}
    finally:
        process.terminate()
        process.wait(SECONDS)


def write_program(folder: Path, script: str) -> str:
    """Write a program doveadm into a folder, and return a PATH with the folder first."""
    folder.mkdir(exist_ok=True)
    program = folder / "doveadm"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return os.pathsep.join([str(folder), PATH])


def _write_settings(folder: Path, settings: str, **values: Any) -> None:
    for name in ("mail", "state", "home"):
        (folder / name).mkdir(parents=True)
    (folder / "run").mkdir()
    text = settings.format(folder=folder, **values)
    (folder / "dovecot.conf").write_text(text, encoding="utf-8")
    _give_to_user(folder / "mail")
    _give_to_user(folder / "home")


def _give_to_user(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, MAIL_UID, MAIL_UID)


def _wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        if path.exists():
            return
        time.sleep(0.01)
    raise AssertionError(f"Dovecot did not make {path}")

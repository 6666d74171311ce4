"""Makes mailboxes of a real Dovecot in a folder, without a server and without ports."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Dovecot refuses mail of root. Nobody needs to have this number.
MAIL_UID = 5000
_SETTINGS = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = /dev/stderr
mail_uid = {uid}
mail_gid = {uid}
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:{folder}/mail
namespace inbox {{
  inbox = yes
  prefix = {prefix}
  separator = {separator}
}}
"""


@dataclass(frozen=True)
class LocalMailbox:
    """A mailbox in a folder, which no user database knows.

    folder: The folder, which the user of the mailbox may write.
    """

    folder: Path

    @property
    def arguments(self) -> list[str]:
        """Return the options of doveadm that name the mailbox."""
        return ["-c", str(self.folder / "dovecot.conf")]

    @property
    def maildir(self) -> Path:
        """Return the folder with the messages."""
        return self.folder / "mail"

    def run(self, *command: str, text: bytes = b"") -> bytes:
        """Run a command of doveadm, which must end with 0, and return its output."""
        ended = subprocess.run(
            ["doveadm", *self.arguments, *command],
            input=text,
            capture_output=True,
            timeout=60,
            check=False,
            env={"PATH": os.environ["PATH"], "USER": "root", "HOME": "/root"},
        )
        assert ended.returncode == 0, ended.stderr.decode("utf-8", "replace")
        return ended.stdout

    def make_folders(self, *names: str) -> None:
        """Make folders."""
        self.run("mailbox", "create", *names)

    def deliver(self, subject: str, folder: str = "INBOX", *more: str) -> None:
        """Put a message into a folder."""
        header = f"Subject: {subject}\nMessage-ID: <{subject}@mail.example>\n"
        message = f"{header}\nWords of {subject}\n"
        self.run("save", *more, "-m", folder, text=message.encode())

    def remove(self, subject: str, folder: str = "INBOX") -> None:
        """Remove a message from a folder."""
        self.run("expunge", "mailbox", folder, "HEADER", "subject", subject)

    def flag(self, flag: str, subject: str, folder: str = "INBOX") -> None:
        """Give a message a flag."""
        self.run("flags", "add", flag, "mailbox", folder, "HEADER", "subject", subject)

    def list_subjects(self, folder: str = "INBOX") -> list[str]:
        """Return the subjects of a folder's messages in the order of their UIDs."""
        return [row["hdr.subject"] for row in self.list_messages(folder, "hdr.subject")]

    def list_messages(self, folder: str, *fields: str) -> list[dict[str, Any]]:
        """Return fields of a folder's messages in the order of their UIDs."""
        wanted = " ".join(("uid", *fields))
        rows = json.loads(self.run("-f", "json", "fetch", wanted, "mailbox", folder))
        return sorted(rows, key=lambda row: int(row["uid"]))

    def list_folders(self) -> list[str]:
        """Return the names of all folders."""
        rows = json.loads(self.run("-f", "json", "mailbox", "list"))
        return sorted(row["mailbox"] for row in rows)


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
    folder: Path, prefix: str = "INBOX.", separator: str = ".", more: Sequence[str] = ()
) -> LocalMailbox:
    """Make an empty mailbox in a folder that does not exist.

    Args:
        folder: The folder.
        prefix, separator: Of the names of its folders.
        more: Lines for its settings.
    """
    for name in ("mail", "run", "state"):
        (folder / name).mkdir(parents=True)
    settings = _SETTINGS.format(folder=folder, uid=MAIL_UID, prefix=prefix, separator=separator)
    (folder / "dovecot.conf").write_text("\n".join([settings, *more, ""]), encoding="utf-8")
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, MAIL_UID, MAIL_UID)
    return LocalMailbox(folder)

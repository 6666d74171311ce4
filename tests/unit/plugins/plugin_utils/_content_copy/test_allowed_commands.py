"""Which commands the key of a copy allows on the source."""

from __future__ import annotations

import json
import os
import shlex
import string
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_content_commands import (
    panel_content_commands,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.login import (
    Login,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.rows_commands import (
    make_dump_command,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.queries.source_commands import (
    list_source_commands,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.commands import (
    MailboxName,
    list_commands_on_source,
)
from tests.support.program_file import load_program

PROGRAM = Path(__file__).parents[5] / "roles" / "content" / "files" / "allowed_commands.py"
TREE = {"kind": "tree", "from": "/home/users/acme/www", "to": "/srv", "source_owner": "acme"}
MAILBOX = {"kind": "mailbox", "from": "info@acme.example", "to": "info@acme.example"}
DATABASE = {"kind": "database", "from": "acme_db1", "to": "acme_db1"}
ALLOWED = panel_content_commands([TREE, MAILBOX, DATABASE])
SENDER = "runuser -u acme -- rsync --server --sender"
LETTERS = "-vlHogDtpAXrSxe.iLsfxCIvu"


choose_command = load_program(PROGRAM).choose_command


@pytest.mark.parametrize(
    "command",
    [
        *list_commands_on_source(MailboxName("info@acme.example")),
        *list_source_commands("acme_db1", Login()),
        make_dump_command("acme_db1", Login(), ["t", "--all-databases", "a'b;`id`"]),
        ["rsync", "--version"],
        ["getent", "passwd", "acme"],
    ],
    ids=lambda command: " ".join(command)[:60],
)
def test_each_command_of_the_modules_is_allowed_word_by_word(command: list[str]) -> None:
    assert choose_command(shlex.join(command), ALLOWED) == command


@pytest.mark.parametrize(
    "line",
    [
        f"{SENDER} {LETTERS} . /home/users/acme/www/",
        f"{SENDER} {LETTERS} --timeout=60 --bwlimit=100 . /home/users/acme/www/",
        f"{SENDER} {LETTERS} --list-only . /home/users/acme/www/",
    ],
)
def test_rsync_may_send_the_tree_as_its_owner(line: str) -> None:
    assert choose_command(line, ALLOWED) == shlex.split(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "sh",
        "sh -c id",
        "rsync --version; id",
        "rsync --version && id",
        "$(id)",
        f"{SENDER} {LETTERS} . /home/users/acme/www/../..",
        f"{SENDER} {LETTERS} . /home/users/beta/www/",
        f"{SENDER} {LETTERS} . /home/users/acme/www/ /etc/",
        f"{SENDER} {LETTERS} . /home/users/acme/www/; id",
        f"{SENDER} {LETTERS} . home/users/acme/www/",
        f"{SENDER} {LETTERS} --timeout=1x . /home/users/acme/www/",
        f"{SENDER} -vL.x . /home/users/acme/www/",
        f"{SENDER} -vk.x . /home/users/acme/www/",
        f"{SENDER} {LETTERS} --remove-source-files . /home/users/acme/www/",
        f"{SENDER} {LETTERS} --files-from=/etc/shadow . /home/users/acme/www/",
        f"runuser -u acme -- rsync --server {LETTERS} . /home/users/acme/www/",
        f"runuser -u root -- rsync --server --sender {LETTERS} . /home/users/acme/www/",
        f"rsync --server --sender {LETTERS} . /home/users/acme/www/",
        "doveadm dsync-server -u other@acme.example",
        "doveadm -o x=y dsync-server -u info@acme.example",
        "mariadb --execute='DROP DATABASE acme_db1'",
        "mariadb",
        "mariadb-dump --no-defaults mysql",
        shlex.join(make_dump_command("acme_db1", Login())),
        shlex.join(make_dump_command("mysql", Login(), ["user"])),
        shlex.join(
            ["mariadb-dump", "--all-databases", *make_dump_command("acme_db1", Login(), ["t"])[1:]]
        ),
        "getent shadow acme",
        "cat '",
        "rsync --version\nid",
        "rsync\x00--version",
    ],
)
def test_everything_else_is_refused(line: str) -> None:
    assert choose_command(line, ALLOWED) is None


@pytest.mark.parametrize(
    "letters", ["-{}vle.iLsfx", "-vl{}e.iLsfx", "-vl{}.iLsfx"], ids=["first", "before e", "for e"]
)
@pytest.mark.parametrize("letter", sorted(set(string.ascii_letters) - set("ADHSXceglnoprtvx")))
def test_a_letter_that_the_copy_does_not_use_is_refused(letter: str, letters: str) -> None:
    line = f"{SENDER} {letters.format(letter)} . /home/users/acme/www/"
    assert choose_command(line, ALLOWED) is None


@pytest.mark.parametrize(
    ("line", "code", "output"),
    [("printf %s allowed", 0, "allowed"), ("printf %s other", 126, ""), ("gone", 127, "")],
    ids=["allowed", "refused", "a tool that is missing"],
)
def test_the_program_runs_what_is_allowed_with_a_clean_environment(
    tmp_path: Path, line: str, code: int, output: str
) -> None:
    file = tmp_path / "allowed.json"
    commands = [["printf", "%s", "allowed"], ["gone"]]
    allowed = {"commands": commands, "dumps": [], "trees": []}
    file.write_text(json.dumps(allowed), encoding="utf-8")

    ended = subprocess.run(
        [sys.executable, "-I", str(PROGRAM), str(file)],
        env={"PATH": os.environ["PATH"], "SSH_ORIGINAL_COMMAND": line},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (ended.returncode, ended.stdout) == (code, output)
    assert "Traceback" not in ended.stderr

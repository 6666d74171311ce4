"""The role move with content, between two simulated panels and two servers that are this machine."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.support.customer_server import (
    CUSTOMER,
    Account,
    CustomerServer,
    make_customer_server,
    make_hosts,
)
from tests.support.dovecot import RealMailbox, make_mail_folder
from tests.support.needed import require_content_tools
from tests.support.playbook import IN_PROCESS, make_environment
from tests.support.real_mariadb import RealMariadb
from tests.support.real_ssh import RealSsh, make_namespace, run_ssh
from tests.support.simulator import Simulator

PLAYS = [
    {
        "name": "Move Acme",
        "hosts": "localhost",
        "gather_facts": False,
        "roles": [{"role": "hosting.panel.move"}],
    }
]
SECONDS = 600.0
ADDRESS = "info@acme.example"
DATABASE = "acme_db1"
# The account of the customer owns a view and a trigger, as applications make them.
CONTENT_OF_DATABASE = f"""
CREATE TABLE orders (id INT PRIMARY KEY, name VARCHAR(50)); INSERT INTO orders VALUES (1, 'Zoë');
CREATE DEFINER={DATABASE}@localhost VIEW names AS SELECT name FROM orders;
CREATE DEFINER={DATABASE}@localhost TRIGGER named BEFORE INSERT ON orders FOR EACH ROW
  SET NEW.name = TRIM(NEW.name);
"""


class Side(NamedTuple):
    """What a server of the customer has, beside its panel."""

    home: Path
    server: CustomerServer

    @property
    def mailbox(self) -> RealMailbox:
        """Return the only mailbox."""
        return self.server.mailboxes[ADDRESS]

    @property
    def mariadb(self) -> RealMariadb:
        """Return the server of databases."""
        return self.server.mariadb


@dataclass
class Move:
    """A customer on an old server, and everything for the move.

    Attributes:
        old, new: Both servers, whose tools are real.
        source, target: Their panels, which are simulated.
        folder: The operator's.
    """

    ssh: RealSsh
    old: Side
    new: Side
    source: Simulator
    target: Simulator
    folder: Path

    def run(self, step: str, **changes: Any) -> subprocess.CompletedProcess[str]:
        """Take a step."""
        connections = {
            name: {"api_url": panel.url, "api_key": panel.api_key, "host": f"{name}.example"}
            for name, panel in (("source", self.source), ("target", self.target))
        }
        variables = {
            "move_client": "acme",
            "move_step": step,
            "move_source": connections["source"],
            "move_target": connections["target"],
            "move_dir": "moves",
            "move_content": True,
            "move_passwords": [
                {"kind": kind, "key": key, "password": "given-Password.1"}
                for kind, key in (("clients", "acme"), ("emails", ADDRESS), ("databases", DATABASE))
            ],
            "content_authorized_keys_file": str(self.ssh.folder / "authorized_keys"),
            **changes,
        }
        hosts = make_hosts(self.ssh, "source.example", "target.example", self.new.home.parent)
        files = {
            "variables.yml": variables,
            "play.yml": PLAYS,
            "hosts.yml": hosts,
        }
        for name, content in files.items():
            (self.folder / name).write_text(yaml.safe_dump(content), encoding="utf-8")
        command = [sys.executable, "-m", "ansible", "playbook", "-i", "hosts.yml"]
        command += ["-e", "@variables.yml", "play.yml"]
        return subprocess.run(
            [*make_namespace(self.new.server.files), *command],
            cwd=self.folder,
            env=make_environment(self.folder, IN_PROCESS),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def read_page(self) -> str:
        """Return the page for the customer."""
        return (self.folder / "moves" / "acme.hand-over.md").read_text(encoding="utf-8")

    def read_result(self) -> dict[str, Any]:
        """Return the same as data."""
        text = (self.folder / "moves" / "acme.hand-over.json").read_text(encoding="utf-8")
        result: dict[str, Any] = json.loads(text)
        return result

    def list_outcomes(self) -> list[tuple[str, str]]:
        """Return for each object on the target what the last step did with it."""
        return [(row["to"], row["outcome"]) for row in self.read_result()["content"]["objects"]]


@contextmanager
def make_side(folder: Path) -> Iterator[Side]:
    """Yield a server with an empty home, an empty mailbox and an empty database.

    Each tool finds them where Debian has them.
    """
    home = folder / "home"
    for name in ("www", "files"):
        (home / name).mkdir(parents=True)
        os.chown(home / name, CUSTOMER, CUSTOMER)
    accounts = {"acme": Account(str(home), CUSTOMER)}
    databases = {DATABASE: DATABASE}
    with make_customer_server(folder, accounts, [ADDRESS], databases) as server:
        yield Side(home, server)


@pytest.fixture
def move(tmp_path: Path) -> Iterator[Move]:
    """Yield a customer with a website, a mailbox and a database."""
    require_content_tools("ssh", "ssh-keygen", "sshd", "rsync", "unshare", "doveadm", "mariadbd")
    with ExitStack() as stack:
        folder = stack.enter_context(make_mail_folder())
        old, new = (stack.enter_context(make_side(folder / name)) for name in ("old", "new"))
        source = stack.enter_context(Simulator.start())
        target = stack.enter_context(Simulator.start())
        for panel in (source, target):
            panel.change_settings({"status_delay": 0})
        source.seed(
            {
                "clients": [{"username": "acme", "email": "it@acme.example"}],
                "domains": [{"domain": "acme.example", "client": "acme"}],
                "emails": [{"email": ADDRESS}],
                "databases": [
                    {"database_name": DATABASE, "database_username": DATABASE, "client": "acme"}
                ],
            }
        )
        page = old.home / "www" / "index.php"
        page.write_text("<?php", encoding="utf-8")
        os.chown(page, CUSTOMER, CUSTOMER)
        old.mailbox.deliver("first")
        old.mailbox.deliver("order", "INBOX")
        old.mailbox.flag("\\Seen", "first")
        old.mariadb.run(CONTENT_OF_DATABASE, DATABASE)
        ssh = stack.enter_context(run_ssh(tmp_path / "ssh", files=old.server.files))
        yield Move(ssh, old, new, source, target, tmp_path)


def list_tree(folder: Path) -> dict[str, tuple[int, int, int, str]]:
    """Return what belongs to each file of a tree, by its path."""
    listed = {}
    for path in sorted(folder.rglob("*")):
        status = path.stat()
        content = path.read_text(encoding="utf-8") if path.is_file() else ""
        values = (status.st_uid, status.st_mode, status.st_mtime_ns, content)
        listed[str(path.relative_to(folder))] = values
    return listed


def dump_database(server: RealMariadb) -> str:
    """Return the whole database as the tool of MariaDB writes it."""
    command = ["mariadb-dump", "--no-defaults", f"--socket={server.socket}", "--user=root"]
    options = ["--routines", "--triggers", "--events", "--skip-dump-date", DATABASE]
    return subprocess.run(
        [*command, *options], capture_output=True, text=True, check=True, timeout=60
    ).stdout


def assert_everything_is_there(move: Move) -> None:
    """Assert that what the tools show of both servers is equal."""
    for name in ("www", "files"):
        assert list_tree(move.new.home / name) == list_tree(move.old.home / name)
    assert move.new.mailbox.list_everything() == move.old.mailbox.list_everything()
    assert dump_database(move.new.mariadb) == dump_database(move.old.mariadb)


def hide_times(page: str) -> str:
    """Return a page without times and digests, which are those of a run."""
    without_times = re.sub(r"\d{4}-\d\d-\d\d [0-9:]+ UTC", "TIME", page)
    return re.sub(r"[0-9a-f]{64}", "DIGEST", without_times)


@pytest.mark.release
def test_a_customer_has_everything_on_the_other_side_and_a_second_run_changes_nothing(
    move: Move,
) -> None:
    copied = move.run("copy")
    assert copied.returncode == 0, copied.stdout
    assert_everything_is_there(move)
    first_page = move.read_page()
    assert "Both panels are equal." in first_page
    assert "Mailbox `info@acme.example`: copied, " in first_page

    second = move.run("copy")

    assert second.returncode == 0, second.stdout
    assert re.search(r"localhost\s+: .* changed=0 ", second.stdout), second.stdout
    # Only what each run compares anew differs.
    page = move.read_page()
    assert hide_times(page) == hide_times(first_page).replace(": copied, ", ": was right already, ")
    assert page.count(": was right already, ") == 4
    assert_everything_is_there(move)


@pytest.mark.release
def test_a_move_copies_the_files_and_its_page_says_how_they_were_compared(move: Move) -> None:
    copied = move.run("copy")
    first_page = move.read_page()
    final = move.run("final")

    assert copied.returncode == 0, copied.stdout
    assert final.returncode == 0, final.stdout
    assert (move.new.home / "www" / "index.php").read_text(encoding="utf-8") == "<?php"
    # Each client has a home, so a result names whole paths.
    tree = str(move.new.home / "www")
    assert move.list_outcomes() == [
        (tree, "unchanged"),
        (str(move.new.home / "files"), "unchanged"),
        (ADDRESS, "unchanged"),
        (DATABASE, "unchanged"),
    ]
    text = move.read_page()
    assert "run the step `final`" in first_page
    assert "run the step `final`" not in text
    assert "1. Try the websites on the target" in text
    assert "- Files `www`: was right already, " in text
    assert not re.search(r"\d\dT\d\d:", text)
    assert "Compared: every file by its content" in text
    assert move.read_result()["content"]["digest"] in text
    keys = (move.ssh.folder / "authorized_keys").read_text(encoding="utf-8")
    assert "hosting.panel" not in keys

    # After the switch, the settings are copied without the content.
    refused = move.run("copy", move_enable_tasks=True)
    assert "set move_content: false." in " ".join(refused.stdout.split())
    enabled = move.run("copy", move_enable_tasks=True, move_content=False)
    assert refused.returncode != 0
    assert enabled.returncode == 0, enabled.stdout

    # Without the files, nothing is as it should be.
    (move.new.home / "www" / "index.php").unlink()
    verified = move.run("verify")
    assert verified.returncode != 0
    output = " ".join(verified.stdout.split())
    assert f"tree {tree} differs:" in output
    assert "index.php" in output.partition(f"tree {tree} differs:")[2]

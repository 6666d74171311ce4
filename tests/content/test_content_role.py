"""The role content, between two servers that are this machine."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.filter.panel_content_objects import (
    panel_content_objects,
)
from ansible_collections.hosting.panel.plugins.filter.panel_to_json import panel_to_json
from ansible_collections.hosting.panel.plugins.module_utils._content.kept_state import (
    make_state_path,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.commands import (
    MailboxName,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._run.run_marks import take_path
from tests.support.dovecot import RealMailbox, make_mail_folder, make_mailbox
from tests.support.ispconfig_sample import make_sample
from tests.support.ispconfig_source import Rows, write_dump
from tests.support.needed import require_content_tools
from tests.support.playbook import IN_PROCESS, make_environment, run_ansible
from tests.support.real_mariadb import RealMariadb, run_mariadb
from tests.support.real_ssh import RealSsh, run_ssh
from tests.support.real_trees import OTHER, OWNER, give, write
from tools.layout import ROOT

# All tests run the play of the page. What stands for the servers of a reader is replaced.
PAGE = (ROOT / "roles" / "content" / "README.md").read_text(encoding="utf-8")
PLAYS = yaml.safe_load(PAGE.partition("```yaml\n")[2].partition("```")[0])
GUIDE = (ROOT / "docs" / "moving.md").read_text(encoding="utf-8")
PLAYS_BACK = yaml.safe_load(
    GUIDE.partition("This is `back.yml`:")[2].partition("```yaml\n")[2].partition("```")[0]
)
ADDRESS = "info@acme.example"
STATE_DIRECTORY = Path("/var/lib/hosting.panel")
FOREIGN_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIForeignForeignForeignForeignForeignForeignFo x"
KILL_SECONDS = 240.0
ANSIBLE_PLAYBOOK = (sys.executable, "-m", "ansible", "playbook")
OUTPUT = "output"
"""The file with what a run prints that goes on meanwhile."""
_OF_CUSTOMERS = ("client", "sys_group", "sys_user", "server_ip")


@dataclass
class Servers:
    """Two servers, and who copies from one to the other."""

    ssh: RealSsh
    old_tree: Path
    new_tree: Path
    old_mailbox: RealMailbox
    new_mailbox: RealMailbox
    mariadb: RealMariadb
    folder: Path
    variables: dict[str, Any] = field(default_factory=dict)
    plays: list[dict[str, Any]] = field(default_factory=lambda: PLAYS)
    source: str = "old.example"
    target: str = "new.example"

    def make_objects(self) -> dict[str, Any]:
        """Return one tree, one mailbox and one database."""
        login = {"socket": str(self.mariadb.socket)}
        return {
            "trees": [{"from": str(self.old_tree), "to": str(self.new_tree), "owner": OWNER}],
            "mailboxes": [
                {
                    "from": ADDRESS,
                    "doveadm_args": self.new_mailbox.arguments,
                    "source_doveadm_args": self.old_mailbox.arguments,
                }
            ],
            "databases": [
                {"from": "old_db1", "to": "new_db1", "login": login, "source_login": login}
            ],
        }

    def make_arguments(self, step: str, *arguments: str, **changes: Any) -> list[str]:
        """Return the arguments of ansible-playbook for a step."""
        variables = {
            "content_step": step,
            "content_objects": self.make_objects(),
            "content_authorized_keys_file": str(self.authorized_keys),
            **changes,
        }
        defined = {name: value for name, value in variables.items() if value is not None}
        (self.folder / "variables.json").write_text(json.dumps(defined), encoding="utf-8")
        (self.folder / "play.yml").write_text(yaml.safe_dump(self.plays), encoding="utf-8")
        key = f"-i {self.ssh.key_file} -o UserKnownHostsFile={self.ssh.known_hosts_file}"
        source = {
            "ansible_host": "127.0.0.1",
            "ansible_port": self.ssh.port,
            "ansible_user": "root",
            "ansible_python_interpreter": "/usr/bin/python3",
            "ansible_ssh_args": f"{key} -F none -o ControlMaster=auto -o ControlPersist=10s",
            "ansible_control_path_dir": str(self.old_tree.parents[1]),
            "ansible_pipelining": True,
        }
        hosts = {
            self.target: {
                "ansible_connection": "local",
                "ansible_python_interpreter": sys.executable,
            },
            self.source: source,
        }
        inventory = {"all": {"hosts": hosts}}
        (self.folder / "hosts.yml").write_text(yaml.safe_dump(inventory), encoding="utf-8")
        return ["-i", "hosts.yml", "-e", "@variables.json", "play.yml", *arguments]

    def run(self, step: str, *arguments: str, **changes: Any) -> subprocess.CompletedProcess[str]:
        """Take a step."""
        arguments_of_step = self.make_arguments(step, *arguments, **changes)
        return run_ansible("playbook", arguments_of_step, self.folder, IN_PROCESS)

    @property
    def state_dir(self) -> Path:
        """Return the directory of state and page."""
        return self.folder / "moves"

    @property
    def authorized_keys(self) -> Path:
        """Return the file of the keys that may log in to the source."""
        return self.ssh.folder / "authorized_keys"

    def read_state(self) -> dict[str, Any]:
        """Return what the state file holds."""
        text = (self.state_dir / "new.example.content.json").read_text(encoding="utf-8")
        state: dict[str, Any] = json.loads(text)
        return state

    def list_outcomes(self, step: str) -> dict[str, str]:
        """Return by kind what the last pass of a step did."""
        return {
            entry["kind"]: entry["passes"][step]["outcome"]
            for entry in self.read_state()["objects"].values()
            if step in entry["passes"]
        }

    @property
    def identifier(self) -> str:
        """Return what the names of a run's files end with."""
        text = f"new.example{os.path.realpath(self.state_dir)}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def list_own_states(self) -> list[Path]:
        """Return what runs of these servers have kept. Other runs of this machine keep theirs there too."""
        mailboxes = [
            MailboxName(ADDRESS, tuple(mailbox.arguments)).label
            for mailbox in (self.old_mailbox, self.new_mailbox)
        ]
        paths = [
            make_state_path("files", str(self.new_tree)),
            make_state_path("database", f"{self.mariadb.socket}: new_db1"),
            *(make_state_path("mailbox", label) for label in mailboxes),
        ]
        beginnings = tuple(Path(path).stem for path in paths)
        return [
            path
            for path in STATE_DIRECTORY.glob("*")
            if path.name.startswith(beginnings) or path.name.endswith(self.identifier)
        ]

    def assert_closed(self) -> None:
        """Assert that no key and no program of a run is left, and no key of others is gone."""
        keys = self.authorized_keys.read_text(encoding="utf-8")
        assert "hosting.panel" not in keys
        assert FOREIGN_KEY in keys
        assert list(STATE_DIRECTORY.glob(f"copy-*-{self.identifier}")) == []


@pytest.fixture(scope="module")
def servers_of_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Yield both servers, which all tests share."""
    require_content_tools("ssh", "ssh-keygen", "sshd", "rsync", "doveadm", "mariadbd")
    with ExitStack() as stack:
        ssh = stack.enter_context(run_ssh(tmp_path_factory.mktemp("ssh")))
        mail = stack.enter_context(make_mail_folder())
        mariadb = stack.enter_context(run_mariadb(mail / "mariadb"))
        yield Servers(
            ssh, mail, mail, make_mailbox(mail / "a"), make_mailbox(mail / "b"), mariadb, mail
        )


@pytest.fixture
def servers(servers_of_module: Servers, tmp_path: Path) -> Iterator[Servers]:
    """Yield a source with something to copy, and an empty target."""
    shared = servers_of_module
    with make_mail_folder() as home:
        old_tree, new_tree = home / "old" / "www", home / "new" / "www"
        for tree in (old_tree, new_tree):
            tree.mkdir(parents=True)
        (old_tree / "index.php").write_text("<?php", encoding="utf-8")
        (old_tree / "{{ 7 * 6 }}").write_text("a template", encoding="utf-8")
        os.mkfifo(old_tree / "pipe")
        for path in (old_tree, new_tree, *old_tree.iterdir()):
            shutil.chown(path, OWNER)
        old_mailbox, new_mailbox = make_mailbox(home / "m1"), make_mailbox(home / "m2")
        old_mailbox.deliver("first")
        shared.mariadb.run(
            "DROP DATABASE IF EXISTS old_db1; DROP DATABASE IF EXISTS new_db1;"
            "CREATE DATABASE old_db1; CREATE DATABASE new_db1;"
            "CREATE TABLE old_db1.t (n INT PRIMARY KEY); INSERT INTO old_db1.t VALUES (1), (2);"
        )
        shared.ssh.allow()
        keys = shared.ssh.folder / "authorized_keys"
        keys.write_text(keys.read_text(encoding="utf-8") + f"{FOREIGN_KEY}\n", encoding="utf-8")
        servers = Servers(
            shared.ssh, old_tree, new_tree, old_mailbox, new_mailbox, shared.mariadb, tmp_path
        )
        yield servers
    for path in servers.list_own_states():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def test_the_objects_of_the_page_are_accepted() -> None:
    (play,) = PLAYS
    (role,) = play["roles"]
    read = panel_content_objects(role["vars"]["content_objects"], "content_objects")

    assert read["mistakes"] == []
    assert [entry["kind"] for entry in read["objects"]] == ["tree", "mailbox", "database"]


def test_content_is_copied_and_a_second_run_changes_nothing(servers: Servers) -> None:
    copied = servers.run("copy")

    assert copied.returncode == 0, copied.stdout
    assert servers.list_outcomes("copy") == dict.fromkeys(("tree", "mailbox", "database"), "copied")
    servers.assert_closed()
    assert (servers.new_tree / "{{ 7 * 6 }}").read_text(encoding="utf-8") == "a template"
    state_file = servers.state_dir / "new.example.content.json"
    assert stat.S_IMODE(state_file.stat().st_mode) == 0o600
    page = (servers.state_dir / "new.example.content.md").read_text(encoding="utf-8")
    assert "`pipe`, a pipe, which holds no data" in page
    assert re.search(r"\d\d\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC\. Compared: ", page)
    assert not re.search(r"\d\dT\d\d:", page)

    second_run = servers.run("copy")
    assert second_run.returncode == 0, second_run.stdout
    assert servers.list_outcomes("copy") == dict.fromkeys(
        ("tree", "mailbox", "database"), "unchanged"
    )
    assert re.search(r"new\.example\s+: .* changed=0 ", second_run.stdout), second_run.stdout


@pytest.mark.release
def test_the_last_copy_is_proved_and_late_mail_is_fetched(servers: Servers) -> None:
    (servers.new_tree / "gone.php").write_text("was deleted on the source", encoding="utf-8")
    shutil.chown(servers.new_tree / "gone.php", OWNER)
    # A disk that lost what was written keeps size and time.
    for tree, content in ((servers.old_tree, "whole"), (servers.new_tree, "\0\0\0\0\0")):
        (tree / "damaged.php").write_text(content, encoding="utf-8")
        shutil.chown(tree / "damaged.php", OWNER)
        os.utime(tree / "damaged.php", (1_700_000_000, 1_700_000_000))

    final = servers.run("final")
    assert final.returncode == 0, final.stdout
    assert servers.list_outcomes("final") == dict.fromkeys(
        ("tree", "mailbox", "database"), "copied"
    )
    assert not (servers.new_tree / "gone.php").exists()
    assert (servers.new_tree / "damaged.php").read_text(encoding="utf-8") == "whole"

    # After the switch, a customer changes a page.
    (servers.new_tree / "damaged.php").write_text("of the customer", encoding="utf-8")
    refused = servers.run("copy")
    assert refused.returncode != 0
    assert "run final again in place of copy" in " ".join(refused.stdout.split())
    page = servers.new_tree / "damaged.php"
    assert page.read_text(encoding="utf-8") == "of the customer"
    repeated = servers.run("final")
    assert repeated.returncode == 0, repeated.stdout
    assert page.read_text(encoding="utf-8") == "whole"

    # Both servers get mail.
    servers.old_mailbox.deliver("late")
    servers.new_mailbox.deliver("new")
    late = servers.run("late")
    assert late.returncode == 0, late.stdout
    assert servers.list_outcomes("late") == {"mailbox": "copied"}
    assert sorted(servers.new_mailbox.list_subjects()) == ["first", "late", "new"]
    verified = servers.run("verify")
    assert verified.returncode == 0, verified.stdout
    assert servers.list_outcomes("verify") == dict.fromkeys(
        ("tree", "mailbox", "database"), "equal"
    )
    servers.assert_closed()


@pytest.mark.release
def test_the_play_of_the_guide_fetches_mail_back(servers: Servers) -> None:
    mailboxes = {"mailboxes": servers.make_objects()["mailboxes"]}
    copied = servers.run("copy", content_objects=mailboxes)
    assert copied.returncode == 0, copied.stdout
    # After the switch, the target gets mail, and the source still does.
    servers.new_mailbox.deliver("reply")
    servers.old_mailbox.deliver("stray")

    back = replace(
        servers,
        plays=PLAYS_BACK,
        source=servers.target,
        target=servers.source,
        old_mailbox=servers.new_mailbox,
        new_mailbox=servers.old_mailbox,
    )
    mailboxes_back = {"mailboxes": back.make_objects()["mailboxes"]}
    late = back.run("late", content_objects=mailboxes_back)

    assert late.returncode == 0, late.stdout
    assert sorted(servers.old_mailbox.list_subjects()) == ["first", "reply", "stray"]
    assert (servers.folder / "back" / "old.example.content.md").exists()
    servers.assert_closed()


@pytest.mark.release
def test_without_mailboxes_too_nothing_is_overwritten_after_the_step_late(servers: Servers) -> None:
    trees = {"trees": servers.make_objects()["trees"]}
    assert servers.run("late", content_objects=trees).returncode == 0
    order = servers.new_tree / "order.txt"
    order.write_text("of a customer of the new server", encoding="utf-8")

    final = servers.run("final", content_objects=trees)
    assert final.returncode != 0
    assert "the step late has run already" in final.stdout
    assert order.exists()
    servers.assert_closed()


def test_check_mode_and_the_step_info_read_the_source_and_need_no_key(servers: Servers) -> None:
    for arguments in (("info",), ("copy", "--check")):
        run = servers.run(*arguments)
        assert run.returncode == 0, run.stdout
    assert list(servers.new_tree.iterdir()) == []
    assert not (servers.state_dir / "new.example.content.json").exists()
    servers.assert_closed()


def test_the_step_info_reads_each_database_by_its_own_login(servers: Servers) -> None:
    objects = servers.make_objects()
    socket = str(servers.folder / "no.sock")
    second = {"from": "old_db2", "source_login": {"socket": socket}}

    run = servers.run("info", content_objects={"databases": [*objects["databases"], second]})

    assert run.returncode != 0
    assert socket in run.stdout


def test_an_object_that_fails_stops_no_other_and_leaves_no_key(servers: Servers) -> None:
    shutil.rmtree(servers.new_tree)

    failed = servers.run("copy")

    assert failed.returncode != 0
    assert servers.list_outcomes("copy") == {
        "tree": "failed",
        "mailbox": "copied",
        "database": "copied",
    }
    assert "to: " in failed.stdout
    servers.assert_closed()

    stopped = servers.run("copy", content_continue=False)
    assert stopped.returncode != 0
    page = (servers.state_dir / "new.example.content.md").read_text(encoding="utf-8")
    assert page.count("content_continue is false") == 2


@pytest.mark.release
def test_a_source_that_does_not_know_the_key_is_told_for_each_object(servers: Servers) -> None:
    failed = servers.run("copy", content_authorized_keys_file=str(servers.folder / "elsewhere"))

    assert failed.returncode != 0
    assert set(servers.list_outcomes("copy").values()) == {"failed"}
    servers.assert_closed()


def test_a_key_that_cannot_be_removed_from_the_target_is_still_removed_from_the_source(
    servers: Servers,
) -> None:
    mark = f"hosting.panel-content-{servers.identifier}"
    line = FOREIGN_KEY.replace(" x", f" {mark}").replace("ssh-", 'restrict,command="x" ssh-', 1)
    with servers.authorized_keys.open("a", encoding="utf-8") as keys:
        keys.write(f"{line}\n")
    commands = STATE_DIRECTORY / f"copy-from-{servers.identifier}"
    commands.mkdir(parents=True)

    failed = servers.run("copy", __content_target_dir="/proc/version")

    assert failed.returncode != 0
    assert "/proc/version" in failed.stdout
    servers.assert_closed()


def test_a_source_that_is_gone_while_the_key_is_made_leaves_no_key_on_the_target(
    servers: Servers,
) -> None:
    def make_include(task_file: str, **more: Any) -> dict[str, Any]:
        role = {"name": "hosting.panel.content", "tasks_from": task_file, **more}
        return {"name": task_file, "ansible.builtin.include_role": role}

    opening = make_include("key", apply={"ignore_unreachable": True})
    steps = {"block": [opening], "always": [make_include("close")]}
    plays = [{"hosts": "new.example", "gather_facts": False, "tasks": [steps]}]
    asked = {
        "__content_ssh": {"keys_file": "", "home": "", "address": "", "port": 22},
        "__content_host_keys": {"stdout": FOREIGN_KEY},
        "__content_scan": {},
        "__content_full": [],
        "content_source": "old.example",
        "content_state_dir": str(servers.state_dir),
    }

    run = replace(servers, plays=plays).run("copy", ansible_port=1, **asked)

    assert run.returncode != 0
    assert "old.example: cannot be reached any more. Nothing was copied." in run.stdout
    servers.assert_closed()


@contextmanager
def start_copy(servers: Servers, **changes: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a run that copies, once its key is on the source; it is ended afterwards."""
    with (servers.folder / OUTPUT).open("wb") as output:
        process = subprocess.Popen(
            [*ANSIBLE_PLAYBOOK, *servers.make_arguments("copy", **changes)],
            cwd=servers.folder,
            stdout=output,
            stderr=output,
            env=make_environment(servers.folder, IN_PROCESS),
            start_new_session=True,
        )
    end = time.monotonic() + KILL_SECONDS
    try:
        while "hosting.panel" not in servers.authorized_keys.read_text(encoding="utf-8"):
            assert time.monotonic() < end
            time.sleep(0.05)
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_a_killed_run_leaves_a_key_that_the_next_one_removes_and_is_continued(
    servers: Servers,
) -> None:
    objects = {"mailboxes": servers.make_objects()["mailboxes"]}
    with start_copy(servers, content_objects=objects) as process:
        os.killpg(process.pid, signal.SIGKILL)

    assert "hosting.panel" in servers.authorized_keys.read_text(encoding="utf-8")

    resumed = servers.run("copy", content_objects=objects)

    assert resumed.returncode == 0, resumed.stdout
    servers.assert_closed()
    assert set(servers.list_outcomes("copy").values()) <= {"copied", "unchanged"}


def test_a_run_with_another_state_names_the_key_of_a_killed_one_and_takes_it_from_no_other(
    servers: Servers,
) -> None:
    objects = {"mailboxes": servers.make_objects()["mailboxes"]}
    with start_copy(servers, content_objects=objects) as process:
        os.killpg(process.pid, signal.SIGKILL)
    mark = f"hosting.panel-content-{servers.identifier}"

    second = servers.run("copy", content_objects=objects, content_state_dir="elsewhere")

    assert second.returncode == 0, second.stdout
    output = " ".join(second.stdout.split())
    way = f"run it again for new.example with the state directory {servers.state_dir},"
    for host, name in (("old.example", "copy-from"), ("new.example", "copy-to")):
        path = STATE_DIRECTORY / f"{name}-{servers.identifier}"
        assert path.is_dir()
        sentence = output.partition(f"{host} has a key of another run")[2]
        assert str(path) in sentence and way in sentence
    keys = servers.authorized_keys.read_text(encoding="utf-8")
    assert keys.count("hosting.panel-content-") == keys.count(mark) == 1

    lines = [line for line in keys.splitlines() if mark in line]
    expired = re.sub(r'expiry-time="[0-9]+"', 'expiry-time="20000101"', lines[0])
    servers.authorized_keys.write_text(keys.replace(lines[0], expired), encoding="utf-8")
    for name in ("copy-from", "copy-to"):
        os.utime(STATE_DIRECTORY / f"{name}-{servers.identifier}", (0, 0))

    last = servers.run("copy", content_objects=objects, content_state_dir="elsewhere")

    assert last.returncode == 0, last.stdout
    servers.assert_closed()


@pytest.mark.release
def test_source_that_is_gone_in_the_middle_is_told_for_each_object_and_for_the_key(
    servers: Servers,
) -> None:
    output_file = servers.folder / OUTPUT
    with start_copy(servers) as process:
        while "Copy the tree" not in output_file.read_text(encoding="utf-8"):
            assert process.poll() is None
            time.sleep(0.02)
        servers.ssh.stop()
        assert process.wait(KILL_SECONDS) != 0

    try:
        output = " ".join(output_file.read_text(encoding="utf-8").split())
        assert (
            "content_source: old.example is gone, so the key of this run is still there." in output
        )
        assert servers.list_outcomes("copy") == dict.fromkeys(
            ("tree", "mailbox", "database"), "failed"
        )
        page = (servers.state_dir / "new.example.content.md").read_text(encoding="utf-8")
        assert page.count(": FAILED. ") == 3
    finally:
        servers.ssh.start()
    resumed = servers.run("copy")

    assert resumed.returncode == 0, resumed.stdout
    servers.assert_closed()


def test_a_state_that_another_run_uses_is_refused_before_anything_is_read(
    servers: Servers,
) -> None:
    state_file = servers.state_dir.resolve() / "new.example.content.json"
    # What has started these tests stands for the other run, since it goes on meanwhile.
    assert take_path(str(state_file)) == ""

    refused = servers.run("copy")

    assert refused.returncode != 0
    assert "content_state_dir: another ansible-playbook (process " in refused.stdout
    assert "Nothing was read or written." in refused.stdout
    assert not state_file.exists()


@pytest.mark.release
def test_second_run_with_the_same_state_is_refused_and_takes_nothing_from_the_first(
    servers: Servers,
) -> None:
    state_dir = str(servers.state_dir)
    # It takes the first run longer than a second one takes to be refused.
    big = servers.old_tree / "big"
    big.write_bytes(os.urandom(1024) * 200_000)
    shutil.chown(big, OWNER)
    with start_copy(servers, content_state_dir=state_dir) as process:
        second = replace(servers, folder=servers.folder / "second")
        second.folder.mkdir()
        objects = {"mailboxes": servers.make_objects()["mailboxes"]}
        refused = second.run("copy", content_state_dir=state_dir, content_objects=objects)

        assert process.poll() is None
        assert refused.returncode != 0
        problem = f"content_state_dir: another ansible-playbook (process {process.pid}) uses"
        assert problem in refused.stdout
        assert "Nothing was read or written." in refused.stdout
        assert "hosting.panel" in servers.authorized_keys.read_text(encoding="utf-8")
        assert process.wait(KILL_SECONDS) == 0

    assert servers.list_outcomes("copy") == dict.fromkeys(("tree", "mailbox", "database"), "copied")
    servers.assert_closed()


def test_what_a_killed_final_has_done_is_compared_and_copied_if_it_changed(
    servers: Servers,
) -> None:
    finished = servers.run("final")
    assert finished.returncode == 0, finished.stdout
    state = servers.read_state()
    for entry in state["objects"].values():
        entry["passes"]["final"]["at"] = "earlier"
    done = list(state["objects"])
    run = {"step": "final", "done": done, "failed": [], "to_compare": []}
    killed = {**state, "run": run}
    state_file = servers.state_dir / "new.example.content.json"
    state_file.write_text(panel_to_json(killed), encoding="utf-8")
    (servers.old_tree / "index.php").write_text("<?php // late", encoding="utf-8")
    servers.old_mailbox.deliver("second")

    resumed = servers.run("final")

    assert resumed.returncode == 0, resumed.stdout
    assert (servers.new_tree / "index.php").read_text(encoding="utf-8") == "<?php // late"
    assert sorted(servers.new_mailbox.list_subjects()) == ["first", "second"]
    assert servers.list_outcomes("final") == dict.fromkeys(
        ("tree", "mailbox", "database"), "copied"
    )
    # What is still equal is compared once, and what is not is copied after that.
    assert resumed.stdout.count("TASK [hosting.panel.content : Copy the database]") == 1
    assert resumed.stdout.count("TASK [hosting.panel.content : Copy the tree]") == 2
    times = {entry["passes"]["final"]["at"] for entry in servers.read_state()["objects"].values()}
    assert "earlier" not in times


def make_rows(root: Path) -> Rows:
    """Return the rows of a customer with one site."""
    rows = make_sample()
    of_customers = {
        table: entries if table in _OF_CUSTOMERS else [] for table, entries in rows.items()
    }
    (site,) = (row for row in rows["web_domain"] if row["domain"] == "hof.example")
    usual = {"ssl": "n", "ssl_cert": None, "ssl_key": None, "ssl_bundle": None}
    return {**of_customers, "web_domain": [{**site, **usual, "document_root": str(root)}]}


def test_a_site_of_ispconfig_arrives_whatever_its_user_is_called_there(servers: Servers) -> None:
    target = servers.new_tree / "hof.example"
    target.mkdir()
    give(target, OTHER)
    page = write(servers.old_tree / "web" / "index.php", "<?php", 0o640)
    write_dump(make_rows(servers.old_tree), servers.folder / "old.sql")
    options = {
        "source": "ispconfig",
        "path": "old.sql",
        "dir": "panel",
        "page_file": "page.md",
        "content_file": "content.json",
        "passwords": "new",
        "clients": ["hofladen"],
    }
    arguments = ["localhost", "-m", "hosting.panel.panel_import", "-a", json.dumps(options)]
    imported = run_ansible("adhoc", arguments, servers.folder, IN_PROCESS)
    assert imported.returncode == 0, imported.stdout
    objects = json.loads((servers.folder / "content.json").read_text(encoding="utf-8"))
    (tree,) = objects["trees"]
    assert tree == {
        "from": str(servers.old_tree),
        "to": "~/www/hof.example",
        "owner": "hofladen",
        "source_owner": "web31",
        "exclude": ["/log"],
    }

    # This machine has neither user, so two that each Debian has stand for them.
    tree.update({"to": str(target), "owner": OTHER, "source_owner": OWNER})
    for step in ("final", "verify"):
        run = servers.run(step, content_objects=objects)
        assert run.returncode == 0, run.stdout

    copied = target / "web" / page.name
    assert copied.read_text(encoding="utf-8") == "<?php"
    assert (copied.owner(), oct(copied.stat().st_mode)) == (OTHER, "0o100640")
    servers.assert_closed()
    second = servers.run("final", content_objects=objects)
    assert second.returncode == 0, second.stdout
    assert servers.list_outcomes("final") == {"tree": "unchanged"}

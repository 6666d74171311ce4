"""The role move with content, between two simulated panels and two servers that are this machine."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.dovecot import make_mail_folder
from tests.support.needed import require_content_tools
from tests.support.playbook import IN_PROCESS, make_environment
from tests.support.real_ssh import RealSsh, run_ssh
from tests.support.real_trees import OWNER
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


@dataclass
class Move:
    """A customer on an old server, and everything for the move."""

    ssh: RealSsh
    source: Simulator
    target: Simulator
    homes: Path
    folder: Path

    def run(self, step: str, **changes: Any) -> subprocess.CompletedProcess[str]:
        """Take a step, on a server where the customer has another home."""
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
            "move_passwords": [{"kind": "clients", "key": "acme", "password": "given-Password.1"}],
            "content_authorized_keys_file": str(self.ssh.folder / "authorized_keys"),
            **changes,
        }
        key = f"-i {self.ssh.key_file} -o UserKnownHostsFile={self.ssh.known_hosts_file}"
        hosts: dict[str, dict[str, Any]] = {
            "target.example": {
                "ansible_connection": "local",
                "ansible_python_interpreter": sys.executable,
            },
            "source.example": {
                "ansible_host": "127.0.0.1",
                "ansible_port": self.ssh.port,
                "ansible_user": "root",
                "ansible_python_interpreter": "/usr/bin/python3",
                "ansible_ssh_args": f"{key} -F none -o ControlMaster=no",
                "ansible_pipelining": True,
            },
        }
        files = {
            "variables.yml": variables,
            "play.yml": PLAYS,
            "hosts.yml": {"all": {"hosts": hosts}},
        }
        for name, content in files.items():
            (self.folder / name).write_text(yaml.safe_dump(content), encoding="utf-8")
        command = [sys.executable, "-m", "ansible", "playbook", "-i", "hosts.yml"]
        command += ["-e", "@variables.yml", "play.yml"]
        passwd = self.homes / "passwd of the target"
        script = (
            f"mount --bind {shlex.quote(str(passwd))} /etc/passwd && exec {shlex.join(command)}"
        )
        return subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", script],
            cwd=self.folder,
            env=make_environment(self.folder, IN_PROCESS),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )


def _make_home(homes: Path, name: str) -> Path:
    """Make the home of the customer on a server, and the list of users there."""
    for folder in ("www", "files"):
        path = homes / name / folder
        path.mkdir(parents=True)
        shutil.chown(path, OWNER)
    users = Path("/etc/passwd").read_text(encoding="utf-8")
    number = next(line.split(":")[2] for line in users.splitlines() if line.startswith(f"{OWNER}:"))
    home = homes / name
    passwd = homes / f"passwd of the {name}"
    passwd.write_text(f"{users}acme:x:{number}:{number}::{home}:/bin/false\n", encoding="utf-8")
    return passwd


@pytest.fixture
def move(tmp_path: Path) -> Iterator[Move]:
    """Yield a customer with files, without mailboxes and databases."""
    require_content_tools("ssh", "ssh-keygen", "sshd", "rsync", "unshare")
    with make_mail_folder() as homes, Simulator.start() as source, Simulator.start() as target:
        passwd = _make_home(homes, "source")
        _make_home(homes, "target")
        for panel in (source, target):
            panel.change_settings({"status_delay": 0})
        source.seed({"clients": [{"username": "acme", "email": "it@acme.example"}]})
        with run_ssh(tmp_path / "ssh", files={"/etc/passwd": passwd}) as ssh:
            yield Move(ssh, source, target, homes, tmp_path)


@pytest.mark.release
def test_a_move_copies_the_files_and_its_page_says_how_they_were_compared(move: Move) -> None:
    page = move.homes / "source" / "www" / "index.php"
    page.write_text("<?php", encoding="utf-8")
    shutil.chown(page, OWNER)

    copied = move.run("copy")
    final = move.run("final")

    assert copied.returncode == 0, copied.stdout
    assert final.returncode == 0, final.stdout
    assert (move.homes / "target" / "www" / "index.php").read_text(encoding="utf-8") == "<?php"
    result = json.loads((move.folder / "moves" / "acme.hand-over.json").read_text(encoding="utf-8"))
    outcomes = [(row["to"], row["outcome"]) for row in result["content"]["objects"]]
    # Each client has a home, so a result names whole paths.
    tree = str(move.homes / "target" / "www")
    assert outcomes == [
        (tree, "unchanged"),
        (str(move.homes / "target" / "files"), "unchanged"),
    ]
    text = (move.folder / "moves" / "acme.hand-over.md").read_text(encoding="utf-8")
    assert "Compared: every file by its content" in text
    assert result["content"]["digest"] in text
    keys = (move.ssh.folder / "authorized_keys").read_text(encoding="utf-8")
    assert "hosting.panel" not in keys

    # After the switch, the settings are copied without the content.
    refused = move.run("copy", move_enable_tasks=True)
    assert "set move_content: false." in " ".join(refused.stdout.split())
    enabled = move.run("copy", move_enable_tasks=True, move_content=False)
    assert refused.returncode != 0
    assert enabled.returncode == 0, enabled.stdout

    # Without the files, nothing is as it should be.
    (move.homes / "target" / "www" / "index.php").unlink()
    verified = move.run("verify")
    assert verified.returncode != 0
    output = " ".join(verified.stdout.split())
    assert f"tree {tree} differs:" in output
    assert "index.php" in output.partition(f"tree {tree} differs:")[2]

"""Runs that make passwords as real processes: killed around a write to the panel, on a full disk, and several at one file."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.roles.operators import KEYS, Operator, Passwords, RoleRun, assert_failed, plays_of
from tests.support.killing import kill_around_write
from tests.support.playbook import IN_PROCESS, MODULE, play, surroundings

MakeOperator = Callable[[str], Operator]
OWNED = {
    "clients": [{"username": "acme", "email": "it@acme.example"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "info@acme.example"}, {"email": "sales@acme.example"}],
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
}
MADE = [
    ("clients", "acme"),
    ("databases", "acme_shop"),
    ("emails", "info@acme.example"),
    ("emails", "sales@acme.example"),
]


TOO_SMALL = 900
"""Bytes: less than an encrypted file with one password has, and more than Ansible itself writes anywhere."""


@dataclass(frozen=True)
class Operation:
    """Something that writes files. seed: what the panel has before."""

    name: str
    playbook: str | list[dict[str, Any]]
    variables: Mapping[str, Any]
    seed: Mapping[str, Any] = field(default_factory=dict)


TASK = {"resources": OWNED, "concurrency": 1, "credentials_file": "kept.yml"}
PLAY = {"hosts": "localhost", "gather_facts": False, "tasks": [{"hosting.panel.panel_resources": TASK}]}
ROTATION = {
    "rotate_id": "r1",
    "rotate_kinds": list(KEYS)[:3],
    "rotate_clients": ["acme"],
    "rotate_credentials_file": "kept.yml",
}
OPERATIONS = [Operation("resources", [PLAY], {}), Operation("rotate", plays_of("rotate"), ROTATION, OWNED)]
OFFBOARDING = {"offboard_client": "acme", "offboard_action": "suspend", "offboard_archive_dir": "archive"}
WITHOUT_PASSWORDS = [
    Operation("offboard", plays_of("offboard"), OFFBOARDING, OWNED),
    Operation("export", "hosting.panel.export", {"panel_dir": "exported"}, OWNED),
]
OF_THE_TEST = {"playbook.yml", "variables.yml", "hosts.yml", "vault password", "home/ansible.cfg", "panel/acme.yml"}
# What is killed, the write around which it is, and whether the panel does it. Tests in memory try every moment.
KILLS = [(OPERATIONS[0], "before", 1), (OPERATIONS[0], "after", 2), (OPERATIONS[1], "after", 1)]


class Person:
    """Somebody who runs an operation on an empty panel, in an empty folder."""

    def __init__(self, operation: Operation, operator: Operator) -> None:
        self.operation, self.operator, self.folder = operation, operator, operator.folder
        panel = operator.simulator
        panel.settings({"status_delay": 0})
        panel.seed(dict(operation.seed))
        Path(self.folder, "panel").mkdir()
        Path(self.folder, "panel", "acme.yml").write_text(yaml.safe_dump(OWNED), encoding="utf-8")
        self.variables = dict(operation.variables)

    def run(self, way: str = IN_PROCESS) -> RoleRun:
        return self.operator.run(self.operation.playbook, self.variables, way=way)

    def killed(self, when: str, number: int, way: str = IN_PROCESS) -> bool:
        """Whether it was killed, and did not end before that write."""
        words, environment = self.operator.words(self.operation.playbook, self.variables)
        return kill_around_write(self.operator.simulator, words, self.folder, way, number, when, environment)

    def run_on_a_full_disk(self, *more: str) -> RoleRun:
        """With a limit to the size of files, which fails a write as a full disk does, and needs no disk of its own."""
        words, environment = self.operator.words(self.operation.playbook, self.variables, *more)
        before = self.operator.simulator.last_number()
        process = subprocess.run(
            ["prlimit", f"--fsize={TOO_SMALL}", sys.executable, "-m", "ansible", "playbook", *words],
            cwd=self.folder,
            # Python would keep half of what it has compiled.
            env={**surroundings(self.folder, IN_PROCESS), **environment, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        return RoleRun(process.returncode, process.stdout + process.stderr, self.operator.simulator.log(before))

    def in_file(self) -> tuple[Passwords, Passwords]:
        """Those in force and those that are pending."""
        file = self.folder / "kept.yml"
        if not file.exists():
            return {}, {}
        return self.operator.passwords(file), self.operator.passwords(file, "pending_passwords")


@pytest.mark.parametrize(("operation", "when", "number"), KILLS, ids=lambda one: getattr(one, "name", one))
def test_a_run_that_was_killed_lost_no_password_and_the_next_one_knows_which_are_in_force(
    make_operator: MakeOperator, operation: Operation, when: str, number: int
) -> None:
    person = Person(operation, make_operator(f"{operation.name} {when} {number}"))
    before = person.operator.passwords_on_panel()
    # Not in process where the process of a module lives on beside a dead Ansible.
    assert person.killed(when, number, MODULE if (when, number) == ("after", 2) else IN_PROCESS)
    in_force, pending = person.in_file()
    for name, password in person.operator.passwords_on_panel().items():
        assert password in (before.get(name), in_force.get(name), pending.get(name)), f"{name} is lost"
    kept = {**in_force, **pending}

    again = person.run()
    assert again.code == 0, again.text[-4000:]
    in_force, pending = person.in_file()
    assert pending == {}
    assert sorted(in_force) == MADE
    assert in_force == person.operator.passwords_on_panel()
    assert kept.items() <= in_force.items(), "it is completed with the passwords of the file"
    assert sorted(path.name for path in person.folder.glob(".kept*")) == []
    assert not [password for password in in_force.values() if password in again.text]

    if (when, number) == ("after", 1):
        file = Path(person.folder, "kept.yml").read_bytes()
        last = person.run()
        assert (last.code, last.writes) == (0, []), last.text[-4000:]
        assert Path(person.folder, "kept.yml").read_bytes() == file
    shutil.rmtree(person.folder)


@pytest.mark.parametrize(("operation", "words"), [(OPERATIONS[0], ("--check",)), (OPERATIONS[1], ())])
def test_a_full_disk_is_found_before_the_first_write_to_the_panel(
    make_operator: MakeOperator, operation: Operation, words: tuple[str, ...]
) -> None:
    person = Person(operation, make_operator(f"{operation.name} on a full disk"))
    run = person.run_on_a_full_disk(*words)
    assert_failed(run)
    said = run.said
    assert "kept.yml: cannot be written: File too large." in said, run.text[-4000:]
    assert "Nothing was written" in said
    assert [path.name for path in person.folder.iterdir() if "kept" in path.name] == []
    assert "Traceback" not in run.text
    shutil.rmtree(person.folder)


@pytest.mark.parametrize("operation", WITHOUT_PASSWORDS, ids=lambda operation: operation.name)
def test_whatever_else_writes_a_file_changes_nothing_on_a_full_disk_and_leaves_no_part_of_it(
    make_operator: MakeOperator, operation: Operation
) -> None:
    person = Person(operation, make_operator(f"{operation.name} on a full disk"))
    run = person.run_on_a_full_disk()
    assert run.code != 0, run.text[-4000:]
    assert run.writes == []
    assert "File too large" in run.text
    assert "Traceback" not in run.text
    assert {str(path.relative_to(person.folder)) for path in person.folder.rglob("*") if path.is_file()} <= OF_THE_TEST
    shutil.rmtree(person.folder)


def test_forks_that_make_the_same_and_other_objects_in_one_file_lose_nothing(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("forks")
    operator.simulator.settings({"status_delay": 0, "write_latency": 30})
    operator.simulator.seed(
        {"clients": [{"username": "acme", "password": "x"}], "domains": [{"domain": "acme.example", "client": "acme"}]}
    )
    hosts = {f"host{number}": {"ansible_connection": "local"} for number in range(8)}
    mailboxes = ["{{ inventory_hostname }}@acme.example", "all@acme.example"]
    task = {
        "name": "Mailboxes",
        "hosting.panel.panel_email": {
            "email": "{{ item }}",
            "credentials_file": str(operator.folder / "kept.yml"),
        },
        "loop": mailboxes,
    }
    arguments = ["--vault-password-file", str(operator.vault_password_file), "--forks", "8"]
    run = play(
        [task],
        operator.simulator,
        operator.folder / "play",
        arguments=arguments,
        hosts=hosts,
        keywords={"hosts": ",".join(hosts)},
    )
    assert run.code == 0, run.text[-4000:]
    content = yaml.safe_load(operator.vault("view", str(operator.folder / "kept.yml")))
    assert "pending_passwords" not in content
    assert {entry["key"]: entry["password"] for entry in content["generated_passwords"]} == {
        one["email"]: one["hidden"]["password"] for one in operator.simulator.objects("emails")
    }
    assert len(content["generated_passwords"]) == 9

"""Tasks that make passwords, killed before and after each write to the panel and to the disk.

No password is lost, no object doubled.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.plugin_utils._credentials import encrypted_file
from tests.support import memory
from tests.support.in_memory import InMemory, make_folder_of_run
from tests.support.module_process import imitate_processes
from tests.support.playbook import MODULE, WAYS

pytestmark = pytest.mark.long

SEED = {
    "clients": [{"username": "acme"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "old@acme.example", "client": "acme", "password": "Old-password.2345"}],
}
BOXES = [{"email": f"box{number}@acme.example"} for number in range(3)]
OLD = {"email": "old@acme.example", "regenerate_password": True}
SEVERAL = {
    "clients": [{"username": "beta"}],
    "emails": BOXES[:1],
    "databases": [{"database_name": "shop", "client": "acme"}],
}
TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "a new mailbox": ("panel_email", dict(BOXES[0])),
    "a new password": ("panel_email", OLD),
    "several objects": ("panel_resources", {"resources": SEVERAL, "concurrency": 1}),
    "a rotation": (
        "panel_resources",
        {"resources": {"emails": [OLD]}, "rotation": "2026-11", "concurrency": 1},
    ),
}


class Killed(BaseException):
    """The process ends here."""


class PlainVault(VaultLib):
    """Encrypts nothing, which takes no time."""

    def encrypt(self, plaintext: Any, **_how: Any) -> bytes:
        """Mark a text as encrypted."""
        return b"$ANSIBLE_VAULT;" + plaintext

    def decrypt_and_get_vault_id(self, vaulttext: Any, **_how: Any) -> Any:
        """Return the text behind the mark."""
        return vaulttext.removeprefix(b"$ANSIBLE_VAULT;"), "default", None


VAULT = PlainVault(secrets=[("default", VaultSecret(b"secret"))])


class Boundaries:
    """Counts the places before and after each write to the panel and to a file.

    The process is killed at one of them.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = self.met = 0
        answered = memory.answer_call
        replace = encrypted_file.replace_file

        def write(panel: Any, call: Any) -> Any:
            return (
                self._tick_around(lambda: answered(panel, call))
                if call.method != "GET"
                else answered(panel, call)
            )

        monkeypatch.setattr(memory, "answer_call", write)
        monkeypatch.setattr(
            encrypted_file,
            "replace_file",
            lambda *arguments: self._tick_around(lambda: replace(*arguments)),
        )

    def kill_at(self, number: int) -> None:
        """End the run at the boundary that has a number."""
        self.left = number
        self.met = 0

    def _tick_around(self, write: Callable[[], Any]) -> Any:
        self._tick()
        result = write()
        self._tick()
        return result

    def _tick(self) -> None:
        self.met += 1
        if self.met == self.left:
            raise Killed


class World:
    """A panel, a folder, and one task that is run until it is through."""

    def __init__(self, folder: Path, task: str) -> None:
        self.panel = InMemory(SEED)
        self.folder = folder
        self._module, self._options = TASKS[task]
        self._before = self.list_passwords_on_panel()
        folder.mkdir()

    def run(self) -> dict[str, Any]:
        """Run the task."""
        pattern = str(self.folder / "{client}.yml")
        return self.panel.run(self._module, credentials_file=pattern, vault=VAULT, **self._options)

    def was_killed(self) -> bool:
        """Runs the task.

        Whether it was killed or not, each password on the panel is in a file, or the one from
        before.
        """
        try:
            result = self.run()
        except Killed:
            result = {}

        assert not result.get("failed"), result
        filed = self.list_passwords_in_files("generated_passwords", "pending_passwords")
        passwords = self.list_passwords_on_panel().items()
        unfiled = [
            name
            for name, password in passwords
            if password not in filed.get(name, ()) and self._before.get(name) != password
        ]
        assert unfiled == []

        return not result

    def list_passwords_on_panel(self) -> dict[str, str]:
        """Return the passwords that the panel has, by the names of their objects."""
        kinds = {"clients": "username", "emails": "email", "databases": "database_name"}
        entries = [
            (entry.data[name], entry)
            for kind, name in kinds.items()
            for entry in self.panel.panel.store.list_all(kind)
        ]
        assert len({name for name, _entry in entries}) == len(entries)

        return {name: entry.hidden["password"] for name, entry in entries}

    def list_passwords_in_files(self, *fields: str) -> dict[str, set[str]]:
        """Return the passwords that all files have, by the names of their objects."""
        passwords: dict[str, set[str]] = {}
        for file in self.folder.glob("*.yml"):
            content = yaml.safe_load(file.read_bytes().partition(b";")[2])
            for entry in [entry for field in fields for entry in content.get(field, ())]:
                passwords.setdefault(entry["key"], set()).add(entry["password"])

        return passwords

    def check_end(self) -> None:
        """Everything is done, once, and nothing is left to do."""
        kept = self.list_passwords_in_files("generated_passwords")
        assert all(kept[name] == {self.list_passwords_on_panel()[name]} for name in kept)
        assert self.list_passwords_in_files("pending_passwords") == {}
        assert [
            path.name for path in self.folder.iterdir() if path.suffix not in (".yml", ".lock")
        ] == []
        written = len(self.panel.writes)

        if "regenerate_password" not in self._options:
            assert not self.run()["changed"]
            assert len(self.panel.writes) == written


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("task", TASKS)
def test_a_task_that_is_killed_twice_loses_no_password_and_doubles_no_object(
    task: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == MODULE:
        imitate_processes(monkeypatch)
    boundaries = Boundaries(monkeypatch)
    kills = 0
    # Each step is the first kill; not each pair of kills is tried.
    stride = 20 if task == "several objects" else 4

    with make_folder_of_run(tmp_path):
        for first in itertools.count(1):
            for second in itertools.count(1 + first % stride, stride):
                world = World(tmp_path / f"{first}-{second}", task)
                boundaries.kill_at(first)
                if not world.was_killed():
                    assert kills >= 15
                    return
                boundaries.kill_at(second)
                was_killed = world.was_killed()
                kills += 1 + was_killed
                boundaries.kill_at(0)
                assert not was_killed or not world.was_killed()
                world.check_end()
                if not was_killed:
                    break

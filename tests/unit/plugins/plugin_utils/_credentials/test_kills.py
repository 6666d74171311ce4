# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that make passwords, killed before and after each write to the panel and to the disk: no password is lost, no object doubled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.plugin_utils._credentials import encrypted_file
from tests.support.in_memory import InMemory, folder_of_run
from tools.reliability import memory

SEED = {
    "clients": [{"username": "acme"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "old@acme.example", "client": "acme", "password": "Old-password.2345"}],
}
BOXES = [{"email": f"box{number}@acme.example"} for number in range(3)]
OLD = {"email": "old@acme.example", "regenerate_password": True}
SEVERAL = {
    "clients": [{"username": "beta"}],
    "emails": BOXES,
    "databases": [{"database_name": "shop", "client": "acme"}],
}
TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "a new mailbox": ("panel_email", dict(BOXES[0])),
    "a new password": ("panel_email", OLD),
    "several objects": ("panel_resources", {"resources": SEVERAL, "concurrency": 1}),
    "a rotation": ("panel_resources", {"resources": {"emails": [OLD]}, "rotation": "2026-11", "concurrency": 1}),
}


class Killed(BaseException):
    """The process ends here."""


class PlainVault(VaultLib):
    """Encrypts nothing, which takes no time."""

    def encrypt(self, plaintext: Any, **_how: Any) -> bytes:
        return b"$ANSIBLE_VAULT;" + plaintext

    def decrypt_and_get_vault_id(self, vaulttext: Any, **_how: Any) -> Any:
        return vaulttext.removeprefix(b"$ANSIBLE_VAULT;"), "default", None


VAULT = PlainVault(secrets=[("default", VaultSecret(b"secret"))])


class Boundaries:
    """Counts the places before and after each write to the panel and to a file; the process is killed at one of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = self.met = 0
        answered, replace = memory.answered, encrypted_file.replace_file

        def write(panel: Any, call: Any) -> Any:
            return self._around(lambda: answered(panel, call)) if call.method != "GET" else answered(panel, call)

        monkeypatch.setattr(memory, "answered", write)
        monkeypatch.setattr(encrypted_file, "replace_file", lambda *given: self._around(lambda: replace(*given)))

    def kill_at(self, number: int) -> None:
        self.left, self.met = number, 0

    def _around(self, write: Callable[[], Any]) -> Any:
        self._tick()
        done = write()
        self._tick()
        return done

    def _tick(self) -> None:
        self.met += 1
        if self.met == self.left:
            raise Killed


class World:
    """A panel, a folder, and one task that is run until it is through."""

    def __init__(self, folder: Path, task: str) -> None:
        self.panel, self.folder = InMemory(SEED), folder
        self._module, self._options = TASKS[task]
        folder.mkdir()

    def run(self) -> dict[str, Any]:
        pattern = str(self.folder / "{client}.yml")
        return self.panel.run(self._module, credentials_file=pattern, vault=VAULT, **self._options)

    def was_killed(self) -> bool:
        try:
            done = self.run()
        except Killed:
            return True
        assert not done.get("failed"), done
        return False

    def on_panel(self) -> dict[str, str]:
        kinds = {"clients": "username", "emails": "email", "databases": "database_name"}
        return {
            one.data[name]: one.hidden["password"]
            for kind, name in kinds.items()
            for one in self.panel.panel.store.all(kind)
        }

    def in_files(self, *members: str) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for file in self.folder.glob("*.yml"):
            content = yaml.safe_load(file.read_bytes().partition(b";")[2])
            for entry in [entry for member in members for entry in content.get(member, ())]:
                found.setdefault(entry["key"], set()).add(entry["password"])
        return found

    def lost(self) -> list[str]:
        """The objects whose password on the panel is neither the one from before nor in a file."""
        known, before = self.in_files("generated_passwords", "pending_passwords"), InMemory(SEED)
        first = {one.data["email"]: one.hidden["password"] for one in before.panel.store.all("emails")}
        given = {"acme", *first}
        return [
            name
            for name, password in self.on_panel().items()
            if password not in known.get(name, ()) and not (name in given and password == first.get(name, password))
        ]

    def check_end(self) -> None:
        """Everything is done, once, and nothing is left to do."""
        names = [one["username"] for one in self.panel.objects("clients")] + [
            one["email"] for one in self.panel.objects("emails")
        ]
        assert len(names) == len(set(names))
        kept = self.in_files("generated_passwords")
        assert all(kept[name] == {self.on_panel()[name]} for name in kept)
        assert self.in_files("pending_passwords") == {}
        assert [path.name for path in self.folder.iterdir() if path.suffix not in (".yml", ".lock")] == []
        written = len(self.panel.writes)
        if "regenerate_password" not in self._options:
            assert not self.run()["changed"]
            assert len(self.panel.writes) == written


@pytest.fixture
def boundaries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Boundaries]:
    with folder_of_run(tmp_path):
        yield Boundaries(monkeypatch)


@pytest.mark.parametrize("task", TASKS)
def test_a_task_that_is_killed_twice_loses_no_password_and_doubles_no_object(
    task: str, tmp_path: Path, boundaries: Boundaries
) -> None:
    kills, first, number = 0, 0, 0
    is_over = False
    while not is_over:
        first += 1
        # Of many steps, not each pair of kills is tried.
        stride = 4 if task == "several objects" else 1
        second, is_second_over = first % stride - stride + 1, False
        while not is_second_over:
            number += 1
            world = World(tmp_path / f"{number}", task)
            boundaries.kill_at(first)
            is_over = not world.was_killed()
            kills += not is_over
            assert world.lost() == []
            if is_over:
                break
            second = max(1, second + stride)
            boundaries.kill_at(second)
            is_second_over = not world.was_killed()
            kills += not is_second_over
            assert world.lost() == []
            boundaries.kill_at(0)
            if not is_second_over:
                assert not world.was_killed()
            assert world.lost() == []
            world.check_end()
    assert kills >= 30
    print(f"{task}: {first - 1} boundaries, {kills} kills, 0 lost, 0 doubled")

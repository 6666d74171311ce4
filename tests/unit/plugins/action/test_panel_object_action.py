# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the password of one object comes into its file, and goes out again, beside a module that answers as it is told."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.action import panel_object as action
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs import encrypted_file, run_modules
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_content import begun
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_file import (
    Credential,
    CredentialsFile,
)

VAULT = VaultLib(secrets=[("default", VaultSecret(b"secret"))])
MAILBOX = {"id": 5, "email": "info@acme.example"}
CREATES = {
    "changed": True,
    "email": {**MAILBOX, "id": None},
    "diff": {"before": {}, "after": {"password": "(changes)"}},
}
CHANGES = {"changed": True, "email": MAILBOX, "diff": {"before": {"max_size": 1}, "after": {"max_size": 2}}}
NOTHING = {"changed": False, "email": MAILBOX, "diff": {"before": {}, "after": {}}}


class Person:
    """Runs tasks for one mailbox. answers: of the module, in check mode and then for real."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file = CredentialsFile(str(folder / "kept.yml"), VAULT)
        self.answers: list[dict[str, Any]] = []
        self.runs: list[tuple[bool, dict[str, Any]]] = []
        self.pending_meanwhile: list[str] = []
        monkeypatch.setattr(run_modules, "inner_module", self._inner)

    def _inner(self, task: Any, module: str, options: Mapping[str, Any], check_mode: Any, _diff: Any) -> Any:
        is_check = task._task.check_mode if check_mode is None else check_mode

        def run(task_vars: Any = None) -> dict[str, Any]:
            assert module == "panel_email"
            given = {name: value for name, value in options.items() if name not in ("api_url", "api_key")}
            self.runs.append((is_check, given))
            self.pending_meanwhile = [entry["password"] for entry in self.file.content().get("pending_passwords", ())]
            return dict(self.answers.pop(0))

        return SimpleNamespace(run=run)

    def task(self, *answers: dict[str, Any], check_mode: bool = False, **options: Any) -> dict[str, Any]:
        self.answers, self.runs = list(answers), []
        connection = {"api_url": "https://panel.example", "api_key": "k"}
        options = {"email": "INFO@acme.example", **options}
        args = {**connection, "kind": "emails", "options": options, "credentials_file": self.file.path}
        made = action.ActionModule(
            task=SimpleNamespace(
                args=args, action="panel_object", async_val=0, check_mode=check_mode, diff=False, environment=None
            ),
            connection=SimpleNamespace(_shell=SimpleNamespace(tmpdir="/nowhere")),
            play_context=SimpleNamespace(),
            loader=SimpleNamespace(_vault=VAULT),
            templar=SimpleNamespace(),
            shared_loader_obj=None,
        )
        result = made.run()
        assert self.answers == []
        return result

    def kept(self) -> tuple[list[str], list[str]]:
        """The passwords in force, and those that are pending."""
        content = self.file.content()
        lists = (content["generated_passwords"], content.get("pending_passwords", ()))
        in_force, pending = ([entry["password"] for entry in entries] for entries in lists)
        return in_force, pending


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    return Person(tmp_path, monkeypatch)


def test_a_new_object_has_its_password_in_the_file_before_the_panel_gets_it(person: Person) -> None:
    result = person.task(CREATES, {**CREATES, "email": MAILBOX})
    (_check, planned), (_real, done) = person.runs
    assert planned == done
    assert person.pending_meanwhile == [done["password"]]
    assert person.kept() == ([done["password"]], [])
    assert result == {"changed": True, "email": MAILBOX, "credentials_file": person.file.path}


@pytest.mark.parametrize("answer", [CREATES, NOTHING])
def test_check_mode_writes_nothing(person: Person, answer: dict[str, Any]) -> None:
    assert person.task(answer, check_mode=True)["changed"] == answer["changed"]
    assert not Path(person.file.path).exists()


@pytest.mark.parametrize("check_mode", [False, True])
def test_a_full_disk_is_found_before_the_panel_gets_anything_also_in_check_mode(
    person: Person, check_mode: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path, _size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(encrypted_file, "try_to_write", refuse)
    result = person.task(CREATES, check_mode=check_mode)
    assert result["failed"]
    assert result["msg"] == (
        f"credentials_file: {person.file.path}: cannot be written: No space left on device. Nothing was written."
    )
    assert [is_check for is_check, _options in person.runs] == [True]
    assert not Path(person.file.path).exists()


def test_what_is_right_already_is_asked_for_once_and_writes_no_file(person: Person) -> None:
    assert person.task(NOTHING) == {"changed": False, "email": MAILBOX}
    assert not Path(person.file.path).exists()


@pytest.mark.parametrize(("options", "planned"), [({}, CHANGES), ({"wait": True}, NOTHING)])
def test_what_needs_no_password_is_written_by_its_id_so_that_it_is_never_created_with_one_of_the_panel(
    person: Person, options: dict[str, Any], planned: dict[str, Any]
) -> None:
    person.task(planned, planned, **options)
    assert person.runs[-1] == (False, {**options, "id": 5})
    assert not Path(person.file.path).exists()


REFUSED = {"failed": True, "changed": False, "msg": "no", "error": {"type": "Refused", "attempts": 1}}
LOST = {**REFUSED, "error": {"type": "OutcomeUnknown", "attempts": 1}}
NOT_APPLIED = {"failed": True, "changed": True, "msg": "status 5", "error": {"type": "NotApplied"}, "email": MAILBOX}


@pytest.mark.parametrize(
    ("done", "in_force", "pending"),
    [
        (REFUSED, 0, 0),
        (LOST, 0, 1),
        (NOT_APPLIED, 1, 0),
        # Somebody else made it meanwhile.
        (CHANGES, 0, 0),
        (NOTHING, 0, 0),
    ],
)
def test_a_password_is_in_force_withdrawn_or_pending_by_what_became_of_the_object(
    person: Person, done: dict[str, Any], in_force: int, pending: int
) -> None:
    result = person.task(CREATES, done)
    assert tuple(len(entries) for entries in person.kept()) == (in_force, pending)
    assert ("is not known. They are in" in result.get("msg", "")) == bool(pending)


def test_what_a_killed_run_left_pending_is_set_again_and_said(person: Person) -> None:
    left = Credential("panel.example", "emails", "info@acme.example", "left")
    person.file.change(lambda content: begun(content, [left]))
    again = {**CHANGES, "diff": {"before": {}, "after": {"password": "(changes)"}}}
    for check_mode in (True, False):
        result = person.task(*[again] * (1 if check_mode else 2), check_mode=check_mode)
        assert "They are set again, also where somebody" in result["warnings"][0]
        assert person.runs[-1][1] == {"email": "INFO@acme.example", "password": "left", "update_password": "always"}
    assert person.kept() == (["left"], [])


def test_a_new_password_needs_the_name_of_its_object(person: Person) -> None:
    result = person.task(NOTHING, id=5, email=None, regenerate_password=True)
    assert result["msg"].endswith(
        "give the object's name, not its id, so that the password can be filed. Nothing was written."
    )
    assert [is_check for is_check, _options in person.runs] == [True]


def test_a_mistake_is_told_by_the_module(person: Person) -> None:
    refused = {"failed": True, "changed": False, "msg": "max_size: ..."}
    assert person.task(refused, max_size="1.5G")["msg"] == "max_size: ..."


def test_what_the_plan_warned_of_is_not_said_of_the_run_that_follows_it(person: Person) -> None:
    planned, assumed = {**CREATES, "warnings": ["Check mode assumes something."]}, ["Check mode assumes something."]
    refused = {"failed": True, "msg": "No.", "error": {"type": "UnknownReference"}}
    assert person.task(planned, {**refused, "warnings": ["Another one."]})["warnings"] == ["Another one."]
    assert person.task(planned, check_mode=True)["warnings"] == assumed
    assert person.task({**NOTHING, "warnings": assumed})["warnings"] == assumed

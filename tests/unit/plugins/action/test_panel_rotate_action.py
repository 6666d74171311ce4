# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a rotation goes on, beside modules that answer as they are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.action import panel_rotate as action
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs import run_modules
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords import credentials_file, rotate_passwords
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_content import (
    begun,
    in_force,
    pending,
    rotated,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_file import (
    Credential,
    CredentialsError,
    CredentialsFile,
)

VAULT = VaultLib(secrets=[("default", VaultSecret(b"secret"))])
NAMES = ("a@acme.example", "b@acme.example", "c@acme.example")
CHANGED: dict[str, Any] = {"changed": True}
LOST: dict[str, Any] = {"failed": True, "msg": "no answer", "error": {"type": "OutcomeUnknown"}}
REFUSED: dict[str, Any] = {"failed": True, "msg": "refused", "error": {"type": "Refused"}}
DENIED: dict[str, Any] = {"failed": True, "msg": "denied", "error": {"type": "Denied"}}


class Panel:
    """Mailboxes of one client. answers: of the writes, in their order; passwords: what was sent, by id."""

    def __init__(self, answers: list[dict[str, Any]], meanwhile: Callable[[], None] = lambda: None) -> None:
        self.answers, self.meanwhile = answers, meanwhile
        self.passwords: dict[int, str] = {}

    def __call__(self, _task: Any, module: str, options: Mapping[str, Any], *_modes: Any) -> Any:
        return SimpleNamespace(run=lambda task_vars=None: self.answer(module, options))

    def answer(self, module: str, options: Mapping[str, Any]) -> dict[str, Any]:
        if module == "panel_client_info":
            return {"clients": [{"id": 1, "username": "acme"}]}
        if module == "panel_email_info" and "id" in options:
            return {"emails": [{"id": options["id"], "id_user": 1}]}
        if module == "panel_email_info":
            # As a panel whose lists are short.
            return {"emails": [{"id": index, "email": name} for index, name in enumerate(NAMES, 1)]}
        assert module == "panel_email"
        assert options["update_password"] == "always"
        self.passwords[options["id"]] = options["password"]
        self.meanwhile()
        return self.answers.pop(0)


def rotate(file: CredentialsFile, panel: Panel, monkeypatch: pytest.MonkeyPatch, **options: Any) -> dict[str, Any]:
    monkeypatch.setattr(run_modules, "inner_module", panel)
    connection = {"api_url": "https://panel.example", "api_key": "k"}
    wish = {"id": "r1", "kinds": ["emails"], "clients": ["acme"], "credentials_file": file.path, **options}
    made = action.ActionModule(
        task=SimpleNamespace(
            args={**connection, **wish}, action="panel_rotate", async_val=0, check_mode=False, environment=None
        ),
        connection=SimpleNamespace(_shell=SimpleNamespace(tmpdir="/nowhere")),
        play_context=SimpleNamespace(),
        loader=SimpleNamespace(_vault=VAULT),
        templar=SimpleNamespace(),
        shared_loader_obj=None,
    )
    return made.run()


@pytest.fixture
def file(tmp_path: Path) -> CredentialsFile:
    return CredentialsFile(str(tmp_path / "rotation.yml"), VAULT)


def _waiting(file: CredentialsFile) -> list[str]:
    return sorted(key for _kind, key in pending(file.content(), "panel.example", "r1"))


@pytest.mark.parametrize(
    ("answers", "counts", "waiting"),
    [
        ([CHANGED, CHANGED, CHANGED], (3, 0, 0), []),
        ([CHANGED, REFUSED, CHANGED], (2, 1, 0), ["b@acme.example"]),
        ([LOST, CHANGED, LOST], (1, 2, 0), ["a@acme.example", "c@acme.example"]),
        ([LOST, LOST], (0, 2, 1), list(NAMES)),
        ([REFUSED, LOST, CHANGED], (1, 2, 0), ["a@acme.example", "b@acme.example"]),
        ([CHANGED, DENIED], (1, 1, 1), ["b@acme.example", "c@acme.example"]),
    ],
)
def test_what_is_not_done_waits_in_the_file_and_is_done_later_with_the_same_password(
    file: CredentialsFile,
    monkeypatch: pytest.MonkeyPatch,
    answers: list[dict[str, Any]],
    counts: tuple[int, int, int],
    waiting: list[str],
) -> None:
    result = rotate(file, Panel(list(answers)), monkeypatch)
    assert (result["rotated"], len(result["failures"]), result["left"]) == counts
    assert _waiting(file) == waiting
    assert result.get("failed", False) == bool(waiting)
    before = pending(file.content(), "panel.example", "r1")
    again = Panel([CHANGED] * len(waiting))
    assert rotate(file, again, monkeypatch)["changed"] == bool(waiting)
    assert again.passwords == {NAMES.index(name) + 1: before["emails", name] for name in waiting}
    assert {key for _kind, key in rotated(file.content(), "panel.example", "r1")} == set(NAMES)


def test_every_password_is_in_the_file_before_the_first_is_set(
    file: CredentialsFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []

    def look() -> None:
        content = file.content()
        entries = content["generated_passwords"] + content.get("pending_passwords", [])
        seen.append({entry["password"] for entry in entries})

    panel = Panel([CHANGED] * 3, look)
    rotate(file, panel, monkeypatch)
    assert seen == [set(panel.passwords.values())] * 3


@pytest.mark.parametrize("is_done", [False, True])
def test_two_runs_of_one_rotation_at_once_agree_on_the_passwords(
    file: CredentialsFile, monkeypatch: pytest.MonkeyPatch, is_done: bool
) -> None:
    other = [Credential("panel.example", "emails", NAMES[0], "of the other run", "r1")]

    def begin_elsewhere(length: int) -> str:
        # After this run has looked into the file, and before it writes.
        file.change(lambda content: begun(content, other))
        if is_done:
            file.change(lambda content: in_force(content, other))
        return "x" * length

    monkeypatch.setattr(rotate_passwords, "new_password", begin_elsewhere)
    panel = Panel([CHANGED])
    rotate(file, panel, monkeypatch, clients=[], kinds=[], objects={"emails": [NAMES[0]]})
    assert panel.passwords == ({} if is_done else {1: "of the other run"})
    (entry,) = file.content()["generated_passwords"]
    assert entry["password"] == "of the other run"


def test_objects_that_are_not_named_any_more_are_warned_about_and_those_that_are_gone_are_forgotten(
    file: CredentialsFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def credential(kind: str, key: str) -> Credential:
        return Credential("panel.example", kind, key, "waits", "r1")

    names = [credential("emails", "gone@acme.example"), credential("emails", NAMES[2]), credential("databases", "shop")]
    file.change(lambda content: begun(content, names))
    result = rotate(file, Panel([CHANGED]), monkeypatch, clients=[], kinds=[], objects={"emails": [NAMES[0]]})
    assert result["lines"] == [
        f"new passwords: 1; they are in {file.path}:",
        "emails a@acme.example of acme",
        "emails gone@acme.example is gone from the panel, and its pending password from the file",
    ]
    (warning,) = result["warnings"]
    assert "begun for 2 more objects" in warning
    assert "emails c@acme.example, databases shop" in warning
    assert _waiting(file) == ["c@acme.example", "shop"]


def test_a_file_that_cannot_be_written_any_more_still_has_the_passwords(
    file: CredentialsFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    encrypted: list[bytes] = []

    def spoil() -> None:
        path = Path(file.path)
        encrypted.append(path.read_bytes())
        path.write_text("spoilt", encoding="utf-8")

    result = rotate(file, Panel([CHANGED], spoil), monkeypatch, clients=[], kinds=[], objects={"emails": [NAMES[0]]})
    assert result["failed"]
    assert "1 new passwords that are in force could not be marked as such:" in result["msg"]
    Path(file.path).write_bytes(encrypted[0])
    assert _waiting(file) == [NAMES[0]]


def test_another_rotation_into_the_file_waits_until_the_last_password_is_set(
    file: CredentialsFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials_file, "_LONGEST_TURN", 0.1)
    waited: list[str] = []

    def begin_elsewhere() -> None:
        with pytest.raises(CredentialsError) as caught, credentials_file.turn_at([file.path]):
            pytest.fail("another rotation got the file")
        waited.append(str(caught.value))

    assert not rotate(file, Panel([CHANGED] * 3, begin_elsewhere), monkeypatch).get("failed")
    assert len(waited) == 3
    assert "has been writing a file of passwords" in waited[-1]

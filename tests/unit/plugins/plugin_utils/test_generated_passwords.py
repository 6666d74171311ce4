# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects get a password that is made here, under which conditions it counts, and what a result says became of it."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.module_utils._bulk import progress
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs import encrypted_file
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords import credentials_file as credentials
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords import generated_passwords as passwords_ahead
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_content import begun, pending
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_file import (
    Credential,
    CredentialsError,
    CredentialsFile,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.generated_passwords import (
    PasswordsAhead,
    results_of,
)

INFO = ("emails", "info@acme.example")
VAULT = VaultLib(secrets=[("default", VaultSecret(b"secret"))])


@pytest.fixture(autouse=True)
def _made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords_ahead, "new_password", lambda: "made")


def ahead(
    *items: dict[str, Any], file: CredentialsFile | None = None, **others: list[dict[str, Any]]
) -> PasswordsAhead:
    return PasswordsAhead({"emails": list(items), **others}, "panel.example", lambda _kind, _index: file)


def file_with(folder: Path, *credentials: Credential) -> CredentialsFile:
    file = CredentialsFile(str(folder / "kept.yml"), VAULT)
    file.change(lambda content: begun(content, credentials))
    return file


@pytest.mark.parametrize(
    "item",
    [
        {"email": "info@acme.example", "password": "given"},
        {"email": "info@acme.example", "password_hash": "given"},
        {"email": "info@acme.example", "state": "absent"},
        {"id": 5, "max_size": "1G"},
    ],
)
def test_what_never_gets_a_password_from_the_panel_stays_as_it_is(item: dict[str, Any]) -> None:
    domains = [{"domain": "acme.example"}]
    made = ahead(item, domains=domains)
    assert (made.names, made.mistakes) == ([], [])
    assert made.resources() == {"emails": [item], "domains": domains}


@pytest.mark.parametrize(
    ("options", "update"),
    [
        ({}, "on_create"),
        ({"update_password": "always"}, "on_create"),
        ({"regenerate_password": False}, "on_create"),
        ({"regenerate_password": "no"}, "on_create"),
        ({"regenerate_password": True}, "always"),
        ({"regenerate_password": "yes"}, "always"),
    ],
)
def test_a_password_counts_on_creation_unless_a_new_one_was_asked_for(options: dict[str, Any], update: str) -> None:
    made = ahead({"email": "INFO@acme.example", "max_size": "1G", **options})
    assert made.names == [INFO]
    filled = {"email": "INFO@acme.example", "max_size": "1G", "password": "made", "update_password": update}
    assert made.resources()["emails"] == [filled]


def test_what_an_earlier_run_left_pending_is_set_anyway_and_that_of_a_rotation_is_not(tmp_path: Path) -> None:
    left = [
        Credential("panel.example", *INFO, password="of a killed run"),
        Credential("panel.example", "emails", "b@acme.example", "of a rotation", "r1"),
        Credential("other.example", "emails", "c@acme.example", "of another panel"),
    ]
    made = ahead(*[{"email": f"{name}@acme.example"} for name in ("info", "b", "c")], file=file_with(tmp_path, *left))
    assert [(one["password"], one["update_password"]) for one in made.resources()["emails"]] == [
        ("of a killed run", "always"),
        ("made", "on_create"),
        ("made", "on_create"),
    ]


def test_a_new_password_of_an_object_that_is_named_by_its_id_cannot_be_filed() -> None:
    made = ahead({"id": 5, "regenerate_password": True})
    assert (
        made.mistakes == made.unnamed == [f"emails[0] (with id 5) regenerate_password: {passwords_ahead.GIVE_THE_NAME}"]
    )


def test_a_password_of_an_object_that_has_its_owner_in_its_name_cannot_be_filed_under_the_owners_id() -> None:
    """The plan names it by the username, so the password would be sent and be in no file."""
    named: dict[str, Any] = {"path": "/shop", "username": "anna"}
    made = PasswordsAhead({"directory_protections": [{"id_user": 5, **named}]}, "panel.example", lambda _k, _i: None)
    assert made.unnamed == [
        "directory_protections[0] (5:/shop:anna) id_user: give client instead, so that the new object's password can be filed under its name."
    ]


@pytest.mark.parametrize("more", [{"password": "given"}, {"state": "absent"}])
def test_an_owner_by_its_id_is_no_mistake_where_no_password_is_made(more: dict[str, Any]) -> None:
    item = {"id_user": 5, "path": "/shop", "username": "anna", **more}
    assert PasswordsAhead({"directory_protections": [item]}, "panel.example", lambda _k, _i: None).mistakes == []
    assert ahead({"email": "info@acme.example", "id_user": 5}).mistakes == []


def test_only_what_the_plan_sends_is_chosen_and_named_where_there_is_no_file() -> None:
    made = ahead({"email": "info@acme.example"}, {"email": "b@acme.example"}, {"email": "c@acme.example"})
    sent, other = {"password": "(changes)"}, {"max_size": 1}
    actions = [
        {"kind": "emails", "key": "info@acme.example", "action": "create", "after": sent},
        {"kind": "emails", "key": "b@acme.example", "action": "update", "after": other},
        {"kind": "emails", "key": "c@acme.example", "action": "delete", "after": None},
        {"kind": "emails", "key": "given@acme.example", "action": "create", "after": sent},
    ]
    assert made.choose(actions) == made.chosen_without_file() == [INFO]


@pytest.mark.parametrize(
    ("done", "written", "not_written"),
    [
        ({"results": [{"result": "changed"}]}, True, False),
        ({"results": [{"result": "skipped"}]}, False, True),
        ({"results": [{"result": "failed", "error": {"type": "Refused", "attempts": 1}}]}, False, True),
        ({"results": [{"result": "failed", "error": {"type": "Refused", "attempts": 3}}]}, False, False),
        ({"results": [{"result": "failed", "error": {"type": "OutcomeUnknown", "attempts": 1}}]}, False, False),
        ({"results": [{"result": "failed"}]}, False, False),
        ({"failed": True, "error": {"type": "PlanChanged"}}, False, True),
        ({"failed": True, "error": {"type": "Denied", "status": 401}}, False, True),
        ({"failed": True, "error": {"type": "Defect"}}, False, False),
        ({"failed": True, "msg": "MODULE FAILURE"}, False, False),
    ],
)
def test_a_result_says_what_was_written_for_certain(done: dict[str, Any], written: bool, not_written: bool) -> None:
    for one in done.get("results", ()):
        one.update(kind=INFO[0], key=INFO[1])
    found = results_of(done, [INFO])
    assert (INFO in found.written, INFO in found.not_written) == (written, not_written)


def test_where_one_of_several_files_cannot_be_written_nothing_is_sent_and_no_file_says_that_it_was(
    tmp_path: Path,
) -> None:
    good = CredentialsFile(str(tmp_path / "good.yml"), VAULT)
    bad = CredentialsFile(str(tmp_path / "missing" / "bad.yml"), VAULT)
    items = [{"email": "info@acme.example"}, {"email": "b@acme.example"}]
    made = PasswordsAhead({"emails": items}, "panel.example", lambda _kind, index: (good, bad)[index])
    made.choose([{"kind": "emails", "key": one["email"], "after": {"password": "(changes)"}} for one in items])
    sent: list[Any] = []
    with pytest.raises(CredentialsError, match=r"bad\.yml: cannot be written"):
        made.hand_over(lambda resources: {"sent": sent.append(resources)})
    assert sent == []
    assert good.content() == {"generated_passwords": []}


def test_nobody_else_writes_to_the_file_from_the_first_password_to_the_last_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials, "_LONGEST_TURN", 0.1)
    file = file_with(tmp_path)
    made = ahead({"email": "info@acme.example"}, file=file)
    made.choose([{"kind": "emails", "key": "info@acme.example", "after": {"password": "(changes)"}}])

    def write(_resources: Any) -> dict[str, Any]:
        assert pending(file.content(), "panel.example") == {INFO: "made"}
        with (
            pytest.raises(CredentialsError, match="has been writing a file of passwords"),
            credentials.turn_at([file.path]),
        ):
            pytest.fail("another task got the file")
        return {"changed": True, "results": [{"kind": "emails", "key": INFO[1], "result": "changed"}]}

    assert not made.hand_over(write).get("failed")
    assert file.kept() == {("panel.example", *INFO)}
    with credentials.turn_at([file.path]):
        pass


def test_room_for_all_that_will_be_written_is_tried_before_the_first_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With room for the pending passwords alone, the disk would be full when the panel has them."""

    def refuse(path: Path, _size: int) -> None:
        if path.parent.name == "full":
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(encrypted_file, "try_to_write", refuse)
    (tmp_path / "full").mkdir()
    names = ["other.yml", *(f"full/{letter}.yml" for letter in "abc")]
    made = _in_files([CredentialsFile(str(tmp_path / name), VAULT) for name in names])
    with pytest.raises(
        CredentialsError, match=r"full/a\.yml and 2 more in its folder: cannot be written: No space left on device\."
    ):
        made.hand_over(lambda _resources: pytest.fail("the panel was asked"))
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_what_is_tried_for_room_does_not_grow_with_the_number_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def effort(number: int) -> dict[str, int]:
        done = dict.fromkeys(("encrypted", "decrypted", "written"), 0)
        room = 0

        def counting(what: str, do: Callable[..., Any]) -> Callable[..., Any]:
            def counted(*words: Any, **keywords: Any) -> Any:
                done[what] += 1
                return do(*words, **keywords)

            return counted

        def synced(descriptor: int) -> None:
            nonlocal room
            room += os.fstat(descriptor).st_size

        with monkeypatch.context() as patched:
            patched.setattr(VaultLib, "encrypt", counting("encrypted", VaultLib.encrypt))
            patched.setattr(VaultLib, "decrypt", counting("decrypted", VaultLib.decrypt))
            patched.setattr(os, "fsync", counting("written", synced))
            made = _in_files(
                [CredentialsFile(str(tmp_path / str(index % 2) / f"{index}.yml"), VAULT) for index in range(number)]
            )
            made.check()
        # A small file takes a block of the disk.
        assert room >= number * 4096
        return done

    for folder in "01":
        (tmp_path / folder).mkdir()
    assert effort(2) == effort(200) == {"encrypted": 1, "decrypted": 0, "written": 2}


def test_many_files_are_told_of_while_they_are_read_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress.Progress.__init__, "__defaults__", (time.monotonic, 0.0))
    said: list[str] = []
    made = _in_files([CredentialsFile(str(tmp_path / f"{index}.yml"), VAULT) for index in range(2)], said.append)
    made.hand_over(lambda _resources: {"results": []})
    assert said == [
        f"{number} of 2 files of passwords {what}"
        for what in ("read", "checked", "written", "completed")
        for number in (1, 2)
    ]


def _in_files(files: list[CredentialsFile], say: Callable[[str], None] = str) -> PasswordsAhead:
    """A mailbox for each file, whose password a plan sends."""
    items = [{"email": f"info@c{index}.example"} for index in range(len(files))]
    made = PasswordsAhead({"emails": items}, "panel.example", lambda _kind, index: files[index], say)
    made.choose([{"kind": kind, "key": key, "after": {"password": "x"}} for kind, key in made.names])
    return made


def test_each_object_is_looked_at_a_few_times_however_many_files_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, looks = 200, 0
    path_of = PasswordsAhead._path

    def counted(made: PasswordsAhead, name: Any) -> str:
        nonlocal looks
        looks += 1
        return path_of(made, name)

    monkeypatch.setattr(PasswordsAhead, "_path", counted)
    files = [CredentialsFile(str(tmp_path / f"{index}.yml"), VAULT) for index in range(number)]
    made = _in_files(files)
    assert list(made.warnings()) == []
    assert number <= looks <= 3 * number

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The encrypted file of generated passwords, with the Vault of the ansible-core that runs the tests."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.encrypted_file import check_room
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_content import (
    begun,
    in_force,
    withdrawn,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_file import (
    Credential,
    CredentialsError,
    CredentialsFile,
)

PASSWORD = "generated: {password} 'ü\""


def _vault(*labels: str) -> VaultLib:
    return VaultLib(secrets=[(label, VaultSecret(f"secret of {label}".encode())) for label in labels or ("default",)])


def _credential(key: str = "info@acme.example", password: str = PASSWORD, panel: str = "panel.example") -> Credential:
    return Credential(panel=panel, kind="emails", key=key, password=password)


def _keep(file: CredentialsFile, *credentials: Credential) -> bool:
    return file.change(lambda content: in_force(content, credentials))


def _content(path: Path, vault: VaultLib | None = None) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((vault or _vault()).decrypt(path.read_bytes()))
    return content


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "acme.credentials.yml"


def test_a_new_file_is_encrypted_and_for_its_owner_only(path: Path) -> None:
    assert _keep(CredentialsFile(str(path), _vault()), _credential())
    assert path.read_bytes().splitlines()[0] == b"$ANSIBLE_VAULT;1.1;AES256"
    assert path.stat().st_mode & 0o777 == 0o600
    assert _content(path) == {
        "generated_passwords": [
            {"panel": "panel.example", "kind": "emails", "key": "info@acme.example", "password": PASSWORD}
        ]
    }


def test_a_password_takes_the_place_of_an_older_one_of_the_same_object_only(path: Path) -> None:
    file = CredentialsFile(str(path), _vault())
    for credential in (_credential(), _credential("other@acme.example"), _credential(panel="second.example")):
        _keep(file, credential)
    _keep(file, _credential(password="newer"))
    entries = _content(path)["generated_passwords"]
    assert [(entry["panel"], entry["key"], entry["password"]) for entry in entries] == [
        ("panel.example", "info@acme.example", "newer"),
        ("panel.example", "other@acme.example", PASSWORD),
        ("second.example", "info@acme.example", PASSWORD),
    ]


def test_a_password_that_is_there_already_changes_nothing(path: Path) -> None:
    file = CredentialsFile(str(path), _vault())
    _keep(file, _credential())
    before = path.read_bytes()
    assert not _keep(file, _credential())
    assert path.read_bytes() == before


def test_an_address_outside_ascii_is_found_by_either_spelling(path: Path) -> None:
    file = CredentialsFile(str(path), _vault("default"))
    _keep(file, _credential("info@xn--mller-kva.example"), _credential("info@acme.example"))
    kept = _content(path)["generated_passwords"]
    assert [(one["key"], one.get("key_utf8")) for one in kept] == [
        ("info@xn--mller-kva.example", "info@müller.example"),
        ("info@acme.example", None),
    ]
    assert "key_utf8: info@müller.example" in _vault().decrypt(path.read_bytes()).decode()


def test_an_entry_of_an_earlier_release_is_the_same_one(path: Path) -> None:
    earlier = {"panel": "panel.example", "kind": "emails", "key": "info@xn--mller-kva.example", "password": PASSWORD}
    vault = _vault()
    text = yaml.safe_dump({"generated_passwords": [earlier]})
    path.write_bytes(vault.encrypt(text, vault.secrets[0][1]))
    before = path.read_bytes()
    assert not _keep(CredentialsFile(str(path), vault), _credential("info@xn--mller-kva.example"))
    assert path.read_bytes() == before
    assert _keep(CredentialsFile(str(path), vault), _credential())
    assert [one.get("key_utf8") for one in _content(path)["generated_passwords"]] == ["info@müller.example", None]


def test_a_file_says_which_passwords_it_holds(path: Path) -> None:
    file = CredentialsFile(str(path), _vault())
    assert file.kept() == set()
    _keep(file, _credential())
    assert file.kept() == {("panel.example", "emails", "info@acme.example")}


def test_many_passwords_are_written_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = CredentialsFile(str(path), _vault())
    _keep(file, _credential("b@acme.example"))
    written: list[str] = []
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda old, new: (written.append(new), replace(old, new)))
    credentials = [_credential(f"{name}@acme.example", password=name) for name in "abca"]
    assert _keep(file, *credentials)
    entries = _content(path)["generated_passwords"]
    assert [(entry["key"], entry["password"]) for entry in entries] == [
        ("b@acme.example", "b"),
        ("a@acme.example", "a"),
        ("c@acme.example", "c"),
    ]
    assert len(written) == 1
    assert not _keep(file, *credentials)
    assert not _keep(file)


def test_a_text_that_ansible_has_marked_is_written_as_plain_text(path: Path) -> None:
    class Marked(str):
        """What a result of a module is made of."""

    _keep(
        CredentialsFile(str(path), _vault()), Credential(Marked("p"), Marked("emails"), Marked("k"), Marked("secret"))
    )
    assert _content(path)["generated_passwords"][0]["password"] == "secret"


def test_a_failing_write_leaves_the_old_file_whole_and_nothing_beside_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = CredentialsFile(str(path), _vault())
    _keep(file, _credential())
    before = path.read_bytes()

    def fail(*_arguments: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(CredentialsError, match="cannot be written: No space left on device") as failure:
        _keep(file, _credential("other@acme.example"))
    assert PASSWORD not in str(failure.value)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere" / "real.yml"
    real.parent.mkdir()
    path.symlink_to(real)
    _keep(CredentialsFile(str(path), _vault()), _credential())
    assert path.is_symlink()
    assert len(_content(real)["generated_passwords"]) == 1


def test_a_new_file_gets_the_first_secret_or_the_named_one(tmp_path: Path) -> None:
    for name, wanted in ((None, "one"), ("two", "two")):
        path = tmp_path / wanted
        _keep(CredentialsFile(str(path), _vault("one", "two"), name), _credential())
        assert path.read_bytes().splitlines()[0] == f"$ANSIBLE_VAULT;1.2;AES256;{wanted}".encode()


def test_an_existing_file_keeps_its_secret(path: Path) -> None:
    _keep(CredentialsFile(str(path), _vault("two")), _credential())
    _keep(CredentialsFile(str(path), _vault("one", "two")), _credential("other@acme.example"))
    assert path.read_bytes().splitlines()[0].endswith(b";two")
    assert len(_content(path, _vault("two"))["generated_passwords"]) == 2


def test_several_writers_lose_nothing(path: Path) -> None:
    def write(worker: int) -> None:
        for number in range(5):
            _keep(CredentialsFile(str(path), _vault()), _credential(f"{worker}-{number}@acme.example"))

    workers = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(_content(path)["generated_passwords"]) == 20


def test_a_check_without_a_secret_fails(path: Path) -> None:
    with pytest.raises(CredentialsError, match="this run has no Vault secret"):
        CredentialsFile(str(path), VaultLib(secrets=[])).check()


@pytest.mark.parametrize("content", ["other: 1", "- a", "generated_passwords: {a: 1}", "{", ""])
def test_a_check_refuses_an_encrypted_file_with_something_else(path: Path, content: str) -> None:
    path.write_bytes(_vault().encrypt(content or " "))
    with pytest.raises(CredentialsError, match="holds something else"):
        CredentialsFile(str(path), _vault()).check()


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        (lambda text: text, "none of this run's Vault secrets decrypts the file; it is left as it is."),
        (
            lambda text: text[:-2],
            "the file is damaged, and no secret decrypts it; it is left as it is. Take it from a backup",
        ),
        (lambda text: text[:100], "the file is damaged, and no secret decrypts it;"),
        (lambda text: text.partition("\n")[0], "the file is damaged, and no secret decrypts it;"),
        (lambda text: text.replace("3", "x", 1), "the file is damaged, and no secret decrypts it;"),
    ],
    ids=["whole", "its last digit is missing", "its end is missing", "nothing but the header", "no digits"],
)
def test_a_damaged_file_is_not_told_as_a_wrong_secret(path: Path, damaged: Callable[[str], str], words: str) -> None:
    assert _keep(CredentialsFile(str(path), _vault()), _credential())
    path.write_text(damaged(path.read_text(encoding="ascii")), encoding="ascii")
    with pytest.raises(CredentialsError) as caught:
        CredentialsFile(str(path), _vault("another")).check()
    assert str(caught.value).startswith(f"{path}: {words}")


def test_a_check_refuses_a_label_that_no_secret_has(path: Path) -> None:
    with pytest.raises(CredentialsError, match="no Vault secret with the label three"):
        CredentialsFile(str(path), _vault("one"), "three").check()


def test_a_check_refuses_a_folder_as_the_file(tmp_path: Path) -> None:
    with pytest.raises(CredentialsError, match="that is a folder"):
        CredentialsFile(str(tmp_path), _vault()).check()


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_check_refuses_a_folder_that_is_not_writable(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(CredentialsError, match="is not writable"):
        CredentialsFile(str(tmp_path / "file"), _vault()).check()


def test_a_check_that_passes_leaves_no_file(path: Path) -> None:
    file = CredentialsFile(str(path), _vault())
    file.check()
    check_room([(file, lambda content: begun(content, [_credential()]))])
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("number", [1, 50])
def test_a_check_for_room_writes_as_much_as_two_changes_need_and_only_where_there_will_be_more(
    path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def edit(content: dict[str, Any]) -> dict[str, Any]:
        return begun(content, [_credential(f"{index}@acme.example") for index in range(number)])

    file = CredentialsFile(str(path), _vault())
    written: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: written.append(os.fstat(descriptor).st_size))
    check_room([(file, dict)])
    assert written == []
    check_room([(file, edit)])
    (room,) = written
    file.change(edit)
    # What is in force is written beside it afterwards. Of the disk each takes whole blocks.
    assert path.stat().st_size * 2 <= room <= path.stat().st_size * 2.03 + 2 * 4096


def test_a_check_refuses_a_file_that_nobody_may_replace(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = CredentialsFile(str(path), _vault())
    _keep(file, _credential())
    before = path.read_bytes()
    opened = os.open

    def immutable(name: Any, flags: int, *words: Any, **keywords: Any) -> int:
        if name == path and flags & os.O_WRONLY:
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
        return opened(name, flags, *words, **keywords)

    monkeypatch.setattr(os, "open", immutable)
    with pytest.raises(CredentialsError, match="cannot be replaced: Operation not permitted"):
        file.check()
    assert path.read_bytes() == before


def test_a_check_takes_a_file_whose_mode_forbids_to_write_into_it(path: Path) -> None:
    file = CredentialsFile(str(path), _vault())
    _keep(file, _credential())
    path.chmod(0o400)
    file.check()


def test_a_credential_does_not_show_its_password() -> None:
    assert PASSWORD not in repr(_credential())


def test_a_pending_password_is_withdrawn_only_where_it_is_still_the_one_in_the_file(path: Path) -> None:
    file = CredentialsFile(str(path), _vault())
    ours = [_credential("a@acme.example"), _credential("b@acme.example")]
    file.change(lambda content: begun(content, [ours[0], _credential("b@acme.example", "of another run"), *ours]))
    assert file.change(lambda content: withdrawn(content, ours))
    assert [entry["password"] for entry in _content(path)["pending_passwords"]] == ["of another run"]
    assert not file.change(lambda content: withdrawn(content, ours))


def test_a_place_is_checked_without_decrypting(path: Path) -> None:
    _keep(CredentialsFile(str(path), _vault()), _credential())
    # Another secret, which only decrypting would find out.
    CredentialsFile(str(path), VaultLib(secrets=[("default", VaultSecret(b"another"))])).check_place()
    path.write_text("plain", encoding="utf-8")
    with pytest.raises(CredentialsError, match="not encrypted with Ansible Vault"):
        CredentialsFile(str(path), _vault()).check_place()


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("panel.example:443", "panel.example"),
        ("localhost:7702", "127.0.0.1:7702"),
        ("[::1]:7702", "127.0.0.1:7702"),
    ],
)
def test_an_entry_under_another_name_of_a_panel_is_one_of_that_panel(path: Path, before: str, now: str) -> None:
    file = CredentialsFile(str(path), _vault())
    file.change(lambda content: begun(in_force(content, [_credential(panel=before)]), []))
    file.change(lambda content: begun(content, [_credential("new@acme.example", panel=before)]))
    assert file.kept() == {(now, "emails", "info@acme.example")}
    assert {entry["panel"] for entry in file.content()["pending_passwords"]} == {now}
    assert _keep(file, _credential(password="newer", panel=now))
    assert [entry["password"] for entry in _content(path)["generated_passwords"]] == ["newer"]

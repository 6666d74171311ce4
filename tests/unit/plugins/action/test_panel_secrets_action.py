"""panel_secrets keeps values in an encrypted file, and leaves alone what it cannot read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.action.panel_secrets import merge
from tests.support.in_memory import VAULT, InMemory

OTHER = VaultLib([("default", VaultSecret(b"another"))])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Name the file of the secrets, in a directory that does not exist yet."""
    return tmp_path / "new folder" / "keys.yml"


def run(file: Path, **options: Any) -> dict[str, Any]:
    """Run panel_secrets for the file."""
    return InMemory().run("panel_secrets", path=str(file), **options)


def read_content(file: Path) -> Any:
    """Return what the file holds, decrypted."""
    return yaml.safe_load(VAULT.decrypt(file.read_bytes()))


def test_values_are_kept_encrypted_and_a_second_run_writes_nothing(file: Path) -> None:
    first = run(file, values={"keys": {"shop": "geheim", "müller": "auch geheim"}, "list": [1]})
    assert first["changed"] is True
    assert first["secrets"] == read_content(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700

    before = file.stat().st_mtime_ns
    second_run = run(file, values={"keys": {"shop": "geheim"}})

    assert second_run["changed"] is False
    assert file.stat().st_mtime_ns == before
    assert run(file)["secrets"] == {
        "keys": {"shop": "geheim", "müller": "auch geheim"},
        "list": [1],
    }


def test_values_are_merged_and_null_removes() -> None:
    old = {"keys": {"a": "1", "b": "2"}, "list": [1, 2], "text": "x"}
    new = {"keys": {"a": None, "c": {"d": "3", "e": None}}, "list": [3], "gone": None}

    assert merge(old, new) == {"keys": {"b": "2", "c": {"d": "3"}}, "list": [3], "text": "x"}


@pytest.mark.parametrize("check_mode", [False, True], ids=["real", "check mode"])
def test_a_time_to_wait_below_zero_is_refused(file: Path, check_mode: bool) -> None:
    """Name the option, and keep nothing."""
    result = run(file, values={"key": "geheim"}, alone=-1, check_mode=check_mode)
    assert result["failed"]
    assert result["msg"].startswith("alone: -1 is not accepted; it must be a number of seconds")
    assert not file.parent.exists()


def test_check_mode_predicts_and_writes_nothing(file: Path) -> None:
    result = run(file, values={"key": "geheim"}, check_mode=True)
    assert result["changed"] is True
    assert result["secrets"] == {"key": "geheim"}
    assert file.parent.exists() is False


def test_a_file_that_is_missing_holds_nothing_and_is_not_made_for_nothing(file: Path) -> None:
    result = run(file)
    assert result["changed"] is False
    assert result["secrets"] == {}
    assert file.exists() is False


def test_ansible_shows_the_result_of_a_success_alone_at_no_verbosity(file: Path) -> None:
    assert run(file, values={"key": "geheim"})["_ansible_no_log"] is True

    file.write_bytes(b"")
    assert "_ansible_no_log" not in run(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the file is empty. Restore it from a backup"),
        (b"key: geheim\n", "the file is not encrypted with Ansible Vault"),
        (VAULT.encrypt("key: geheim")[:-40], "the file is damaged"),
        (OTHER.encrypt("key: geheim"), "no Vault password of this run decrypts the file"),
        (VAULT.encrypt("- geheim"), "the file holds no dictionary"),
        (VAULT.encrypt("key: [geheim"), "the file holds no dictionary"),
        (VAULT.encrypt(f"key: {'[' * 50_000}"), "the content is nested too deeply."),
    ],
    ids=["empty", "plain", "cut off", "other secret", "a list", "no YAML", "deep"],
)
def test_what_cannot_be_read_is_an_error_and_stays(file: Path, text: bytes, message: str) -> None:
    file.parent.mkdir()
    file.write_bytes(text)

    result = run(file, values={"key": "neu"}, alone=1)

    assert message in result["msg"]
    assert "geheim" not in str(result)
    assert file.read_bytes() == text


def test_without_a_vault_secret_nothing_is_written(file: Path) -> None:
    result = run(file, values={"key": "geheim"}, vault=VaultLib([]))
    assert "this run has no Vault password" in result["msg"]
    assert not file.parent.exists()

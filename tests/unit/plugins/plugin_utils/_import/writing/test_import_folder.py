"""The directory that an import writes: its files, what is encrypted, and what is never replaced."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.plugin_utils._folder import files
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.export_text import MARK
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.folder import read_folder
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapped_source import (
    ResourcesByClient,
    Secret,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.writing.folder import (
    ImportChoice,
    plan_files,
)
from tests.support.folder_texts import read_texts
from tests.support.in_memory import VAULT

OTHER_VAULT = VaultLib(secrets=[("default", VaultSecret(b"another secret"))])
HASH = "$6$saltsalt$" + "h" * 86
COMMAND = "curl https://anna:geheim-77@backup.example/run"
OBJECTS: dict[str, list[dict[str, Any]]] = {
    "plans": [{"name": "Small", "resources": {"disk_space": 10 * 1024**3}}, {"name": "Large"}],
    "clients": [
        {
            "username": "anna",
            "email": "a@anna.example",
            "plan": "Small",
            "password_hash": Secret(HASH),
        },
        {"username": "bert", "email": "b@bert.example", "plan": "Large"},
    ],
    "domains": [{"domain": "anna.example", "client": "anna"}],
    "dns": [
        {"domain": "anna.example", "records": [{"host": "x", "type": "TXT", "value": "{{ y }}"}]}
    ],
    "scheduled_tasks": [{"client": "anna", "description": "backup", "command": Secret(COMMAND)}],
}


def make_objects(**changes: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the objects of a source, of which some kinds are others."""
    return {**copy.deepcopy(OBJECTS), **changes}


def group_by_client(resources: dict[str, list[dict[str, Any]]]) -> ResourcesByClient:
    """Return objects by the client that they belong to, as an import has them."""
    owners = {item["domain"]: item["client"] for item in resources.get("domains", ())}
    sorted_items: ResourcesByClient = {None: {}}
    for kind, items in resources.items():
        for item in items:
            owner = item.get("client", owners.get(item.get("domain")))
            if kind == "clients":
                owner = item["username"]
            sorted_items.setdefault(owner, {}).setdefault(kind, []).append(item)
    return sorted_items


def write(
    folder: Path,
    resources: dict[str, list[dict[str, Any]]] = OBJECTS,
    vault: VaultLib = VAULT,
    **choice: bool,
) -> dict[str, Any]:
    """Write objects into a directory, and return what the result says of the files."""
    planned = plan_files(folder, group_by_client(resources), vault, ImportChoice(**choice))
    planned.write(choice.get("check_mode", False))
    return planned.result


def get_failure(folder: Path, *arguments: Any, **choice: bool) -> str:
    """Return the message of an import that fails, after which each file is as before."""
    before = read_texts(folder)
    with pytest.raises(files.FolderError) as error:
        write(folder, *arguments, **choice)
    assert read_texts(folder) == before
    return str(error.value)


def select_of_client(resources: dict[str, list[dict[str, Any]]], client: str) -> dict[str, Any]:
    """Return the plans of a client, and what it owns."""
    owned = {"clients": [item for item in resources["clients"] if item["username"] == client]}
    plans = {item["plan"] for item in owned["clients"]}
    return {"plans": [plan for plan in resources["plans"] if plan["name"] in plans], **owned}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the directory of a first import."""
    assert write(tmp_path / "panel")["changed"]
    return tmp_path / "panel"


# What is written


def test_each_client_has_a_file_and_the_plans_are_in_the_one_of_the_rest(folder: Path) -> None:
    written = read_texts(folder)

    assert sorted(written) == ["clients/anna.yml", "clients/bert.yml", "panel.yml"]
    assert all(text.startswith(f"{MARK} hosting.panel.import wrote") for text in written.values())
    assert yaml.safe_load(written["panel.yml"]) == {
        "plans": [{"name": "Small", "resources": {"disk_space": "10G"}}, {"name": "Large"}]
    }


def test_the_directory_is_read_as_any_other_and_belongs_to_no_panel(folder: Path) -> None:
    read = read_folder(folder, VAULT, None)

    assert not read.panel
    (anna, bert) = read.resources["clients"]
    assert str(anna["password_hash"]) == HASH
    assert bert["username"] == "bert"
    assert str(read.resources["scheduled_tasks"][0]["command"]) == COMMAND
    assert read.resources["dns"][0]["records"][0]["value"] == "{{ y }}"


def test_what_is_secret_by_its_option_or_by_its_mark_is_encrypted_on_its_own(folder: Path) -> None:
    text = read_texts(folder)["clients/anna.yml"]

    assert text.count("!vault |") == 2
    assert "geheim-77" not in text
    assert HASH not in text
    assert "description: backup" in text


def test_the_result_names_the_files_and_counts_the_objects(tmp_path: Path) -> None:
    result = write(tmp_path)

    assert result == {
        "changed": True,
        "written": ["clients/anna.yml", "clients/bert.yml", "panel.yml"],
        "removed": [],
        "unchanged": 0,
        "counts": {"plans": 2, "clients": 2, "domains": 1, "dns": 1, "scheduled_tasks": 1},
    }


def test_check_mode_predicts_the_result_and_writes_nothing(tmp_path: Path) -> None:
    predicted = write(tmp_path / "panel", check_mode=True)

    assert read_texts(tmp_path) == {}
    assert predicted == write(tmp_path / "panel")


def test_a_diff_shows_the_files_without_what_is_secret(tmp_path: Path) -> None:
    result = write(tmp_path, diff=True, check_mode=True)

    assert "username: anna" in result["diff"][0]["after"]
    assert HASH not in str(result)
    assert "geheim-77" not in str(result)


def test_a_directory_without_any_object_outside_of_clients_is_read_too(tmp_path: Path) -> None:
    write(tmp_path, make_objects(plans=[]))

    assert "plans" not in read_folder(tmp_path, VAULT, None).resources


# A second run


def test_the_same_objects_are_unchanged_byte_for_byte(folder: Path) -> None:
    before = read_texts(folder)

    result = write(folder)

    assert (result["changed"], result["unchanged"]) == (False, 3)
    assert read_texts(folder) == before


def test_an_unchanged_value_keeps_its_ciphertext_beside_one_that_changes(folder: Path) -> None:
    before = read_texts(folder)["clients/anna.yml"]
    changed = make_objects()
    changed["scheduled_tasks"][0]["command"] = Secret(f"{COMMAND}/2")

    assert write(folder, changed)["written"] == ["clients/anna.yml"]

    after = read_texts(folder)["clients/anna.yml"]
    ciphertext = before.partition("!vault |")[2].partition("\ndomains:")[0]
    assert ciphertext in after
    assert before.rpartition("!vault |")[2] not in after


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["as written", "checked out on Windows"])
def test_a_file_that_nobody_changed_is_replaced(folder: Path, ending: str) -> None:
    bert = folder / "clients" / "bert.yml"
    bert.write_bytes(bert.read_bytes().replace(b"\n", ending.encode()))
    changed = make_objects()
    changed["clients"][1]["email"] = "new@bert.example"

    assert write(folder, changed)["written"] == ["clients/bert.yml"]
    assert "new@bert.example" in bert.read_text("utf-8")


def test_the_file_of_a_client_who_is_gone_is_removed(folder: Path) -> None:
    result = write(folder, make_objects(clients=OBJECTS["clients"][:1]))

    assert result["removed"] == ["clients/bert.yml"]
    assert not (folder / "clients" / "bert.yml").exists()


# What is never replaced


@pytest.mark.parametrize("name", ["clients/anna.yml", "panel.yml"])
@pytest.mark.parametrize("diff", [False, True])
def test_a_file_that_was_edited_since_is_named_and_stays(
    folder: Path, name: str, diff: bool
) -> None:
    with (folder / name).open("a", encoding="utf-8") as file:
        file.write("# mine\n")

    message = get_failure(folder, diff=diff)

    assert f"{folder / name}: this file was changed since an import wrote it. " in message
    assert "No file was written." in message


def test_an_edited_file_of_a_client_who_is_gone_is_not_removed(folder: Path) -> None:
    with (folder / "clients" / "bert.yml").open("a", encoding="utf-8") as file:
        file.write("# mine\n")

    assert "bert.yml: this file was changed" in get_failure(
        folder, make_objects(clients=OBJECTS["clients"][:1])
    )


@pytest.mark.parametrize("name", ["clients/anna.yml", "panel.yml"])
@pytest.mark.parametrize("text", ["clients: []\n", f"{MARK} an export wrote this\n---\n{{}}\n"])
def test_a_file_that_no_import_wrote_is_in_the_way(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "clients").mkdir()
    (tmp_path / name).write_text(text, encoding="utf-8")

    assert f"{name}: this file is not from an import. No file was written." in get_failure(tmp_path)


def test_other_files_of_the_directory_stay(folder: Path) -> None:
    (folder / "clients" / "zoe.yml").write_text("clients: []\n", encoding="utf-8")
    (folder / "notes.txt").write_text("mine", encoding="utf-8")

    assert write(folder)["removed"] == []
    assert {"clients/zoe.yml", "notes.txt"} <= read_texts(folder).keys()


def test_a_link_is_refused(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.yml"
    (folder / "clients" / "bert.yml").rename(target)
    (folder / "clients" / "bert.yml").symlink_to(target)

    assert "bert.yml: this is a link, which is not followed." in get_failure(folder)


def test_more_files_are_never_removed_than_kept(folder: Path) -> None:
    newcomer = [{"username": "carl", "email": "c@carl.example"}]

    assert "this import would remove the files of 2 clients and keep 0" in get_failure(
        folder, make_objects(clients=newcomer, domains=[], dns=[], scheduled_tasks=[])
    )


# The Vault secret


def test_another_vault_secret_is_an_error(folder: Path) -> None:
    message = get_failure(folder, OBJECTS, OTHER_VAULT)

    assert (
        "anna.yml: the earlier import encrypted this file with another Vault password." in message
    )


def test_of_several_vault_secrets_the_one_of_the_directory_encrypts(folder: Path) -> None:
    two_secrets = VaultLib(secrets=[*OTHER_VAULT.secrets, *VAULT.secrets])
    changed = make_objects()
    changed["clients"][1]["password_hash"] = Secret(HASH)

    assert write(folder, changed, two_secrets)["written"] == ["clients/bert.yml"]
    assert str(read_folder(folder, VAULT, None).resources["clients"][1]["password_hash"]) == HASH


def test_without_a_vault_secret_no_file_is_written(tmp_path: Path) -> None:
    message = get_failure(tmp_path, OBJECTS, VaultLib())

    assert message.startswith(f"{tmp_path}: this run has no Vault password to encrypt it")


# Single clients


def test_a_client_is_written_alone_with_the_plan_that_it_needs(tmp_path: Path) -> None:
    result = write(tmp_path, select_of_client(OBJECTS, "anna"), is_partial=True)

    assert result["written"] == ["clients/anna.yml", "panel.yml"]
    assert yaml.safe_load(read_texts(tmp_path)["panel.yml"])["plans"] == [
        {"name": "Small", "resources": {"disk_space": "10G"}}
    ]


def test_a_second_client_adds_its_plan_and_leaves_the_file_of_the_first(tmp_path: Path) -> None:
    write(tmp_path, select_of_client(OBJECTS, "anna"), is_partial=True)
    before = read_texts(tmp_path)["clients/anna.yml"]

    result = write(tmp_path, select_of_client(OBJECTS, "bert"), is_partial=True)

    assert result["written"] == ["clients/bert.yml", "panel.yml"]
    assert read_texts(tmp_path)["clients/anna.yml"] == before
    assert [
        plan["name"] for plan in yaml.safe_load(read_texts(tmp_path)["panel.yml"])["plans"]
    ] == [
        "Small",
        "Large",
    ]


@pytest.mark.parametrize("name", ["clients/anna.yml", "panel.yml"])
def test_an_edited_file_that_stays_as_it_is_does_not_keep_a_client_from_being_written(
    folder: Path, name: str
) -> None:
    with (folder / name).open("a", encoding="utf-8") as file:
        file.write("# mine\n")
    changed = make_objects()
    changed["clients"][1]["email"] = "new@bert.example"

    assert write(folder, select_of_client(changed, "bert"), is_partial=True)["written"] == [
        "clients/bert.yml"
    ]


def test_a_single_client_is_not_encrypted_with_another_secret_than_the_others(
    folder: Path,
) -> None:
    (folder / "clients" / "bert.yml").unlink()
    wanted = select_of_client(OBJECTS, "bert")
    wanted["clients"][0] = {**wanted["clients"][0], "password_hash": Secret(HASH)}

    assert "anna.yml: the earlier import encrypted" in get_failure(
        folder, wanted, OTHER_VAULT, is_partial=True
    )


def test_equal_values_share_a_ciphertext_within_an_object_and_nowhere_else(
    tmp_path: Path,
) -> None:
    secret = Secret(HASH)
    clients = [
        {"username": "anna", "password_hash": secret, "password_hash_os": secret},
        {"username": "bert", "password_hash": secret, "password_hash_os": secret},
    ]

    write(tmp_path, {"clients": clients})

    texts = [(tmp_path / "clients" / f"{name}.yml").read_text() for name in ("anna", "bert")]
    ciphertexts = [_list_ciphertexts(text) for text in texts]
    assert [len(values) for values in ciphertexts] == [2, 2]
    assert [len(set(values)) for values in ciphertexts] == [1, 1]
    assert ciphertexts[0] != ciphertexts[1]


def test_no_two_values_have_one_key_where_the_salt_of_vault_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANSIBLE_VAULT_ENCRYPT_SALT", "the same salt for every value")
    clients = [
        {"username": name, "password_hash": Secret(f"$6${name}$" + "h" * 86)}
        for name in ("anna", "bert")
    ]

    write(tmp_path, {"clients": clients})

    texts = [(tmp_path / "clients" / f"{name}.yml").read_text() for name in ("anna", "bert")]
    salts = {_list_ciphertexts(text)[0][:60] for text in texts}
    assert len(salts) == 2


def _list_ciphertexts(text: str) -> list[str]:
    """Return each encrypted value without its first line."""
    return re.findall(r"AES256\n((?:\s+[0-9a-f]+\n)+)", text)

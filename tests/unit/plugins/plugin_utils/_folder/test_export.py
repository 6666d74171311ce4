# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""panel_export against a panel in memory: which files it writes, which it leaves alone, and what stays encrypted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib

from ansible_collections.hosting.panel.plugins.plugin_utils._folder.export_panel import file_name
from tests.support.in_memory import VAULT, InMemory

MARK = "# hosting.panel.export:"


@pytest.fixture
def panel(in_memory: Any) -> InMemory:
    found: InMemory = in_memory()
    done = found.run(
        "panel_resources",
        resources={
            "clients": [
                {"username": "acme", "email": "it@acme.example", "password": "geheim-1A", "notes": "a canary of acme"},
                {"username": "beta", "email": "it@beta.example", "password": "geheim-1B"},
            ],
            "domains": [{"domain": "acme.example", "client": "acme"}],
            "dns": [
                {
                    "domain": "acme.example",
                    "records": [{"host": "canary", "type": "TXT", "ttl": 300, "value": "canary of a zone"}],
                }
            ],
            "emails": [
                {"email": "info@acme.example", "password": "geheim-1C", "description": "first", "max_size": "1G"}
            ],
        },
    )
    assert not done.get("failed"), done["msg"]
    return found


@pytest.fixture
def folder(panel: InMemory, tmp_path: Path) -> Path:
    """The directory of a first export."""
    assert export(panel, tmp_path / "panel")["changed"]
    return tmp_path / "panel"


def export(panel: InMemory, folder: Path, **more: Any) -> dict[str, Any]:
    return panel.run("panel_export", dir=str(folder), **more)


def failure(panel: InMemory, folder: Path, **more: Any) -> str:
    before = texts(folder)
    done = export(panel, folder, **more)
    assert done["failed"] and texts(folder) == before
    assert done["msg"].endswith("No file was written.") or "No file was written." in done["msg"]
    return str(done["msg"])


def texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()
    }


def encrypted(text: str, indent: str) -> str:
    """A text as ``ansible-vault encrypt_string`` writes it."""
    lines = VAULT.encrypt(text, secret=VAULT.secrets[0][1]).decode().splitlines()
    return "!vault |\n" + "\n".join(indent + line for line in lines)


def change(path: Path, old: str, new: str) -> str:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    return path.read_text("utf-8")


# Which files


def test_everything_of_a_client_is_in_one_file_and_the_rest_in_another(panel: InMemory, folder: Path) -> None:
    written = texts(folder)
    assert sorted(written) == ["clients/acme.yml", "clients/beta.yml", "panel.yml"]
    assert all(text.startswith(MARK) for text in written.values())
    acme = yaml.safe_load(written["clients/acme.yml"])
    assert list(acme) == ["clients", "domains", "dns", "emails"]
    assert acme["emails"][0]["max_size"] == "1G"
    assert "geheim" not in str(written)


def test_a_second_run_writes_nothing_and_check_mode_says_what_a_run_would_write(panel: InMemory, folder: Path) -> None:
    before = texts(folder)
    again = export(panel, folder)
    assert (again["changed"], again["written"], again["removed"], again["unchanged"]) == (False, [], [], 3)
    assert again["counts"]["clients"] == 2
    panel.run("panel_client", username="beta", notes="new")
    predicted = export(panel, folder, check_mode=True, diff=True)
    assert texts(folder) == before
    done = export(panel, folder, diff=True)
    assert (
        (predicted["written"], predicted["diff"])
        == (done["written"], done["diff"])
        == (["clients/beta.yml"], done["diff"])
    )
    assert "notes: new" in done["diff"][0]["after"]


def test_the_file_of_a_client_that_is_gone_is_removed_and_no_other(panel: InMemory, folder: Path) -> None:
    for name in ("clients/notes.yml", "README.md", "clients/old.txt"):
        (folder / name).write_text("---\nclients: []\n", "utf-8")
    panel.run("panel_client", username="beta", state="absent")
    done = export(panel, folder)
    assert (done["written"], done["removed"]) == ([], ["clients/beta.yml"])
    assert sorted(texts(folder)) == [
        "README.md",
        "clients/acme.yml",
        "clients/notes.yml",
        "clients/old.txt",
        "panel.yml",
    ]


def test_clients_writes_their_files_alone(panel: InMemory, folder: Path) -> None:
    for name in ("clients/acme.yml", "clients/beta.yml", "panel.yml"):
        change(folder / name, "---\n", "---\n# edited\n")
    done = export(panel, folder, clients=["acme"])
    assert done["written"] == ["clients/acme.yml"]
    assert sorted(name for name, text in texts(folder).items() if "# edited" in text) == [
        "clients/beta.yml",
        "panel.yml",
    ]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("clients/beta.yml", "---\nclients: []\n", "not from an export"),
        ("clients/beta.yml", "$ANSIBLE_VAULT;1.1;AES256\n00\n", "the whole file is encrypted"),
        ("clients/beta.yml", f"{MARK}\nclients: [\n", "line 3: not valid YAML"),
        (
            "clients/beta.yml",
            f"{MARK}\nclients:\n- {{username: beta, password: geheim}}\n",
            "line 3: a secret in plain text",
        ),
        ("secrets.yml", "$ANSIBLE_VAULT;1.1;AES256\n00\n", "damaged"),
    ],
)
def test_what_an_export_must_not_replace_is_an_error_before_it_writes(
    panel: InMemory, folder: Path, name: str, text: str, words: str
) -> None:
    panel.run("panel_client", username="acme", notes="new")
    (folder / name).write_text(text, "utf-8")
    assert words in failure(panel, folder)


def test_a_link_in_the_way_is_an_error(panel: InMemory, folder: Path, tmp_path: Path) -> None:
    (folder / "clients/beta.yml").rename(tmp_path / "beta.yml")
    (folder / "clients/beta.yml").symlink_to(tmp_path / "beta.yml")
    assert "is a link" in failure(panel, folder)


def test_a_directory_that_cannot_be_written_is_an_error_in_check_mode_too(panel: InMemory, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    for check_mode in (True, False):
        assert "file" in export(panel, tmp_path / "file", check_mode=check_mode)["msg"]


@pytest.mark.parametrize(
    ("username", "name"),
    [("a.b_c-d", "a.b_c-d.yml"), ("../etc", "%2E.%2Fetc.yml"), (".hidden", "%2Ehidden.yml"), ("ü", "%C3%BC.yml")],
)
def test_a_file_name_is_safe_whatever_the_username_is(username: str, name: str) -> None:
    assert file_name(username) == f"clients/{name}"


# What is encrypted


def test_an_encrypted_field_keeps_its_text_and_the_panel_having_another_value_is_a_warning(
    panel: InMemory, folder: Path
) -> None:
    path = folder / "clients/acme.yml"
    text = change(path, "notes: a canary of acme", f"notes: {encrypted('a canary of acme', '      ')}")
    assert export(panel, folder)["changed"] is False
    assert path.read_text("utf-8") == text
    panel.run("panel_client", username="acme", notes="a later canary")
    done = export(panel, folder, diff=True)
    assert path.read_text("utf-8") == text
    (warning,) = done["warnings"]
    assert "clients/acme.yml: line" in warning and "notes" in warning
    assert "canary" not in str(done)


def test_a_secret_that_the_panel_never_shows_stays_too(panel: InMemory, folder: Path) -> None:
    path = folder / "clients/acme.yml"
    change(path, "- username: acme\n", f"- username: acme\n    password: {encrypted('geheim-1A', '      ')}\n")
    export(panel, folder)
    assert "$ANSIBLE_VAULT" in path.read_text("utf-8")
    assert export(panel, folder)["changed"] is False


def test_without_the_vault_password_an_encrypted_field_stays_as_it_is(panel: InMemory, folder: Path) -> None:
    path = folder / "clients/acme.yml"
    text = change(path, "notes: a canary of acme", f"notes: {encrypted('another', '      ')}")
    assert export(panel, folder, vault=VaultLib())["changed"] is False
    assert path.read_text("utf-8") == text


def test_one_encrypted_record_keeps_its_text_and_the_others_are_as_on_the_panel(panel: InMemory, folder: Path) -> None:
    path = folder / "clients/acme.yml"
    text = change(path, "value: canary of a zone", "value: CANARY")
    line = next(line for line in text.splitlines() if "CANARY" in line)
    indent = line[: line.index("-")]
    record = f"{indent}- host: canary\n{indent}  type: TXT\n{indent}  ttl: 300\n{indent}  value: {encrypted('canary of a zone', indent + '    ')}"
    text = change(path, line, record)
    assert export(panel, folder)["changed"] is False
    records = [{"host": "new", "type": "A", "ttl": 300, "value": "192.0.2.7"}]
    panel.run("panel_dns", domain="acme.example", records=records)
    assert export(panel, folder)["written"] == ["clients/acme.yml"]
    assert "canary of a zone" not in path.read_text("utf-8") and "192.0.2.7" in path.read_text("utf-8")


@pytest.mark.parametrize("whole", [False, True])
def test_a_field_that_another_file_has_encrypted_is_left_out(panel: InMemory, folder: Path, whole: bool) -> None:
    text = "clients:\n  - username: acme\n    notes: {}\n"
    secret = encrypted(text.format("a canary of acme"), "").removeprefix("!vault |\n") + "\n"
    (folder / "secrets.yml").write_text(
        secret if whole else text.format(encrypted("a canary of acme", "      ")), "utf-8"
    )
    assert export(panel, folder)["written"] == ["clients/acme.yml"]
    assert "notes" not in (folder / "clients/acme.yml").read_text("utf-8")


def test_a_text_that_equals_an_encrypted_one_is_written_encrypted(panel: InMemory, folder: Path) -> None:
    path = folder / "clients/acme.yml"
    change(path, "notes: a canary of acme", f"notes: {encrypted('a canary of acme', '      ')}")
    panel.run("panel_email", email="info@acme.example", description="a canary of acme")
    assert export(panel, folder)["written"] == ["clients/acme.yml"]
    assert "canary of acme" not in path.read_text("utf-8")
    assert path.read_text("utf-8").count("!vault") == 2


def test_a_text_that_contains_an_encrypted_one_refuses_the_file_and_names_both_places(
    panel: InMemory, folder: Path
) -> None:
    change(folder / "clients/acme.yml", "notes: a canary of acme", f"notes: {encrypted('a canary of acme', '      ')}")
    panel.run("panel_email", email="info@acme.example", description="this is a canary of acme, too")
    message = failure(panel, folder)
    assert "emails info@acme.example: description" in message and "clients/acme.yml: line" in message
    assert "canary of" not in message


def test_an_encrypted_value_of_an_object_that_is_gone_is_not_lost(panel: InMemory, folder: Path) -> None:
    change(folder / "clients/acme.yml", "description: first", f"description: {encrypted('first', '      ')}")
    panel.run("panel_email", email="info@acme.example", state="absent")
    assert "not of an object on the panel" in failure(panel, folder)

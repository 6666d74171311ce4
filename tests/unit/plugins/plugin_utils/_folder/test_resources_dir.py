# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""panel_resources with resources_dir, against a panel in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib

from tests.support.in_memory import VAULT, InMemory

SEED = {
    "clients": [{"username": "acme", "email": "it@acme.example"}],
    "domains": [{"domain": "acme.example", "id_user": 2}],
    "emails": [{"email": "info@acme.example", "id_user": 2}, {"email": "old@acme.example", "id_user": 2}],
}
MAIL = "emails:\n  - email: info@acme.example\n"


class Folder:
    """A directory of files, and tasks that are given it."""

    def __init__(self, path: Path, panel: InMemory) -> None:
        self.path, self.panel = path, panel
        path.mkdir()

    def write(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, **more: Any) -> dict[str, Any]:
        return self.panel.run("panel_resources", resources_dir=str(self.path), diff=True, **more)

    def failure(self, **more: Any) -> str:
        """The message of a run that fails before it asks the panel anything."""
        done = self.run(**more)
        assert done["failed"] and self.panel.log == []
        assert "Nothing was written." in done["msg"]
        return str(done["msg"])

    def actions(self, **more: Any) -> list[tuple[str, str]]:
        done = self.run(check_mode=True, **more)
        assert not done.get("failed"), done["msg"]
        return [(one["action"], one["key"]) for one in done["plan"]["actions"]]


@pytest.fixture
def folder(tmp_path: Path, in_memory: Any) -> Folder:
    return Folder(tmp_path / "panel", in_memory(SEED))


def encrypted(text: str) -> str:
    return str(VAULT.encrypt(text, secret=VAULT.secrets[0][1]).decode())


def inline(text: str, indent: str = "      ") -> str:
    return "!vault |\n" + "".join(f"{indent}{line}\n" for line in encrypted(text).splitlines())


# What is read


def test_all_files_together_are_what_is_wanted_and_a_second_run_writes_nothing(folder: Folder) -> None:
    folder.write("clients/acme.yml", MAIL + "    description: first\n")
    folder.write("more/plans.yaml", "plans:\n  - name: Basic\n")
    done = folder.run()
    assert [(one["kind"], one["action"]) for one in done["plan"]["actions"]] == [
        ("plans", "create"),
        ("emails", "update"),
    ]
    assert folder.run()["changed"] is False


def test_hidden_files_readmes_and_the_file_of_passwords_are_passed_over(folder: Folder) -> None:
    folder.write("a.yml", MAIL)
    for name in (
        ".hidden.yml",
        ".git/config",
        "README.md",
        "sub/readme.txt",
        "secrets/beta.yml",
        "secrets/beta.yml.lock",
    ):
        folder.write(name, "not: [yaml")
    done = folder.run(
        credentials_file=str(folder.path / "secrets/{client}.yml"), purge=["emails"], max_deletes=1, check_mode=True
    )
    assert not done.get("failed"), done["msg"]
    assert "warnings" not in done


@pytest.mark.parametrize(("name", "text"), [("acme.yml.txt", MAIL), ("empty.yml", "---\n# nothing\n"), ("plan.md", "")])
def test_any_other_file_is_passed_over_with_a_warning_and_is_an_error_with_purge(
    folder: Folder, name: str, text: str
) -> None:
    folder.write("a.yml", MAIL)
    folder.write(name, text)
    (warning,) = folder.run()["warnings"]
    assert name in warning
    folder.panel.log.clear()
    assert name in folder.failure(purge=["emails"], max_deletes=9)


def test_a_directory_that_a_link_leads_to_is_not_read_and_is_an_error_with_purge(
    folder: Folder, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder.write("a.yml", MAIL)
    (folder.path / "linked").symlink_to(tmp_path / "elsewhere")
    assert "linked" in folder.failure(purge=["emails"], max_deletes=9)


@pytest.mark.parametrize("empty", [True, False])
def test_a_directory_without_files_of_objects_is_an_error(folder: Folder, empty: bool) -> None:
    if not empty:
        folder.path = folder.path / "missing"
    folder.failure()


def test_an_object_may_be_in_several_files_if_no_option_has_two_values(folder: Folder) -> None:
    folder.write("a.yml", MAIL + "    description: first\n")
    folder.write("b.yml", "emails:\n  - email: INFO@acme.example\n    max_size: 1G\n")
    (action,) = folder.run()["plan"]["actions"]
    assert action["after"] == {"description": "first", "max_size": 2**30}


# Mistakes


def test_mistakes_of_all_files_come_together_with_file_and_line_before_any_request(folder: Folder) -> None:
    folder.write("a.yml", MAIL + "    description: '{{ x }}'\n")
    folder.write("b.yml", "mails: []\nemails: 5\n")
    folder.write("c.yml", "emails: [{\n")
    message = folder.failure()
    assert message.startswith("4 mistakes: ")
    for words in (
        "a.yml: line 3: templates",
        "b.yml: line 1: there is no kind mails",
        "b.yml: line 2: emails must be a list",
        "c.yml: line",
    ):
        assert words in message


def test_a_wrong_option_has_file_and_line_before_any_request(folder: Folder) -> None:
    folder.write("a.yml", "plans:\n  - name: Basic\n")
    folder.write("b.yml", MAIL + "    max_size: big\n    colour: red\n")
    message = folder.failure()
    assert "b.yml: line 3: emails info@acme.example max_size:" in message
    assert "b.yml: line 4: emails info@acme.example colour:" in message


def test_two_values_of_an_option_name_both_places_and_no_value(folder: Folder) -> None:
    folder.write("a.yml", MAIL + "    description: geheim\n")
    folder.write("b.yml", MAIL + "    description: other\n")
    message = folder.failure()
    assert "b.yml: line 3: emails info@acme.example has another description in a.yml: line 3" in message
    assert "geheim" not in message


def test_an_object_twice_in_one_file_is_a_mistake(folder: Folder) -> None:
    folder.write("a.yml", MAIL + "  - email: Info@acme.example\n")
    assert "a.yml: line 3: emails info@acme.example is there twice, first in a.yml: line 2" in folder.failure()


def test_a_secret_in_plain_text_in_a_file_of_an_export_is_a_mistake_and_in_another_file_it_is_none(
    folder: Folder,
) -> None:
    folder.write("a.yml", MAIL + "    password: geheim-1A\n")
    assert folder.actions() == []
    folder.panel.log.clear()
    folder.write("a.yml", "# hosting.panel.export: x\n" + MAIL + "    password: geheim-1A\n")
    message = folder.failure()
    assert "a.yml: line 4: a secret in plain text" in message and "geheim" not in message


def test_nested_aliases_are_a_mistake_at_once(folder: Folder) -> None:
    levels = [f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 9)}]\n" for number in range(1, 11)]
    folder.write("a.yml", "a0: &a0 [x]\n" + "".join(levels))
    assert "a.yml: line 5: aliases make this far larger" in folder.failure()


def test_both_resources_and_resources_dir_are_an_error(folder: Folder) -> None:
    folder.write("a.yml", MAIL)
    assert "excludes resources" in folder.run(resources={})["msg"]


# Purge


def test_purge_deletes_what_no_file_has_of_kinds_that_a_file_names_alone(folder: Folder) -> None:
    folder.write("a.yml", MAIL)
    assert folder.actions(purge=["emails"], max_deletes=1) == [("delete", "old@acme.example")]
    folder.panel.log.clear()
    message = folder.run(purge=["emails", "clients"], max_deletes=99)["msg"]
    assert "clients" in message and folder.panel.writes == []
    folder.write("b.yml", "databases: []\n")
    assert folder.actions(purge=["databases"]) == []


# Secrets


@pytest.mark.parametrize("whole", [False, True])
def test_what_a_file_has_encrypted_is_masked_in_its_place_and_everywhere(folder: Folder, whole: bool) -> None:
    text = MAIL + "    description: {}\n    max_size: {}\n"
    folder.write(
        "a.yml", encrypted(text.format("a canary", "7M")) if whole else text.format(inline("a canary"), inline("7M"))
    )
    done = folder.run()
    assert folder.panel.objects("emails")[0]["description"] == "a canary"
    assert "canary" not in str(done) and str(7 * 2**20) not in str(done)
    assert "info@acme.example" in str(done["plan"])
    assert done["diff"]["prepared"].count("********") >= 2
    assert folder.run()["changed"] is False


SECRETS = {
    "notes": "first canary of notes\nsecond canary of notes",
    "company": "Canary Holding",
    "directives": "SetEnv CANARY_TOKEN c4nary",
    "command": "/usr/bin/canary --quick",
    "alias": "canary-alias@acme.example",
    "size": "3G",
}
OBJECTS = """
clients:
  - username: acme
    notes: {notes}
    contact_data:
      company: {company}
domains:
  - domain: acme.example
    apache:
      http_directives: {directives}
emails:
  - email: info@acme.example
    max_size: {size}
    aliases:
      - {alias}
scheduled_tasks:
  - client: acme
    description: nightly
    type: exec
    command: {command}
"""


@pytest.mark.parametrize("whole", [False, True])
def test_whichever_option_is_encrypted_neither_its_value_nor_that_of_the_panel_is_shown(
    folder: Folder, whole: bool
) -> None:
    folder.panel.run("panel_client", username="acme", notes="a former canary of notes")
    values = {
        name: json.dumps(text) if whole else inline(text, "          ").rstrip() for name, text in SECRETS.items()
    }
    text = OBJECTS.format(**values)
    folder.write("secrets.yml", encrypted(text) if whole else text)
    shown = [folder.run(check_mode=True), folder.run()]
    assert not shown[1].get("failed"), shown[1]["msg"]
    shown += [
        folder.panel.run("panel_export", dir=str(folder.path), diff=True),
        folder.run(compare=True, check_mode=True),
    ]
    assert shown[-1]["differences"] == []
    folder.panel.run("panel_client", username="acme", notes="a later canary of notes")
    shown += [
        folder.run(compare=True, check_mode=True),
        folder.panel.run("panel_export", dir=str(folder.path), diff=True),
    ]
    assert [one["key"] for one in shown[-2]["differences"]] == ["acme"]
    files = [path.read_text("utf-8") for path in folder.path.rglob("*.yml")]
    for word in ("canary", "c4nary", "Canary Holding", str(3 * 2**30), "3G"):
        assert word not in str(shown) + str(files)


def test_one_encrypted_record_masks_its_record_set_alone(folder: Folder) -> None:
    record = "      - host: {}\n        type: TXT\n        value: {}\n"
    head = "dns:\n  - domain: acme.example\n    records:\n"
    folder.write(
        "a.yml", head + record.format("open", "hello") + record.format("hidden", inline("a canary", "          "))
    )
    done = folder.run(check_mode=True)
    entries = {one["host"]: one["after"] for one in done["plan"]["actions"][0]["entries"]}
    assert "hello" in str(entries["open"]) and entries["hidden"] == ["********"]
    assert "canary" not in str(done)


def test_an_encrypted_value_in_a_mistake_is_masked(folder: Folder) -> None:
    folder.write("a.yml", MAIL + f"    max_size: {inline('canary-canary')}")
    message = folder.run()["msg"]
    assert "max_size" in message and "canary" not in message


def test_what_cannot_be_decrypted_is_a_mistake(folder: Folder) -> None:
    folder.write("a.yml", MAIL + f"    description: {inline('x')}")
    assert "a.yml: line 3: encrypted with Ansible Vault" in folder.failure(vault=VaultLib())


# Comparing in both directions


def test_a_comparison_lists_what_is_missing_different_and_on_the_panel_only(folder: Folder) -> None:
    folder.write("a.yml", MAIL + "    description: first\n  - email: new@acme.example\n")
    folder.write("b.yml", "domains:\n  - domain: acme.example\nclients:\n  - username: acme\n")
    done = folder.run(compare=True, check_mode=True)
    found = {one["key"]: (one["what"], one["file"]) for one in done["differences"]}
    assert found["info@acme.example"] == ("different", "a.yml: line 2")
    assert found["new@acme.example"] == ("missing", "a.yml: line 4")
    assert found["old@acme.example"] == ("surplus", "")
    assert found["Default"] == ("surplus", "")
    assert folder.panel.writes == []
    lines = done["diff"]["prepared"].splitlines()
    assert any("only on the panel" in line and "old@acme.example" in line for line in lines)
    assert any("a.yml: line 2" in line and "description" in line for line in lines)


def test_a_comparison_with_an_export_finds_nothing(folder: Folder) -> None:
    folder.panel.run("panel_export", dir=str(folder.path))
    done = folder.run(compare=True, check_mode=True)
    assert (done["changed"], done["differences"]) == (False, [])


def test_a_comparison_needs_check_mode(folder: Folder) -> None:
    folder.write("a.yml", MAIL)
    assert "needs check mode" in folder.run(compare=True)["msg"]

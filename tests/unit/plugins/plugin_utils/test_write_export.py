# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files an export writes, and which it leaves alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.plugin_utils._files.folder_files import FolderError
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.plain_secrets import plain_secrets_in
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.write_export import (
    FolderPlan,
    file_name,
    plan_folder,
    refuse_unwritable,
    split,
    write,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.masked_texts import masked

VAULT = VaultLib([])
RESOURCES: dict[str, list[dict[str, Any]]] = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme"}, {"username": "beta"}],
    "certificates": [{"name": "a", "client": "acme"}, {"name": "server", "client": ""}],
    "domains": [{"domain": "acme.example", "client": "acme"}, {"domain": "beta.example", "client": "beta"}],
    "dns": [{"domain": "acme.example", "state": "default"}, {"domain": "stray.example", "state": "default"}],
    "emails": [{"email": "info@beta.example", "client": "beta"}],
    "databases": [],
    "scheduled_tasks": [{"client": "", "description": "Backup"}],
}


def export(folder: Path, resources: dict[str, list[dict[str, Any]]] | None = None) -> FolderPlan:
    plan = plan_folder(folder, RESOURCES if resources is None else resources, VAULT)
    write(plan)
    return plan


def without_client(name: str) -> dict[str, list[dict[str, Any]]]:
    return {
        kind: [item for item in items if name not in (item.get("client"), item.get("username"))]
        for kind, items in RESOURCES.items()
    }


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_everything_of_a_client_is_in_one_file_and_the_rest_in_another() -> None:
    assert split(RESOURCES) == {
        "panel.yml": {
            "plans": RESOURCES["plans"],
            "certificates": RESOURCES["certificates"][1:],
            "dns": RESOURCES["dns"][1:],
            "scheduled_tasks": RESOURCES["scheduled_tasks"],
        },
        "clients/acme.yml": {
            "clients": RESOURCES["clients"][:1],
            "certificates": RESOURCES["certificates"][:1],
            "domains": RESOURCES["domains"][:1],
            "dns": RESOURCES["dns"][:1],
        },
        "clients/beta.yml": {
            "clients": RESOURCES["clients"][1:],
            "domains": RESOURCES["domains"][1:],
            "emails": RESOURCES["emails"],
        },
    }


@pytest.mark.parametrize(
    ("username", "name"),
    [
        ("acme", "acme.yml"),
        ("a.b_c-d", "a.b_c-d.yml"),
        ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd.yml"),
        (".hidden", "%2Ehidden.yml"),
        ("..", "%2E..yml"),
        ("a b", "a%20b.yml"),
        ("ü", "%C3%BC.yml"),
        ("a\nb", "a%0Ab.yml"),
        ("100%", "100%25.yml"),
    ],
)
def test_a_file_name_is_safe_whatever_the_username_is(username: str, name: str) -> None:
    assert file_name(username) == name
    assert os.sep not in name


def test_a_first_export_writes_a_file_for_each_client(tmp_path: Path) -> None:
    plan = export(tmp_path / "new" / "folder")
    assert names(tmp_path / "new" / "folder") == ["clients/acme.yml", "clients/beta.yml", "panel.yml"]
    assert [Path(path).name for path in plan.written] == ["acme.yml", "beta.yml", "panel.yml"]
    assert (plan.removed, plan.unchanged) == ([], 0)


def test_a_second_export_writes_nothing(tmp_path: Path) -> None:
    export(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.yml")}
    plan = export(tmp_path)
    assert (plan.changes, plan.unchanged) == ((), 3)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.yml")} == before


def test_only_what_changed_is_written_again(tmp_path: Path) -> None:
    export(tmp_path)
    changed = {**RESOURCES, "emails": [{"email": "info@beta.example", "client": "beta", "catch_all": True}]}
    plan = export(tmp_path, changed)
    assert [Path(path).name for path in plan.written] == ["beta.yml"]
    assert plan.unchanged == 2
    assert "catch_all: true" in (tmp_path / "clients" / "beta.yml").read_text(encoding="utf-8")


def test_an_edited_file_is_written_as_the_panel_is(tmp_path: Path) -> None:
    export(tmp_path)
    path = tmp_path / "clients" / "beta.yml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "  # a note\n", encoding="utf-8")
    assert export(tmp_path).written == [str(path)]
    assert path.read_text(encoding="utf-8") == text


def test_the_file_of_a_client_that_is_gone_is_removed(tmp_path: Path) -> None:
    export(tmp_path)
    plan = export(tmp_path, without_client("beta"))
    assert (plan.written, plan.removed) == ([], [str(tmp_path / "clients" / "beta.yml")])
    assert names(tmp_path) == ["clients/acme.yml", "panel.yml"]


def test_files_of_others_are_never_removed(tmp_path: Path) -> None:
    export(tmp_path)
    for name in ("clients/notes.yml", "clients/sub/x.yml", "README.md", "clients/old.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("---\nclients: []\n", encoding="utf-8")
    before = names(tmp_path)
    assert export(tmp_path).changes == ()
    assert names(tmp_path) == before


def test_a_file_of_somebody_else_in_the_way_is_an_error_before_the_first_write(tmp_path: Path) -> None:
    (tmp_path / "clients").mkdir()
    path = tmp_path / "clients" / "beta.yml"
    path.write_text("---\nclients: []\n", encoding="utf-8")
    with pytest.raises(
        FolderError, match=r"beta\.yml: the file was not written by an export, so it is not overwritten"
    ):
        export(tmp_path)
    assert names(tmp_path) == ["clients/beta.yml"]


@pytest.mark.parametrize(
    "text", ["!vault |", "!vault-encrypted", "see\n!vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  00\n", "# !vault"]
)
def test_a_text_that_speaks_of_vault_keeps_no_file_from_being_written_anew(tmp_path: Path, text: str) -> None:
    emails = [{"email": "info@beta.example", "client": "beta", "description": text}]
    export(tmp_path, {**RESOURCES, "emails": emails})
    path = str(tmp_path / "clients" / "beta.yml")
    assert export(tmp_path, {**RESOURCES, "emails": [{**emails[0], "max_size": 1048576}]}).written == [path]
    assert export(tmp_path, without_client("beta")).removed == [path]


@pytest.mark.parametrize("tag", ["!vault", "!vault-encrypted", "!<!vault>"])
@pytest.mark.parametrize("resources", [{**RESOURCES, "emails": []}, without_client("beta")])
def test_encrypted_secrets_are_not_overwritten(tmp_path: Path, resources: dict[str, Any], tag: str) -> None:
    export(tmp_path)
    path = tmp_path / "clients" / "beta.yml"
    with path.open("a", encoding="utf-8") as file:
        file.write(f"    password: {tag} |\n      $ANSIBLE_VAULT;1.1;AES256\n      00\n")
    with pytest.raises(FolderError, match=r"line \d+: encrypted with Ansible Vault, .* Move it to a file of its own"):
        export(tmp_path, resources)
    assert tag in path.read_text(encoding="utf-8")


def test_a_wholly_encrypted_file_is_not_overwritten(tmp_path: Path) -> None:
    export(tmp_path)
    (tmp_path / "panel.yml").write_text("$ANSIBLE_VAULT;1.1;AES256\n00\n", encoding="utf-8")
    with pytest.raises(FolderError, match="is encrypted as a whole, and an export would write it in clear"):
        export(tmp_path)


def test_planning_writes_nothing(tmp_path: Path) -> None:
    plan = plan_folder(tmp_path / "new", RESOURCES, VAULT)
    assert len(plan.changes) == 3
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("a file", encoding="utf-8")
    with pytest.raises(FolderError, match="folder"):
        export(tmp_path / "folder")


def test_files_have_the_mode_that_the_user_gives_to_new_ones(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        export(tmp_path)
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.rglob("*.yml")} == {0o640}
    (tmp_path / "panel.yml").chmod(0o600)
    export(tmp_path, {**RESOURCES, "plans": []})
    assert (tmp_path / "panel.yml").stat().st_mode & 0o777 == 0o600


def test_other_line_ends_are_written_anew(tmp_path: Path) -> None:
    export(tmp_path)
    path = tmp_path / "panel.yml"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert export(tmp_path).written == [str(path)]


PLAIN = {
    "a member": ("    password: {}\n", "password"),
    "a quoted one": ('    "api_key": "{}"\n', "api_key"),
    "a block of text": ("    password: |\n      {}\n", "password"),
    "in a dictionary": ("    components: {{private_key: {}}}\n", "private_key"),
    "in extra, in camel case": ("    extra: {{newPassword: {}}}\n", "newPassword"),
    "a list": ("    extra:\n      tokens:\n        - {}\n", "tokens"),
    "an alias": ("    description: &text {}\n    password: *text\n", "password"),
    "within itself": ("    extra: &all {{self: *all, password: {}}}\n", "password"),
    "a private key": ('    description: "-----BEGIN PRIVATE KEY-----{}"\n', "a private key"),
}


@pytest.mark.parametrize("form", PLAIN)
def test_a_secret_in_plain_text_is_neither_shown_nor_removed(tmp_path: Path, form: str) -> None:
    export(tmp_path)
    text, name = PLAIN[form]
    file = tmp_path / "clients" / "beta.yml"
    before = file.read_text(encoding="utf-8")
    line = before.count("\n") + (3 if form == "a list" else 1)
    file.write_text(before + text.format("hunter2-of-beta"), encoding="utf-8")
    for resources in (RESOURCES, without_client("beta")):
        with pytest.raises(FolderError) as caught:
            export(tmp_path, resources)
        assert f"clients/beta.yml: line {line}: {name} is a secret in plain text" in str(caught.value)
        assert str(caught.value).endswith("No file was written.")
        assert "hunter2" not in str(caught.value)
    assert "hunter2-of-beta" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    ["https://u:hunter2@acme.example", "$6$hunter2$hunter2hunter2", '\'{"pwd": "hunter2"}\'', "{SSHA}hunter2hunter2="],
)
def test_a_secret_by_its_form_is_neither_shown_nor_removed(tmp_path: Path, text: str) -> None:
    export(tmp_path)
    with (tmp_path / "clients" / "beta.yml").open("a", encoding="utf-8") as file:
        file.write(f"    command: >-\n      {text}\n" if text.startswith("{") else f"    command: {text}\n")
    with pytest.raises(FolderError, match="command is a secret in plain text") as caught:
        export(tmp_path)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "value",
    [
        "update_password: always",
        "value: https://u:public@acme.example",
        "regenerate_password: true",
        "password:",
        'password: ""',
    ],
)
def test_what_is_no_secret_may_be_written_anew(tmp_path: Path, value: str) -> None:
    export(tmp_path)
    with (tmp_path / "clients" / "beta.yml").open("a", encoding="utf-8") as file:
        file.write(f"    {value}\n")
    assert [Path(path).name for path in export(tmp_path).written] == ["beta.yml"]


def test_a_file_that_is_no_yaml_any_more_may_hold_a_secret(tmp_path: Path) -> None:
    export(tmp_path)
    with (tmp_path / "clients" / "beta.yml").open("a", encoding="utf-8") as file:
        file.write("    password: 'hunter2\n")
    with pytest.raises(FolderError, match="is no YAML, so whether it holds secrets cannot be told") as caught:
        export(tmp_path)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# password: hunter2\n", "# password: ********\n"),
        ("    # was: apiKey = hunter2, see the ticket\r\n", "    # was: apiKey = ********\r\n"),
        ("# curl https://u:hunter2@x.example/y\n", "# curl https://********@x.example/y\n"),
        ("command: mysqldump --password=hunter2\n", "command: mysqldump --password=********\n"),
        ('{"token": "hunter2"}', '{"token": ********'),
        ("auth_name: Staff\nupdate_password: always\n", "auth_name: Staff\nupdate_password: always\n"),
    ],
)
def test_nothing_is_shown_after_the_name_of_a_secret(text: str, shown: str) -> None:
    assert masked(text) == shown


def test_no_member_that_an_export_writes_has_the_name_of_a_secret() -> None:
    rows = [row for kind in TABLES.values() for row in (*kind.key, *kind.rows)]
    members = [member for row in rows for _path, member in row.leaves()]
    written = [row.option for row in (*rows, *members) if not row.secret]
    assert plain_secrets_in("".join(f"{name}: x\n" for name in written)) == []


@pytest.mark.parametrize("name", ["clients", "clients/acme.yml", "panel.yml"])
@pytest.mark.parametrize("leads", [True, False])
def test_an_export_follows_no_link_out_of_its_folder(tmp_path: Path, name: str, leads: bool) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    export(tmp_path / "first")
    if leads:
        (tmp_path / "first" / name).rename(elsewhere)
    (folder / name).parent.mkdir(parents=True)
    (folder / name).symlink_to(elsewhere)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(FolderError, match=f"{name}: this is a link") as caught:
        export(folder, {**RESOURCES, "emails": []})
    assert str(caught.value).endswith("No file was written.")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_link_of_somebody_else_beside_the_files_of_clients_is_left_alone(tmp_path: Path) -> None:
    export(tmp_path / "first")
    (tmp_path / "folder" / "clients").mkdir(parents=True)
    link = tmp_path / "folder" / "clients" / "gone.yml"
    link.symlink_to(tmp_path / "first" / "clients" / "beta.yml")
    assert export(tmp_path / "folder").removed == []
    assert link.is_symlink()


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    export(tmp_path / "link")
    assert names(tmp_path / "real") == ["clients/acme.yml", "clients/beta.yml", "panel.yml"]


def test_a_link_that_comes_while_files_are_written_is_replaced_and_not_followed(tmp_path: Path) -> None:
    plan = plan_folder(tmp_path / "folder", RESOURCES, VAULT)
    (tmp_path / "folder").mkdir()
    (tmp_path / "other").write_text("mine", encoding="utf-8")
    (tmp_path / "folder" / "panel.yml").symlink_to(tmp_path / "other")
    write(plan)
    assert (tmp_path / "other").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "folder" / "panel.yml").is_symlink()


def test_a_folder_that_nobody_may_write_into_is_foreseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != tmp_path)
    with pytest.raises(FolderError, match="is not writable for this user") as caught:
        refuse_unwritable(plan_folder(tmp_path / "panel" / "deep", RESOURCES, VAULT))
    assert f"the folder {tmp_path} is" in str(caught.value)
    assert str(caught.value).endswith("No file was written.")


def test_a_file_in_the_place_of_the_folder_is_foreseen(tmp_path: Path) -> None:
    (tmp_path / "panel").write_text("x", encoding="utf-8")
    with pytest.raises(FolderError, match="No file was written"):
        refuse_unwritable(plan_folder(tmp_path / "panel", RESOURCES, VAULT))


def test_a_folder_that_is_right_already_needs_no_right_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(tmp_path)
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    refuse_unwritable(plan_folder(tmp_path, RESOURCES, VAULT))


def test_a_failure_in_between_says_how_much_was_written(tmp_path: Path) -> None:
    plan = plan_folder(tmp_path, RESOURCES, VAULT)
    (tmp_path / "panel.yml").mkdir()
    with pytest.raises(FolderError) as caught:
        write(plan)
    message = str(caught.value)
    assert f"2 of {len(plan.changes)} files were written or removed before it, each of them whole." in message
    assert message.endswith("and run again.")

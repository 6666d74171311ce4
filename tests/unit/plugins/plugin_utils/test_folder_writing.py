# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files an export writes, and which it leaves alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._folder_splitting import file_name, split
from ansible_collections.hosting.panel.plugins.plugin_utils._folder_writing import (
    FolderError,
    FolderPlan,
    plan_folder,
    write,
)

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
    plan = plan_folder(folder, RESOURCES if resources is None else resources)
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


@pytest.mark.parametrize("resources", [{**RESOURCES, "emails": []}, without_client("beta")])
def test_encrypted_secrets_are_not_overwritten(tmp_path: Path, resources: dict[str, Any]) -> None:
    export(tmp_path)
    path = tmp_path / "clients" / "beta.yml"
    with path.open("a", encoding="utf-8") as file:
        file.write("    password: !vault |\n      $ANSIBLE_VAULT;1.1;AES256\n      00\n")
    with pytest.raises(FolderError, match="Move them to a file of their own"):
        export(tmp_path, resources)
    assert "!vault" in path.read_text(encoding="utf-8")


def test_a_wholly_encrypted_file_is_not_overwritten(tmp_path: Path) -> None:
    export(tmp_path)
    (tmp_path / "panel.yml").write_text("$ANSIBLE_VAULT;1.1;AES256\n00\n", encoding="utf-8")
    with pytest.raises(FolderError, match="was not written by an export"):
        export(tmp_path)


def test_planning_writes_nothing(tmp_path: Path) -> None:
    plan = plan_folder(tmp_path / "new", RESOURCES)
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

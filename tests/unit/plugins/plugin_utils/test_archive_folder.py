# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An archive on the disk: whole, for its owner only, and the old one until the new one is there."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._offboard import archive_folder
from ansible_collections.hosting.panel.plugins.plugin_utils._offboard.archive_folder import (
    ArchiveError,
    archives_of,
    check_directory,
    check_replaceable,
    earlier_path,
    read_archive,
    write_archive,
)


def manifest(files: dict[str, bytes], when: str = "2026-11-21") -> dict[str, Any]:
    facts = {name: {"sha256": hashlib.sha256(content).hexdigest()} for name, content in files.items()}
    return {"client": "acme", "panel": "panel.example", "id": 7, "archived_at": when, "files": facts}


FILES = {"client.json": b"{}\n", "zones/acme.example.zone": b"$TTL 60\n"}


def test_what_is_written_is_read_again_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "archives" / "acme"
    write_archive(path, FILES, manifest(FILES))
    archive = read_archive(path)
    assert archive is not None and archive.is_whole
    assert archive.document("client") == {}
    assert [entry.name for entry in path.parent.iterdir()] == ["acme"]
    assert path.parent.stat().st_mode & 0o777 == path.stat().st_mode & 0o777 == 0o700


def test_what_a_killed_run_left_is_removed_with_the_next_archive(tmp_path: Path) -> None:
    for name in (".acme.x1", ".acme.x1.old", ".acme-2.x1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "client.json").write_bytes(b"{}")
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / ".acme.of-another-run").mkdir()
    write_archive(tmp_path / "acme", FILES, manifest(FILES))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".acme-2.x1", ".acme.of-another-run", "acme"]


def test_files_of_others_in_the_folder_are_never_removed_with_it(tmp_path: Path) -> None:
    path = tmp_path / "acme"
    check_replaceable(path, None, manifest(FILES))
    write_archive(path, FILES, manifest(FILES))
    check_replaceable(path, read_archive(path), manifest(FILES))
    (path / "dumps").mkdir()
    (path / "dumps" / "shop.sql").write_bytes(b"INSERT")
    with pytest.raises(ArchiveError, match=r"dumps/shop\.sql would be lost"):
        check_replaceable(path, read_archive(path), manifest(FILES))
    (path / "manifest.json").unlink()
    with pytest.raises(ArchiveError, match="would be lost"):
        check_replaceable(path, read_archive(path), manifest(FILES))


@pytest.mark.parametrize("name", ["dumps", "client.json", "zones/more"])
def test_a_link_in_the_folder_is_none_of_the_archive(tmp_path: Path, name: str) -> None:
    path, elsewhere = tmp_path / "acme", tmp_path / "elsewhere"
    write_archive(path, FILES, manifest(FILES))
    elsewhere.mkdir()
    (path / name).unlink(missing_ok=True)
    (path / name).symlink_to(elsewhere)
    with pytest.raises(ArchiveError, match=f"{name} would be lost"):
        check_replaceable(path, read_archive(path), manifest(FILES))


@pytest.mark.parametrize("member", ["client", "panel", "id"])
def test_an_archive_of_another_client_is_never_replaced(tmp_path: Path, member: str) -> None:
    path = tmp_path / "acme"
    write_archive(path, FILES, {**manifest(FILES), member: "other"})
    with pytest.raises(ArchiveError, match="of another client"):
        check_replaceable(path, read_archive(path), manifest(FILES))


def test_a_link_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "acme").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ArchiveError, match="is no folder"):
        check_replaceable(tmp_path / "acme", None, manifest(FILES))


def test_an_archive_that_has_more_is_kept_beside_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "acme"
    for number in (1, 2, 3):
        before = read_archive(path)
        earlier = earlier_path(path, before) if before is not None else None
        write_archive(path, {"client.json": b"%d" % number}, manifest({"client.json": b"%d" % number}), earlier)
    assert {entry.name: (entry / "client.json").read_bytes() for entry in tmp_path.iterdir()} == {
        "acme": b"3",
        "acme.20261121": b"1",
        "acme.20261121.2": b"2",
    }
    assert len(archives_of(tmp_path, "acme", "panel.example")) == 3


def test_a_manifest_of_something_else_is_no_reason_to_stop(tmp_path: Path) -> None:
    for number, text in enumerate(('{"files": {"a": "b"}}', '{"files": ["a"]}', "[]", '"x"', '{"files": {"a": {}}}')):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "manifest.json").write_text(text, encoding="utf-8")
    assert archives_of(tmp_path, "acme", "panel.example") == []


def test_a_changed_and_a_missing_file_are_flaws(tmp_path: Path) -> None:
    path = tmp_path / "acme"
    write_archive(path, FILES, manifest(FILES))
    (path / "client.json").write_bytes(b"[]")
    (path / "zones" / "acme.example.zone").unlink()
    archive = read_archive(path)
    assert archive is not None
    assert archive.flaws == ("client.json was changed", "zones/acme.example.zone: No such file or directory")


def test_a_folder_without_a_manifest_is_no_archive(tmp_path: Path) -> None:
    assert read_archive(tmp_path) is None
    (tmp_path / "manifest.json").write_text("[", encoding="utf-8")
    archive = read_archive(tmp_path)
    assert archive is not None and not archive.is_whole


def test_the_old_archive_stays_when_the_new_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "acme"
    write_archive(path, FILES, manifest(FILES))
    before = {entry: entry.read_bytes() for entry in path.rglob("*") if entry.is_file()}

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive_folder.os, "fsync", full)
    with pytest.raises(ArchiveError, match="No space left on device"):
        write_archive(path, {"client.json": b"new"}, manifest({"client.json": b"new"}))
    assert {entry: entry.read_bytes() for entry in path.rglob("*") if entry.is_file()} == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["acme"]


def test_a_manifest_that_does_not_fit_the_files_is_never_put_in_place(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"client\.json was changed"):
        write_archive(tmp_path / "acme", FILES, manifest({**FILES, "client.json": b"other"}))
    assert list(tmp_path.iterdir()) == []


def test_the_newest_archive_of_a_client_of_this_panel_comes_first(tmp_path: Path) -> None:
    for name, when in (("acme-1", "2025"), ("acme-2", "2026")):
        write_archive(tmp_path / name, FILES, manifest(FILES, when))
    write_archive(tmp_path / "other", FILES, {**manifest(FILES, "2027"), "panel": "else.example"})
    assert [archive.path.name for archive in archives_of(tmp_path, "acme", "panel.example")] == ["acme-2", "acme-1"]
    assert archives_of(tmp_path / "nowhere", "acme", "panel.example") == []


def test_a_folder_may_be_missing_but_not_the_one_that_it_is_in(tmp_path: Path) -> None:
    check_directory(tmp_path / "new")
    with pytest.raises(ArchiveError, match="does not exist; create it"):
        check_directory(tmp_path / "neither" / "nor")
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
        with pytest.raises(ArchiveError, match="not writable"):
            check_directory(tmp_path / "new")

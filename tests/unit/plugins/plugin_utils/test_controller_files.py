# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is beside a file that is replaced, also after a run that was killed in the middle of it."""

from __future__ import annotations

import fcntl
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._run import controller_files
from ansible_collections.hosting.panel.plugins.plugin_utils._run.controller_files import (
    ANY_NUMBER,
    _remove_left_over,
    check_place,
    reason_of,
    replace_file,
    try_to_write,
)

NAME = "cust1.yml"


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _kill_before_replacing(path: Path) -> None:
    """Lets another process write the file, which is killed when only the old name is missing."""
    child = os.fork()
    if not child:
        os.replace = lambda *_paths: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment]
        replace_file(path, b"of a killed run", 0o600)
        os._exit(1)
    _child, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL


@pytest.fixture(autouse=True)
def a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test is a run of its own, and long after the one before."""
    _remove_left_over.cache_clear()
    monkeypatch.setattr(controller_files, "_ABOUT_TO_LOCK", -1)


def test_what_a_killed_run_left_in_a_folder_is_removed_by_the_next_one_that_writes_into_it(tmp_path: Path) -> None:
    path = tmp_path / NAME
    replace_file(path, b"first", 0o600)
    _kill_before_replacing(path)
    _kill_before_replacing(tmp_path / "other.yml")
    assert len([name for name in _names(tmp_path) if name.startswith(".other.yml.")]) == 1
    assert path.read_bytes() == b"first"
    _remove_left_over.cache_clear()
    replace_file(path, b"second", 0o600)
    assert _names(tmp_path) == [NAME]
    assert path.read_bytes() == b"second"


def test_what_another_run_is_writing_and_what_is_not_ours_stays(tmp_path: Path) -> None:
    path = tmp_path / NAME
    (tmp_path / f".{NAME}.backup12").write_text("of somebody", encoding="utf-8")
    writing = tmp_path / f".{NAME}.abcdefgh.hosting-panel-unfinished"
    with writing.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        replace_file(path, b"first", 0o600)
        assert _names(tmp_path) == sorted([f".{NAME}.backup12", writing.name, NAME])
    _remove_left_over.cache_clear()
    replace_file(path, b"second", 0o600)
    assert _names(tmp_path) == [f".{NAME}.backup12", NAME]


def test_a_file_that_is_too_new_to_be_locked_is_not_taken_for_left_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controller_files, "_ABOUT_TO_LOCK", 60)
    new = tmp_path / f".{NAME}.abcdefgh.hosting-panel-unfinished"
    new.touch()
    replace_file(tmp_path / NAME, b"first", 0o640)
    assert (_names(tmp_path), (tmp_path / NAME).stat().st_mode & 0o777) == ([new.name, NAME], 0o640)


def test_trying_to_write_leaves_everything_as_it_is(tmp_path: Path) -> None:
    replace_file(tmp_path / NAME, b"first", 0o600)
    try_to_write(tmp_path / NAME, 100)
    assert (_names(tmp_path), (tmp_path / NAME).read_bytes()) == ([NAME], b"first")


def test_many_files_in_one_folder_are_replaced_with_one_look_at_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, look = [], Path.glob

    def glob(folder: Path, pattern: str) -> Any:
        looks.append(folder)
        return look(folder, pattern)

    monkeypatch.setattr(Path, "glob", glob)
    for number in range(20):
        replace_file(tmp_path / f"{number}.yml", b"text", 0o600)
    assert looks == [tmp_path]


@pytest.mark.parametrize(
    ("path", "missing", "why"),
    [
        ("new/deep/report.html", ANY_NUMBER, ""),
        ("new/report.html", 1, ""),
        ("new/deep/report.html", 1, "the folder {}/new does not exist; create it"),
        ("new/report.html", 0, "the folder {}/new does not exist; create it"),
        (".", ANY_NUMBER, "that is no regular file; name one that is"),
        ("file/report.html", ANY_NUMBER, "{}/file is no folder; move it away, or name another place"),
    ],
)
def test_why_a_file_cannot_be_written_is_known_beforehand(tmp_path: Path, path: str, missing: int, why: str) -> None:
    (tmp_path / "file").touch()
    found = ""
    try:
        check_place(tmp_path / path, missing)
    except OSError as error:
        found = reason_of(error)
    assert found == why.format(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["file"]

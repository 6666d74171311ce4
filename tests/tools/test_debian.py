# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of Debian packages: taken where they are, unpacked where they can be, and otherwise named as missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import debian
from tools.not_run import NotRun

TOOLS = {
    "apt-get": 'test "$1 $2" = "download tool" && echo archive > tool_1.0_all.deb || { echo "E: no $2" >&2; exit 100; }',
    "dpkg-deb": 'test "$1" = --extract && mkdir -p "$3/usr/bin" && cp "$2" "$3/usr/bin/tool"',
}


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that comes first in PATH, and nothing of Debian behind it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    which = debian.shutil.which
    monkeypatch.setattr(debian.shutil, "which", lambda name: which(name, path=str(folder)))
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr(debian, "FOLDER", tmp_path / "debian")
    return folder


def add(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text(f"#!/bin/sh\n{TOOLS.get(name, 'true')}\n", encoding="utf-8")
        (folder / name).chmod(0o755)


def test_a_program_of_the_machine_is_taken_as_it_is(commands: Path) -> None:
    add(commands, "tool")
    assert debian.program("tool", "tool") == commands / "tool"


def test_a_package_is_downloaded_and_unpacked_once(commands: Path) -> None:
    add(commands, "apt-get", "dpkg-deb")
    assert debian.program("tool", "tool").read_text(encoding="utf-8") == "archive\n"
    (commands / "apt-get").unlink()
    assert debian.program("tool", "tool").is_file()
    assert sorted(path.name for path in debian.FOLDER.iterdir()) == ["tool", "tool.lock"]


@pytest.mark.parametrize(
    ("tools", "package", "words"),
    [
        ((), "tool", "the Debian package tool is not installed, and without apt-get it cannot be unpacked here"),
        (("apt-get",), "tool", "without dpkg-deb it cannot be unpacked here"),
        (
            ("apt-get", "dpkg-deb"),
            "other",
            "package other is not installed, and apt-get could not download it: E: no other",
        ),
    ],
)
def test_what_is_missing_is_named(commands: Path, tools: tuple[str, ...], package: str, words: str) -> None:
    add(commands, *tools)
    with pytest.raises(NotRun, match=words):
        debian.program("missing", package)
    assert not (debian.FOLDER / package).exists()

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The check of the archive's content notices what is missing and what does not belong there."""

from __future__ import annotations

import tarfile
from pathlib import Path

from tools.artifact import INDISPENSABLE, WRITTEN_BY_BUILD, wrong_content

TRACKED = [*sorted(INDISPENSABLE), "plugins/modules/panel_client.py", "tools/demo.py", "Makefile"]


def _archive(folder: Path, names: set[str]) -> Path:
    archive = folder / "hosting-panel-1.0.0.tar.gz"
    with tarfile.open(archive, "w:gz") as content:
        for name in sorted(names):
            content.addfile(tarfile.TarInfo(name))
    return archive


def _right() -> set[str]:
    return INDISPENSABLE | WRITTEN_BY_BUILD | {"plugins/modules/panel_client.py"}


def test_a_right_archive_has_no_mistake(tmp_path: Path) -> None:
    assert wrong_content(_archive(tmp_path, _right()), TRACKED) == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    archive = _archive(tmp_path, _right() - {"meta/runtime.yml"})

    assert wrong_content(archive, TRACKED) == ["missing in the archive: meta/runtime.yml"]


def test_a_file_for_developers_is_named(tmp_path: Path) -> None:
    archive = _archive(tmp_path, _right() | {"tools/demo.py", "tests/unit/x.py", ".ruff_cache/x"})

    assert wrong_content(archive, TRACKED) == [
        "needless in the archive: .ruff_cache/x",
        "needless in the archive: tests/unit/x.py",
        "needless in the archive: tools/demo.py",
    ]

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests leave among temporary files is in the folder that is removed at the end of a run."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.support.playbook import play


def test_temporary_files_of_a_playbook_are_among_those_of_the_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [{"name": "Folder", "ansible.builtin.tempfile": {"state": "directory", "prefix": "panels."}}]
    # Not in tmp_path, where the path of a socket would be too long.
    with tempfile.TemporaryDirectory() as temporary:
        monkeypatch.setattr(tempfile, "tempdir", temporary)

        run = play(tasks, None, tmp_path)

        assert run.code == 0, run.text
        assert len(list(Path(temporary).glob("panels.*"))) == 1

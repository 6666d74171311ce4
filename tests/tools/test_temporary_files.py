# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests leave among temporary files is in the folder that is removed at the end of a run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.support.playbook import play
from tools.layout import ROOT
from tools.surroundings import SCRATCH

WAIT = "import pathlib, time; pathlib.Path('{}/started').touch(); time.sleep(60)"


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


def test_a_tool_that_is_ended_removes_its_temporary_files(tmp_path: Path) -> None:
    variables = {name: value for name, value in os.environ.items() if name != SCRATCH} | {"TMPDIR": str(tmp_path)}
    words = [sys.executable, "-m", "tools.development", "timeit", "--number=1", "--repeat=1", WAIT.format(tmp_path)]
    process = subprocess.Popen(words, cwd=ROOT, env=variables, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    made = list(tmp_path.glob("hosting.panel-*"))

    process.terminate()

    assert process.wait(30) == 128 + signal.SIGTERM
    assert [path.exists() for path in made] == [False]

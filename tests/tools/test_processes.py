"""Everything that a command started can be stopped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools.layout import ROOT
from tools.processes import MarkedCommand

DAEMON = "import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True)"


def test_a_process_that_left_its_session_is_stopped_too(tmp_path: Path) -> None:
    command = MarkedCommand([sys.executable, "-c", DAEMON], variables=dict(os.environ), folder=tmp_path)

    assert command.start().wait(30) == 0

    stopped = command.stop_everything()
    assert [line.partition(" ")[2] for line in stopped] == ["sleep 60"]
    assert command.stop_everything() == []


def test_a_running_command_is_stopped(tmp_path: Path) -> None:
    command = MarkedCommand(["sleep", "60"], variables=dict(os.environ), folder=tmp_path)
    process = command.start()

    command.stop_everything()

    assert process.wait(1) < 0


def test_a_process_of_someone_else_is_left_alone(tmp_path: Path) -> None:
    command = MarkedCommand(["true"], variables=dict(os.environ), folder=tmp_path)
    command.start().wait(30)
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        assert command.stop_everything() == []
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_command_inside_a_command_is_found_by_both_marks(tmp_path: Path) -> None:
    inner = (
        "import os, pathlib; from tools.processes import MarkedCommand;"
        "MarkedCommand(['sleep', '60'], variables=dict(os.environ), folder=pathlib.Path()).start()"
    )
    command = MarkedCommand(
        [sys.executable, "-c", inner], variables=os.environ | {"PYTHONPATH": str(ROOT)}, folder=tmp_path
    )
    assert command.start().wait(30) == 0

    assert [line.partition(" ")[2] for line in command.stop_everything()] == ["sleep 60"]

"""A task that runs as a module logs the same stages as in process, with the variable of the shell
or of the task."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.layout import LINK

STAGES = [
    "task starts",
    "request GET /ping attempt 1",
    "answer GET /ping none, ...",
    "repeat GET /ping after attempt 1, not sent: give up",
    "task fails: Unreachable",
]


def play(folder: Path, environment: dict[str, str]) -> str:
    """Run a task on a panel that does not answer."""
    options = {"api_url": "http://127.0.0.1:9", "api_key": "0123456789", "retry_time": 0}
    task = {"hosting.panel.panel_ping": options, "environment": environment}
    file = folder / "play.json"
    file.write_text(
        json.dumps([{"hosts": "all", "gather_facts": False, "tasks": [task]}]), encoding="utf-8"
    )
    settings = ("ANSIBLE_", "PYTHON", "PANEL_")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(settings)}
    variables["ANSIBLE_COLLECTIONS_PATH"] = str(LINK)
    command = [
        sys.executable,
        "-m",
        "ansible",
        "playbook",
        "-i",
        "localhost,",
        "-c",
        "local",
        str(file),
    ]
    command += ["-e", f"ansible_python_interpreter={sys.executable}"]
    done = subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=120, check=False
    )
    assert "The panel is not reachable." in done.stdout, done.stdout + done.stderr

    return done.stdout + done.stderr


@pytest.mark.parametrize("in_process", ["1", "0"], ids=["in process", "as a module"])
def test_the_stages_are_the_same_in_both_ways(tmp_path: Path, in_process: str) -> None:
    log = tmp_path / "panel.log"
    output = play(tmp_path, {"PANEL_LOG": str(log), "PANEL_IN_PROCESS": in_process})

    assert "PANEL_LOG" not in output

    lines = log.read_text(encoding="utf-8").splitlines()
    assert [re.sub(r"\d+\.\d{3} s$", "...", line.split(" ", 2)[2]) for line in lines] == STAGES
    assert log.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("in_process", ["1", "0"], ids=["in process", "as a module"])
def test_a_log_that_cannot_be_written_is_a_warning_in_both_ways(
    tmp_path: Path, in_process: str
) -> None:
    log = tmp_path / "nowhere" / "panel.log"
    output = play(tmp_path, {"PANEL_LOG": str(log), "PANEL_IN_PROCESS": in_process})

    text = " ".join(output.replace("[WARNING]:", "").split())

    assert "No such file or directory. The task was not logged." in text
    assert "Traceback" not in output

"""Modules run on the oldest supported Python of a target."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.every_kind import (
    QUIET_PASSES,
    WRITING_PASSES,
    list_recordings_of_pass,
    run_every_kind,
)
from tests.support.playbook import MODULE
from tests.support.simulator import Simulator


def _run_module(module: str, arguments: str = "", code: int = 0) -> dict[str, object]:
    """Run a module on the target's Python, and return its result."""
    interpreter = os.environ["PANEL_TEST_TARGET_PYTHON"]
    command = [
        sys.executable,
        "-m",
        "ansible",
        "adhoc",
        "target",
        "--inventory",
        "target,",
        "--connection",
        "local",
    ]
    # JSON, because a path in key=value form ends at its first space.
    command += ["--extra-vars", json.dumps({"ansible_python_interpreter": interpreter})]
    command += ["--module-name", module, "--args", arguments]
    process = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert process.returncode == code, process.stdout + process.stderr

    return json.loads(process.stdout.partition("=> ")[2])


def test_ansible_reaches_the_oldest_target_python() -> None:
    assert _run_module("ansible.builtin.ping")["ping"] == "pong"


def test_the_target_runs_python_3_9() -> None:
    version = _run_module("ansible.builtin.setup", "gather_subset=!all,!min,python")[
        "ansible_facts"
    ]["ansible_python"]["version"]
    assert (version["major"], version["minor"]) == (3, 9)


def test_a_name_in_brackets_is_no_address_although_this_python_reads_it_as_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PANEL_IN_PROCESS", "0")
    arguments = json.dumps({"api_url": "https://[panel.example]", "api_key": "any"})

    result = _run_module("hosting.panel.panel_ping", arguments, code=2)

    assert str(result["msg"]).startswith(
        "api_url: 'https://[panel.example]' is not the address of a panel; use https://HOST"
    )


# A module takes half a second here. In a push it is the first quiet pass that has to stay quiet.
@pytest.mark.parametrize(
    "quiet_passes",
    [
        pytest.param(QUIET_PASSES[:1], id="once again"),
        pytest.param(QUIET_PASSES, id="each again", marks=pytest.mark.release),
    ],
)
def test_every_kind_is_created_changed_and_deleted_and_the_second_time_nothing_is_written(
    tmp_path: Path, quiet_passes: tuple[str, ...]
) -> None:
    passed_over = [name for name in QUIET_PASSES if name not in quiet_passes]
    python = os.environ["PANEL_TEST_TARGET_PYTHON"]
    with Simulator.start() as simulator:
        run = run_every_kind(simulator, tmp_path, MODULE, python, passed_over)
    assert run.code == 0, run.text[-3000:]

    for name in WRITING_PASSES:
        assert sum(len(task.writes) for task in list_recordings_of_pass(run, name)) == 12

    for name in quiet_passes:
        tasks = list_recordings_of_pass(run, name)
        assert tasks
        assert [task.name for task in tasks if task.changed or task.writes] == []

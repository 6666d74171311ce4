"""One ansible-playbook has a path until its process ends."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import PanelError
from ansible_collections.hosting.panel.plugins.module_utils._operation import process_status
from ansible_collections.hosting.panel.plugins.plugin_utils._run import run_marks
from ansible_collections.hosting.panel.plugins.plugin_utils._run.run_marks import (
    identify_run,
    take_path,
    wait_for_path,
)


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Name a file that no other test names."""
    return str(tmp_path / "state.json")


@pytest.fixture
def other_run(path: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """Yield the process of another run, of which a task has taken the path."""
    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            with monkeypatch.context() as patch:
                patch.setattr(run_marks.os, "getppid", lambda: process.pid)
                assert take_path(path) == ""
            yield process
        finally:
            process.kill()


def test_tasks_of_one_run_have_a_path_together(path: str) -> None:
    assert take_path(path) == ""
    assert take_path(path) == ""


def test_another_run_has_a_path_until_it_is_killed(
    path: str, other_run: subprocess.Popen[bytes]
) -> None:
    assert take_path(path) == str(other_run.pid)
    assert take_path(f"{path}.another") == ""

    other_run.kill()
    other_run.wait()

    assert take_path(path) == ""


def test_a_run_waits_for_a_path_until_the_other_one_has_ended(
    path: str, other_run: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def end_other_run(_seconds: float) -> None:
        other_run.kill()
        other_run.wait()

    monkeypatch.setattr(run_marks.time, "sleep", end_other_run)

    assert wait_for_path(path, 0, print) == str(other_run.pid)
    assert wait_for_path(path, 60, print) == ""


def test_a_run_that_waits_for_long_says_so_once(
    path: str, other_run: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(run_marks.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(run_marks.time, "sleep", lambda _seconds: None)
    lines: list[str] = []

    assert wait_for_path(path, 30, lines.append) == str(other_run.pid)
    assert lines == [f"waiting for process {other_run.pid}, which uses {path}"]


def test_a_run_is_known_by_its_process_and_the_time_when_it_started() -> None:
    number, _space, start = identify_run(os.getpid()).partition(" ")

    assert (number, bool(start)) == (str(os.getpid()), True)


def test_a_process_of_which_only_the_number_is_left_has_ended() -> None:
    with subprocess.Popen(["sleep", "0"]) as process:
        # Without taking its exit code, so that the number stays.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)

        assert identify_run(process.pid) == ""


@pytest.mark.skipif(shutil.which("ps") is None, reason="the machine has no ps")
def test_where_no_kernel_lists_processes_ps_says_when_one_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_status, "PROCESSES", str(tmp_path))

    number, _space, start = identify_run(os.getpid()).partition(" ")

    assert (number, ":" in start) == (str(os.getpid()), True)


def test_a_mark_of_an_earlier_process_with_the_same_number_is_ignored(
    path: str, other_run: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    own_run = identify_run(os.getppid())
    started_again = {other_run.pid: f"{other_run.pid} later"}
    monkeypatch.setattr(run_marks, "identify_run", lambda run: started_again.get(run, own_run))

    assert take_path(path) == ""


def test_a_run_that_has_ended_takes_nothing(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_marks, "identify_run", lambda _process: "")

    with pytest.raises(PanelError, match="ansible-playbook has ended"):
        take_path(path)

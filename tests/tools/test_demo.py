"""The demonstration ends with nothing left running, also when it is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools import demo
from tools.layout import ROOT
from tools.processes import MarkedCommand

# The demonstration itself, with another playbook, and with the environment of the tests in place of
# its own.
DRIVER = """
import sys
from pathlib import Path
from tools import demo, environments
environments.demo = lambda: Path(sys.executable)
demo.PLAYBOOK = sys.argv[1]
demo.FOLDER = Path(sys.argv[1]).parent
sys.exit(demo.main([]))
"""
PLAYBOOK = """
- hosts: localhost
  gather_facts: false
  tasks:
    - ansible.builtin.shell: "setsid sleep 60 >/dev/null 2>&1 & echo $! > {pid_file}"
    - ansible.builtin.command: "{last_command}"
"""


def _start(folder: Path, last_command: str) -> tuple[subprocess.Popen[str], Path]:
    """Start the demonstration, and return it with the file in which it puts its process id."""
    pid_file = folder / "pid"
    playbook = folder / "playbook.yml"
    playbook.write_text(
        PLAYBOOK.format(pid_file=pid_file, last_command=last_command), encoding="utf-8"
    )
    command = [sys.executable, "-c", DRIVER, str(playbook)]

    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ), pid_file


def _wait_for_pid(pid_file: Path) -> int:
    """Return the process id in a file, once there is one."""
    deadline = time.monotonic() + 60
    while not (pid_file.is_file() and pid_file.read_text(encoding="utf-8").strip()):
        assert time.monotonic() < deadline, "the playbook did not start its process"
        time.sleep(0.05)

    return int(pid_file.read_text(encoding="utf-8"))


def _is_running(pid: int) -> bool:
    """Return whether a process exists and is more than an entry in a table."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
            != "Z"
        )
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_demonstration_stops_what_it_started(
    tmp_path: Path, number: signal.Signals
) -> None:
    process, pid_file = _start(tmp_path, "sleep 60")
    pid = _wait_for_pid(pid_file)

    assert _is_running(pid)

    process.send_signal(number)

    output = process.communicate(timeout=60)[0]

    assert process.returncode == 128 + number, output
    assert not _is_running(pid)


@pytest.mark.parametrize(("last_command", "code"), [("true", 0), ("false", 2)])
def test_the_exit_code_is_the_playbooks_and_nothing_keeps_running(
    tmp_path: Path, last_command: str, code: int
) -> None:
    process, pid_file = _start(tmp_path, last_command)

    output = process.communicate(timeout=60)[0]

    assert process.returncode == code, output
    assert not _is_running(_wait_for_pid(pid_file))


def test_it_ends_with_what_happened_and_not_with_the_numbers_of_the_playbook_around_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "report.txt").write_text("of an earlier demonstration", encoding="utf-8")

    output = _start(tmp_path, f"cp {tmp_path}/playbook.yml {tmp_path}/report.txt")[0].communicate(
        timeout=60
    )[0]

    report = (tmp_path / "playbook.yml").read_text(encoding="utf-8")

    assert output.endswith(f"{report}\n{demo.NEXT}\n")
    assert (
        "of an earlier demonstration" not in _start(tmp_path, "true")[0].communicate(timeout=60)[0]
    )


def test_no_temporary_folder_stays(tmp_path: Path) -> None:
    before = set(Path(os.environ["TMPDIR"]).glob("hosting.panel-*"))
    process = _start(tmp_path, "true")[0]

    process.communicate(timeout=60)

    assert set(Path(os.environ["TMPDIR"]).glob("hosting.panel-*")) == before


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


@pytest.mark.parametrize(
    ("variable", "complaint"),
    [
        ("PORT=abc", "PORT: abc is no port. Use a number from 1 to 65533"),
        ("PORT=0", "PORT: 0 is no port."),
        ("PORT=65534", "PORT: 65534 is no port."),
        ("STATE=stop", "STATE: stop is invalid. Use started or stopped."),
        ("PROT=18201", "PROT: make play has no such variable. Its variables: STATE PORT"),
    ],
)
def test_a_wrong_variable_of_make_play_is_refused_by_its_name(
    variable: str, complaint: str
) -> None:
    process = subprocess.run(
        ["make", "play", variable], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert process.returncode != 0
    assert complaint in process.stderr
    assert process.stdout == ""


@pytest.mark.parametrize(
    ("target", "variable", "variables"),
    [
        ("release", "VERSOIN", "VERSION KEY"),
        ("release", "STATE", "VERSION KEY"),
        ("demo", "PORT", "none"),
        ("check", "ONLY", "none"),
        ("clean", "KEY", "none"),
    ],
)
def test_a_variable_that_a_target_does_not_read_is_refused(
    target: str, variable: str, variables: str
) -> None:
    process = subprocess.run(
        ["make", "--dry-run", target, f"{variable}=1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    complaint = f"{variable}: make {target} has no such variable. Its variables: {variables}."
    assert process.returncode != 0
    assert complaint in process.stderr
    assert process.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["play", "PORT=18201", "STATE=stopped"],
        ["release", "VERSION=1.1.0", "KEY=none"],
        ["check"],
        [],
    ],
)
def test_variables_that_a_target_reads_are_taken(arguments: list[str]) -> None:
    command = ["make", "--dry-run", *arguments]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert process.returncode == 0, process.stderr


@pytest.mark.parametrize("variables", [{}, {"PORT": "18201", "STATE": "stopped"}, {"PORT": ""}])
def test_right_variables_of_make_are_taken(variables: dict[str, str]) -> None:
    assert demo.find_mistake(variables) == ""

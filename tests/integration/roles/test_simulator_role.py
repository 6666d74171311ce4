"""The role hosting.panel.simulator.

Started, found running, started anew, stopped, and never the wrong process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.integration.roles.operators import Operator, RoleRun, assert_refused, make_plays
from tests.support.simulator import Simulator
from tools import environments

KEY = "key of the simulator's role"


class Role:
    """The role with one folder, whose name holds a space."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.folder = operator.folder / "simulated panel"

    def run(self, state: str, *arguments: str, **variables: Any) -> RoleRun:
        """Run the role in this state and writes simulator_url, where it is known, to a file."""
        write_url = {
            "name": "Write the address",
            "ansible.builtin.copy": {
                "content": "{{ simulator_url }}",
                "dest": str(self.operator.folder / "url"),
            },
            "when": "simulator_url is defined",
            "changed_when": False,
        }

        return self.operator.run(
            make_plays("simulator", tasks=[write_url]),
            {
                "simulator_state": state,
                "simulator_directory": str(self.folder),
                "simulator_api_key": KEY,
                "simulator_options": ["--max-seconds", "600", "--parent", str(os.getpid())],
                **variables,
            },
            *arguments,
        )

    def read_pid(self) -> int:
        """Return the process id that the simulator wrote."""
        return int((self.folder / "pid").read_text(encoding="utf-8"))

    def ping(self, key: str = KEY) -> int:
        """Return the status of an answer to a ping."""
        url = (self.operator.folder / "url").read_text(encoding="utf-8")
        return requests.get(
            f"{url}/api/v2/ping", headers={"X-API-Key": key}, timeout=10
        ).status_code


@pytest.fixture(scope="module")
def role(tmp_path_factory: pytest.TempPathFactory, simulator: Simulator) -> Iterator[Role]:
    """Yield the role, and stop what it started."""
    role = Role(Operator(tmp_path_factory.mktemp("simulator"), simulator))
    yield role
    role.run("absent")


def test_it_is_started_found_running_started_anew_and_stopped(role: Role) -> None:
    predicted = role.run("started", "--check")
    assert predicted.code == 0, predicted.text
    assert not role.folder.exists()

    started = role.run("started")
    assert started.code == 0, started.text
    assert started.recap["changed"] == predicted.recap["changed"] == 1
    assert role.ping() == 200

    first = role.read_pid()
    assert _list_addresses(first) == {"0100007F"}, "127.0.0.1 alone"

    modes = [path.stat().st_mode & 0o777 for path in (role.folder, role.folder / "api-key")]
    assert modes == [0o700, 0o600]
    assert (role.folder / "api-key").read_text(encoding="utf-8").strip() == KEY

    second_run = role.run("started", "-vvv")
    assert (second_run.code, second_run.recap["changed"]) == (0, 0), second_run.text
    assert role.read_pid() == first
    assert KEY not in second_run.text + started.text
    assert KEY not in _read_command_line(first)

    assert role.run("started", "--check", simulator_api_key="another").recap["changed"] == 1
    assert role.read_pid() == first

    anew = role.run("started", simulator_api_key="another")
    assert (anew.code, anew.recap["changed"]) == (0, 1), anew.text
    assert role.read_pid() != first
    assert (role.ping(), role.ping("another")) == (401, 200)

    second = role.read_pid()

    assert role.run("stopped", "--check").recap["changed"] == 1
    assert _is_running(second)
    assert role.run("stopped").recap["changed"] == 1
    assert not _is_running(second)
    assert role.run("stopped").recap["changed"] == 0

    assert role.run("absent").recap["changed"] == 1
    assert not role.folder.exists()
    assert role.run("absent").recap["changed"] == 0


def test_a_process_that_is_no_simulator_is_left_alone(role: Role) -> None:
    role.folder.mkdir(exist_ok=True)

    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as stranger:
        (role.folder / "pid").write_text(f"{stranger.pid}\n", encoding="utf-8")
        (role.folder / "port").write_text("1\n", encoding="utf-8")

        run = role.run("absent")

        assert run.code == 0, run.text
        assert stranger.poll() is None

        stranger.kill()

    assert not role.folder.exists()


def test_a_missing_key_is_named_before_anything_is_copied_or_started(role: Role) -> None:
    missing = role.run("started", simulator_api_key="")
    assert_refused(
        missing, "simulator_api_key: missing. Set it to the key that requests must carry."
    )
    assert "The command exited" not in missing.text
    assert role.run("stopped", simulator_api_key="").code == 0


def test_a_python_that_is_too_old_is_named(role: Role) -> None:
    old = environments.require_interpreter("3.10")
    assert_refused(
        role.run("started", simulator_python=str(old)), "3.11 or newer; set simulator_python to one"
    )


def test_a_python_that_is_not_there_is_named(role: Role, tmp_path: Path) -> None:
    run = role.run("started", simulator_python=str(tmp_path / "python"))

    assert_refused(run, f"simulator_python: {tmp_path / 'python'} did not start: ")
    assert "Nothing was started or stopped." in run.said


def test_an_option_that_is_no_text_is_named(role: Role) -> None:
    run = role.run("started", simulator_options=["--latency", None, "5\0"])

    assert_refused(run, "simulator_options[1]: null is invalid. Use text or a number.")
    assert "simulator_options[2]: it has a NUL character. Remove it." in run.said


def test_another_host_gets_one_file_and_needs_python_alone(role: Role, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "empty")], check=True
    )
    # A local connection that is treated as another machine's.
    remote = {
        "__simulator_is_local": False,
        "simulator_python": str(tmp_path / "empty" / "bin" / "python"),
    }
    begin = os.times()

    run = role.run("started", **remote)

    assert run.code == 0, run.text
    assert sum(os.times()[2:4]) - sum(begin[2:4]) < 5, (
        "processor time, of which a new environment alone takes more"
    )
    assert (role.ping(), (role.folder / "panel_simulator.zip").is_file()) == (200, True)
    assert role.run("started", **remote).recap["changed"] == 0
    assert role.run("stopped", **remote).recap["changed"] == 1


def test_what_was_packed_for_another_host_goes_from_the_controller_also_if_the_host_refuses_it(
    role: Role, tmp_path: Path
) -> None:
    directory = tmp_path / "simulator"
    directory.write_text("no directory", encoding="utf-8")
    variables = {
        "simulator_state": "started",
        "simulator_directory": str(directory),
        "simulator_api_key": KEY,
        "__simulator_is_local": False,
    }

    # With a short name, since Ansible makes a socket there.
    with tempfile.TemporaryDirectory(prefix="t") as temporary:
        run = role.operator.run(
            make_plays("simulator"), variables, environment={"TMPDIR": temporary}
        )
        packed = list(Path(temporary).glob("*.zip"))

    assert run.code != 0
    assert "Remove the packed file" in run.text
    assert packed == []


def test_a_mistake_in_a_profile_is_told_without_a_guess_about_python(
    role: Role, tmp_path: Path
) -> None:
    profile = tmp_path / "profile.yml"
    profile.write_text("numbers: texts\ndomain_deletoin: kept\n", encoding="utf-8")
    run = role.run("started", simulator_options=["--profile", str(profile)])

    assert_refused(run, ": domain_deletoin: there is no such point; did you mean domain_deletion? ")

    assert "must be Python 3.11" not in run.text


def _is_running(pid: int) -> bool:
    """Return whether a process exists and is more than an entry in a table."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
            != "Z"
        )
    except OSError:
        return False


def _read_command_line(pid: int) -> str:
    """Return the command line of a process."""
    return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").replace("\0", " ")


def _list_addresses(pid: int) -> set[str]:
    """Return the addresses on which a process waits for connections, as the kernel writes them."""
    sockets = {
        str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir() if path.is_symlink()
    }
    tables = [
        Path(f"/proc/net/{name}").read_text(encoding="ascii").splitlines()[1:]
        for name in ("tcp", "tcp6")
    ]
    rows = [line.split() for table in tables for line in table]
    return {
        row[1].partition(":")[0]
        for row in rows
        if row[3] == "0A" and f"socket:[{row[9]}]" in sockets
    }

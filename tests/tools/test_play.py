# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`make play` is the fleet of the simulator in an environment with Ansible, and ends with it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.layout import LINK

# The tool itself, with the environment of the tests in place of its own, and on free ports.
DRIVER = """
import sys
from pathlib import Path
from tools import environments, play
environments.demo = lambda: Path(sys.executable)
sys.exit(play.main(["--directory", sys.argv[1], "--ports", "0", "0", "0"]))
"""
SECONDS = 60


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_terminal_finds_ansible_and_the_collection_until_the_fleet_is_ended(
    tmp_path: Path, number: signal.Signals
) -> None:
    folder = tmp_path / "o'b and more"
    environment = folder / "environment"
    words = [sys.executable, "-c", DRIVER, str(folder)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    deadline = time.monotonic() + SECONDS
    while not environment.exists():
        assert process.poll() is None, process.stdout and process.stdout.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    script = '. "$0" && ansible-playbook hosting.panel.ping -e panel_hosts=panels && echo "$ANSIBLE_COLLECTIONS_PATH"'
    said = subprocess.run(
        ["sh", "-c", script, str(environment)],
        env={"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    process.send_signal(number)
    output = process.communicate(timeout=SECONDS)[0]
    assert all(f"ok: [web-{number}]" in said.stdout for number in (1, 2, 3)), said
    assert said.stdout.splitlines()[-1].split(":")[:2] == [str(folder / "collections"), str(LINK)]
    assert (process.returncode, "Traceback" in output) == (0, False), output
    assert not environment.exists()

"""Long work says how far it has come while it is under way, as a pipe or a terminal shows it. How often is in tests/unit."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.support.bulk import count, customers
from tests.support.playbook import GROUP, IN_PROCESS, defaults, surroundings, write_inventory
from tests.support.simulator import Simulator

WANTED = customers(7)
LINE = re.compile(r"panel_resources: (\d+) of (\d+) changes written")


def test_a_slow_run_tells_how_far_it_has_come_while_it_runs(simulator: Simulator, tmp_path: Path) -> None:
    simulator.settings({"write_latency": 100})  # milliseconds, one write after the other
    playbook = tmp_path / "playbook.yml"
    task = {"name": "Apply", "hosting.panel.panel_resources": {"resources": WANTED, "concurrency": 1}}
    play = {"hosts": "localhost", "gather_facts": False, "module_defaults": {GROUP: defaults(simulator)}}
    playbook.write_text(json.dumps([{**play, "tasks": [task]}]), encoding="utf-8")
    words = [sys.executable, "-m", "ansible", "playbook", "-i", str(write_inventory(tmp_path)), str(playbook)]
    # Ansible leaves it to Python when lines reach a pipe; a terminal gets them at once.
    environment = {**surroundings(tmp_path, IN_PROCESS), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        lines = [(time.monotonic(), line) for line in process.stdout]
        assert process.wait(60) == 0
    told = [(moment, match) for moment, line in lines if (match := LINE.search(line))]
    assert told, lines
    assert lines[-1][0] - told[0][0] > 0.5
    assert all(0 < int(match[1]) < int(match[2]) == count(WANTED) for _moment, match in told)

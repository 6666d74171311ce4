"""Long work says how far it has come while it is under way, at most once in five seconds; short work says nothing."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.bulk import count, customers
from tests.support.playbook import (
    GROUP,
    IN_PROCESS,
    MODULE,
    PRELOADED,
    defaults,
    play,
    surroundings,
    task,
    write_inventory,
)
from tests.support.simulator import Simulator

WANTED = customers(11)
WRITE_LATENCY = 100  # milliseconds, so that all of it takes eleven seconds, one after the other
LINE = re.compile(r"panel_resources: (\d+) of (\d+) changes written")

Line = tuple[float, str]


def lines_of_a_play(simulator: Simulator, folder: Path, way: str) -> list[Line]:
    """Runs ansible-playbook as a person does; when, in seconds from the first line of the task on, it printed what."""
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {GROUP: defaults(simulator)},
        "tasks": [{"name": "Apply", "hosting.panel.panel_resources": {"resources": WANTED, "concurrency": 1}}],
    }
    playbook = folder / "playbook.yml"
    playbook.write_text(json.dumps([play]), encoding="utf-8")
    words = [sys.executable, "-m", "ansible", "playbook", "-i", str(write_inventory(folder)), str(playbook)]
    # Ansible leaves it to Python when lines reach a pipe; a terminal gets them at once.
    environment = {**surroundings(folder, way), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        found = [(time.monotonic(), line) for line in process.stdout]
        assert process.wait(60) == 0
    begin = next(moment for moment, line in found if "TASK [Apply]" in line)
    return [(moment - begin, line) for moment, line in found if moment >= begin]


def told(lines: list[Line]) -> list[tuple[float, int, int]]:
    """When, and how many of how many were written."""
    matches = [(moment, LINE.search(line)) for moment, line in lines]
    return [(moment, int(match[1]), int(match[2])) for moment, match in matches if match]


def test_a_slow_run_tells_every_five_seconds_how_far_it_has_come(simulator: Simulator, tmp_path: Path) -> None:
    simulator.reset()
    simulator.settings({"write_latency": WRITE_LATENCY})
    lines = lines_of_a_play(simulator, tmp_path, IN_PROCESS)
    progress = told(lines)
    end = lines[-1][0]
    assert 10 < end < 40
    assert 2 <= len(progress) <= end / 5
    # While it runs, and not all at once at its end.
    moments = [0.0, *(moment for moment, _done, _total in progress)]
    assert min(later - earlier for earlier, later in itertools.pairwise(moments)) > 4.5
    assert end - progress[0][0] > 4
    assert [done for _moment, done, _total in progress] == sorted(done for _moment, done, _total in progress)
    assert all(0 < done < total == count(WANTED) for _moment, done, total in progress)


@pytest.mark.parametrize("way", [IN_PROCESS, MODULE])
def test_a_quick_run_tells_nothing(simulator: Simulator, tmp_path: Path, way: str) -> None:
    simulator.reset()
    run = play([task("Apply", "panel_resources", {"resources": WANTED})], simulator, tmp_path, way, variables=PRELOADED)
    assert run["Apply"].outcome == "ok"
    assert " of " not in run.text

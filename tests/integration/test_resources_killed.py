"""A run that is killed in its middle and started again makes the same panel as one that nobody disturbs."""

from __future__ import annotations

import json
import os
import random
import signal
from functools import partial
from pathlib import Path

import pytest

from tests.support.bulk import Resources, applied, count, customers, panel_of
from tests.support.half_done import TOO_MANY, completing, there_and_different
from tests.support.killing import (
    end_workers,
    is_child_running,
    is_running,
    kill_group,
    kill_with_children,
    start_function,
    start_playbook,
    wait_for_rest,
    wait_for_writes,
    writes,
)
from tests.support.playbook import GROUP, IN_PROCESS, MODULE, defaults, write_inventory
from tests.support.simulator import Simulator

CONCURRENCY = 4
WANTED = customers(20)
# Half of it is there and different, and there is more than what is wanted.
BEFORE = there_and_different(10)
OPTIONS = {**completing(WANTED), "concurrency": CONCURRENCY}
SEED = 20260914


def lay_out(simulator: Simulator, write_latency: float) -> None:
    simulator.reset()
    simulator.seed(BEFORE)
    simulator.seed(TOO_MANY)
    simulator.settings({"write_latency": write_latency})


@pytest.fixture(scope="module")
def undisturbed(simulator: Simulator) -> Resources:
    lay_out(simulator, 0)
    result = applied(simulator, **OPTIONS)
    summary = result["plan"]["summary"]
    assert min(summary["create"], summary["update"], summary["delete"]) >= 10
    assert len(result["results"]) >= 150
    return panel_of(simulator)


def playbook(simulator: Simulator, folder: Path) -> list[str]:
    """The words on the command line for a play that does it."""
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {GROUP: defaults(simulator)},
        "tasks": [{"name": "Apply", "hosting.panel.panel_resources": OPTIONS}],
    }
    file = folder / "playbook.yml"
    file.write_text(json.dumps([play]), encoding="utf-8")
    return ["-i", str(write_inventory(folder)), str(file)]


@pytest.mark.parametrize(("way", "kills"), [(IN_PROCESS, 3), (MODULE, 1)])
def test_a_killed_playbook_is_completed_by_the_next_one(
    simulator: Simulator, undisturbed: Resources, tmp_path: Path, way: str, kills: int
) -> None:
    lay_out(simulator, 10)
    words = playbook(simulator, tmp_path)
    random_numbers = random.Random(SEED)
    for _kill in range(kills):
        process = start_playbook(words, tmp_path, way)
        assert wait_for_writes(
            simulator, writes(simulator) + random_numbers.randint(5, 40), partial(is_running, process)
        )
        # A machine that loses its power, or only Ansible itself: the module is then as independent of it as on another host.
        (kill_group if way == IN_PROCESS else kill_with_children)(process)
        killed_at = writes(simulator)
        assert wait_for_rest(simulator) <= killed_at + CONCURRENCY
    last = start_playbook(words, tmp_path, way)
    assert last.wait(60) == 0
    end_workers(tmp_path)
    assert panel_of(simulator) == undisturbed


def test_a_run_may_be_killed_after_any_write(simulator: Simulator, undisturbed: Resources) -> None:
    random_numbers = random.Random(SEED)
    kills = 0
    for _round in range(2):
        lay_out(simulator, 3)
        while True:
            child = start_function(lambda: applied(simulator, **OPTIONS))
            is_in_time = wait_for_writes(
                simulator,
                writes(simulator) + random_numbers.randint(1, 40),
                partial(is_child_running, child),
            )
            if not is_in_time:
                break
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            kills += 1
            wait_for_rest(simulator)
        assert panel_of(simulator) == undisturbed
        assert applied(simulator, **OPTIONS)["changed"] is False
    assert kills >= 10


def test_no_object_is_there_twice(undisturbed: Resources) -> None:
    assert {kind: len(undisturbed[kind]) for kind in WANTED if kind != "plans"} == {
        kind: len(items) for kind, items in WANTED.items() if kind != "plans"
    }
    assert count(WANTED) > 200

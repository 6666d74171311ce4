"""One object of every kind is created, changed and deleted on each supported ansible-core, in both
ways of execution."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible.release import __version__ as core

from tests.support.every_kind import (
    QUIET_PASSES,
    READS_ONLY,
    WRITING_PASSES,
    list_recordings_of_pass,
    run_every_kind,
)
from tests.support.playbook import IN_PROCESS, MODULE, WAYS, Run
from tests.support.simulator import Simulator
from tools.environments import OLDEST_CORE

# Modules start in one way from the oldest release to the newest, where tests/target_python runs
# them all.
WAYS_HERE = WAYS if core.startswith(f"{OLDEST_CORE}.") else [IN_PROCESS]


@pytest.fixture(scope="module", params=WAYS_HERE)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Run every kind of object through its life once for all tests."""
    folder = tmp_path_factory.mktemp("every kind")
    # That nothing is left to do is found by the same code in a process of its own, where it takes
    # ten times as long.
    passed_over = QUIET_PASSES if request.param == MODULE else ()
    with Simulator.start() as simulator:
        yield run_every_kind(simulator, folder, request.param, passed_over=passed_over)


def test_the_playbook_ends_well_and_warns_of_a_client_with_the_old_plan_alone(run: Run) -> None:
    assert run.code == 0, run.text[-3000:]

    text = " ".join(run.text.split())
    assert (
        text.count("WARNING")
        == text.count("[WARNING]: Clients that have the hosting plan Matrix Plan keep")
        > 0
    )
    assert "DEPRECATION" not in run.text


@pytest.mark.parametrize("name", WRITING_PASSES)
def test_every_kind_is_written_once(run: Run, name: str) -> None:
    tasks = [
        task
        for task in list_recordings_of_pass(run, name)
        if task.name.rpartition(": ")[2] not in READS_ONLY
    ]
    assert len(tasks) == 12
    assert {task.name: (task.changed, len(task.writes)) for task in tasks} == {
        task.name: (True, 1) for task in tasks
    }


@pytest.mark.parametrize("run", [IN_PROCESS], indirect=True)
@pytest.mark.parametrize("name", QUIET_PASSES)
def test_the_second_time_nothing_is_written(run: Run, name: str) -> None:
    tasks = list_recordings_of_pass(run, name)
    assert len(tasks) >= 11
    assert {task.name: (task.changed, task.writes) for task in tasks} == {
        task.name: (False, []) for task in tasks
    }


def test_what_was_written_can_be_read(run: Run) -> None:
    for task in list_recordings_of_pass(run, "read"):
        assert task.outcome == "ok", task.name
        plural = task.name.rpartition(": ")[2]
        if plural not in ("server", "login", "lookup"):
            assert len(task.result[plural]) == 1, task.name
    assert run["read: emails"].result["emails"][0]["email"] == "info@xn--mller-kva.example"


@pytest.mark.parametrize("run", [IN_PROCESS], indirect=True)
def test_nothing_is_left_of_the_client(run: Run) -> None:
    assert run["delete again: client"].result["client"] is None

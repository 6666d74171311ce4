"""The modules of every kind run on the oldest supported Python of a target."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.every_kind import QUIET_PASSES, WRITING_PASSES, of_pass, run_every_kind
from tests.support.playbook import MODULE
from tests.support.simulator import Simulator


def test_every_kind_is_created_changed_and_deleted_and_the_second_time_nothing_is_written(tmp_path: Path) -> None:
    with Simulator.start() as simulator:
        run = run_every_kind(simulator, tmp_path, MODULE, os.environ["PANEL_TEST_TARGET_PYTHON"])
    assert run.code == 0, run.text[-3000:]
    for name in WRITING_PASSES:
        assert sum(len(task.writes) for task in of_pass(run, name)) == 12
    for name in QUIET_PASSES:
        assert [task.name for task in of_pass(run, name) if task.changed or task.writes] == []

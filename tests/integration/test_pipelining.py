# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module that runs on the controller's machine needs no temporary files, whatever the user's settings are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.playbook import MODULE, play, task
from tests.support.simulator import Simulator

# What Ansible says of a file that it puts beside the module's Python; with pipelining there is none.
FILE = "<localhost> PUT "
# With it, Python reads a program that comes through its input byte by byte, which costs more than the files.
BYTE_BY_BYTE = {"PYTHONUNBUFFERED": "1"}


@pytest.mark.parametrize(
    ("variables", "keywords", "is_enabled"),
    [({}, {}, True), (BYTE_BY_BYTE, {}, False), ({}, {"environment": BYTE_BY_BYTE}, False)],
    ids=["usual", "byte by byte", "byte by byte in the task's environment"],
)
def test_a_module_on_this_machine_comes_through_the_input_of_python(
    variables: dict[str, str], keywords: dict[str, object], is_enabled: bool, simulator: Simulator, tmp_path: Path
) -> None:
    run = play([task("ping", "panel_ping", **keywords)], simulator, tmp_path, MODULE, ["-vvv"], variables=variables)
    assert run["ping"].outcome == "ok"
    assert (FILE not in run.text) is is_enabled


def test_a_module_in_the_background_outlives_the_input_of_python(simulator: Simulator, tmp_path: Path) -> None:
    tasks = [task("ping", "panel_ping"), task("later", "panel_ping", **{"async": 60})]
    run = play(tasks, simulator, tmp_path, MODULE, ["-vvv"])
    assert [run[name].outcome for name in ("ping", "later")] == ["ok", "ok"]
    before, _title, after = run.text.partition("TASK [later]")
    assert FILE not in before
    assert FILE in after

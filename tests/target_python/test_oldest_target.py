# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules run on the oldest supported Python of a target."""

from __future__ import annotations

import json
import os
import subprocess
import sys


def _run_module(module: str, arguments: str = "") -> dict[str, object]:
    interpreter = os.environ["PANEL_TEST_TARGET_PYTHON"]
    words = [sys.executable, "-m", "ansible", "adhoc", "target", "--inventory", "target,", "--connection", "local"]
    # JSON, because a path in key=value form ends at its first space.
    words += ["--extra-vars", json.dumps({"ansible_python_interpreter": interpreter})]
    words += ["--module-name", module, "--args", arguments]
    process = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    return json.loads(process.stdout.partition("=> ")[2])


def test_ansible_reaches_the_oldest_target_python() -> None:
    assert _run_module("ansible.builtin.ping")["ping"] == "pong"


def test_the_target_runs_python_3_9() -> None:
    version = _run_module("ansible.builtin.setup", "gather_subset=!all,!min,python")["ansible_facts"]["ansible_python"][
        "version"
    ]
    assert (version["major"], version["minor"]) == (3, 9)

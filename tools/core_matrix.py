# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the pure unit tests and the matrix playbooks on one ansible-core: `python -m tools.core_matrix 2.16`."""

from __future__ import annotations

import sys

from tools import environments
from tools.not_run import reporting
from tools.run_pytest import run_pytest
from tools.steps import BY_FILE, ONE_BY_ONE
from tools.supported import CONTROLLER_PYTHON


def run(core: str) -> int:
    """Return 0 when both parts pass."""
    python = environments.of_core(core)
    unit = run_pytest(f"core {core} unit", "tests/unit", *ONE_BY_ONE, *_left_out(core), python=python)
    playbooks = run_pytest(f"core {core} playbooks", "tests/matrix", BY_FILE, python=python)
    return unit or playbooks


def _left_out(core: str) -> tuple[str, ...]:
    """Return what to leave out: tests of the core, which knows no Ansible, run once with each Python, the one of development in the step `unit`."""
    pythons = [CONTROLLER_PYTHON[other] for other in CONTROLLER_PYTHON if other < core]
    is_tested = CONTROLLER_PYTHON[core] in (*pythons, f"{sys.version_info.major}.{sys.version_info.minor}")
    return ("--ignore", "tests/unit/plugins/module_utils") if is_tested else ()


if __name__ == "__main__":
    sys.exit(reporting(run, *sys.argv[1:]))

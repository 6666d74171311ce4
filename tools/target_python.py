# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run `tests/target_python`: modules on the oldest supported target Python, which PANEL_TEST_TARGET_PYTHON names."""

from __future__ import annotations

import sys

from tools import environments, interpreters
from tools.not_run import reporting
from tools.run_pytest import run_pytest
from tools.steps import BY_FILE
from tools.supported import OLDEST_TARGET_PYTHON, target_lock


def run() -> int:
    """Return pytest's exit code."""
    interpreter = interpreters.required(OLDEST_TARGET_PYTHON)
    target = environments.pinned(f"target-{OLDEST_TARGET_PYTHON}", target_lock(), interpreter)
    return run_pytest("target Python", "tests/target_python", BY_FILE, PANEL_TEST_TARGET_PYTHON=str(target))


if __name__ == "__main__":
    sys.exit(reporting(run))

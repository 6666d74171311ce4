# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the unit tests, and what else runs in memory, with the coverage of all plugins, and fail where it is too little.

The core is covered by unit tests alone. What only the controller does is also run by playbooks, in processes that are not measured.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.layout import ROOT
from tools.not_run import reporting
from tools.run_pytest import run_pytest
from tools.steps import ONE_BY_ONE
from tools.surroundings import environment

LEAST = {"module_utils": 97, "*": 92}
"""Per cent of the lines and branches, by folder of plugins."""


def run() -> int:
    """Return 0 when the tests pass and cover enough."""
    measured = (*ONE_BY_ONE, "--hypothesis-profile=more", "--cov", "--cov-report=")
    code = run_pytest("coverage", "tests/unit", *measured)
    covered = {folder: float(_report(folder, "--format=total", "--precision=2")) for folder in LEAST}
    print(_report("*"))
    print("Covered: " + ", ".join(f"{part:.1f} % of plugins/{folder}" for folder, part in covered.items()))
    for folder, least in LEAST.items():
        if covered[folder] < least:
            print(f"Less than the {least} % that the unit tests are to cover of plugins/{folder}.")
            code = code or 1
    return code


def _report(folder: str, *options: str) -> str:
    words = [sys.executable, "-m", "coverage", "report", f"--include=*/plugins/{folder}/*", *options]
    variables = environment(Path(sys.executable).parent)
    return subprocess.run(words, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(reporting(run))

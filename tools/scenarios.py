# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run every molecule scenario of the collection."""

from __future__ import annotations

import subprocess
import sys

from tools.layout import ROOT
from tools.not_run import NotRun, reporting


def run() -> int:
    """Return molecule's exit code."""
    if not list(ROOT.glob("extensions/molecule/*/molecule.yml")):
        raise NotRun("there is no scenario in extensions/molecule")
    # From the root of the checkout: elsewhere molecule leaves out extensions/molecule/config.yml, and passes without a host.
    return subprocess.run([sys.executable, "-m", "molecule", "test", "--all"], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(reporting(run))

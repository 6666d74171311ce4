# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run one Python module of the development environment: `python -m tools.development ruff format .`."""

from __future__ import annotations

import subprocess
import sys

from tools import environments
from tools.layout import link_collection
from tools.surroundings import environment

if __name__ == "__main__":
    python = environments.development()
    link_collection()
    words = [str(python), "-m", *sys.argv[1:]]
    sys.exit(subprocess.run(words, env=environment(python.parent), check=False).returncode)

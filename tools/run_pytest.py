# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run pytest over one folder, with its report and its temporary files in `.build`.

`python -m tools.run_pytest NAME FOLDER [OPTION ...]`; an option `--dist` spreads the tests over the cores.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.layout import BUILD, REPORTS, ROOT
from tools.not_run import reporting
from tools.speed import workers
from tools.surroundings import environment, scratch_folder


def run_pytest(name: str, folder: str, *options: str, python: Path | None = None, **variables: str) -> int:
    """Run the tests with the interpreter `python` (default: this one) and return pytest's exit code."""
    python = python or Path(sys.executable)
    words = [str(python), "-m", "pytest", folder, f"--junitxml={REPORTS / name}.xml", *options]
    if any(option.startswith("--dist=") for option in options):
        spread = workers()
        words += ["--numprocesses", str(spread if spread > 1 else 0)]
    # Steps run side by side: each has its own cache and temporary files.
    words += ["-o", f"cache_dir={BUILD / 'pytest' / name}", f"--basetemp={scratch_folder() / name.replace(' ', '-')}"]
    return subprocess.run(words, cwd=ROOT, env=environment(python.parent, **variables), check=False).returncode


if __name__ == "__main__":
    sys.exit(reporting(run_pytest, *sys.argv[1:]))

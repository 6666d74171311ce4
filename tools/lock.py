# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the lock files again: newest releases that the `.in` files allow, with hashes and without any host."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools import environments
from tools.layout import ROOT
from tools.supported import CONTROLLER_PYTHON, OLDEST_TARGET_PYTHON, core_lock, target_lock

HEADER = "# Made by `make lock` from {source}; do not edit.\n# SPDX-License-Identifier: GPL-3.0-or-later\n"


def compile_lock(lock: Path, python: str) -> None:
    """Write one lock file, for this Python and newer ones on any system."""
    source = lock.with_suffix(".in")
    words = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "compile",
        "--quiet",
        "--upgrade",
        "--generate-hashes",
        "--no-annotate",
        "--no-header",
    ]
    words += ["--no-emit-index-url", "--no-emit-find-links", "--universal", "--python-version", python]
    pins = subprocess.run(
        [*words, str(source)], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    lock.write_text(HEADER.format(source=source.name) + pins, encoding="utf-8")
    print(f"{lock.relative_to(ROOT)}: {pins.count('==')} packages")


def main() -> None:
    """Write every lock file."""
    compile_lock(environments.DEMO_LOCK, "3.11")
    compile_lock(environments.DEVELOPMENT_LOCK, "3.11")
    compile_lock(environments.BENCHMARK_LOCK, "3.11")
    compile_lock(environments.DOCS_LOCK, "3.11")
    compile_lock(environments.FUZZ_LOCK, "3.11")
    for core, python in CONTROLLER_PYTHON.items():
        compile_lock(core_lock(core), python)
    compile_lock(target_lock(), OLDEST_TARGET_PYTHON)


if __name__ == "__main__":
    main()

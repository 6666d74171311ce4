"""Make the lock files again: newest releases that the `.in` files allow, with hashes and without any host.

`python -m tools.lock --kept` leaves every release as it is pinned, and adds what an `.in` file newly asks for.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.layout import LOCKS, ROOT
from tools.supported import (
    CERTIFICATION_PYTHON,
    CONTROLLER_PYTHON,
    NEWEST_CORE,
    OLDEST_TARGET_PYTHON,
    certification_lock,
    core_lock,
    target_lock,
)

OLDEST_DEVELOPMENT_PYTHON = "3.11"
PYTHONS = {core_lock(core): python for core, python in CONTROLLER_PYTHON.items() if core != NEWEST_CORE} | {
    target_lock(): OLDEST_TARGET_PYTHON,
    certification_lock(): CERTIFICATION_PYTHON,
}
"""The oldest Python of a lock, where it is not that of the developers."""
SYSTEMS = {certification_lock(): ("--python-platform", "linux")}
"""For which systems a lock is, where not for all: the ansible-lint of certification cannot be had for Windows."""
HEADER = "# Made by `make lock` from {source}; do not edit.\n"
FORM = ("--generate-hashes", "--no-annotate", "--no-header", "--no-emit-index-url", "--no-emit-find-links")


def compile_lock(lock: Path, *options: str) -> None:
    """Write one lock file, for its Python and newer ones, and for its systems."""
    python = PYTHONS.get(lock, OLDEST_DEVELOPMENT_PYTHON)
    words = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--python-version", python]
    words += [
        *SYSTEMS.get(lock, ("--universal",)),
        *FORM,
        *options,
        "--output-file",
        str(lock),
        str(lock.with_suffix(".in")),
    ]
    subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    pins = lock.read_text(encoding="utf-8")
    lock.write_text(HEADER.format(source=lock.with_suffix(".in").name) + pins, encoding="utf-8")
    print(f"{lock.relative_to(ROOT)}: {pins.count('==')} packages")


def main(kept: bool) -> None:
    """Write every lock file."""
    for lock in sorted(LOCKS.glob("*.txt")):
        compile_lock(lock, *(() if kept else ("--upgrade",)))


if __name__ == "__main__":
    main("--kept" in sys.argv[1:])

"""Make the lock files again: newest releases that the `.in` files allow, with hashes and without any host.

`python -m tools.lock --kept` leaves every release as it is pinned, and adds what an `.in` file newly asks for.
"""

from __future__ import annotations

import subprocess
import sys

from tools.environments import (
    CERTIFICATION_LOCK,
    CERTIFICATION_PYTHON,
    CONTROLLER_PYTHON,
    OLDEST_TARGET_PYTHON,
    TARGET_LOCK,
    core_lock,
)  # fmt: skip
from tools.layout import LOCKS, ROOT

OLDEST_DEVELOPMENT_PYTHON = "3.11"
# The oldest Python of a lock, where it is not that of the developers.
PYTHONS = {core_lock(core): python for core, python in CONTROLLER_PYTHON.items()} | {
    TARGET_LOCK: OLDEST_TARGET_PYTHON,
    CERTIFICATION_LOCK: CERTIFICATION_PYTHON,
}
FORM = ("--generate-hashes", "--no-annotate", "--no-header", "--no-emit-index-url", "--no-emit-find-links")


def main(kept: bool) -> None:
    """Write every lock file, for its Python and newer ones."""
    for lock in sorted(LOCKS.glob("*.txt")):
        source = lock.with_suffix(".in")
        python = PYTHONS.get(lock, OLDEST_DEVELOPMENT_PYTHON)
        words = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--python-version", python, *FORM]
        # The ansible-lint of certification cannot be had for Windows.
        words += ["--python-platform", "linux"] if lock == CERTIFICATION_LOCK else ["--universal"]
        words += [*([] if kept else ["--upgrade"]), "--output-file", str(lock), str(source)]
        subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        pins = lock.read_text(encoding="utf-8")
        lock.write_text(f"# Made by `make lock` from {source.name}; do not edit.\n{pins}", encoding="utf-8")
        print(f"{lock.relative_to(ROOT)}: {pins.count('==')} packages")


if __name__ == "__main__":
    main("--kept" in sys.argv[1:])

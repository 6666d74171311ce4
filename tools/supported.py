"""What the collection supports and tests: releases of ansible-core, each on one Python, and Pythons of targets."""

from __future__ import annotations

from pathlib import Path

from tools.layout import LOCKS

CONTROLLER_PYTHON = {
    "2.16": "3.12",
    "2.18": "3.12",
    "2.19": "3.11",
    "2.20": "3.12",
    "2.21": "3.13",
}
OLDEST_CORE, *_BETWEEN, NEWEST_CORE = CONTROLLER_PYTHON
TARGET_PYTHONS = ("3.9", "3.10", "3.11", "3.12", "3.13")
# ansible-core 2.16 ends at this target Python.
NEWEST_TARGET_PYTHON = {"2.16": "3.12"}
OLDEST_TARGET_PYTHON = TARGET_PYTHONS[0]
CERTIFICATION_PYTHON = "3.12"
COMING_CORE = "2.22"
"""The release of ansible-core that comes next: not tested here, but what its ansible-test needs to know is in the archive."""


def core_lock(core: str) -> Path:
    """Return the lock file of one release of ansible-core but the newest, which the developers have."""
    return LOCKS / f"core-{core}.txt"


def target_lock() -> Path:
    """Return the lock file of the oldest target Python."""
    return LOCKS / "target.txt"


def certification_lock() -> Path:
    """Return the lock file of what certified content is judged with."""
    return LOCKS / "certification.txt"


def target_pythons(core: str) -> list[str]:
    """Return the target Pythons that this release of ansible-core knows."""
    newest = NEWEST_TARGET_PYTHON.get(core, TARGET_PYTHONS[-1])
    return list(TARGET_PYTHONS[: TARGET_PYTHONS.index(newest) + 1])

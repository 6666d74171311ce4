# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock files: complete, hashed, and free of any host."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.environments import entry_of
from tools.layout import ROOT
from tools.supported import CONTROLLER_PYTHON, core_lock

LOCKS = sorted([*ROOT.glob("requirements-*.txt"), *ROOT.glob("tools/cores/*.txt")])


def _requirements(source: Path) -> set[str]:
    """Return the names that an .in file asks for, with those of the files that it refers to."""
    names = set()
    for line in source.read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            names |= _requirements(source.parent / line[3:])
        elif line and not line.startswith("#"):
            names.add(re.match(r"[\w.-]+", line)[0].lower())
    return names


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_file_pins_all_that_its_source_asks_for(lock: Path) -> None:
    pinned = set(re.findall(r"^([\w.-]+)==", lock.read_text(encoding="utf-8"), re.MULTILINE))

    assert _requirements(lock.with_suffix(".in")) - pinned == set()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_file_has_hashes_and_names_no_host(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")

    assert "://" not in text
    assert all("--hash=sha256:" in entry_of(name, lock) for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE))


@pytest.mark.parametrize("core", CONTROLLER_PYTHON)
def test_the_lock_of_a_core_pins_that_core(core: str) -> None:
    assert entry_of("ansible-core", core_lock(core)).startswith(f"ansible-core=={core}.")

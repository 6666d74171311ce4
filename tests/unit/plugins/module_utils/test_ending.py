# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the process of a module ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.module_utils import _ending

LONG = 3_000_000
# What stands for Ansible's wrapper removes its files after the module, and Python says when it takes itself apart.
WRAPPER = """
import atexit, sys
atexit.register(lambda: print("taken apart"))
sys.path.insert(0, {folder!r})
from _ending import ending_at_once
{before}
try:
    with ending_at_once():
        atexit.register(lambda: print("cleaned up"))
        {end}
finally:
    print("files removed")
"""
AS_MODULE = "_module_fqn = 'ansible_collections.hosting.panel.plugins.modules.panel_client'"


def ended(end: str, before: str = AS_MODULE) -> subprocess.CompletedProcess[str]:
    """A process that ends like this."""
    return subprocess.run(
        [sys.executable, "-c", WRAPPER.format(folder=str(Path(_ending.__file__).parent), before=before, end=end)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("sys.exit(0)", 0),
        ("sys.exit(1)", 1),
        ("sys.exit(7)", 7),
        ("sys.exit()", 0),
        ("sys.exit('a text')", 1),
        ("raise ValueError", 1),
    ],
)
def test_it_ends_at_once_with_the_code_it_asked_for_after_everything_was_cleaned_up(end: str, code: int) -> None:
    process = ended(end)
    assert process.returncode == code
    assert process.stdout.split("\n") == ["files removed", "cleaned up", ""]


def test_a_long_result_arrives_whole() -> None:
    process = ended(f"print('x' * {LONG}); print('a warning', file=sys.stderr); sys.exit(0)")
    assert process.stdout.startswith("x" * LONG + "\n")
    assert process.stderr == "a warning\n"


@pytest.mark.parametrize(
    "before", ["", f"{AS_MODULE}\nimport types; sys.modules['coverage'] = types.ModuleType('coverage')"]
)
@pytest.mark.parametrize(("end", "code"), [("sys.exit(0)", 0), ("sys.exit(1)", 1)])
def test_where_somebody_waits_for_the_end_python_ends_as_ever(before: str, end: str, code: int) -> None:
    process = ended(end, before)
    assert process.returncode == code
    assert process.stdout.split("\n") == ["files removed", "cleaned up", "taken apart", ""]

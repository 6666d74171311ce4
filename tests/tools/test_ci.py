"""The last line of `.ci/run` counts what its runs of make counted."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.layout import ROOT

# Stands in for make: counts as a file named after the target says, and fails where it counts a failure or nothing.
MAKE = """#!/bin/sh
mkdir -p .build/log
cp "counted-$2" .build/log/closing-line 2>/dev/null || exit 2
grep -q ' 0 failed' .build/log/closing-line || exit 2
"""


@pytest.mark.parametrize(
    ("test", "push", "code", "last"),
    [
        ("7 passed, 0 failed\n", "5 passed, 0 failed\n", 0, "12 passed, 0 failed"),
        ("7 passed, 0 failed\n", "5 passed, 2 failed\n", 1, "12 passed, 2 failed"),
        ("6 passed, 1 failed\n", None, 1, "6 passed, 2 failed"),
        (None, "5 passed, 0 failed\n", 1, "5 passed, 1 failed"),
    ],
)
def test_the_last_line_counts_both_runs(
    tmp_path: Path, test: str | None, push: str | None, code: int, last: str
) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    (tmp_path / "make").write_text(MAKE, encoding="utf-8")
    (tmp_path / "make").chmod(0o700)
    for name, text in (("test", test), ("push", push)):
        if text is not None:
            (tmp_path / f"counted-{name}").write_text(text, encoding="utf-8")
    variables = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}

    done = subprocess.run([tmp_path / ".ci" / "run"], env=variables, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout.splitlines()[-1]) == (code, last)

"""What `make` starts needs a Python and nothing else: what it lacks, it installs for itself."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.layout import ROOT, environment

STARTED = sorted(set(re.findall(r"\$\(RUN\)\.(\w+)", (ROOT / "Makefile").read_text(encoding="utf-8"))))


@pytest.mark.parametrize("name", STARTED)
def test_a_python_without_any_package_can_start_it(name: str) -> None:
    module = f"tools.{name}" if (ROOT / "tools" / f"{name}.py").is_file() else f"tools.{name}.__main__"
    # -S leaves out the packages that are installed.
    words = [sys.executable, "-S", "-c", f"import {module}"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_the_experiments_start_where_only_the_checkout_is_at_hand() -> None:
    words = [sys.executable, "-m", "tools.reliability", "--help"]
    there = environment(Path(sys.executable).parent)
    done = subprocess.run(words, cwd=ROOT, env=there, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr

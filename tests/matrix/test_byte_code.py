"""A second start of Ansible finds the byte code of the collection, as of every Python package, and needs none where no file can be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.layout import ROOT

HOOK = ROOT / "tools" / "bench" / "hook"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The plugins as an installation has them."""
    collection = tmp_path / "ansible_collections" / "hosting" / "panel"
    shutil.copytree(ROOT / "plugins", collection / "plugins", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "meta", collection / "meta")
    return collection / "plugins"


def lines_compiled(plugins: Path) -> int:
    """By a start of Ansible with one task, in process, on a panel that does not answer."""
    counts = plugins / "counts"
    counts.write_text("", encoding="utf-8")
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "PYTHON", "PANEL_"))
    }
    variables |= {
        "ANSIBLE_COLLECTIONS_PATH": str(plugins.parents[3]),
        "PYTHONPATH": str(HOOK),
        "BENCH_LOADED_LINES": str(counts),
    }
    task = ["-m", "hosting.panel.panel_ping", "-a", "api_url=http://127.0.0.1:9 api_key=0123456789 retry_time=0"]
    command = [sys.executable, "-m", "ansible", "adhoc", "localhost", "-i", "localhost,", "-c", "local", *task]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=120, check=False)
    assert "The panel is not reachable." in done.stdout, done.stdout + done.stderr
    return sum(map(int, counts.read_text(encoding="utf-8").split()))


def test_only_the_first_start_compiles_the_rooms(installed: Path) -> None:
    first, second = lines_compiled(installed), lines_compiled(installed)
    assert first > 3000
    assert second < 200


def test_where_no_byte_code_can_be_written_each_start_works_as_the_first(installed: Path) -> None:
    for folder in [path for path in installed.rglob("*") if path.is_dir()]:
        (folder / "__pycache__").write_text("no directory", encoding="utf-8")
    assert lines_compiled(installed) > 3000

"""What a killed run of the tools has left is removed, and nothing of a run or a user beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.clean import list_left_folders
from tools.layout import ROOT, SCRATCH, SCRATCH_PREFIX


@pytest.fixture(scope="module")
def ended() -> int:
    """Return the number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait(30)
    return process.pid


def test_the_folder_of_a_run_that_was_killed_is_left(tmp_path: Path) -> None:
    program = "import os; from tools.layout import make_scratch_folder as f; f(); os._exit(9)"
    variables = {name: value for name, value in os.environ.items() if name != SCRATCH}
    subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=variables | {"TMPDIR": str(tmp_path)},
        check=False,
    )

    assert len(list(tmp_path.iterdir())) == 1
    assert list_left_folders(tmp_path) == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(f"{SCRATCH_PREFIX}{os.getpid()}-abcdefgh", id="of this process"),
        "hosting.panel-0",
        f"{SCRATCH_PREFIX}1",
    ],
)
def test_a_folder_of_a_run_that_goes_on_or_of_something_else_stays(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).mkdir()

    assert list_left_folders(tmp_path) == []


def test_a_link_with_such_a_name_stays(tmp_path: Path, ended: int) -> None:
    (tmp_path / f"{SCRATCH_PREFIX}{ended}-abcdefgh").symlink_to(ROOT)

    assert list_left_folders(tmp_path) == []

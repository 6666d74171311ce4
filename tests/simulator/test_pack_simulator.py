"""The archive with the simulator and its libraries, which the role copies to a host."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pack_simulator
import pytest
import yaml

LIBRARIES = ["yaml", "idna", "dns"]


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the directory for temporary files, which is empty."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path


def make_archive(capsys: pytest.CaptureFixture[str], *libraries: str) -> Path:
    """Pack the simulator with libraries, and return the path that is printed."""
    assert pack_simulator.main(["", *libraries]) == 0
    return Path(capsys.readouterr().out.strip())


def test_it_has_the_simulator_and_its_libraries_and_nothing_else(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with zipfile.ZipFile(make_archive(capsys, *LIBRARIES)) as archive:
        names = archive.namelist()
        text = archive.read("yaml/__init__.py")

    assert {name.partition("/")[0] for name in names} == {
        *("__main__.py", "panel_simulator", "yaml", "idna", "dns")
    }
    assert {Path(name).suffix for name in names} == {".py", ".yml"}
    assert text == Path(yaml.__file__).read_bytes()


def test_python_runs_it_without_a_library_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    archive = make_archive(capsys, *LIBRARIES)
    code = "import sys; sys.path.insert(0, sys.argv[1]); import dns, idna, yaml, panel_simulator"

    # Neither installed packages nor the environment.
    ended = subprocess.run([sys.executable, "-I", "-S", "-c", code, str(archive)], check=False)

    assert ended.returncode == 0


def test_the_same_files_make_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = make_archive(capsys, "yaml"), make_archive(capsys, "yaml")

    assert first != second
    assert first.read_bytes() == second.read_bytes()


def test_a_library_that_is_missing_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(make_archive(capsys, "no_such_library")) as archive:
        assert "__main__.py" in archive.namelist()


def test_an_archive_that_cannot_be_written_leaves_nothing_behind(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_archive: zipfile.ZipFile, name: str, _path: Path) -> None:
        if name != "__main__.py":
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(pack_simulator, "_write_file", refuse)

    assert pack_simulator.main(["", *LIBRARIES]) == 1
    assert capsys.readouterr().err == ("The simulator cannot be packed: No space left on device.\n")
    assert list(temporary.iterdir()) == []

"""Find the Pythons of this machine: on PATH, or installed by pyenv, if they really run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools import user
from tools.not_run import NotRun
from tools.surroundings import search_path


@cache
def find(version: str) -> Path | None:
    """Return an interpreter of this version (`3.12`), or None."""
    for candidate in _candidates(version):
        if candidate.is_file() and _runs(candidate, version):
            return candidate
    return None


def required(version: str) -> Path:
    """Return an interpreter of this version, or raise NotRun."""
    found = find(version)
    if found is None:
        raise NotRun(f"Python {version} was not found on this machine, neither on PATH nor among pyenv's versions")
    return found


def _candidates(version: str) -> Iterator[Path]:
    for folder in map(Path, search_path()):
        yield folder / f"python{version}"
    for versions in _pyenv_folders():
        for folder in sorted(versions.glob(f"{version}.*"), key=_patch, reverse=True):
            yield folder / "bin" / f"python{version}"


def _pyenv_folders() -> Iterator[Path]:
    """Return the folders that pyenv keeps its versions in, also where HOME is not the one that it was installed in."""
    if os.environ.get("PYENV_ROOT"):
        yield Path(os.environ["PYENV_ROOT"]) / "versions"
    yield user.home() / ".pyenv" / "versions"
    for folder in map(Path, os.environ.get("PATH", "").split(os.pathsep)):
        if folder.name == "shims":
            yield folder.parent / "versions"
    yield Path(sys.base_prefix).parent


def _patch(folder: Path) -> int:
    patch = folder.name.rsplit(".", 1)[-1]
    return int(patch) if patch.isdigit() else -1


def _runs(interpreter: Path, version: str) -> bool:
    check = f"import sys, ensurepip, ssl; sys.exit('%d.%d' % sys.version_info[:2] != '{version}')"
    return (
        subprocess.run(
            [interpreter, "-c", check], capture_output=True, stdin=subprocess.DEVNULL, check=False
        ).returncode
        == 0
    )

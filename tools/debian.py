# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of Debian packages, for tests: the machine's own, or else the package, downloaded by apt and unpacked into `.build` without being root."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import tempfile
from pathlib import Path

from tools.layout import BUILD
from tools.not_run import NotRun

FOLDER = BUILD / "debian"


def program(name: str, package: str, path: str = "usr/bin") -> Path:
    """Return the program; raise NotRun, saying what is missing, where the machine has neither it nor a way to the package.

    path: the folder of the program inside the package.
    """
    installed = shutil.which(name)
    return Path(installed) if installed else _unpacked(package) / path / name


def _unpacked(package: str) -> Path:
    folder = FOLDER / package
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{package}.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not folder.is_dir():
            _download(package, folder)
    return folder


def _download(package: str, folder: Path) -> None:
    """Download and unpack the package; nothing is there where that fails."""
    for tool in ("apt-get", "dpkg-deb"):
        if not shutil.which(tool):
            raise NotRun(
                f"the Debian package {package} is not installed, and without {tool} it cannot be unpacked here"
            )
    with tempfile.TemporaryDirectory(dir=FOLDER) as scratch:
        # As nobody in particular, apt cannot drop its rights, and says so on stderr.
        done = _run(["apt-get", "download", package], Path(scratch))
        archives = list(Path(scratch).glob("*.deb"))
        if done.returncode or not archives:
            raise NotRun(f"apt-get could not download the Debian package {package}: {_last_line(done)}")
        done = _run(["dpkg-deb", "--extract", str(archives[0]), "unpacked"], Path(scratch))
        if done.returncode:
            raise NotRun(f"the Debian package {package} could not be unpacked: {_last_line(done)}")
        (Path(scratch) / "unpacked").rename(folder)


def _run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    return (done.stderr or done.stdout).strip().rpartition("\n")[2]

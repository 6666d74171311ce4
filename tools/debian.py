"""Programs of Debian packages, for tests: the machine's own, or else the package, downloaded by apt and unpacked into `.build` without being root."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import tempfile
from pathlib import Path

from tools.environments import NotRun
from tools.layout import BUILD

FOLDER = BUILD / "debian"
SECONDS = 300


def program(name: str, package: str, path: str = "usr/bin") -> Path:
    """Return the program; raise NotRun, saying what is missing, where the machine has neither it nor a way to the package.

    path: the folder of the program inside the package.
    """
    installed = shutil.which(name)
    return Path(installed) if installed else unpacked(package) / path / name


def unpacked(package: str, *libraries: str) -> Path:
    """Return the folder with what the package holds, and the packages that it needs; raise NotRun as ``program`` does."""
    folder = FOLDER / package
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{package}.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not folder.is_dir():
            _download([package, *libraries], folder)
    return folder


def _download(packages: list[str], folder: Path) -> None:
    """Download and unpack the packages; nothing is there where that fails."""
    missing = f"the Debian package {packages[0]} is not installed, and"
    for tool in ("apt-get", "dpkg-deb"):
        if not shutil.which(tool):
            raise NotRun(f"{missing} without {tool} it cannot be unpacked here")
    with tempfile.TemporaryDirectory(dir=FOLDER) as scratch:
        # As nobody in particular, apt cannot drop its rights, and says so on stderr.
        _run(["apt-get", "download", *packages], scratch, f"{missing} apt-get could not download it")
        for archive in Path(scratch).glob("*.deb"):
            _run(["dpkg-deb", "--extract", archive.name, "unpacked"], scratch, f"{missing} could not be unpacked")
        if not Path(scratch, "unpacked").is_dir():
            raise NotRun(f"{missing} apt-get downloaded nothing")
        Path(scratch, "unpacked").rename(folder)


def _run(words: list[str], folder: str, failure: str) -> None:
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotRun(f"{failure}: {error}") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip().rpartition("\n")[2]
        raise NotRun(f"{failure}: {said}")

"""Programs of Debian packages, for tests: the machine's own, or else the package, downloaded by apt and unpacked into `.build` without being root."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import tempfile
from pathlib import Path

from tools.environments import NotRun
from tools.layout import BUILD
from tools.surroundings import said

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
        if folder.is_dir():
            return folder
        with tempfile.TemporaryDirectory(dir=FOLDER) as scratch:
            # As nobody in particular, apt cannot drop its rights, and says so on stderr.
            _run(package, ["apt-get", "download", package, *libraries], scratch)
            for archive in Path(scratch).glob("*.deb"):
                _run(package, ["dpkg-deb", "--extract", archive.name, "unpacked"], scratch)
            Path(scratch, "unpacked").rename(folder)
    return folder


def _run(package: str, words: list[str], folder: str) -> None:
    try:
        code, text = said(words, Path(folder), seconds=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        code, text = 1, str(error)
    if code:
        end = text.strip().rpartition("\n")[2]
        raise NotRun(f"the Debian package {package} is not installed, and {words[0]} could not bring it: {end}")

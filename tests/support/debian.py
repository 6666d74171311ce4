# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of Debian's packages, unpacked into `.build`, for which nobody needs to be root."""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import pytest

from tools.layout import BUILD

FETCH_SECONDS = 120
# What the packages of a Debian release bring beside the programs.
NSD = BUILD / "nsd"
NSD_PACKAGES = ("nsd", "libprotobuf-c1", "libfstrm0", "libevent-2.1-7")
NSD_PROGRAMS = ("nsd", "nsd-checkconf", "nsd-checkzone", "nsd-control")
INSTALL_NSD = "Install Debian's package nsd."


class CannotUnpack(Exception):
    """The message says what went wrong."""


def unpack(packages: Iterable[str], folder: Path) -> None:
    """Puts what the packages hold into a folder, in the place of what is there. Raises CannotUnpack."""
    with tempfile.TemporaryDirectory(dir=BUILD) as name:
        _run(["apt-get", "download", *packages], name)
        for package in Path(name).glob("*.deb"):
            _run(["dpkg", "-x", package.name, "unpacked"], name)
        shutil.rmtree(folder, ignore_errors=True)
        Path(name, "unpacked").rename(folder)


def skip_unless_in_ci(error: Exception) -> NoReturn:
    """On a machine that lacks something a test is skipped and says why; in CI it fails."""
    if os.environ.get("CI", "").lower() == "true":
        raise error
    pytest.skip(str(error))


def nsd_programs() -> Path:
    """A folder with the programs of NSD, which stands for /usr/sbin."""
    found = [shutil.which(name) for name in NSD_PROGRAMS]
    if all(found):
        return Path(str(found[0])).parent
    BUILD.mkdir(exist_ok=True)
    programs = NSD / "programs"
    with (BUILD / "nsd.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not all((programs / name).is_file() for name in NSD_PROGRAMS):
            try:
                unpack(NSD_PACKAGES, NSD)
            except CannotUnpack as error:
                skip_unless_in_ci(CannotUnpack(f"NSD is not installed, and {error} {INSTALL_NSD}"))
            libraries = {str(library.parent) for library in NSD.glob("usr/lib/**/*.so.*")}
            programs.mkdir()
            for name in NSD_PROGRAMS:
                words = shlex.join([f"LD_LIBRARY_PATH={os.pathsep.join(libraries)}", str(NSD / "usr" / "sbin" / name)])
                (programs / name).write_text(f'#!/bin/sh\nexec env {words} "$@"\n', encoding="utf-8")
                (programs / name).chmod(0o755)
    return programs


def _run(words: list[str], folder: str) -> None:
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=FETCH_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotUnpack(f"{words[0]} cannot bring it: {error}.") from error
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).rpartition("\n")[2]
        raise CannotUnpack(f"{' '.join(words)} says: {said}")

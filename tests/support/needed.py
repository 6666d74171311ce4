"""What a test needs and a machine may lack: without it the test is skipped and says why; in CI it fails."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tools import debian
from tools.environments import NotRun


@contextmanager
def needed() -> Iterator[None]:
    """Skips the test where NotRun is raised inside."""
    try:
        yield
    except NotRun as reason:
        if os.environ.get("CI", "").lower() == "true":
            raise
        pytest.skip(str(reason))


# What the package nsd of a Debian release needs beside itself.
LIBRARIES = ("libprotobuf-c1", "libfstrm0", "libevent-2.1-7")
PROGRAMS = ("nsd", "nsd-checkconf", "nsd-checkzone", "nsd-control")


def nsd_programs() -> Path:
    """A folder with the programs, which stands for /usr/sbin."""
    found = [shutil.which(name) for name in PROGRAMS]
    if all(found):
        return Path(str(found[0])).parent
    with needed():
        folder = debian.unpacked("nsd", *LIBRARIES)
    libraries = os.pathsep.join(sorted({str(library.parent) for library in folder.glob("usr/lib/**/*.so.*")}))
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    for name in PROGRAMS:
        words = shlex.join([f"LD_LIBRARY_PATH={libraries}", str(folder / "usr" / "sbin" / name)])
        # Whoever runs it meanwhile has the old one, which is the same.
        new = programs / f".{name}.{os.getpid()}"
        new.write_text(f'#!/bin/sh\nexec env {words} "$@"\n', encoding="utf-8")
        new.chmod(0o755)
        new.replace(programs / name)
    return programs

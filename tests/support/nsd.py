"""The programs of the name server NSD."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

from tests.support.needed import needed
from tools import debian

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

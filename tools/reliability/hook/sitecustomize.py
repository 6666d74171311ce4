"""Python imports this at its start where the folder is among those for imports: it stands still at one file, or leaves no room for one.

It looks at what is opened for writing, or renamed, below PROOF_FOLDER and outside of what Ansible keeps for itself there. With PROOF_STALL_AT
it stands still before the so manieth of these, and says so in a file; with PROOF_FULL it leaves PROOF_BYTES of room to files whose path has
that text, as a disk does that is full. Every process that is started with the same environment does the same.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

FOLDER, ASIDE = (
    Path(os.environ.get(name, "/")).resolve() for name in ("PROOF_FOLDER", "PROOF_ASIDE")
)
STALL_AT, BYTES = (int(os.environ.get(name, "0")) for name in ("PROOF_STALL_AT", "PROOF_BYTES"))
FULL = os.environ.get("PROOF_FULL", "")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
# Not empty while this itself opens a file.
_busy: list[bool] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    is_open = event == "open"
    if _busy or not (is_open or event == "os.rename"):
        return
    path = arguments[0 if is_open else 1]
    if is_open and not (isinstance(path, (str, bytes)) and arguments[2] & WRITES):
        return
    _busy.append(True)
    try:
        file = str(Path(os.fsdecode(path)).absolute())
        is_watched = file.startswith(f"{FOLDER}/") and not file.startswith(f"{FOLDER}/home/")
        if FULL and is_open:
            _soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(
                resource.RLIMIT_FSIZE, (BYTES if is_watched and FULL in file else hard, hard)
            )
        if is_watched and _counted(f"{event} {file}") == STALL_AT:
            (ASIDE / "stalled").touch()
            time.sleep(3600)
    finally:
        _busy.clear()


def _counted(what: str) -> int:
    """The number of this one, over all processes."""
    line = what.encode()[:254].ljust(255) + b"\n"
    with (ASIDE / "touched").open("ab", buffering=0) as file:
        file.write(line)
        return file.tell() // len(line)


if "PROOF_FOLDER" in os.environ:
    sys.addaudithook(_hook)

"""Python imports this at its start if the folder is among those for imports.

It stands still at a file, or leaves no room for one. It watches what is opened for writing, or
renamed, below PROOF_FOLDER and outside of what Ansible keeps for itself there. With PROOF_STALL_AT
it stands still before the so manieth of these, and notes that in a file; with PROOF_FULL it leaves
PROOF_BYTES of room to files whose path has that text, as a full disk does. Every process that is
started with the same environment does the same.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("PROOF_FOLDER", "/")).resolve()
ASIDE = Path(os.environ.get("PROOF_ASIDE", "/")).resolve()
STALL_AT = int(os.environ.get("PROOF_STALL_AT", "0"))
BYTES = int(os.environ.get("PROOF_BYTES", "0"))
FULL = os.environ.get("PROOF_FULL", "")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
# Not empty while this itself opens a file.
_busy: list[bool] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    path = _find_written_path(event, arguments)
    if _busy or path is None:
        return

    _busy.append(True)
    try:
        file = str(Path(os.fsdecode(path)).absolute())
        is_watched = file.startswith(f"{FOLDER}/") and not file.startswith(f"{FOLDER}/home/")
        if FULL and event == "open":
            _soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            is_full = is_watched and FULL in file
            resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES if is_full else hard, hard))

        if is_watched and _count_event(f"{event} {file}") == STALL_AT:
            (ASIDE / "stalled").touch()
            time.sleep(3600)
    finally:
        _busy.clear()


def _find_written_path(event: str, arguments: tuple[Any, ...]) -> Any:
    """Return what an event opens for writing or renames to; None for any other event."""
    if event == "os.rename":
        return arguments[1]
    if event != "open":
        return None

    path, _mode, flags = arguments
    is_path = isinstance(path, (str, bytes))
    return path if is_path and flags & WRITES else None


def _count_event(event: str) -> int:
    """Note an event; return its number over all processes."""
    line = event.encode()[:254].ljust(255) + b"\n"
    with (ASIDE / "touched").open("ab", buffering=0) as file:
        file.write(line)
        return file.tell() // len(line)


if "PROOF_FOLDER" in os.environ:
    sys.addaudithook(_hook)

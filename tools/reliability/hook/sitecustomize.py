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

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class _Hook:
    def __init__(self, folder: str) -> None:
        self._folder = f"{Path(folder).resolve()}/"
        self._own = f"{self._folder}home/"
        self._aside = Path(os.environ["PROOF_ASIDE"])
        self._stall_at = int(os.environ.get("PROOF_STALL_AT", "0"))
        self._full = os.environ.get("PROOF_FULL", "")
        self._bytes = int(os.environ.get("PROOF_BYTES", "0"))
        self._is_busy = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._is_busy or event not in ("open", "os.rename"):
            return
        path = arguments[0] if event == "open" else arguments[1]
        if event == "open" and not (isinstance(path, (str, bytes)) and arguments[2] & _WRITES):
            return
        self._is_busy = True
        try:
            self._touched(event, str(Path(os.fsdecode(path)).absolute()))
        finally:
            self._is_busy = False

    def _touched(self, event: str, path: str) -> None:
        is_watched = path.startswith(self._folder) and not path.startswith(self._own)
        if self._full and event == "open":
            _soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            room = self._bytes if is_watched and self._full in path else hard
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
        if is_watched and self._counted(f"{event} {path}") == self._stall_at:
            (self._aside / "stalled").touch()
            time.sleep(3600)

    def _counted(self, what: str) -> int:
        """The number of this one, over all processes."""
        descriptor = os.open(self._aside / "touched", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        line = what.encode()[:254].ljust(255) + b"\n"
        os.write(descriptor, line)
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.close(descriptor)
        return position // len(line)


if "PROOF_FOLDER" in os.environ:
    sys.addaudithook(_Hook(os.environ["PROOF_FOLDER"]))

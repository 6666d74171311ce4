"""Whether a process is still there."""

from __future__ import annotations

import os
from pathlib import Path


def is_running(number: int) -> bool:
    """Whether the process exists; one that has ended and was not waited for does not count where /proc tells."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        stat = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] != "Z"

"""Remove the temporary folders of runs of the tools that were killed: `python -m tools.clean`.

A run that ends, also by Ctrl-C, removes its own.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from pathlib import Path

from tools.layout import SCRATCH_PREFIX

NAME = re.compile(rf"{re.escape(SCRATCH_PREFIX)}(?P<process>\d+)-\w{{8}}")


def list_left_folders(parent: Path) -> list[Path]:
    """Return the temporary folders of this user whose run is no longer there."""
    folders = []
    for folder in sorted(parent.glob(f"{SCRATCH_PREFIX}*")):
        match = NAME.fullmatch(folder.name)
        if match and _is_ours(folder) and not _is_running(int(match["process"])):
            folders.append(folder)

    return folders


def _is_ours(folder: Path) -> bool:
    return folder.is_dir() and not folder.is_symlink() and folder.lstat().st_uid == os.getuid()


def _is_running(process: int) -> bool:
    """Return whether a process runs, also one of another user that has got the number since."""
    with contextlib.suppress(ProcessLookupError):
        try:
            os.kill(process, 0)
        except PermissionError:
            return True
        return True

    return False


def main() -> None:
    """Remove the folders, and name them."""
    for folder in list_left_folders(Path(tempfile.gettempdir())):
        print(f"rm -rf {folder}")
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

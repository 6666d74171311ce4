"""Copy the files of the checkout that git knows or would add, as a clean clone would have them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tools.layout import ROOT


def copy_to(folder: Path) -> list[str]:
    """Fill `folder`, emptied before, and return the paths copied, relative to it."""
    paths = tracked_paths()
    shutil.rmtree(folder, ignore_errors=True)
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path, follow_symlinks=False)
    return paths


def tracked_paths() -> list[str]:
    """Return the paths of the files that git knows or would add, relative to the checkout and in order."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(
        words, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    ).stdout
    return [
        path
        for path in sorted(set(listing.split("\0")))
        if path and (ROOT / path).is_symlink() | (ROOT / path).is_file()
    ]

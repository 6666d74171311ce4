# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists what other copies have on this host for their keys, and removes what no key needs any more.

Another copy may be running, of another customer or from another controller, so only what is older
than any key lives is removed. It needs nothing but Python 3.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from pathlib import Path

OLDEST = 8 * 24 * 60 * 60.0
"""Seconds. The line on the source ends after a week."""


def find_leftovers(root, kind, own):
    """Return what other copies have, by the place, the copy, and the run that can remove it.

    Args:
        root: The directory of all copies.
        kind: How the names of the directories begin.
        own: What the name of this copy's directory ends with.
    """
    leftovers = []
    for path in sorted(Path(root).glob(f"{kind}-*")):
        copy = path.name[len(kind) + 1 :]
        is_directory = path.is_dir() and not path.is_symlink()
        if copy == own or not is_directory or not re.fullmatch("[0-9a-f]{16}", copy):
            continue
        try:
            leftover = {"copy": copy, "path": str(path), "run": read_run(path)}
            if time.time() - path.stat().st_mtime > OLDEST:
                shutil.rmtree(path)
            else:
                leftovers.append(leftover)
        except FileNotFoundError:
            continue  # that copy has ended
    return leftovers


def read_run(path):
    """Return the target and the directory of the state of a run; nothing where they are unknown."""
    try:
        if (path / "allowed.json").exists():
            run = json.loads((path / "allowed.json").read_text(encoding="utf-8"))["run"]
        else:
            run = json.loads((path / "key.pub").read_text(encoding="utf-8").split(None, 2)[2])
    except (OSError, ValueError, LookupError, TypeError):
        return []
    is_run = isinstance(run, list) and len(run) == 2 and all(isinstance(each, str) for each in run)
    return run if is_run else []


def main(arguments):
    """Print the list."""
    try:
        leftovers = find_leftovers(*arguments[1:])
    except OSError as error:
        sys.stderr.write(f"{error.filename} cannot be removed: {error.strerror}.\n")
        return 1
    # Not JSON alone, which Ansible before 2.19 would read.
    sys.stdout.write(f"others {json.dumps(leftovers)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the controller from waiting for a pipe, or writing over a device, that a file's name leads to. Private to the collection."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def refuse_special(path: str | Path) -> None:
    """Raises OSError for a pipe, device or socket, without opening it; a missing file and a folder are for the caller to find."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(0, "this is a pipe, a device or a socket, and no regular file; name one that is")


def read_regular(path: str | Path) -> bytes:
    """What the file holds; raises OSError."""
    refuse_special(path)
    return Path(path).read_bytes()

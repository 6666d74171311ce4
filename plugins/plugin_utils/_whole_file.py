# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replaces a file on the controller as a whole, so that nobody ever sees half of one. Private to the collection."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def replace_file(path: Path, content: bytes, mode: int, flush: bool = True, follows: bool = True) -> None:
    """Puts the content in the place of the file, in a folder that is there; raises OSError, and the old file stays.

    follows: whether a link stays a link, and what it leads to is replaced; otherwise the link is. flush: whether the new file is on
    the disk before the old one goes, which a file that can be made again at any time does not need.
    """
    path = path.resolve() if follows else path
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if flush:
                os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise

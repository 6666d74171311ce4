# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file on the controller for its owner only, replaced as a whole. Private to the collection."""

from __future__ import annotations

import os
from pathlib import Path

from .whole import check_replaceable, replace_file


def check_private_place(path: Path) -> None:
    """Raises OSError where `write_private_file` would. Nothing is written."""
    path = path.resolve()
    folder = path.parent if path.parent.exists() else path.parent.parent
    if not folder.is_dir():
        raise FileNotFoundError(0, f"{folder}: there is no such folder; create it")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(0, f"{folder}: the folder is not writable for this user")
    if path.is_dir():
        raise IsADirectoryError(0, "this is a folder, and a file is to be written there; move it away")
    check_replaceable(path)


def write_private_file(path: Path, text: str) -> None:
    """Puts the text in the place of the file, with mode 0600; makes the folder, with mode 0700, where only its last part is missing.

    Raises OSError, and the old file stays.
    """
    path.resolve().parent.mkdir(mode=0o700, exist_ok=True)
    replace_file(path, text.encode(), 0o600)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Names a disk that is too full for what was to be written there."""

from __future__ import annotations

import os

from .content_errors import ContentError
from .shown_text import show_name

_LEAST_BYTES = 2**20
_KIBIBYTE = 1024


def name_full_disk(error: ContentError, path: str, needed: int = 0) -> ContentError:
    """Return an error whose advice names the disk; the error itself if the disk has enough room.

    Args:
        error: What failed.
        path: A directory on the disk.
        needed: The bytes that are still to be written there.
    """
    shortage = describe_shortage(path, needed)
    if not shortage:
        return error

    return ContentError(
        error.problem,
        error.option,
        error.effect,
        make_room_advice(path, shortage),
    )


def make_room_advice(path: str, shortage: str) -> str:
    """Return what to do where a disk has too little room.

    Args:
        path: A directory on the disk.
        shortage: As ``describe_shortage`` returns it.
    """
    return f"The disk of {show_name(path)} has {shortage}: make room there, and run the task again."


def describe_shortage(path: str, needed: int = 0) -> str:
    """Return what little room the disk of a directory has; empty if it has enough.

    Args:
        path: The directory.
        needed: The bytes that are still to be written there. Some more are always needed.
    """
    try:
        disk = os.statvfs(path)
    except OSError:
        return ""

    free = disk.f_bavail * disk.f_frsize
    if free < needed + _LEAST_BYTES:
        return f"{free // _KIBIBYTE} KiB left"
    # Some file systems do not count files.
    if disk.f_files and not disk.f_favail:
        return "no room for another file"

    return ""

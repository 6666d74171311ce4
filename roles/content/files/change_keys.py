# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the line with the key of a copy into the file authorized_keys, or takes it out.

It also takes out the lines of other copies that have expired, and prints those that have not.
Copies of several customers may do so on one source at once, so the file is locked between reading
and writing. The lock is one of the directory, and leaves no file behind. It needs nothing but
Python 3.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import sys
import time
from pathlib import Path

SECONDS = 60.0
"""How long to wait for another copy, which holds the lock for a moment only."""
_PAUSE = 0.02
_COPY = re.compile(
    rb'restrict,expiry-time="([0-9]{8})",command=.* hosting\.panel-content-([0-9a-f]{16})'
)


def change_line(path, mark, line=""):
    """Put the line of a copy into a file of keys, in place of the one that it has there.

    Return what other copies have there, by the place, the copy and the day when it expires.

    Args:
        path: The file. Where it is a link, the file that it leads to.
        mark: The comment at the end of the line, which tells copies apart.
        line: The line; empty to take it out.
    """
    file = Path(path).resolve()
    if not line and not file.parent.is_dir():
        return []
    with _lock_directory(file.parent):
        text = _read(file)
        # The SSH server reads the day in the time of its host too.
        kept = drop_expired(text, os.fsencode(time.strftime("%Y%m%d")))
        changed = replace_line(kept, os.fsencode(mark), os.fsencode(line))
        if changed != text:
            _write(file, changed)
    return [
        {"copy": copy, "path": path, "expires": day}
        for copy, day in list_copies(changed)
        if not mark.endswith(copy)
    ]


def drop_expired(text, today):
    """Return the text of a file without the lines of copies whose last day is over."""
    kept = []
    for each in text.splitlines(keepends=True):
        copy = _COPY.fullmatch(each.rstrip())
        if copy is None or copy[1] > today:
            kept.append(each)
    return b"".join(kept)


def list_copies(text):
    """Return the copies that have a line in the text of a file, with the day when it expires."""
    copies = [_COPY.fullmatch(each.rstrip()) for each in text.splitlines()]
    return [(copy[2].decode(), copy[1].decode()) for copy in copies if copy]


def replace_line(text, mark, line):
    """Return the text of a file without the lines of a copy, and with one in place of them."""
    of_copy = re.compile(rb"restrict,.*command=.* " + re.escape(mark))
    kept = [each for each in text.splitlines(keepends=True) if not of_copy.fullmatch(each.rstrip())]
    if line:
        if kept and not kept[-1].endswith(b"\n"):
            kept[-1] += b"\n"
        kept.append(line + b"\n")
    return b"".join(kept)


@contextlib.contextmanager
def _lock_directory(directory):
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        end = time.monotonic() + SECONDS
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)


def _read(file):
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""


def _write(file, text):
    # Always the same name: what a killed run has left is written over.
    temporary = file.with_name(file.name + ".hosting.panel")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        if file.exists():
            status = file.stat()
            os.fchown(descriptor, status.st_uid, status.st_gid)
            shutil.copystat(file, temporary)
        stream.write(text)
        stream.flush()
        os.fsync(descriptor)
    temporary.replace(file)


def main(arguments):
    """Change the file that the arguments name."""
    try:
        leftovers = change_line(*arguments[1:])
    except OSError as error:
        sys.stderr.write(f"{arguments[1]} cannot be changed: {error.strerror}.\n")
        return 1
    # Not JSON alone, which Ansible before 2.19 would read.
    sys.stdout.write(f"others {json.dumps(leftovers)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

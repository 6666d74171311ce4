# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps on the target what earlier runs did there, and one run of an object at a time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from typing import Any

from .content_errors import ContentError

STATE_DIRECTORY = "/var/lib/hosting.panel"
FORMAT = 1


@contextlib.contextmanager
def hold_object(
    kind: str, name: str, directory: str = STATE_DIRECTORY, is_kept: bool = True
) -> Iterator[dict[str, Any]]:
    """Yield what earlier runs kept of an object, while no other run has it.

    What the caller puts into the dictionary is kept when the block ends without an error; a
    caller that must keep something earlier calls ``keep_state``.

    Args:
        kind: files, mailbox or database.
        name: What tells the object from all others of its kind.
        directory: Where states are.
        is_kept: False in check mode, which makes no directory and writes nothing.

    Raises:
        ContentError: Another run has the object, or its state cannot be read.
    """
    path = state_path(kind, name, directory)
    if not is_kept:
        yield _read_state(path)
        return

    _make_private_directory(directory)
    descriptor = os.open(path + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ContentError(
                f"another run works on {name}.", advice="Run the task again when it has ended."
            ) from error
        state = _read_state(path)
        yield state
        # The caller may have kept another one since, so the file counts.
        if _read_state(path) != state:
            keep_state(path, state)
    finally:
        os.close(descriptor)


def state_path(kind: str, name: str, directory: str = STATE_DIRECTORY) -> str:
    """Return the path of an object's state."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()

    return os.path.join(directory, f"{kind}-{digest[:32]}.json")


def keep_state(path: str, state: Mapping[str, Any]) -> None:
    """Write a state, whole and on the disk before this returns."""
    text = json.dumps({"format": FORMAT, **state}, indent=1, sort_keys=True)
    temporary = path + ".new"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def _read_state(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="ascii") as file:
            state = json.load(file)
    except FileNotFoundError:
        return {}
    except PermissionError as error:
        raise ContentError(f"{path} cannot be read.", advice="Run the task as root.") from error
    except (OSError, ValueError) as error:
        raise _unreadable(path) from error

    if not isinstance(state, dict) or state.pop("format", None) != FORMAT:
        raise _unreadable(path)

    return state


def _make_private_directory(directory: str) -> None:
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        status = os.lstat(directory)
    except OSError as error:
        raise ContentError(
            f"{directory} cannot be made: {error.strerror}.", advice="Run the task as root."
        ) from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise ContentError(f"{directory} is not a directory of the user of this task.")
    os.chmod(directory, 0o700)


def _unreadable(path: str) -> ContentError:
    return ContentError(
        f"{path} is not the state of an earlier run.",
        effect="Nothing was written.",
        advice="Move the file away if you know what is on the target.",
    )

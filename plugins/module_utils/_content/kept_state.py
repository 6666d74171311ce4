# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps on the target what earlier runs did there, and one run of an object at a time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from typing import Any

from .content_errors import NOTHING_WRITTEN, ContentError
from .full_disk import name_full_disk
from .kept_forms import KeptKind
from .shown_text import show_name

STATE_DIRECTORY = "/var/lib/hosting.panel"
FORMAT = 1
MOST_SECONDS = 30.0
"""How long a run waits for another one of its object.

A task goes on for a while after its Ansible was killed, and whoever starts Ansible again should not
have to know.
"""
_PAUSE = 0.1


class HeldObject:
    """Is an object that this run alone works on.

    path: The file of its state.
    kept: What the last run kept of it; changed by ``keep`` alone.
    """

    def __init__(self, path: str, kept: Mapping[str, Any]) -> None:
        self.path = path
        self.kept = kept

    def keep(self, values: Mapping[str, Any]) -> None:
        """Keep this in place of all that was kept, on the disk before this returns."""
        _write_state(self.path, values)
        self.kept = dict(values)


@contextlib.contextmanager
def hold_object(
    kind: KeptKind, name: str, directory: str = STATE_DIRECTORY
) -> Iterator[HeldObject]:
    """Yield an object, while no other run has it. Wait a while for one that has it.

    Args:
        kind: Of the object.
        name: What tells the object from all others of its kind.
        directory: Where states are.

    Raises:
        ContentError: Another run has the object, its file cannot be locked, or its state cannot be
            read.
    """
    path = make_state_path(kind.name, name, directory)
    _make_private_directory(directory)
    descriptor = _open_lock(path + ".lock")
    try:
        _lock(descriptor, path + ".lock", name)
        yield HeldObject(path, _read_state(path, kind))
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: str, name: str) -> None:
    """Lock the file that keeps other runs away, as soon as no other run has it.

    Args:
        descriptor: The opened file.
        path: Its path, for messages.
        name: That of the object.

    Raises:
        ContentError: Another run has it for too long, or it cannot be locked.
    """
    end = time.monotonic() + MOST_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if time.monotonic() >= end:
                raise ContentError(
                    f"another run works on {show_name(name)}.",
                    effect=NOTHING_WRITTEN,
                    advice="Run the task again when it has ended.",
                ) from error
        except OSError as error:
            raise ContentError(
                f"{path} cannot be locked: {error.strerror}.",
                effect=NOTHING_WRITTEN,
                advice="Run the task again when that is settled.",
            ) from error
        time.sleep(_PAUSE)


def _open_lock(path: str) -> int:
    """Open the file that keeps other runs away, and make it where it is missing.

    Raises:
        ContentError: It is no file that can be opened.
    """
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ContentError(
            f"{path} cannot be opened: {error.strerror}.",
            effect=NOTHING_WRITTEN,
            advice="If it is no file, remove it. Then run the task again.",
        ) from error


def read_kept(kind: KeptKind, name: str, directory: str = STATE_DIRECTORY) -> Mapping[str, Any]:
    """Return what the last run kept of an object, for a run that writes nothing.

    Raises:
        ContentError: It cannot be read.
    """
    return _read_state(make_state_path(kind.name, name, directory), kind)


def make_state_path(kind: str, name: str, directory: str = STATE_DIRECTORY) -> str:
    """Return the path of an object's state. kind: Its name."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()

    return os.path.join(directory, f"{kind}-{digest[:32]}.json")


def _write_state(path: str, state: Mapping[str, Any]) -> None:
    text = json.dumps({"format": FORMAT, **state}, indent=1, sort_keys=True)
    try:
        _replace_file(path, text)
    except OSError as failure:
        error = ContentError(
            f"{path} cannot be written: {failure.strerror}.",
            effect="What was copied until then stays.",
            advice="Run the task again when that is settled.",
        )
        raise name_full_disk(error, os.path.dirname(path)) from failure


def _replace_file(path: str, text: str) -> None:
    temporary = path + ".new"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    # Until then, a loss of power may leave the former state under this name.
    directory = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _read_state(path: str, kind: KeptKind) -> dict[str, Any]:
    try:
        with open(path, encoding="ascii") as file:
            state = json.load(file)
    except FileNotFoundError:
        return {}
    except PermissionError as error:
        raise ContentError(f"{path} cannot be read.", advice="Run the task as root.") from error
    except (OSError, ValueError, RecursionError) as error:
        raise _make_unreadable_state_error(path) from error

    if not isinstance(state, dict) or state.pop("format", None) != FORMAT:
        raise _make_unreadable_state_error(path)
    for value_name, has_form in kind.forms.items():
        if value_name in state and not has_form(state[value_name]):
            raise _make_unreadable_state_error(path)

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


def _make_unreadable_state_error(path: str) -> ContentError:
    return ContentError(
        f"{path} is not the state of an earlier run.",
        effect=NOTHING_WRITTEN,
        advice="Move the file away if you know what is on the target.",
    )

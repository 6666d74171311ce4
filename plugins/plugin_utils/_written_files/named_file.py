# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at a file that an option or a variable names, before a run writes it."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import NamedTuple

from .._run.controller_files import ANY_NUMBER, check_place, describe_reason, expand_path
from .._run.marked_texts import load_marked_json
from .._run.nested_text import load_json
from .forms import Form

# How many characters of a file show whose it is.
_BEGINNING = 4096


class NamedFile(NamedTuple):
    """A file or a directory on the controller that an option or a variable names, as it is now.

    Attributes:
        name: The option or variable.
        path: The real path, which may have ``{client}`` in it.
        form: How the collection begins what it writes there; None for a file that it does not
            replace as a whole.
        is_directory: Whether it is the directory with the files of a panel.
        inode: Device and number of what is there; None if there is nothing.
        beginning: The first characters of a file that is replaced; empty if there is none.
        problem: Why no file can be put there; empty if one can.
        is_damaged: Whether a later run could not read what is there.
    """

    name: str
    path: str
    form: Form | None = None
    is_directory: bool = False
    inode: tuple[int, int] | None = None
    beginning: str = ""
    problem: str = ""
    is_damaged: bool = False


def inspect_file(
    name: str,
    path: str | Path,
    form: Form | None = None,
    is_directory: bool = False,
    makes_directory: bool = False,
) -> NamedFile:
    """Look at what an option or a variable names.

    Args:
        name: The option or variable.
        path: Relative to the directory in which ansible-playbook was started; may begin with ``~``
            and have ``$NAME`` in it, as in an option of a module.
        form: How the collection begins what it writes there; None for a file that it does not
            replace as a whole.
        is_directory: Whether it is the directory with the files of a panel.
        makes_directory: Whether the run makes the directory of the file.
    """
    named_path = expand_path(str(path))
    real_path = os.path.realpath(named_path)
    file = NamedFile(name, real_path, form, is_directory, _find_inode(real_path))
    if form is None:
        return file

    try:
        check_place(Path(real_path), ANY_NUMBER if makes_directory else 0)
        beginning = _read_beginning(real_path, form)
        is_damaged = _is_damaged(real_path, form) or _is_out_of_reach(named_path, form)
        return file._replace(beginning=beginning, is_damaged=is_damaged)
    except OSError as error:
        return file._replace(problem=describe_reason(error))


def _find_inode(path: str) -> tuple[int, int] | None:
    """Return device and number of what is there; None if there is nothing."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _read_beginning(path: str, form: Form) -> str:
    """Return the beginning of a regular file; empty if there is none.

    JSON that a later run reads again is the same for it however another tool lays it out. It is
    returned as the collection lays it out.

    Raises:
        OSError: It cannot be read.
    """
    try:
        if form.fields:
            with contextlib.suppress(ValueError):  # cut off, or no JSON at all
                values = load_json(Path(path).read_bytes())
                return json.dumps(values, indent=4, sort_keys=True)[:_BEGINNING]
        with open(path, "rb") as file:
            return file.read(4 * _BEGINNING).decode("utf-8", "replace")[:_BEGINNING]
    except FileNotFoundError:
        return ""


def _is_out_of_reach(path: str, form: Form) -> bool:
    """Return whether a file that nothing can replace is behind a link that leads nowhere.

    It may be on a disk that is not mounted.
    """
    return not form.can_be_empty and os.path.islink(path) and not os.path.exists(path)


def _is_damaged(path: str, form: Form) -> bool:
    """Return whether a file that a later run reads again lacks what that run needs.

    Raises:
        OSError: It cannot be read.
    """
    if not form.fields:
        return False
    try:
        content = Path(path).read_text(encoding="utf-8")
        if form.can_be_empty and not content.strip():
            return False
        values = load_marked_json(content)
    except FileNotFoundError:
        return False
    except ValueError:
        return True
    if not isinstance(values, dict):
        return True
    return not all(isinstance(values.get(name), kind) for name, kind in form.fields)

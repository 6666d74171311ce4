# SPDX-License-Identifier: GPL-3.0-or-later
"""How the files of a directory change, and the writing of the changes.

Only what differs is written, and only over files that a run of the same work has written before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...module_utils._problems import Written, format_number_of
from .._run.controller_files import (
    ANY_NUMBER,
    check_folder,
    explain_error,
    read_regular,
    replace_file,
)
from .export_text import Items
from .files import REST, FolderError, make_error_before_writing


class FileChange(NamedTuple):
    """How a file changes.

    Attributes:
        name: The file, below the directory.
        before: Its text as the run has compared it; None if the file is missing.
        after: Its new text; None if the file goes.
    """

    name: str
    before: str | None
    after: str | None


def find_changes(before: Mapping[str, str | None], after: Mapping[str, str]) -> list[FileChange]:
    """Return the files that change, in the order of their names."""
    changes = [FileChange(name, before[name], after.get(name)) for name in sorted(before)]
    return [change for change in changes if change.before != change.after]


def list_old_texts(changes: Iterable[FileChange]) -> dict[str, str]:
    """Return by name the text of each file that is replaced or removed."""
    return {change.name: change.before for change in changes if change.before}


def describe_changes(changes: Sequence[FileChange], count: int, resources: Items) -> dict[str, Any]:
    """Return what the result says of the files.

    Args:
        changes: The files that change.
        count: How many files are compared.
        resources: The objects that the directory is made of.
    """
    return {
        "changed": bool(changes),
        "written": [change.name for change in changes if change.after is not None],
        "removed": [change.name for change in changes if change.after is None],
        "unchanged": count - len(changes),
        "counts": {kind: len(items) for kind, items in resources.items() if items},
    }


def read_own_texts(
    directory: Path,
    names: Iterable[str],
    wanted: Collection[str],
    is_own: Callable[[str], bool],
    obstacle: str,
) -> dict[str, str | None]:
    """Return the texts of the files that may be replaced, None for those that are missing.

    Args:
        directory: The directory.
        names: The files that the run may write or remove.
        wanted: The files that have items.
        is_own: Whether a file with this text may be replaced.
        obstacle: What is said of any other file where one is wanted.

    Raises:
        FolderError: Such a file is in the way.
    """
    texts: dict[str, str | None] = {}
    for name in names:
        text = read_text(directory / name)
        is_free = text is None or is_own(text)
        if name in wanted and not is_free:
            raise FolderError(
                obstacle,
                subject=str(directory / name),
                written=Written.NO_FILE,
                advice="Move it away.",
            )
        if name in wanted or (text is not None and is_free):
            texts[name] = text
    return texts


def refuse_to_remove_most(
    directory: Path,
    before: Mapping[str, str | None],
    wanted: Collection[str],
    work: str,
    advice: str,
) -> None:
    """Refuse to remove more of the clients' files than stay.

    Args:
        directory: The directory.
        before: The texts of the files that may be replaced, None for those that are missing.
        wanted: The files that have items.
        work: What messages call the task, such as "export".
        advice: What to do, in a sentence.

    Raises:
        FolderError: More would go than stay.
    """
    existing = {name for name, text in before.items() if name != REST and text is not None}
    stays = len(existing.intersection(wanted))
    goes = len(existing) - stays
    if goes > stays:
        clients = format_number_of(goes, "client", "clients")
        raise FolderError(
            f"this {work} would remove the files of {clients} and keep {stays}.",
            subject=str(directory),
            written=Written.NO_FILE,
            advice=advice,
            removed=goes,
            kept=stays,
        )


def read_text(path: Path) -> str | None:
    """Return the text of a file, without a mark of its encoding; None if the file is missing."""
    with explain_error(str(path), make_error_before_writing):
        try:
            return read_regular(path).decode("utf-8-sig", "replace")
        except FileNotFoundError:
            return None


def write_changes(
    directory: Path, changes: Sequence[FileChange], check_mode: bool, work: str = "export"
) -> None:
    """Write the files, and remove those without a text.

    In check mode, only find out whether that can be done.

    Args:
        directory: The directory.
        changes: The files that change.
        check_mode: Whether nothing is written.
        work: What messages call the run.

    Raises:
        FolderError: A file cannot be written, or has changed since it was compared.
    """
    for change in changes:
        path = directory / change.name
        with explain_error(str(path), make_error_before_writing):
            check_folder(path.absolute().parent, missing=ANY_NUMBER)
    if check_mode:
        return

    for count, change in enumerate(changes):
        path = directory / change.name
        so_far = f"{count} of {len(changes)} files were written or removed. Run again."
        if read_text(path) != change.before:
            raise FolderError(f"{path}: this file was changed while the {work} ran. {so_far}")
        with explain_error(str(path), FolderError, so_far):
            _write(path, change.after)


def _write(path: Path, text: str | None) -> None:
    """Replace a file by a whole new one, or remove it if it has no text.

    It keeps the mode of the old file, or gets that of a new file of this user.
    """
    if text is None:
        path.unlink()
        return

    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        mode = path.stat().st_mode & 0o777
    else:
        mask = os.umask(0o077)
        os.umask(mask)
        mode = 0o666 & ~mask
    replace_file(path, text.encode(), mode, flush=False)

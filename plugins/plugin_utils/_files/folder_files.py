# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files of a folder hold what somebody wrote for a playbook, and which are passed over. Private to the collection."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...module_utils._task.mistakes import Mistake, told
from .._run.controller_files import is_unfinished, reason_of

SUFFIXES = (".yml", ".yaml")


class FolderError(Exception):
    """A folder cannot be read or written; the message says which file and what to do, without a secret."""


@dataclass(frozen=True)
class Files:
    """read: in the order of their names. passed_over: those that nobody would expect to be, with the reason, relative to the folder."""

    read: list[Path]
    passed_over: list[str]


def files_of(folder: Path, without: Collection[Path]) -> Files:
    """The files of the folder and the folders in it, but for ``without``; raises FolderError where one can be neither read nor passed over."""
    if not folder.is_dir():
        raise FolderError(f"{folder}: there is no such folder. Nothing was written.")
    others = {os.path.realpath(path) for path in without}
    paths = sorted(path for path in _paths(folder) if os.path.realpath(path) not in others)
    visible = [path for path in paths if not _is_hidden(path, folder)]
    _refuse_links(folder, visible)
    read = [path for path in visible if _is_named_right(path)]
    if not read:
        raise FolderError(f"{folder}: there is no file whose name ends with .yml. Nothing was written.")
    known = {os.path.realpath(path) for path in read}
    unread = (path for path in paths if os.path.realpath(path) not in known and not _is_in_place(path, folder))
    return Files(read, [f"{path.relative_to(folder).as_posix()} ({_why_passed_over(path, folder)})" for path in unread])


def yaml_files(folder: Path) -> list[Path]:
    """The files of the folder that one would read for objects, in the order of their names, whatever is beside them."""
    paths = sorted(path for path in _paths(folder) if _is_named_right(path) and not _is_hidden(path, folder))
    return [path for path in paths if path.is_file()]


def _paths(folder: Path) -> Iterator[Path]:
    """Every file and every link in the folder and the folders in it, without what Git has there.

    What cannot be looked into is an error, since the objects in it would count as missing.
    """

    def unreadable(error: OSError) -> None:
        raise FolderError(f"{error.filename}: {reason_of(error)}. Nothing was written.")

    for place, folders, files in os.walk(folder, onerror=unreadable):
        folders[:] = [name for name in folders if not name.startswith(".git")]
        links = [name for name in folders if Path(place, name).is_symlink()]
        yield from (Path(place, name) for name in (*links, *files) if not name.startswith(".git"))


def _is_in_place(path: Path, folder: Path) -> bool:
    """Whether nobody expects objects in it: a text for people, what a killed run left, and a link to a folder whose files are met anyway."""
    is_met = path.is_dir() and Path(os.path.realpath(folder)) in Path(os.path.realpath(path)).parents
    return path.name.lower().startswith("readme") or is_unfinished(path.name) or is_met


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _is_named_right(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES


def _why_passed_over(path: Path, folder: Path) -> str:
    return "is hidden" if _is_hidden(path, folder) else "does not end with .yml or .yaml"


def _refuse_links(folder: Path, paths: Iterable[Path]) -> None:
    """A link may lead to another file of the folder. Objects behind any other would be missing here, or taken from where nobody looks."""
    whole = Path(os.path.realpath(folder))
    mistakes = []
    for path in (path for path in paths if path.is_symlink()):
        target = Path(os.path.realpath(path))
        if target.is_dir() or (_is_named_right(path) and not (target.is_file() and whole in target.parents)):
            where = "to a folder" if target.is_dir() else "out of the folder"
            sentence = (
                f"this is a link that leads {where}, and no such link is followed. Put what it leads to in its place."
            )
            mistakes.append(Mistake(str(path), sentence, ": "))
    if mistakes:
        raise FolderError(told(mistakes))

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a directory of YAML files as the resources of panel_resources, with all mistakes of all files at once. Private to the collection."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ansible.parsing.vault import VaultLib

from ...module_utils._errors import PanelError
from ...module_utils._kinds.registry import KINDS
from ...module_utils._task.mistakes import Mistake, each_once, told_of
from .._run.controller_files import reason_of
from .yaml_file import MemberPath, YamlFile, read_yaml

_ITEM = re.compile(rf"\b(?:resources\.)?({'|'.join(KINDS)})\[(\d+)\](?: \([^()]*\))?(?: ([\w.]+(?:\[\d+\][\w.]*)*):)?")
_PLAIN_SECRET = "a secret in plain text in a file of an export. Encrypt it with ansible-vault encrypt_string, or move it to another file."


class FolderError(PanelError):
    """A directory cannot be read or written; the message names the file, and holds no secret."""


class Origin(NamedTuple):
    """Where a file has an object. path: ("emails", 7)."""

    file: YamlFile
    path: MemberPath

    def place(self, option: MemberPath = ()) -> str:
        return self.file.place((*self.path, *option))


@dataclass(frozen=True)
class Folder:
    """resources: the items of all files by kind. origins: of each item, in the same order; an object may be in several files.

    files: that hold objects. passed_over: names of files that hold none.
    """

    resources: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    origins: dict[str, list[list[Origin]]] = field(default_factory=dict)
    files: list[YamlFile] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)

    def in_files(self, message: str) -> str:
        """A message about ``emails[7]``, which starts with the file and the line instead."""

        def named(match: re.Match[str]) -> str:
            kind, index, option = match[1], int(match[2]), match[3]
            if index >= len(self.resources.get(kind, ())):
                return match[0]
            path = [int(step) if step.isdigit() else step for step in re.findall(r"\w+", option or "")]
            key = KINDS[kind].key_of(self.resources[kind][index])
            place = _place(self.origins[kind][index], tuple(path))
            return f"{place}: {kind} {key or ''}".rstrip() + (f" {option}:" if option else "")

        return _ITEM.sub(named, message)


def read_folder(directory: Path, vault: VaultLib, credentials_file: str | None = None) -> Folder:
    """All objects in the files of the directory and below it. Raises FolderError with every mistake.

    credentials_file: passed over, as is its lock file; may hold ``{client}``.
    """
    folder = Folder()
    adding = _Adding(folder)
    mistakes: list[str] = []
    paths = list(_paths(directory, credentials_file))
    if not any(map(_is_read, paths)):
        raise FolderError(f"{directory}: no file with the ending .yml or .yaml. Nothing was written.")
    for path in paths:
        name = path.relative_to(directory).as_posix()
        if not _is_read(path):
            folder.passed_over.append(name)
            continue
        file = read_yaml(path, name, vault)
        mistakes += file.mistakes
        mistakes += [Mistake(place, _PLAIN_SECRET, ": ") for place in file.plain_secrets() if file.is_from_export]
        if file.content:
            folder.files.append(file)
            adding.add(file)
        elif not file.mistakes:
            folder.passed_over.append(f"{name} (no objects)")
    mistakes += adding.mistakes
    if mistakes:
        once = each_once(mistakes)
        raise FolderError(told_of(once, len(mistakes), "error.mistakes"), mistakes=once)
    return folder


def files_in(directory: Path) -> list[Path]:
    """The files of a directory in which objects are expected; raises FolderError."""
    return [path for path in _paths(directory, None) if _is_read(path)]


def _is_read(path: Path) -> bool:
    return path.suffix.lower() in (".yml", ".yaml") and not path.is_dir()


def _paths(directory: Path, credentials_file: str | None) -> Iterator[Path]:
    """Every file, and every link to a directory, which is not followed; without hidden ones, README files and passwords."""
    own = _pattern(credentials_file) if credentials_file else None

    def unreadable(error: OSError) -> None:
        raise FolderError(f"{error.filename}: {reason_of(error)}. Nothing was written.")

    for place, folders, files in os.walk(directory, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        links = [name for name in folders if Path(place, name).is_symlink()]
        for name in sorted([*links, *files]):
            path = Path(place, name)
            is_known = name.startswith(".") or name.lower().startswith("readme")
            if not is_known and not (own and own.fullmatch(os.path.realpath(path))):
                yield path


def _pattern(credentials_file: str) -> re.Pattern[str]:
    before, *others = os.path.abspath(os.path.expanduser(credentials_file)).split("{client}")
    # Links are followed as far as the path is known.
    parts = [os.path.realpath(before) + os.sep * before.endswith(os.sep), *others]
    return re.compile("[^/]*".join(map(re.escape, parts)) + r"(\.lock)?")


def _place(origins: list[Origin], option: MemberPath) -> str:
    """In the first file that has the option, else in the first that has the object."""
    having = (origin for origin in origins if (*origin.path, *option) in origin.file.lines)
    return next(having, origins[0]).place(option)


class _Adding:
    """Puts the items of several files together, object by object."""

    def __init__(self, folder: Folder) -> None:
        self.mistakes: list[str] = []
        self._folder = folder
        self._by_key: dict[tuple[str, str], int] = {}

    def add(self, file: YamlFile) -> None:
        if not isinstance(file.content, dict):
            self._mistake(file, (), "the file must hold a list of objects for each kind, such as emails.")
            return
        for kind, items in file.content.items():
            if kind not in KINDS:
                self._mistake(file, (kind,), f"there is no kind {kind}; the kinds are {', '.join(KINDS)}.")
            elif not isinstance(items or [], list) or not all(isinstance(item, dict) for item in items or ()):
                self._mistake(file, (kind,), f"{kind} must be a list of dictionaries.")
            else:
                self._folder.resources.setdefault(kind, [])
                self._folder.origins.setdefault(kind, [])
                for index, item in enumerate(items or ()):
                    self._add(kind, item, Origin(file, (kind, index)))

    def _mistake(self, file: YamlFile, path: MemberPath, sentence: str) -> None:
        self.mistakes.append(Mistake(file.place(path), sentence, ": "))

    def _add(self, kind: str, item: dict[str, Any], origin: Origin) -> None:
        key, found, origins = KINDS[kind].key_of(item), self._folder.resources[kind], self._folder.origins[kind]
        number = len(found) if key is None else self._by_key.setdefault((kind, key), len(found))
        if number == len(found):
            found.append(item)
            origins.append([origin])
            return
        first = origins[number]
        if twice := next((other for other in first if other.file is origin.file), None):
            self.mistakes.append(f"{origin.place()}: {kind} {key} is there twice, first in {twice.place()}.")
            return
        found[number] = copy.deepcopy({"state": "present", **found[number]})
        other = {name: value for name, value in item.items() if name not in KINDS[kind].named_by}
        for option in _merge(found[number], {"state": "present", **other}):
            place, name = _place(first, option), ".".join(option)
            self.mistakes.append(
                f"{origin.place(option)}: {kind} {key} has another {name} in {place}. Remove one of them."
            )
        first.append(origin)


def _merge(into: dict[str, Any], item: dict[str, Any], path: MemberPath = ()) -> Iterator[MemberPath]:
    """Adds the options of an item; yields those that have another value there."""
    for name, value in item.items():
        if isinstance(value, dict) and isinstance(into.get(name), dict):
            yield from _merge(into[name], value, (*path, name))
        elif into.setdefault(name, value) != value:
            yield (*path, name)

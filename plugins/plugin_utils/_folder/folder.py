# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a directory of YAML files as the resources of panel_resources, with all mistakes of all files at once. Private to the collection."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ...module_utils._errors import PanelError
from ...module_utils._kinds.registry import KINDS
from ...module_utils._task.mistakes import Mistake, each_once, told_of
from .._run.controller_files import reason_of
from .yaml_file import MemberPath, YamlFile, read_yaml

SUFFIXES = (".yml", ".yaml")
# An item in a message, and the option that the sentence is about: emails[7] (info@acme.example) max_size: …
_ITEM = re.compile(rf"\b(?:resources\.)?({'|'.join(KINDS)})\[(\d+)\](?: \([^()]*\))?(?: ([\w.]+(?:\[\d+\][\w.]*)*):)?")

_PLAIN_SECRET = "a secret in plain text in a file of an export. Encrypt it with ansible-vault encrypt_string, or move it to another file."


class FolderError(PanelError):
    """A directory cannot be read or written; the message names the file, and holds no secret."""

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message, **details)


@dataclass(frozen=True)
class Origin:
    """Where a file has an object. path: ("emails", 7)."""

    file: YamlFile
    path: MemberPath

    def place(self, option: MemberPath = ()) -> str:
        return self.file.place((*self.path, *option))

    def has(self, option: MemberPath) -> bool:
        return (*self.path, *option) in self.file.lines


@dataclass(frozen=True)
class Folder:
    """resources: the items of all files by kind. origins: of each item, in the same order; an object may be in several files.

    files: that hold objects. passed_over: names of files that hold none.
    """

    resources: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    origins: dict[str, list[list[Origin]]] = field(default_factory=dict)
    files: list[YamlFile] = field(default_factory=list)
    passed_over: tuple[str, ...] = ()

    def in_files(self, message: str) -> str:
        """A message about ``emails[7]``, which starts with the file and the line instead."""

        def named(match: re.Match[str]) -> str:
            of_kind, index = self.origins.get(match[1], ()), int(match[2])
            if index >= len(of_kind):
                return match[0]
            option = steps(match[3] or "")
            kind = match[0].removeprefix("resources.").partition("[")[0]
            key = KINDS[kind].key_of(self.resources[kind][index])
            return f"{_with(of_kind[index], option).place(option)}: {kind} {key or ''}".rstrip() + (
                f" {match[3]}:" if match[3] else ""
            )

        return _ITEM.sub(named, message)


def steps(option: str) -> MemberPath:
    """``aliases[0]`` as a path."""
    return tuple(int(step) if step.isdigit() else step for step in re.findall(r"\w+", option))


def _with(origins: list[Origin], option: MemberPath) -> Origin:
    """The first file that has the option, else the first that has the object."""
    return next((origin for origin in origins if origin.has(option)), origins[0])


def read_folder(directory: Path, vault: VaultLib, credentials_file: str | None = None) -> Folder:
    """All objects in the files of the directory and below it. Raises FolderError with every mistake.

    credentials_file: passed over, as is its lock file; may hold ``{client}``.
    """
    folder = Folder()
    merging = _Merging(folder)
    mistakes: list[str] = []
    passed_over = []
    paths = list(_paths(directory, credentials_file))
    for path in (path for path in paths if is_read(path)):
        name = path.relative_to(directory).as_posix()
        file = read_yaml(path, name, vault)
        mistakes += file.mistakes
        mistakes += [Mistake(place, _PLAIN_SECRET, ": ") for place in file.plain_secrets() if file.is_from_export]
        if file.content is None or file.content == {}:
            passed_over += [] if file.mistakes else [f"{name} (no objects)"]
        else:
            folder.files.append(file)
            merging.add(file)
    mistakes += merging.mistakes
    if mistakes:
        raise FolderError(told_of(each_once(mistakes), len(mistakes), "error.mistakes"), mistakes=each_once(mistakes))
    if not any(map(is_read, paths)):
        raise FolderError(f"{directory}: no file with the ending .yml or .yaml. Nothing was written.")
    passed_over += [f"{path.relative_to(directory).as_posix()}" for path in paths if not is_read(path)]
    return replace(folder, passed_over=tuple(sorted(passed_over)))


def is_read(path: Path) -> bool:
    """Whether objects are expected in it."""
    return path.suffix.lower() in SUFFIXES and not path.is_dir()


def _paths(directory: Path, credentials_file: str | None) -> Iterator[Path]:
    """Every file, and every link to a directory, which is not followed; without hidden ones, README files and passwords."""
    own = _pattern(credentials_file)

    def unreadable(error: OSError) -> None:
        raise FolderError(f"{error.filename}: {reason_of(error)}. Nothing was written.")

    if not directory.is_dir():
        raise FolderError(f"{directory}: there is no such directory. Nothing was written.")
    for place, folders, files in os.walk(directory, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        links = [name for name in folders if Path(place, name).is_symlink()]
        for name in sorted([*links, *files]):
            path = Path(place, name)
            is_known = name.startswith(".") or name.lower().startswith("readme")
            if not is_known and not (own and own.fullmatch(os.path.realpath(path))):
                yield path


def files_in(directory: Path) -> list[Path]:
    """The files of a directory in which objects are expected; raises FolderError."""
    return [path for path in _paths(directory, None) if is_read(path)]


def _pattern(credentials_file: str | None) -> re.Pattern[str] | None:
    if not credentials_file:
        return None
    before, *others = os.path.abspath(os.path.expanduser(credentials_file)).split("{client}")
    # Links are followed as far as the path is known.
    parts = [os.path.realpath(before) + os.sep * before.endswith(os.sep), *others]
    return re.compile("[^/]*".join(map(re.escape, parts)) + r"(\.lock)?")


class _Merging:
    """Puts the items of several files together, object by object."""

    def __init__(self, folder: Folder) -> None:
        self.mistakes: list[str] = []
        self._resources, self._origins = folder.resources, folder.origins
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
                self._resources.setdefault(kind, [])
                self._origins.setdefault(kind, [])
                for index, item in enumerate(items or ()):
                    self._add(kind, item, Origin(file, (kind, index)))

    def _mistake(self, file: YamlFile, path: MemberPath, sentence: str) -> None:
        self.mistakes.append(Mistake(file.place(path), sentence, ": "))

    def _add(self, kind: str, item: dict[str, Any], origin: Origin) -> None:
        key = KINDS[kind].key_of(item)
        found = self._resources[kind]
        earlier = None if key is None else self._by_key.setdefault((kind, key), len(found))
        if earlier is None or earlier == len(found):
            found.append(item)
            self._origins[kind].append([origin])
            return
        origins = self._origins[kind][earlier]
        if twice := next((other for other in origins if other.file is origin.file), None):
            self.mistakes.append(f"{origin.place()}: {kind} {key} is there twice, first in {twice.place()}.")
            return
        other = {name: value for name, value in item.items() if name not in KINDS[kind].named_by}
        conflicts = list(_conflicts({"state": "present", **found[earlier]}, {"state": "present", **other}))
        for option in conflicts:
            first = _with(origins, option).place(option)
            self.mistakes.append(
                f"{origin.place(option)}: {kind} {key} has another {'.'.join(option)} in {first}. Remove one of them."
            )
        if not conflicts:
            found[earlier] = _merged(found[earlier], other)
            origins.append(origin)


def _conflicts(first: Mapping[str, Any], second: Mapping[str, Any], path: MemberPath = ()) -> Iterator[MemberPath]:
    """The options that have two values."""
    for name in sorted(first.keys() & second.keys(), key=str):
        one, two = first[name], second[name]
        if isinstance(one, dict) and isinstance(two, dict):
            yield from _conflicts(one, two, (*path, name))
        elif one != two:
            yield (*path, name)


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    both = {
        name: _merged(first[name], value) if isinstance(first.get(name), dict) and isinstance(value, dict) else value
        for name, value in second.items()
    }
    return {**first, **both}

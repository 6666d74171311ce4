# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a folder of files of resources into one, with all mistakes of all files at once. Private to the collection.

Nothing in these files is evaluated: most of it was written by customers, on the panel. The objects in a file that is passed over count as
missing, so nobody may be left to guess that it was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from ansible.parsing.vault import VaultLib

from ...module_utils._kinds.registry import KINDS
from ...module_utils._task.mistakes import Mistake, told
from .._files.folder_files import FolderError, files_of
from .._files.places import MemberPath, nearest
from .._files.yaml_text import YamlText, read_yaml
from .._jobs.vaulted import put_together
from .export_text import is_from_export
from .plain_secrets import plain_secrets

# An item in a message, and the option that the sentence is about: emails[7] (info@acme.example) max_size: …
_ITEM = re.compile(rf"\b({'|'.join(KINDS)})\[(\d+)\]((?: \([^()]*\))?(?: ([\w.]+(?:\[\d+\][\w.]*)*):)?)")
_STEP = re.compile(r"\w+")


@dataclass(frozen=True)
class ItemInFile:
    """What a file says of an object. file: relative to the folder. read: its content. path: of the item in it, ("emails", 7)."""

    file: str
    read: YamlText
    path: MemberPath

    def at(self, option: MemberPath = ()) -> str:
        """The file, the line and the column of the option, or of the item, where it has no such option in this file."""
        place = nearest(self.read.places, (*self.path, *option), least=len(self.path))
        return self.file if place is None else f"{self.file}: {place}"

    def __str__(self) -> str:
        """The item as messages call it."""
        kind, index = self.path
        return f"{kind}[{index}]"

    def has(self, option: MemberPath) -> bool:
        """Whether the option stands there."""
        return (*self.path, *option) in self.read.places


@dataclass(frozen=True)
class Folder:
    """resources: the items of all files by kind. origins: where each of them is from, one file or several, in the same order.

    without_objects: the files that gave none, though somebody may believe that they do, with the reason.
    """

    resources: Mapping[str, list[dict[str, Any]]]
    origins: Mapping[str, list[list[ItemInFile]]]
    without_objects: tuple[str, ...] = ()

    def in_files(self, message: str) -> str:
        """A message about ``emails[7]`` with the file, the line and the column, and the item's place in that file."""

        def named(match: re.Match[str]) -> str:
            origins, index = self.origins.get(match[1], ()), int(match[2])
            if index >= len(origins):
                return match[0]
            option = _steps(match[4] or "")
            item = _with(origins[index], option)
            return f"{item.at(option)}: {item}{match[3]}"

        return _ITEM.sub(named, message)


def _steps(option: str) -> MemberPath:
    """An option as messages name it, aliases[0] for example, as a path."""
    return tuple(int(step) if step.isdigit() else step for step in _STEP.findall(option))


def _with(items: Sequence[ItemInFile], option: MemberPath) -> ItemInFile:
    """The first file that has the option of an object, else the first that has the object."""
    return next((item for item in items if item.has(option)), items[0])


def read_folder(folder: Path, vault: VaultLib, without: Collection[Path] = ()) -> Folder:
    """Everything in the files of the folder and the folders in it, in the order of their names, but for ``without``.

    An object may be in several files, its secrets in one and the rest in another, as long as they do not contradict each other.
    Raises FolderError with every mistake.
    """
    merging = _Merging()
    mistakes: list[str] = []
    files = files_of(folder, without)
    empty: list[str] = []
    for path in files.read:
        name = path.relative_to(folder).as_posix()
        read = read_yaml(path, name, vault, _secrets_in_export)
        mistakes += read.mistakes
        if read.content is None or read.content == {}:
            empty.append(f"{name} (has no list of any kind)")
        else:
            merging.add(name, read)
    mistakes += merging.mistakes
    if mistakes:
        raise FolderError(told(mistakes))
    return Folder(merging.resources, merging.origins, tuple(sorted((*empty, *files.passed_over))))


def _secrets_in_export(text: str, node: yaml.Node | None) -> list[str]:
    return plain_secrets(node) if is_from_export(text) else []


class _Merging:
    """Puts the items of several files together, object by object."""

    def __init__(self) -> None:
        self.resources: dict[str, list[dict[str, Any]]] = {}
        self.origins: dict[str, list[list[ItemInFile]]] = {}
        self.mistakes: list[str] = []
        self._by_key: dict[tuple[str, str], int] = {}

    def add(self, file: str, read: YamlText) -> None:
        """read: the content of a file, whose form may be wrong."""

        def mistaken(path: MemberPath, sentence: str) -> None:
            place = nearest(read.places, path)
            self.mistakes.append(Mistake(f"{file}: {place}", sentence, ": "))

        if not isinstance(read.content, dict):
            mistaken((), "must hold a list of objects for each kind, such as emails.")
            return
        for kind, items in read.content.items():
            entries = [] if items is None else items
            if kind not in KINDS:
                mistaken((str(kind),), f"there is no kind {kind}; the kinds are {', '.join(KINDS)}.")
            elif not isinstance(entries, list) or not all(isinstance(item, dict) for item in entries):
                mistaken((kind,), f"{kind} must be a list of dictionaries.")
            else:
                self.resources.setdefault(kind, [])
                self.origins.setdefault(kind, [])
                for index, item in enumerate(entries):
                    self._add_item(kind, item, ItemInFile(file, read, (kind, index)))

    def _add_item(self, kind: str, item: dict[str, Any], origin: ItemInFile) -> None:
        key = KINDS[kind].key_of(item)
        earlier = None if key is None else self._by_key.setdefault((kind, key), len(self.resources[kind]))
        if earlier is None or earlier == len(self.resources[kind]):
            self.resources[kind].append(item)
            self.origins[kind].append([origin])
            return
        origins = self.origins[kind][earlier]
        twice = next((other for other in origins if other.file == origin.file), None)
        if twice is not None:
            self.mistakes.append(f"{origin.at()}: {origin} ({key}) names the same object as {twice}.")
            return
        first = self.resources[kind][earlier]
        other = {name: value for name, value in item.items() if name not in KINDS[kind].named_by}
        conflicts = _conflicts({"state": "present", **first}, {"state": "present", **other})
        self.mistakes += [
            f"{kind} {key}: {'.'.join(option)} is one thing in {_with(origins, option).at(option)} and another in {origin.at(option)}."
            for option in conflicts
        ]
        if not conflicts:
            self.resources[kind][earlier] = put_together(first, other)
            origins.append(origin)


def _conflicts(first: Mapping[str, Any], second: Mapping[str, Any], path: MemberPath = ()) -> list[MemberPath]:
    """The options that have two values."""
    found: list[MemberPath] = []
    for name in first.keys() & second.keys():
        one, two = first[name], second[name]
        if isinstance(one, dict) and isinstance(two, dict):
            found += _conflicts(one, two, (*path, name))
        elif one != two:
            found.append((*path, name))
    return sorted(found)

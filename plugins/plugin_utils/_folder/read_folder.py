# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a folder of files of resources into one, with all mistakes of all files at once. Private to the collection.

Nothing in these files is evaluated: most of it was written by customers, on the panel. The objects in a file that is passed over count as
missing, so nobody may be left to guess that it was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from ansible.parsing.vault import VaultLib

from ...module_utils._kinds.registry import KINDS
from ...module_utils._object.planning import merged
from ...module_utils._task.mistakes import Mistake, told
from .._files.folder_files import FolderError, files_of
from .._files.places import MemberPath, nearest
from .._files.places import Place as PlaceInFile
from .._files.yaml_text import read_yaml
from .export_text import is_from_export
from .plain_secrets import plain_secrets

# An item in a message, and the option that the sentence is about: emails[7] (info@acme.example) max_size: …
_ITEM = re.compile(rf"\b({'|'.join(KINDS)})\[(\d+)\]((?: \([^()]*\))?(?: ([\w.]+(?:\[\d+\][\w.]*)*):)?)")
_STEP = re.compile(r"\w+")
_PlacesInFile = Mapping[MemberPath, PlaceInFile]


@dataclass(frozen=True)
class Place:
    """Where an item is from: a file, relative to the folder, and the place in its list there. places: of everything in the file."""

    file: str
    index: int
    places: _PlacesInFile = field(default_factory=dict, repr=False, compare=False)

    def of(self, kind: str, option: str) -> str:
        """In words where the option of the item is, or the item, where it has no such option in this file."""
        path = (kind, self.index, *(int(step) if step.isdigit() else step for step in _STEP.findall(option)))
        place = nearest(self.places, path, least=2)
        return f"{self.file}: {'' if place is None else f'{place}: '}{kind}[{self.index}]"


@dataclass(frozen=True)
class Folder:
    """resources: the items of all files by kind. places: where each of them is from, in the same order.

    without_objects: the files that gave none, though somebody may believe that they do, with the reason.
    """

    resources: Mapping[str, list[dict[str, Any]]]
    places: Mapping[str, list[Place]]
    without_objects: tuple[str, ...] = ()

    def in_files(self, message: str) -> str:
        """A message about ``emails[7]`` with the file, the line and the column, and the item's place in that file."""

        def named(match: re.Match[str]) -> str:
            places, index = self.places.get(match[1], ()), int(match[2])
            return places[index].of(match[1], match[4] or "") + match[3] if index < len(places) else match[0]

        return _ITEM.sub(named, message)


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
        content, found, in_file = _read_file(path, name, vault)
        mistakes += found
        if content:
            merging.add(name, content, in_file)
        else:
            empty.append(f"{name} (has no list of any kind)")
    mistakes += merging.mistakes
    if mistakes:
        raise FolderError(told(mistakes))
    return Folder(merging.resources, merging.places, tuple(sorted((*empty, *files.passed_over))))


def _read_file(path: Path, name: str, vault: VaultLib) -> tuple[Mapping[str, Any] | None, list[str], _PlacesInFile]:
    """The content of a file, None where it cannot be read, its mistakes, and where everything is in it."""
    read = read_yaml(path, name, vault, _secrets_in_export)
    if read.content is None:
        return None, read.mistakes, {}
    return _checked(read.content, name, read.mistakes), read.mistakes, read.places


def _secrets_in_export(text: str, node: yaml.Node | None) -> list[str]:
    return plain_secrets(node) if is_from_export(text) else []


def _checked(content: Any, name: str, mistakes: list[str]) -> Mapping[str, Any] | None:
    if not isinstance(content, dict):
        mistakes.append(Mistake(name, "must hold a list of objects for each kind, such as emails.", ": "))
        return None
    right: dict[str, Any] = {}
    for kind, items in content.items():
        if kind not in KINDS:
            mistakes.append(Mistake(name, f"there is no kind {kind}; the kinds are {', '.join(KINDS)}.", ": "))
        elif items is None:
            right[kind] = []
        elif not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            mistakes.append(Mistake(name, f"{kind} must be a list of dictionaries.", ": "))
        else:
            right[kind] = items
    return right


class _Merging:
    """Puts the items of several files together, object by object."""

    def __init__(self) -> None:
        self.resources: dict[str, list[dict[str, Any]]] = {}
        self.places: dict[str, list[Place]] = {}
        self.mistakes: list[str] = []
        self._by_key: dict[tuple[str, str], int] = {}

    def add(self, file: str, content: Mapping[str, list[dict[str, Any]]], in_file: _PlacesInFile) -> None:
        for kind, items in content.items():
            merged = self.resources.setdefault(kind, [])
            places = self.places.setdefault(kind, [])
            for index, item in enumerate(items):
                key = KINDS[kind].key_of(item)
                earlier = None if key is None else self._by_key.get((kind, key))
                if key is None or earlier is None:
                    self._by_key[kind, str(key)] = len(merged)
                    merged.append(item)
                    places.append(Place(file, index, in_file))
                elif places[earlier].file == file:
                    self.mistakes.append(
                        f"{file}: {kind}[{index}] ({key}) names the same object as {kind}[{places[earlier].index}]."
                    )
                else:
                    self._combine(kind, key, earlier, item, file)

    def _combine(self, kind: str, key: str, place: int, item: Mapping[str, Any], file: str) -> None:
        first = self.resources[kind][place]
        named = KINDS[kind].named_by
        other = {name: value for name, value in item.items() if name not in named}
        conflicts = _conflicts({"state": "present", **first}, {"state": "present", **other})
        if conflicts:
            self.mistakes.append(
                f"{kind} {key}: {', '.join(conflicts)} is one thing in {self.places[kind][place].file} and another in {file}."
            )
            return
        self.resources[kind][place] = merged(first, other)


def _conflicts(first: Mapping[str, Any], second: Mapping[str, Any], path: str = "") -> list[str]:
    """The options that have two values."""
    found: list[str] = []
    for name in first.keys() & second.keys():
        one, two = first[name], second[name]
        if isinstance(one, dict) and isinstance(two, dict):
            found += _conflicts(one, two, f"{path}{name}.")
        elif one != two:
            found.append(f"{path}{name}")
    return sorted(found)

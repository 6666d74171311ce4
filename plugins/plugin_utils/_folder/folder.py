# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects in the files of a directory, with the places that have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.encrypted_values import EncryptedValues
from ...module_utils._items.desired_items import (
    collect_secrets_of_resources,
    get_item_reader,
    read_items,
)
from ...module_utils._kinds.registry import KINDS
from ...module_utils._problems import ItemName, OptionPath, Problem, Written, format_path
from ...module_utils._secrets.redaction import Secrets, collect_texts
from ...module_utils._values.near_names import find_like_word
from ...module_utils._values.nesting import find_values
from .files import REST, FolderError, WrongFiles, describe_link, is_read, list_paths_in
from .panel_line import ELSEWHERE, FORM, LINE, is_meant_as_line, parse_host_and_port
from .plain_secrets import find_plain_secrets
from .vaulted import collect_encrypted_values, fold_object_name
from .written_texts import read_texts_as_written
from .yaml_file import Place, Vaulted, YamlFile, describe_mistake_in_file, read_yaml

Item = dict[str, Any]


class Origin(NamedTuple):
    """Tells which file has an object, and where in it: ("emails", 7)."""

    file: YamlFile
    path: Place


class PlacedItem(NamedTuple):
    """Holds an object, and every part of the files that has options of it."""

    options: Item
    origins: list[Origin]


@dataclass(frozen=True)
class Folder:
    """Holds all objects in the files of a directory and below it.

    Attributes:
        files: The files that hold something.
        panel: The panel that the files name, as host and port; empty if they name none.
        passed_over: Names of files that hold no objects.
        objects: By kind. One with a key is there once, though several files may have it.
    """

    files: Sequence[YamlFile]
    panel: str
    passed_over: Sequence[str]
    objects: Mapping[str, Sequence[PlacedItem]]

    @cached_property
    def encrypted_values(self) -> EncryptedValues:
        """Return what the files have encrypted."""
        return collect_encrypted_values(self.files)

    def mask(self, value: Any) -> Any:
        """Return texts of messages without what the files have encrypted, and without the secrets
        that they have in plain text, which may be names too.
        """
        return self._secrets.mask_value(self.encrypted_values.mask(value))

    @cached_property
    def _secrets(self) -> Secrets:
        secrets: list[str] = []
        for file in self.files:
            for secret in find_plain_secrets(file):
                secrets += collect_texts(secret.value)
        # As they are written, if that is another text than YAML has read.
        secrets += collect_secrets_of_resources(self.resources)
        return Secrets(secrets)

    @property
    def resources(self) -> dict[str, list[Item]]:
        """Return the objects as the option of panel_resources."""
        resources = {}
        for kind, objects in self.objects.items():
            resources[kind] = [placed.options for placed in objects]
        return resources

    def locate(self, item: ItemName, path: OptionPath) -> ItemName:
        """Return the name of an item with the file and line of it, or of one of its options."""
        options, origins = self.objects[item.plural][item.index]
        key = KINDS[item.plural].format_key(options) or ""
        return replace(item, key=key, place=_locate_option(origins, path))

    def is_unread(self, problem: Problem) -> bool:
        """Return whether a problem is about a value that this run could not decrypt.

        Nothing is known of such a value, which is empty only here. The name of its option is known.
        """
        item = problem.item
        if item is None or not problem.path:
            return False
        option = str(problem.path[0])
        value = self.objects[item.plural][item.index].options.get(option)
        is_option = option in get_item_reader(item.plural).spec
        return is_option and any(
            not vaulted.is_decrypted for _path, vaulted in find_values(value, Vaulted)
        )

    def locate_objects(self) -> dict[tuple[str, str], str]:
        """Return the file and line of each object, by its kind and key."""
        places = {}
        for kind, objects in self.objects.items():
            for placed in objects:
                places[fold_object_name(kind, placed.options)] = _locate_option(placed.origins)
        return places


def read_folder(directory: Path, vault: VaultLib, credentials_file: str | None = None) -> Folder:
    """Read the files of a directory and below it.

    Args:
        directory: Has the files.
        vault: Decrypts what they have encrypted.
        credentials_file: Is passed over, as is its lock file; may hold ``{client}``.

    Raises:
        WrongFiles: There are mistakes in them.
        FolderError: There are no files.
    """
    paths = list(list_paths_in(directory, credentials_file))
    if not any(map(is_read, paths)):
        cause = f"{directory}: no file with the ending .yml or .yaml."
        raise FolderError(cause, written=Written.NOTHING)

    reading = _FolderReading()
    for path in paths:
        reading.read(path, path.relative_to(directory).as_posix(), vault)
    folder = reading.make_folder()
    if reading.mistakes:
        raise _make_mistakes_error(folder, reading.mistakes)
    return folder


def _make_mistakes_error(folder: Folder, mistakes: Iterable[Problem]) -> WrongFiles:
    """Return the error with these mistakes, and with those in the options of the objects."""
    mistakes_of_items = read_items(folder.resources).mistakes
    of_options = [
        problem.with_places(folder.locate)
        for problem in mistakes_of_items
        if not folder.is_unread(problem)
    ]
    all_problems = [*mistakes, *of_options]
    return WrongFiles([problem.with_texts(folder.mask) for problem in all_problems])


class _FolderReading:
    """Collects what the files of a directory hold, file by file.

    Attributes:
        mistakes: Everything that is wrong, each with its file and line.
    """

    def __init__(self) -> None:
        self.mistakes: list[Problem] = []
        self._files: list[YamlFile] = []
        self._panel = ""
        self._passed_over: list[str] = []
        # By kind and key, or by number where there is no key. An object may be in several files.
        self._objects: dict[str, dict[str, PlacedItem]] = {}

    def make_folder(self) -> Folder:
        """Return what was read."""
        objects = {kind: tuple(placed.values()) for kind, placed in self._objects.items()}
        return Folder(tuple(self._files), self._panel, tuple(self._passed_over), objects)

    def read(self, path: Path, name: str, vault: VaultLib) -> None:
        """Read a file, if it may hold objects. name: what messages call it."""
        if problem := describe_link(path):
            self.mistakes.append(describe_mistake_in_file(name, problem))
            return
        if not is_read(path):
            self._passed_over.append(name)
            return

        file = read_yaml(path, name, vault)
        self.mistakes += file.mistakes
        if not file.is_empty:
            self._files.append(file)
            self._read_content(file)
        elif not file.mistakes:
            self._passed_over.append(f"{name} (no objects)")

    def _read_content(self, file: YamlFile) -> None:
        """Read the line of the panel and the lists of objects of a file."""
        if not isinstance(file.content, dict):
            self._add_mistake(
                file, (), "the file must hold a list of objects for each type, such as emails."
            )
            return
        for kind, items in file.content.items():
            if is_meant_as_line(kind):
                self._read_line(file, kind, items)
            elif problem := _find_problem_of_list(kind, items):
                self._add_mistake(file, (kind,), problem)
            elif items is not None:
                self._read_items(file, kind, items)

    def _read_line(self, file: YamlFile, name: str, value: Any) -> None:
        """Read the line that says whose the files are. name: as the file has it."""
        if file.name != REST:
            self._add_mistake(file, (name,), ELSEWHERE)
            return
        if name != LINE:
            line = f"the line that says whose files these are is {LINE}: HOST."
            sentence = f"there is no type {name}; {line}"
            self._add_mistake(file, (name,), sentence)
            return
        try:
            self._panel = parse_host_and_port(value)
        except ValueError:
            self._add_mistake(file, (LINE,), FORM)

    def _read_items(self, file: YamlFile, plural: str, items: Iterable[Item]) -> None:
        """Add the objects of a list of a file."""
        self._objects.setdefault(plural, {})
        for index, item in enumerate(items):
            origin = Origin(file, (plural, index))
            options, mistakes = read_texts_as_written(file, plural, item, origin.path)
            title = f"{plural} {KINDS[plural].format_key(options) or ''}".rstrip()
            for path, sentence in mistakes:
                self._add_mistake(
                    file, (*origin.path, *path), f"{title} {format_path(path)}: {sentence}"
                )
            self._add(plural, options, origin)

    def _add(self, plural: str, options: Item, origin: Origin) -> None:
        """Add an object, or the options of one that another file has too."""
        objects = self._objects[plural]
        key = KINDS[plural].format_key(options) or f"#{len(objects)}"
        if key not in objects:
            objects[key] = PlacedItem(options, [origin])
            return

        existing = objects[key]
        duplicate = _find_origin(origin.file, existing.origins)
        if duplicate:
            sentence = f"{plural} {key} is there twice, first in {_locate_option([duplicate])}."
            self._add_mistake(origin.file, origin.path, sentence)
            return

        addition = {
            name: value for name, value in options.items() if name not in KINDS[plural].key_options
        }
        conflicts: list[Place] = []
        merged = _merge(
            {"state": "present", **existing.options}, {"state": "present", **addition}, conflicts
        )
        for path in conflicts:
            file_and_line = _locate_option(existing.origins, path)
            option = format_path(path)
            sentence = (
                f"{plural} {key} has another {option} in {file_and_line}. Remove one of them."
            )
            self._add_mistake(origin.file, (*origin.path, *path), sentence)
        objects[key] = PlacedItem(merged, [*existing.origins, origin])

    def _add_mistake(self, file: YamlFile, path: Place, sentence: str) -> None:
        self.mistakes.append(describe_mistake_in_file(file.locate(path), sentence))


def _find_problem_of_list(kind: Any, items: Any) -> str:
    """Return what is wrong with a list of objects as a whole; empty if nothing is."""
    if kind not in KINDS:
        like_kind = find_like_word(str(kind), list(KINDS))
        advice = f"did you mean {like_kind}?" if like_kind else f"the types are {', '.join(KINDS)}."
        return f"there is no type {kind}; {advice}"
    if items is None:
        return ""  # not given, so that it is no list for a purge
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return f"{kind} must be a list of dictionaries."
    return ""


def _find_origin(file: YamlFile, origins: Iterable[Origin]) -> Origin | None:
    for origin in origins:
        if origin.file is file:
            return origin
    return None


def _locate_option(origins: Sequence[Origin], option: Place = ()) -> str:
    """Return the place in the first file that has the option, else in the first with the object."""
    nearest = origins[0]
    for origin in origins:
        if origin.file.has((*origin.path, *option)):
            nearest = origin
            break
    return nearest.file.locate((*nearest.path, *option))


def _merge(options: Item, addition: Item, conflicts: list[Place], path: Place = ()) -> Item:
    """Return the options of an object with those that another file adds.

    Args:
        options: Of the object so far.
        addition: What another file has of it.
        conflicts: Gets the paths of options that have two values.
        path: Where in the object these options are.
    """
    merged = dict(options)
    for name, value in addition.items():
        if isinstance(value, dict) and isinstance(merged.get(name), dict):
            merged[name] = _merge(merged[name], value, conflicts, (*path, name))
        elif name not in merged:
            merged[name] = value
        elif merged[name] != value:
            conflicts.append((*path, name))
    return merged

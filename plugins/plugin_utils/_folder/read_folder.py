# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a folder of files of resources into one, with all mistakes of all files at once. Private to the collection.

Nothing in these files is evaluated: most of it was written by customers, on the panel. The objects in a file that is passed over count as
missing, so nobody may be left to guess that it was.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from ansible.errors import AnsibleError
from ansible.parsing.vault import AnsibleVaultFormatError, VaultLib

from ...module_utils._kinds.registry import KINDS
from ...module_utils._object.planning import merged
from ...module_utils._task.mistakes import Mistake, told
from .._jobs.controller_files import is_unfinished, read_regular, reason_of
from .._jobs.encrypted_file import VAULT_HEADER
from .._jobs.plan_words import in_places
from .export_text import FolderError, is_from_export
from .plain_secrets import VAULT_TAGS, line_of, plain_secrets

_TEMPLATE = re.compile(r"\{\{|\{%")
_SECOND_DOCUMENT = "holds more than one YAML document, and a file holds one. Make one list of the objects of each kind, or a file of each document."
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SUFFIXES = (".yml", ".yaml")


@dataclass(frozen=True)
class Place:
    """Where an item is from: a file, relative to the folder, and the place in its list there."""

    file: str
    index: int


@dataclass(frozen=True)
class Folder:
    """resources: the items of all files by kind. places: where each of them is from, in the same order.

    without_objects: the files that gave none, though somebody may believe that they do, with the reason.
    """

    resources: Mapping[str, list[dict[str, Any]]]
    places: Mapping[str, list[Place]]
    without_objects: tuple[str, ...] = ()

    def in_files(self, message: str) -> str:
        """A message about ``emails[7]`` in the words of the file that it is in."""
        named = {
            kind: [f"{place.file}: {kind}[{place.index}]" for place in places] for kind, places in self.places.items()
        }
        return in_places(message, named)


def read_folder(folder: Path, vault: VaultLib, without: Path | None = None) -> Folder:
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
        content, found = _read_file(path, name, vault)
        mistakes += found
        if content:
            merging.add(name, content)
        else:
            empty.append(f"{name} (has no list of any kind)")
    mistakes += merging.mistakes
    if mistakes:
        raise FolderError(told(mistakes))
    return Folder(merging.resources, merging.places, tuple(sorted((*empty, *files.passed_over))))


def _read_file(path: Path, name: str, vault: VaultLib) -> tuple[Mapping[str, Any] | None, list[str]]:
    """The content of a file, None where it cannot be read, and its mistakes."""
    try:
        text = read_regular(path)
        is_encrypted = text.startswith(VAULT_HEADER)
        if is_encrypted:
            text = _decrypted(vault, text)
        loader = _Loader(text.decode("utf-8"))
    except OSError as error:
        return None, [Mistake(name, f"{reason_of(error)}.", ": ")]
    except UnicodeDecodeError:
        return None, [Mistake(name, "the file is not in UTF-8.", ": ")]
    except _NotDecrypted as error:
        return None, [Mistake(name, str(error), ": ")]
    except yaml.YAMLError as error:
        return None, [Mistake(name, _reason(error), ": ")]
    loader.vault = vault
    try:
        node = loader.get_node() if loader.check_node() else None
        if loader.check_node():
            return None, [Mistake(name, _SECOND_DOCUMENT, ": ")]
        if not is_encrypted and is_from_export(text.decode("utf-8")):
            loader.mistakes += plain_secrets(node)
        content = None if node is None else loader.construct_document(node)
    except _NotDecrypted as error:
        return None, [Mistake(name, str(error), ": ")]
    except yaml.YAMLError as error:
        return None, [Mistake(name, _reason(error), ": ")]
    except (ValueError, LookupError):
        # What PyYAML raises for !!int and its like names the value.
        return None, [Mistake(name, "holds a value that is not what its tag says.", ": ")]
    finally:
        loader.dispose()
    mistakes: list[str] = [Mistake(name, mistake, ": ") for mistake in loader.mistakes]
    if content is None:
        return None, mistakes
    return _checked(content, name, mistakes), mistakes


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

    def add(self, file: str, content: Mapping[str, list[dict[str, Any]]]) -> None:
        for kind, items in content.items():
            merged = self.resources.setdefault(kind, [])
            places = self.places.setdefault(kind, [])
            for index, item in enumerate(items):
                key = KINDS[kind].key_of(item)
                earlier = None if key is None else self._by_key.get((kind, key))
                if key is None or earlier is None:
                    self._by_key[kind, str(key)] = len(merged)
                    merged.append(item)
                    places.append(Place(file, index))
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


@dataclass(frozen=True)
class Files:
    """read: in the order of their names. passed_over: those that nobody would expect to be, with the reason, relative to the folder."""

    read: list[Path]
    passed_over: list[str]


def files_of(folder: Path, without: Path | None) -> Files:
    """The files of the folder and the folders in it, but for ``without``; raises FolderError where one can be neither read nor passed over."""
    if not folder.is_dir():
        raise FolderError(f"{folder}: there is no such folder. Nothing was written.")
    passwords = None if without is None else os.path.realpath(without)
    paths = sorted(path for path in _paths(folder) if os.path.realpath(path) != passwords)
    visible = [path for path in paths if not _is_hidden(path, folder)]
    _refuse_links(folder, visible)
    read = [path for path in visible if _is_named_right(path)]
    if not read:
        raise FolderError(f"{folder}: there is no file whose name ends with .yml. Nothing was written.")
    known = {os.path.realpath(path) for path in read}
    others = (path for path in paths if os.path.realpath(path) not in known and not _is_in_place(path, folder))
    return Files(read, [f"{path.relative_to(folder).as_posix()} ({_why_passed_over(path, folder)})" for path in others])


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
    return path.suffix.lower() in _SUFFIXES


def _why_passed_over(path: Path, folder: Path) -> str:
    return "is hidden" if _is_hidden(path, folder) else "does not end with .yml or .yaml"


def _refuse_links(folder: Path, paths: Iterable[Path]) -> None:
    """A link may lead to another file of the folder. Objects behind any other would be missing here, or taken from where nobody looks."""
    whole = Path(os.path.realpath(folder))
    for path in (path for path in paths if path.is_symlink()):
        target = Path(os.path.realpath(path))
        if target.is_dir() or (_is_named_right(path) and not (target.is_file() and whole in target.parents)):
            raise FolderError(
                f"{path}: this is a link that leads {'to a folder' if target.is_dir() else 'out of the folder'}, and no such link is "
                "followed. Put what it leads to in its place. Nothing was written."
            )


# YAML


class _NotDecrypted(Exception):
    """A secret could not be decrypted; the text says why and holds nothing of it."""


def _decrypted(vault: VaultLib, text: bytes) -> bytes:
    if not vault.secrets:
        raise _NotDecrypted(
            "holds secrets that are encrypted with Ansible Vault, and this run has no Vault secret. Start ansible-playbook with "
            "--vault-password-file, --vault-id or --ask-vault-pass, or set ANSIBLE_VAULT_PASSWORD_FILE."
        )
    try:
        plain: bytes = vault.decrypt(text)
    except AnsibleVaultFormatError:
        raise _NotDecrypted("is damaged, and no secret decrypts it.") from None
    except AnsibleError:
        raise _NotDecrypted("none of this run's Vault secrets decrypts it.") from None
    return plain


def _reason(error: yaml.YAMLError) -> str:
    """What is wrong and where, without the text around it, which may be secret."""
    where = line_of(error)
    if isinstance(error, yaml.constructor.ConstructorError):
        return f"{where}there is no such tag in these files; put a text that begins with ! in quotes."
    if isinstance(error, yaml.composer.ComposerError):
        return f"{where}there is no such alias, or it is there twice; put a text that begins with * or & in quotes."
    # Single signs are what is missing or too much; longer texts are of the file.
    problem = re.sub(r"'(?!<)[^']{3,}'?.*", "…", getattr(error, "problem", None) or "is no YAML")
    return f"{where}{problem}."


class _Loader(_Base):
    """YAML as Ansible reads it, but that nothing is evaluated and that a key which is there twice is a mistake."""

    vault: VaultLib

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.mistakes: list[str] = []

    def text(self, node: yaml.ScalarNode) -> str:
        value: str = self.construct_scalar(node)
        if _TEMPLATE.search(value):
            self.mistakes.append(
                f"line {node.start_mark.line + 1}: templates are not evaluated in these files. Write the value itself; encrypt a secret with "
                "ansible-vault encrypt_string, and mark a text that is meant as it stands with !unsafe."
            )
        return value

    def plain_text(self, node: yaml.ScalarNode) -> str:
        value: str = self.construct_scalar(node)
        return value

    def secret(self, node: yaml.ScalarNode) -> str:
        try:
            return _decrypted(self.vault, self.construct_scalar(node).encode()).decode("utf-8")
        except (_NotDecrypted, UnicodeDecodeError) as error:
            raise _NotDecrypted(f"line {node.start_mark.line + 1}: {error}") from None

    def mapping(self, node: yaml.MappingNode) -> Any:
        result: dict[Any, Any] = {}
        yield result
        seen: set[str] = set()
        for key_node, _value_node in node.value:
            if key_node.value in seen:
                self.mistakes.append(f"line {key_node.start_mark.line + 1}: {key_node.value} is there twice.")
            seen.add(str(key_node.value))
        result.update(self.construct_mapping(node))


def _register(tag: str, construct: Callable[[Any, Any], Any]) -> None:
    _Loader.add_constructor(tag, construct)


_register("tag:yaml.org,2002:str", _Loader.text)
_register("tag:yaml.org,2002:map", _Loader.mapping)
# A date is an option's text like any other.
_register("tag:yaml.org,2002:timestamp", _Loader.plain_text)
_register("!unsafe", _Loader.plain_text)
for _tag in VAULT_TAGS:
    _register(_tag, _Loader.secret)

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An export writes no value in plain text that the directory has encrypted. Private to the collection.

A field that the export's own file has encrypted keeps its text; one that another file has encrypted is left out. A text that equals an
encrypted one is written as that; a text that only contains one refuses the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ...module_utils._kinds.registry import DNS
from ...module_utils._schema.difference import put, value_at
from ...module_utils._secrets.redaction import LENGTH_OF_A_WORD
from .._run.controller_files import VAULT_HEADER, read_regular
from .encrypted_values import (
    NAMES,
    SHORTEST,
    EncryptedValues,
    ObjectName,
    OptionPath,
    encrypted_options,
    object_name,
    option_path,
)
from .export_text import Ciphertext, looks_like_template
from .folder import FolderError, files_in
from .yaml_file import YamlFile, read_yaml

Item = dict[str, Any]


class KeptFields:
    """What the files of a directory have encrypted. differing: places of fields that the panel has otherwise."""

    def __init__(self, directory: Path, own: frozenset[Path], vault: VaultLib) -> None:
        """own: the files that the export writes. Raises FolderError where a file cannot be read."""
        self.differing: list[str] = []
        # By file and object: where in the file, the value with Ciphertexts, and in plain text.
        self._own: dict[tuple[Path, ObjectName], dict[OptionPath, tuple[str, Any, Any]]] = {}
        self._texts: dict[str, tuple[str, str]] = {}  # plain text -> place, ciphertext
        files, others = [], []
        for path in files_in(directory) if directory.is_dir() else ():
            if not _may_hold_secrets(path):
                continue
            file = read_yaml(path, path.relative_to(directory).as_posix(), vault, must_decrypt=False)
            if file.mistakes:
                raise FolderError(f"{file.mistakes[0]} What this file keeps encrypted is unknown. No file was written.")
            files.append(file)
            if path in own:
                self._keep(file, path)
            else:
                others.append(file)
            for where, secret in file.secrets.items():
                if secret.text is not None and len(secret.text.strip()) >= SHORTEST:
                    self._texts.setdefault(secret.text.strip(), (file.place(where), secret.ciphertext))
        self.values = EncryptedValues(files)
        self._elsewhere = EncryptedValues(others).places

    def _keep(self, file: YamlFile, path: Path) -> None:
        for option in encrypted_options(file):
            kind, index = option.where[:2]
            item = file.content[kind][index]
            place = f"{file.place(option.where)}: {' '.join(option.object)} {'.'.join(option.path)}"
            kept = value_at(_by_record_set(kind, _with_ciphertexts(item, file, (kind, index))), option.path)
            if option.path[0] not in NAMES[kind]:
                fields = self._own.setdefault((path, option.object), {})
                fields[option.path] = (place, kept, value_at(item, option.path))

    def applied(self, path: Path, kind: str, item: Item) -> Item:
        """An item of a file of the export as it is written."""
        name = object_name(kind, item)
        left_out = {option[0] for option in self._elsewhere.get(name, ())} - NAMES[kind]
        item = {option: value for option, value in item.items() if option not in left_out}
        if fields := self._own.get((path, name)):
            item = _by_record_set(kind, item)
            for option, (place, kept, plain) in fields.items():
                shown = value_at(item, option)
                # A text that cannot be decrypted, or that the panel does not show, is not compared.
                if isinstance(shown, str) and isinstance(plain, str) and shown.strip() != plain.strip():
                    self.differing.append(place)
                put(item, option, kept)
            item = _in_a_list(kind, item)
        return {
            option: value if option in NAMES[kind] else self._written(value, f"{path}: {kind} {name[1]}: {option}")
            for option, value in item.items()
        }

    def _written(self, value: Any, place: str) -> Any:
        if isinstance(value, Mapping):
            return {name: self._written(inner, f"{place}.{name}") for name, inner in value.items()}
        if isinstance(value, list):
            return [self._written(inner, place) for inner in value]
        if not isinstance(value, str) or isinstance(value, Ciphertext):
            return value
        if value.strip() in self._texts and not looks_like_template(value):
            return Ciphertext(self._texts[value.strip()][1])
        for text, (encrypted_at, _ciphertext) in self._texts.items():
            if len(text) >= LENGTH_OF_A_WORD and text in value:
                raise FolderError(
                    f"{place} contains the value that {encrypted_at} has encrypted. No file was written. Encrypt it in this file too, or "
                    "change it on the panel."
                )
        return value


def _may_hold_secrets(path: Path) -> bool:
    """Few files do."""
    try:
        data = read_regular(path)
    except OSError:
        return True  # what is wrong with it shows when it is read
    return data.startswith(VAULT_HEADER) or b"!vault" in data


def _with_ciphertexts(value: Any, file: YamlFile, where: tuple[Any, ...]) -> Any:
    if where in file.secrets:
        return Ciphertext(file.secrets[where].ciphertext)
    if isinstance(value, dict):
        return {name: _with_ciphertexts(inner, file, (*where, name)) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_ciphertexts(inner, file, (*where, number)) for number, inner in enumerate(value)]
    return value


def _by_record_set(kind: str, item: Item) -> Item:
    """An item of its own; the records of a zone by host and type, as paths of options name them."""
    made = {name: dict(value) if isinstance(value, Mapping) else value for name, value in item.items()}
    if kind == DNS and isinstance(item.get("records"), list):
        made["records"] = {}
        for number, record in enumerate(item["records"]):
            path = option_path(item, ("records", number))
            put(made, path, [*(value_at(made, path) or ()), record])
    return made


def _in_a_list(kind: str, item: Item) -> Item:
    if kind != DNS or not isinstance(item.get("records"), Mapping):
        return item
    sets = [found for by_type in item["records"].values() for found in by_type.values()]
    return {**item, "records": [record for found in sets for record in found]}

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An export writes no value in plain text that the directory has encrypted. Private to the collection.

A field that the export's own file has encrypted keeps its text; one that another file has encrypted is left out. A text that equals an
encrypted one is written as that; a text that only contains one refuses the file.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ansible.parsing.vault import VaultLib

from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.difference import value_at
from ...module_utils._secrets.redaction import LENGTH_OF_A_WORD
from ...module_utils._values.value_types import ValueType
from .encrypted_values import NAMES, SHORTEST, ObjectName, OptionPath, object_name, option_path
from .export_text import Ciphertext, looks_like_template
from .folder import FolderError, files_in
from .yaml_file import YamlFile, may_hold_secrets, read_yaml

Item = dict[str, Any]


class Field(NamedTuple):
    """A field that a file has encrypted. place: of a person. value: as in the file, with Ciphertexts. plain: None if it cannot be decrypted."""

    place: str
    value: Any
    plain: Any


class KeptFields:
    """What the files of a directory have encrypted. files: for the masks of a result. differing: places of fields that the panel has otherwise."""

    def __init__(self, directory: Path, own: frozenset[Path], vault: VaultLib) -> None:
        """own: the files that the export writes. Raises FolderError where a file cannot be read."""
        self.files: list[YamlFile] = []
        self.differing: list[str] = []
        self._own: dict[tuple[Path, ObjectName], dict[OptionPath, Field]] = {}
        self._elsewhere: dict[ObjectName, set[str]] = {}
        self._texts: dict[str, tuple[str, str]] = {}  # plain text -> place, ciphertext
        for path in files_in(directory) if directory.is_dir() else ():
            if may_hold_secrets(path):
                self._add(read_yaml(path, path.relative_to(directory).as_posix(), vault, must_decrypt=False), path, own)

    def _add(self, file: YamlFile, path: Path, own: frozenset[Path]) -> None:
        if file.mistakes:
            raise FolderError(f"{file.mistakes[0]} What this file keeps encrypted is unknown. No file was written.")
        objects = list(_objects(file.content))
        if not objects:
            return
        self.files.append(file)
        for position, item in objects:
            kind = position[0]
            name = object_name(kind, item)
            if file.is_encrypted:
                self._elsewhere.setdefault(name, set()).update(set(item) - NAMES[kind] - {"state"})
        for where, secret in file.secrets.items():
            if secret.text is not None and len(secret.text.strip()) >= SHORTEST:
                self._texts.setdefault(secret.text.strip(), (file.place(where), secret.ciphertext))
            if len(where) < 3 or where[0] not in KINDS:
                continue
            kind, index, *option = where
            item = file.content[kind][index]
            name, field = object_name(kind, item), option_path(kind, item, option)
            if path not in own:
                self._elsewhere.setdefault(name, set()).add(field[0])
            elif len(option) > 1 or option[0] not in KINDS[kind].named_by:
                self._own.setdefault((path, name), {})[field] = _field(file, where, field)

    def applied(self, path: Path, kind: str, item: Item) -> Item:
        """An item of a file of the export as it is written."""
        name = object_name(kind, item)
        left_out = self._elsewhere.get(name, set()) - NAMES[kind]
        item = {option: value for option, value in item.items() if option not in left_out}
        for field, kept in self._own.get((path, name), {}).items():
            if kept.plain is not None and not _is_same(kind, field, kept.plain, _value(item, field)):
                self.differing.append(kept.place)
            item = _with(item, field, kept.value)
        return self._without_texts(item, kind, path, name[1]) if self._texts else item

    def _without_texts(self, item: Item, kind: str, path: Path, key: str) -> Item:
        def written(value: Any, option: str) -> Any:
            if isinstance(value, Mapping):
                return {one: written(inner, f"{option}.{one}") for one, inner in value.items()}
            if isinstance(value, list):
                return [written(inner, option) for inner in value]
            if not isinstance(value, str) or isinstance(value, Ciphertext):
                return value
            if value.strip() in self._texts and not looks_like_template(value):
                return Ciphertext(self._texts[value.strip()][1])
            for text, (place, _ciphertext) in self._texts.items():
                if len(text) >= LENGTH_OF_A_WORD and text in value:
                    raise FolderError(
                        f"{path}: {kind} {key}: {option} contains the value that {place} has encrypted. No file was written. Encrypt {option} in "
                        "this file too, or change it on the panel."
                    )
            return value

        return {option: value if option in NAMES[kind] else written(value, option) for option, value in item.items()}


def _objects(content: Any) -> Iterator[tuple[tuple[str, int], Item]]:
    for kind, items in content.items() if isinstance(content, Mapping) else ():
        if kind in KINDS and isinstance(items, list):
            yield from (((kind, index), item) for index, item in enumerate(items) if isinstance(item, dict))


def _field(file: YamlFile, where: tuple[Any, ...], field: OptionPath) -> Field:
    kind, index = where[:2]
    item = _with_ciphertexts(file.content[kind][index], file, where[:2])
    return Field(
        f"{file.place(where)}: {kind} {object_name(kind, item)[1]} {'.'.join(field)}",
        _value(item, field),
        None if file.secrets[where].text is None else _value(file.content[kind][index], field),
    )


def _with_ciphertexts(value: Any, file: YamlFile, where: tuple[Any, ...]) -> Any:
    if where in file.secrets:
        return Ciphertext(file.secrets[where].ciphertext)
    if isinstance(value, dict):
        return {name: _with_ciphertexts(inner, file, (*where, name)) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_ciphertexts(inner, file, (*where, number)) for number, inner in enumerate(value)]
    return value


def _set_of(item: Mapping[str, Any], field: OptionPath) -> list[int]:
    """Which records of a zone are of a record set."""
    records = item.get("records")
    numbers = range(len(records)) if isinstance(records, list) else ()
    return [number for number in numbers if option_path(DNS, item, ["records", number]) == field]


def _is_record_set(field: OptionPath) -> bool:
    return field[0] == "records" and len(field) == 3


def _value(item: Mapping[str, Any], field: OptionPath) -> Any:
    """What the item has there; of a record set all its records."""
    if _is_record_set(field):
        return [item["records"][number] for number in _set_of(item, field)]
    return value_at(item, field)


def _with(item: Item, field: OptionPath, value: Any) -> Item:
    if _is_record_set(field):
        numbers = _set_of(item, field)
        records = list(item.get("records") or ())
        start = numbers[0] if numbers else len(records)
        before, after = (
            [records[number] for number in some if number not in numbers]
            for some in (range(start), range(start, len(records)))
        )
        return {**item, "records": [*before, *value, *after]}
    name, *rest = field
    inner = item.get(name)
    return {**item, name: _with(inner if isinstance(inner, dict) else {}, tuple(rest), value) if rest else value}


@functools.cache
def _types(kind: str) -> Mapping[OptionPath, ValueType]:
    table = KINDS[kind]
    fields = [*table.leaves(), *(((row.option,), row) for row in table.key)]
    return {(*path[:-1], row.option): row.type for path, row in fields}


def _is_same(kind: str, field: OptionPath, one: Any, other: Any) -> bool:
    """Whether both ask for the same, in whichever spelling. A secret that the panel does not show is not compared."""
    value_type = _types(kind).get(field)
    if one == other or (other is None and value_type is None) or field[-1] == "private_key":
        return True
    if value_type is None:
        return str(one) == str(other)
    try:
        return bool(value_type.same(value_type.parse(one), value_type.parse(other)))
    except (ValueError, TypeError, ArithmeticError):
        return False

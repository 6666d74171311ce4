# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person has encrypted in the files of a directory, which an export keeps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.encrypted_values import EncryptedValues, FoldedName, OptionPath
from ...module_utils._kinds.registry import DNS
from ...module_utils._problems import ProblemForm, Written
from ...module_utils._schema.field_paths import get_value, set_value
from ...module_utils._values.nesting import find_values
from .._run.controller_files import VAULT_HEADER, explain_error, read_regular
from .export_text import Item, Items
from .files import FolderError, make_error_before_writing
from .merged_options import Merged, merge_option, merge_records
from .vaulted import (
    NAMES,
    collect_encrypted_values,
    fold_object_name,
    list_encrypted_options,
    list_places_without_item,
    make_option_path,
)
from .yaml_file import Vaulted, YamlFile, read_yaml


class _KeptOption(NamedTuple):
    """An option of which a file of the export has encrypted all or a part.

    Attributes:
        path: Its path as plans have it.
        file_name: The file.
        item: The object that has it, as the file has it.
        places: Where the encrypted values are, for a person.
    """

    path: OptionPath
    file_name: str
    item: Item
    places: Sequence[str]


@dataclass(frozen=True)
class KeptValues:
    """Holds the text of what the export's own files have encrypted.

    Attributes:
        values: All encrypted values of the directory.
        options: By object, which another file may hold by now, what is encrypted of it.
        places_elsewhere: By object the paths of what other files than the export's have encrypted.
    """

    values: EncryptedValues
    options: Mapping[FoldedName, Sequence[_KeptOption]]
    places_elsewhere: Mapping[FoldedName, Iterable[OptionPath]]


class MergedItems(NamedTuple):
    """Holds the items of the export as they are written.

    Attributes:
        encrypted: All encrypted values of the directory, which the result does not show.
        items_by_file: By name of a file, and by kind, the items in it.
        differing: Places of encrypted values in fields that stay, though the panel has other
            values.
        places_without_object: Places of encrypted fields whose objects are in no file any more.
    """

    encrypted: EncryptedValues
    items_by_file: dict[str, dict[str, list[Item]]]
    differing: list[str]
    places_without_object: list[str]


def read_kept_values(
    directory: Path, own_paths: Collection[Path], paths: Iterable[Path], vault: VaultLib
) -> KeptValues:
    """Read what is encrypted in the files of a directory.

    Args:
        directory: Has the files.
        own_paths: Those of the export.
        paths: All files in it.
        vault: Decrypts their values.

    Raises:
        FolderError: An encrypted file cannot be read, or has encrypted what is no item.
    """
    options: dict[FoldedName, list[_KeptOption]] = {}
    files = []
    other_files = []
    for path in paths:
        file = _read_encrypted_file(directory, path, vault)
        if file is None:
            continue
        files.append(file)
        if path not in own_paths:
            other_files.append(file)
            continue
        _refuse_values_without_item(file)
        for name, option in _list_options(file):
            options.setdefault(name, []).append(option)

    return KeptValues(
        collect_encrypted_values(files), options, collect_encrypted_values(other_files).places
    )


def _refuse_values_without_item(file: YamlFile) -> None:
    """Refuse a file of which the export would lose an encrypted value.

    Raises:
        FolderError: It has such a value.
    """
    places = list_places_without_item(file)
    if places:
        raise FolderError(
            "encrypted, and in no list of a kind.",
            subject=file.locate(places[0]),
            written=Written.NO_FILE,
            advice="Correct the names above it, or remove it.",
            form=ProblemForm.MISMATCH,
        )


def _list_options(file: YamlFile) -> list[tuple[FoldedName, _KeptOption]]:
    """Return the options of which a file has encrypted all or a part, with names of objects."""
    options = {}
    places: dict[tuple[Any, ...], list[str]] = {}
    for encrypted in list_encrypted_options(file):
        kind, index, *_path = encrypted.where
        where = (kind, index, encrypted.path)
        title = f"{' '.join(encrypted.object)} {'.'.join(encrypted.path)}"
        places_of_option = places.setdefault(where, [])
        places_of_option.append(f"{file.locate(encrypted.where)}: {title}")
        if where not in options:
            item = file.content[kind][index]
            kept_option = _KeptOption(encrypted.path, file.name, item, places_of_option)
            options[where] = (encrypted.object, kept_option)
    return list(options.values())


def merge_kept_values(
    items_by_file: Mapping[str, Items], kept: KeptValues, left_out: Collection[FoldedName] = ()
) -> MergedItems:
    """Return what the export writes, with the text of what its files have encrypted.

    What another file of the directory has encrypted is left out.

    Args:
        items_by_file: By name of a file, and by kind, the items as the panel has them.
        kept: What the files have encrypted.
        left_out: Objects that the panel has and the items lack, such as a task whose command has a
            password. They stay as their file has them.
    """
    # An encrypted text is written once: into the first object of the name.
    remaining = dict(kept.options)
    differing: list[str] = []
    merged_files: dict[str, dict[str, list[Item]]] = {name: {} for name in items_by_file}
    for file_name, kind, item in _list_items(items_by_file):
        name = fold_object_name(kind, item)
        fields = _without_options_elsewhere(kind, item, kept.places_elsewhere.get(name, ()))
        merged, outdated = _merge_item(kind, fields, remaining.pop(name, ()))
        merged_files[file_name].setdefault(kind, []).append(merged)
        differing += outdated

    places: list[str] = []
    for name, options in remaining.items():
        kind, _key = name
        file_name = options[0].file_name
        # In a file that is encrypted as a whole, the item would become plain text.
        is_kept = name in left_out and any(find_values(options[0].item, Vaulted))
        if is_kept and file_name in merged_files:
            merged_files[file_name].setdefault(kind, []).append(options[0].item)
            continue
        for option in options:
            places += option.places
    return MergedItems(kept.values, merged_files, differing, places)


def _list_items(items_by_file: Mapping[str, Items]) -> Iterator[tuple[str, str, Item]]:
    """Yield all items, each with the name of its file and its kind."""
    for file_name, items_by_kind in items_by_file.items():
        for kind, items in items_by_kind.items():
            for item in items:
                yield file_name, kind, item


def _without_options_elsewhere(plural: str, item: Item, paths: Iterable[OptionPath]) -> Item:
    """Return an object without the options that another file has. paths: lead to these."""
    left_out = {path[0] for path in paths} - NAMES[plural]
    return {option: value for option, value in item.items() if option not in left_out}


def _merge_item(plural: str, item: Item, options: Iterable[_KeptOption]) -> tuple[Item, list[str]]:
    """Return an object with what its file has encrypted, and the places of outdated values."""
    merged_item = _group_records(plural, item)
    outdated: list[str] = []
    for path, _file_name, file_item, places in options:
        merged = _merge_into(merged_item, plural, path, file_item)
        set_value(merged_item, path, merged.value)
        if merged.is_outdated:
            outdated += places

    if isinstance(merged_item.get("records"), dict):
        merged_item["records"] = list(_list_records_of_groups(merged_item["records"]))
    return merged_item, outdated


def _read_encrypted_file(directory: Path, path: Path, vault: VaultLib) -> YamlFile | None:
    """Return a file in which something is encrypted; None for any other."""
    with explain_error(str(path), make_error_before_writing):
        content = read_regular(path)
    is_meant = b"!vault" in content or content.startswith(VAULT_HEADER)
    # YAML has many spellings of a tag, and each has this sign.
    if not is_meant and b"!" not in content:
        return None

    name = path.relative_to(directory).as_posix()
    file = read_yaml(path, name, vault, must_decrypt=False)
    if not is_meant and not any(find_values(file.content, Vaulted)):
        return None
    if file.mistakes:
        mistake = file.mistakes[0]
        raise FolderError(mistake.cause, subject=mistake.subject, written=Written.NO_FILE)
    return file


def _merge_into(written: Item, plural: str, path: OptionPath, file_item: Item) -> Merged:
    """Return an option as it is written of which a file has encrypted all or a part.

    Args:
        written: The object as the panel has it, its records by host and type.
        plural: The plural of its kind.
        path: Leads to the option.
        file_item: The object as the file has it.
    """
    grouped_item = _group_records(plural, file_item)
    is_record_set = plural == DNS and path[0] == "records" and len(path) > 1
    if is_record_set and "records" in written:
        records = get_value(written, path, ())
        return merge_records(get_value(grouped_item, path), records, file_item)
    return merge_option(plural, grouped_item, path, get_value(written, path))


def _group_records(plural: str, item: Item) -> Item:
    """Return a copy of an item; the records of a zone by host and type, as paths of options are."""
    copied = {}
    for name, value in item.items():
        copied[name] = dict(value) if isinstance(value, Mapping) else value
    if plural != DNS or not isinstance(item.get("records"), list):
        return copied

    copied["records"] = {}
    for number, record in enumerate(item["records"]):
        path = make_option_path(item, ("records", number))
        record_set = get_value(copied, path) or ()
        set_value(copied, path, [*record_set, record])
    return copied


def _list_records_of_groups(groups: Mapping[str, Mapping[str, Iterable[Any]]]) -> Iterator[Any]:
    """Yield the records that are grouped by host and type."""
    for record_sets in groups.values():
        for records in record_sets.values():
            yield from records

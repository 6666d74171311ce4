# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person has encrypted in the files of a directory, which an export keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.encrypted_values import FoldedName, OptionPath
from ...module_utils._kinds.registry import DNS
from ...module_utils._schema.field_paths import get_value, set_value
from .._run.controller_files import VAULT_HEADER, explained, read_regular
from .export_text import Item, Items
from .files import NO_FILE_WRITTEN, FolderError
from .merged_options import Merged, merge_option, merge_records
from .vaulted import NAMES, encrypted_options, encrypted_values, object_name, option_path
from .yaml_file import YamlFile, read_yaml


class _KeptOption(NamedTuple):
    """An option of which a file of the export has encrypted all or a part.

    Attributes:
        path: Its path as plans have it.
        item: The object that has it, as the file has it.
        places: Where the encrypted values are, for a person.
    """

    path: OptionPath
    item: Item
    places: list[str]


class KeptValues:
    """Keeps the text of what the export's own files have encrypted.

    What another file of the directory has encrypted is left out of them.

    Attributes:
        values: All encrypted values of the directory.
        differing: Places of the encrypted values in fields that stay, though the panel has other
            values.
    """

    def __init__(
        self, directory: Path, own_paths: frozenset[Path], paths: Iterable[Path], vault: VaultLib
    ) -> None:
        """Read what is encrypted.

        Args:
            directory: Has the files.
            own_paths: Those of the export.
            paths: All files in it.
            vault: Decrypts their values.

        Raises:
            FolderError: An encrypted file cannot be read.
        """
        self.differing: list[str] = []
        # By object, which another file may hold by now.
        self._options: dict[FoldedName, list[_KeptOption]] = {}
        files = []
        other_files = []
        for path in paths:
            file = _read_encrypted_file(directory, path, vault)
            if file is None:
                continue
            files.append(file)
            if path in own_paths:
                self._keep_options(file)
            else:
                other_files.append(file)

        self.values = encrypted_values(files)
        self._places_elsewhere = encrypted_values(other_files).places

    def _keep_options(self, file: YamlFile) -> None:
        kept_options: dict[tuple[Any, ...], _KeptOption] = {}
        for option in encrypted_options(file):
            kind, index, *_path = option.where
            where = (kind, index, option.path)
            if where not in kept_options:
                kept_option = _KeptOption(option.path, file.content[kind][index], [])
                kept_options[where] = kept_option
                self._options.setdefault(option.object, []).append(kept_option)

            title = f"{' '.join(option.object)} {'.'.join(option.path)}"
            kept_options[where].places.append(f"{file.place(option.where)}: {title}")

    def apply(self, items_by_kind: Items) -> dict[str, list[Item]]:
        """Return the items of a file of the export as they are written."""
        written = {}
        for kind, items in items_by_kind.items():
            written[kind] = [self._apply_to_item(kind, item) for item in items]
        return written

    def _apply_to_item(self, kind: str, item: Item) -> Item:
        """Return an object with what its file has encrypted, without what another file has."""
        name = object_name(kind, item)
        options_elsewhere = {path[0] for path in self._places_elsewhere.get(name, ())}
        left_out = options_elsewhere - NAMES[kind]
        fields = {option: value for option, value in item.items() if option not in left_out}

        written = _group_records(kind, fields)
        for path, file_item, places in self._options.pop(name, ()):
            merged = _merge_into(written, kind, path, file_item)
            set_value(written, path, merged.value)
            if merged.is_outdated:
                self.differing += places

        if isinstance(written.get("records"), dict):
            written["records"] = list(_records_of_groups(written["records"]))
        return written

    def places_without_object(self) -> list[str]:
        """Return the places of the encrypted fields whose objects were not written."""
        places = []
        for options in self._options.values():
            for kept_option in options:
                places += kept_option.places
        return places


def _read_encrypted_file(directory: Path, path: Path, vault: VaultLib) -> YamlFile | None:
    """Return a file in which something is encrypted; None for any other."""
    with explained(str(path), FolderError, NO_FILE_WRITTEN):
        content = read_regular(path)
    if b"!vault" not in content and not content.startswith(VAULT_HEADER):
        return None

    name = path.relative_to(directory).as_posix()
    file = read_yaml(path, name, vault, must_decrypt=False)
    if file.mistakes:
        raise FolderError(f"{file.mistakes[0]} {NO_FILE_WRITTEN}")
    return file


def _merge_into(written: Item, kind: str, path: OptionPath, file_item: Item) -> Merged:
    """Return an option as it is written of which a file has encrypted all or a part.

    Args:
        written: The object as the panel has it, its records by host and type.
        kind: The plural of its kind.
        path: Leads to the option.
        file_item: The object as the file has it.
    """
    grouped_item = _group_records(kind, file_item)
    is_record_set = kind == DNS and path[0] == "records" and len(path) > 1
    if is_record_set and "records" in written:
        records = get_value(written, path, ())
        return merge_records(get_value(grouped_item, path), records, file_item)
    return merge_option(kind, grouped_item, path, get_value(written, path))


def _group_records(kind: str, item: Item) -> Item:
    """Return a copy of an item; the records of a zone by host and type, as paths of options are."""
    copied = {}
    for name, value in item.items():
        copied[name] = dict(value) if isinstance(value, Mapping) else value
    if kind != DNS or not isinstance(item.get("records"), list):
        return copied

    copied["records"] = {}
    for number, record in enumerate(item["records"]):
        path = option_path(item, ("records", number))
        record_set = get_value(copied, path) or ()
        set_value(copied, path, [*record_set, record])
    return copied


def _records_of_groups(groups: Mapping[str, Mapping[str, Iterable[Any]]]) -> Iterator[Any]:
    """Yield the records that are grouped by host and type."""
    for record_sets in groups.values():
        for records in record_sets.values():
            yield from records

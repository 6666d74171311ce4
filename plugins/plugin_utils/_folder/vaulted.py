# SPDX-License-Identifier: GPL-3.0-or-later
"""What files of objects have encrypted with Vault, and where. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...module_utils._bulk.encrypted_values import EncryptedValues, FoldedName, OptionPath
from ...module_utils._errors import MissingLibrary
from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.fields import Reference
from ...module_utils._secrets.redaction import collect_texts
from ...module_utils._secrets.spellings import LENGTH_OF_A_WORD
from ...module_utils._values.names import decode_punycode, normalize_address, normalize_domain
from ...module_utils._values.nesting import find_values
from .field_spellings import (
    find_domain,
    list_address_domains,
    list_field_spellings,
    make_host_relative,
)
from .yaml_file import Place, Vaulted, YamlFile

_SHORTEST = 4


def _collect_naming_options() -> dict[str, frozenset[str]]:
    options = {}
    for plural, kind in KINDS.items():
        references = [field.option for field in kind.fields if isinstance(field, Reference)]
        options[plural] = frozenset({"client", *kind.key_options, *references})
    return options


# By kind what names objects. It is shown, or nobody could read a plan.
NAMES = _collect_naming_options()


class Encrypted(NamedTuple):
    """An option that a file has encrypted, on its own or as a part of the whole.

    Attributes:
        object: The object that has it.
        where: Its place in the file.
        path: Its path as plans have it.
        value: What it is decrypted to.
    """

    object: FoldedName
    where: Place
    path: OptionPath
    value: Any


def fold_object_name(plural: str, item: Mapping[str, Any]) -> FoldedName:
    """Return the kind of an item and its key, without regard to case."""
    return plural, (KINDS[plural].format_key(item) or "").casefold()


def list_items_in(file: YamlFile) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the items of a file, each with its kind."""
    for (kind, _index), item in _locate_items(file):
        yield kind, item


def _locate_items(file: YamlFile) -> Iterator[tuple[tuple[str, int], Mapping[str, Any]]]:
    """Yield the items of a file, each with its place in it: its kind and its number."""
    if not isinstance(file.content, dict):
        return
    for kind, items in file.content.items():
        if kind not in KINDS or not isinstance(items, list):
            continue
        for index, item in enumerate(items):
            if isinstance(item, dict):
                yield (kind, index), item


def list_places_without_item(file: YamlFile) -> list[Place]:
    """Return where a file has an encrypted value that belongs to no item."""
    locations = {location for location, _item in _locate_items(file)}

    return [
        where for where, _value in find_values(file.content, Vaulted) if where[:2] not in locations
    ]


def list_encrypted_options(file: YamlFile) -> Iterator[Encrypted]:
    """Yield the options that a file has encrypted.

    These are all but names where it is encrypted as a whole.
    """
    for location, item in _locate_items(file):
        kind, _index = location
        options: Iterable[tuple[Place, Any]] = find_values(item, Vaulted)
        if file.is_encrypted:
            options = _list_options_without_names(kind, item)
        for path, value in options:
            where = (*location, *path)
            yield Encrypted(
                fold_object_name(kind, item), where, make_option_path(item, path), value
            )


def _list_options_without_names(
    plural: str, item: Mapping[str, Any]
) -> Iterator[tuple[Place, Any]]:
    """Yield path and value of the options of an object that do not name it."""
    for name in item.keys() - NAMES[plural] - {"state"}:
        yield (name,), item[name]


def make_option_path(item: Mapping[str, Any], where: Place) -> OptionPath:
    """Return the path of an option as plans have it.

    A record of a zone is named by its host and type.

    Args:
        item: The object.
        where: The place of the option in it.
    """
    if where[0] == "records" and len(where) > 1:
        record = item["records"][where[1]]
        return ("records", make_host_relative(record, item), str(record.get("type")).upper())
    return tuple(name for name in where if isinstance(name, str))


def _find_masked_path(option: Encrypted) -> OptionPath:
    """Return the path of what a plan masks: of a record set the field that is encrypted."""
    if option.path[0] != "records":
        return option.path
    _kind, _index, _records, *steps = option.where
    return (*option.path, *[step for step in steps if isinstance(step, str)])


def collect_encrypted_values(files: Iterable[YamlFile]) -> EncryptedValues:
    """Return what these files have encrypted."""
    files = list(files)
    values = EncryptedValues()
    domains: set[str] = set()
    for file in files:
        shortest = LENGTH_OF_A_WORD if file.is_encrypted else _SHORTEST
        for option in list_encrypted_options(file):
            values.places.setdefault(option.object, set()).add(_find_masked_path(option))
            values.texts.update(_list_spellings(file, option, shortest))
            kind, index, *steps = option.where
            domains.update(list_address_domains(kind, file.content[kind][index], tuple(steps)))

    if domains:
        values.texts.update(domains - _list_plain_domains(files))
    return values


def _list_spellings(file: YamlFile, option: Encrypted, shortest: int) -> set[str]:
    """Return an encrypted value in all its spellings of some length."""
    spellings: set[str] = set()
    for text in collect_texts(option.value):
        if len(text.strip()) >= shortest:
            spellings.update(_list_spellings_of_text(text))

    kind, index, *steps = option.where
    of_field = set(list_field_spellings(kind, file.content[kind][index], tuple(steps)))
    spellings.update(text for text in of_field if len(text) >= shortest)
    return spellings


def _list_plain_domains(files: Iterable[YamlFile]) -> set[str]:
    """Return the domains that some file has in plain text, or that name an object: plans show them
    anyway.
    """
    domains = {""}
    for file in files:
        for text in _list_plain_texts(file):
            domain = find_domain(text)
            domains.update([domain, decode_punycode(domain)])
    return domains


def _list_plain_texts(file: YamlFile) -> Iterator[str]:
    """Yield the texts of a file that are not encrypted; of a file that is, the names of objects."""
    for (kind, _index), item in _locate_items(file):
        options = item
        if file.is_encrypted:
            options = {name: item[name] for name in item.keys() & NAMES[kind]}
        for _path, text in find_values(options, str):
            if not isinstance(text, Vaulted):
                yield text


def _list_spellings_of_text(text: str) -> set[str]:
    """Return an encrypted text, its long lines, which may be secrets, and its other spellings."""
    lines = [line for line in text.splitlines() if len(line.strip()) >= LENGTH_OF_A_WORD]
    return {str(text), *lines, *_list_other_spellings(text)}


def _list_other_spellings(text: str) -> set[str]:
    """Return how a panel and people write a domain name or an address; none of another text."""
    try:
        stored = normalize_address(text) if "@" in text else normalize_domain(text)
    except (ValueError, MissingLibrary):
        return set()
    if "." not in stored:
        return set()
    return {stored, decode_punycode(stored)}

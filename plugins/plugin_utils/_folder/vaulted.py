# SPDX-License-Identifier: GPL-3.0-or-later
"""What files of objects have encrypted with Vault, and where. Pure. Private to the collection."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...module_utils._bulk.encrypted_values import EncryptedValues, FoldedName, OptionPath
from ...module_utils._dns.record_names import normalize_name
from ...module_utils._dns.record_values import relativize_host
from ...module_utils._errors import MissingLibrary
from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.fields import Reference
from ...module_utils._secrets.redaction import LENGTH_OF_A_WORD, texts_in
from ...module_utils._values.names import decode_punycode, normalize_address, normalize_domain
from .yaml_file import Place, Vaulted, YamlFile

_SHORTEST = 4


def _naming_options() -> dict[str, frozenset[str]]:
    options = {}
    for plural, kind in KINDS.items():
        references = [row.option for row in kind.fields if isinstance(row, Reference)]
        options[plural] = frozenset({"client", *kind.key_options, *references})
    return options


# By kind what names objects. It is shown, or nobody could read a plan.
NAMES = _naming_options()


class Encrypted(NamedTuple):
    """An option that a file has encrypted, on its own or as a part of the whole. where: in the file."""

    object: FoldedName
    where: Place
    path: OptionPath
    value: Any


def object_name(kind: str, item: Mapping[str, Any]) -> FoldedName:
    """Return the kind of an item and its key, without regard to case."""
    return kind, (KINDS[kind].format_key(item) or "").casefold()


def items_in(file: YamlFile) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the items of a file, each with its kind."""
    for (kind, _index), item in _located_items(file):
        yield kind, item


def _located_items(file: YamlFile) -> Iterator[tuple[tuple[str, int], Mapping[str, Any]]]:
    """Yield the items of a file, each with its place in it: its kind and its number."""
    if not isinstance(file.content, dict):
        return
    for kind, items in file.content.items():
        if kind not in KINDS or not isinstance(items, list):
            continue
        for index, item in enumerate(items):
            if isinstance(item, dict):
                yield (kind, index), item


def encrypted_options(file: YamlFile) -> Iterator[Encrypted]:
    """Yield the options that a file has encrypted; all but names where it is encrypted as a whole."""
    for location, item in _located_items(file):
        kind = location[0]
        options: Iterable[tuple[Place, Any]] = _vaulted_in(item)
        if file.is_encrypted:
            options = [((name,), item[name]) for name in item.keys() - NAMES[kind] - {"state"}]
        for path, value in options:
            yield Encrypted(object_name(kind, item), (*location, *path), option_path(item, path), value)


def _vaulted_in(value: Any, path: Place = ()) -> Iterator[tuple[Place, Vaulted]]:
    if isinstance(value, Vaulted):
        yield path, value
    elif isinstance(value, dict):
        for name, field in value.items():
            yield from _vaulted_in(field, (*path, name))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _vaulted_in(entry, (*path, index))


def option_path(item: Mapping[str, Any], where: Place) -> OptionPath:
    """Return the path of an option as plans have it; a record of a zone is named by its host and type.

    Args:
        item: The object.
        where: The place of the option in it.
    """
    if where[0] == "records" and len(where) > 1:
        record = item["records"][where[1]]
        host = record.get("host")
        with contextlib.suppress(ValueError):  # the module tells what is wrong with it
            host = relativize_host(normalize_name(str(host)), normalize_domain(str(item.get("domain"))))
        return ("records", str(host), str(record.get("type")).upper())
    return tuple(name for name in where if isinstance(name, str))


def _other_spellings(text: str) -> set[str]:
    """Return how a panel and people write the domain name or the e-mail address that a text is; none of another text."""
    with contextlib.suppress(ValueError, MissingLibrary):
        stored = normalize_address(text) if "@" in text else normalize_domain(text)
        return {stored, decode_punycode(stored)} if "." in stored else set()
    return set()


def encrypted_values(files: Iterable[YamlFile]) -> EncryptedValues:
    """Return what these files have encrypted."""
    values = EncryptedValues()
    for file in files:
        shortest = LENGTH_OF_A_WORD if file.is_encrypted else _SHORTEST
        for option in encrypted_options(file):
            values.places.setdefault(option.object, set()).add(option.path)
            for text in texts_in(option.value):
                if len(text.strip()) >= shortest:
                    values.texts.update(_spellings_of(text))
    return values


def _spellings_of(text: str) -> set[str]:
    """Return an encrypted text, its lines that are long enough to be a secret, and its other spellings."""
    lines = [line for line in text.splitlines() if len(line.strip()) >= LENGTH_OF_A_WORD]
    return {str(text), *lines, *_other_spellings(text)}

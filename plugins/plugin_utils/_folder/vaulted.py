# SPDX-License-Identifier: GPL-3.0-or-later
"""What files of objects have encrypted with Vault, and where. Pure. Private to the collection."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...module_utils._bulk.encrypted_values import EncryptedValues, ObjectName, OptionPath
from ...module_utils._dns.record_names import normalize_name
from ...module_utils._dns.record_values import relativize_host
from ...module_utils._errors import MissingLibrary
from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.fields import Reference
from ...module_utils._secrets.redaction import LENGTH_OF_A_WORD, texts_in
from ...module_utils._values.names import ascii_address, ascii_domain, in_letters
from .yaml_file import Place, Vaulted, YamlFile

_SHORTEST = 4
# By kind what names objects. It is shown, or nobody could read a plan.
NAMES = {
    plural: frozenset({"client", *kind.named_by, *(row.option for row in kind.rows if isinstance(row, Reference))})
    for plural, kind in KINDS.items()
}


class Encrypted(NamedTuple):
    """An option that a file has encrypted, on its own or as a part of the whole. where: in the file."""

    object: ObjectName
    where: Place
    path: OptionPath
    value: Any


def object_name(kind: str, item: Mapping[str, Any]) -> ObjectName:
    return kind, (KINDS[kind].key_of(item) or "").casefold()


def items_in(file: YamlFile) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the items of a file, each with its kind."""
    for kind, items in file.content.items() if isinstance(file.content, dict) else ():
        for item in items if kind in KINDS and isinstance(items, list) else ():
            if isinstance(item, dict):
                yield kind, item


def encrypted_options(file: YamlFile) -> Iterator[Encrypted]:
    for kind, items in file.content.items() if isinstance(file.content, dict) else ():
        for number, item in enumerate(items if kind in KINDS and isinstance(items, list) else ()):
            if not isinstance(item, dict):
                continue
            found: Iterable[tuple[Place, Any]] = _vaulted_in(item)
            if file.is_encrypted:
                found = [((name,), item[name]) for name in item.keys() - NAMES[kind] - {"state"}]
            for where, value in found:
                yield Encrypted(object_name(kind, item), (kind, number, *where), option_path(item, where), value)


def _vaulted_in(value: Any, where: Place = ()) -> Iterator[tuple[Place, Vaulted]]:
    if isinstance(value, Vaulted):
        yield where, value
    elif isinstance(value, (dict, list)):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _vaulted_in(inner, (*where, name))


def option_path(item: Mapping[str, Any], where: Place) -> OptionPath:
    if where[0] == "records" and len(where) > 1:
        record = item["records"][where[1]]
        host = record.get("host")
        with contextlib.suppress(ValueError):  # the module tells what is wrong with it
            host = relativize_host(normalize_name(str(host)), ascii_domain(str(item.get("domain"))))
        return ("records", str(host), str(record.get("type")).upper())
    return tuple(name for name in where if isinstance(name, str))


def _other_spellings(text: str) -> set[str]:
    """How a panel and people write the domain name or the e-mail address that a text is; none of another text."""
    with contextlib.suppress(ValueError, MissingLibrary):
        stored = ascii_address(text) if "@" in text else ascii_domain(text)
        return {stored, in_letters(stored)} if "." in stored else set()
    return set()


def encrypted_values(files: Iterable[YamlFile]) -> EncryptedValues:
    """Returns what these files have encrypted."""
    values = EncryptedValues()
    for file in files:
        shortest = LENGTH_OF_A_WORD if file.is_encrypted else _SHORTEST
        for option in encrypted_options(file):
            values.places.setdefault(option.object, set()).add(option.path)
            for text in texts_in(option.value):
                if len(text.strip()) >= shortest:
                    lines = [line for line in text.splitlines() if len(line.strip()) >= LENGTH_OF_A_WORD]
                    values.texts.update([str(text), *lines, *_other_spellings(text)])
    return values

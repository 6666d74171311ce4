# SPDX-License-Identifier: GPL-3.0-or-later
"""How plans and messages spell what files have encrypted: as its field stores it, and a part of it
where they take it apart. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ...module_utils._dns.record_names import normalize_name
from ...module_utils._dns.record_values import relativize_host
from ...module_utils._errors import MissingLibrary
from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.fields import Field
from ...module_utils._values.names import decode_punycode, normalize_address, normalize_domain
from ...module_utils._values.value_types import SetOf
from .yaml_file import Place

_OptionNames = tuple[str, ...]


def list_field_spellings(plural: str, item: Mapping[str, Any], where: Place) -> Iterator[str]:
    """Yield the texts of an option as its field stores them.

    Args:
        plural: The plural of the kind of an object.
        item: The object.
        where: The place of the option in it.
    """
    if plural == DNS:
        yield from _list_host_spellings(item, where)
        return

    fields = index_fields_by_option(plural)
    for names, text in _list_texts_at(item, where):
        field = fields.get(names)
        if field is None:
            continue
        value_type = field.type.item if isinstance(field.type, SetOf) else field.type
        stored = value_type.normalize(text)
        if isinstance(stored, (str, int)) and not isinstance(stored, bool):
            yield str(stored)
            yield str(value_type.display(stored))


def list_address_domains(plural: str, item: Mapping[str, Any], where: Place) -> Iterator[str]:
    """Yield the domains of the addresses in an option, which messages name on their own; the
    arguments are those of ``field_spellings``.
    """
    for names, text in _list_texts_at(item, where):
        if names[0] in KINDS[plural].rules.addresses:
            domain = find_domain(text)
            yield domain
            yield decode_punycode(domain)


def find_domain(text: str) -> str:
    """Return the stored form of a domain, or of the domain of an address; empty for another
    text.
    """
    try:
        stored = normalize_address(text) if "@" in text else normalize_domain(text)
    except (ValueError, MissingLibrary):
        return ""
    return stored.rpartition("@")[2]


def make_host_relative(record: Mapping[str, Any], zone: Mapping[str, Any]) -> str:
    """Return the host of a record relative to its zone; as it is written where that is no name."""
    host = record.get("host")
    try:
        name = normalize_name(str(host))
        return relativize_host(name, normalize_domain(str(zone.get("domain"))))
    except ValueError:
        return str(host)  # the module tells what is wrong with it


@cache
def index_fields_by_option(plural: str) -> dict[_OptionNames, Field]:
    """Return the fields of a kind by the names of the options that lead to them."""
    fields: dict[_OptionNames, Field] = {}
    for field in KINDS[plural].key:
        fields[(field.option,)] = field
    for path, field in KINDS[plural].walk_fields():
        fields[(*path[:-1], field.option)] = field
    return fields


def _list_texts_at(item: Mapping[str, Any], where: Place) -> Iterator[tuple[_OptionNames, str]]:
    """Yield the texts at or below a place of an object, each with the names that lead to it."""
    value: Any = item
    for step in where:
        value = value[step]
    yield from _list_texts_below(value, tuple([step for step in where if isinstance(step, str)]))


def _list_texts_below(value: Any, names: _OptionNames) -> Iterator[tuple[_OptionNames, str]]:
    """Yield the texts in a value. names: lead to the value."""
    if isinstance(value, str):
        yield names, str(value)
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from _list_texts_below(member, (*names, str(name)))
    elif isinstance(value, list):
        for entry in value:
            yield from _list_texts_below(entry, names)


def _list_host_spellings(zone: Mapping[str, Any], where: Place) -> Iterator[str]:
    """Yield how plans spell the hosts of records that are encrypted."""
    if where[0] != "records":
        return
    records = zone["records"]
    if len(where) > 1:
        if where[-1] != "host":
            return
        records = [records[where[1]]]

    for record in records:
        if isinstance(record, dict) and isinstance(record.get("host"), str):
            yield make_host_relative(record, zone)

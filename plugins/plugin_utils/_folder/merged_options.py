# SPDX-License-Identifier: GPL-3.0-or-later
"""Merges what a file has encrypted with the panel's values. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...module_utils._bulk.encrypted_values import OptionPath
from ...module_utils._dns.record_values import normalize_value
from ...module_utils._schema.field_paths import get_value
from ...module_utils._values.value_types import SetOf, Text, ValueType
from .export_text import Item
from .field_spellings import index_fields_by_option, make_host_relative
from .yaml_file import Vaulted

Normalize = Callable[[Any], Hashable]
"""Makes of equal entries of a list the same."""


class Merged(NamedTuple):
    """An option as its file gets it.

    Attributes:
        value: Has what the file has encrypted.
        is_outdated: Whether the panel has another value than this.
    """

    value: Any
    is_outdated: bool


def merge_option(plural: str, file_item: Item, path: OptionPath, actual: Any) -> Merged:
    """Merge an option of which a file has encrypted all or a part.

    Args:
        plural: The plural of the kind of its object.
        file_item: The object, as the file has it.
        path: Leads to the option.
        actual: The panel's value, as a person would write it; None where the panel shows none.
    """
    file_value = get_value(file_item, path)
    if actual is None:
        return Merged(file_value, False)

    value_type = _find_type(plural, path)
    if not isinstance(file_value, list) or not isinstance(actual, list):
        return Merged(file_value, _is_other_value(value_type, file_value, actual))
    if isinstance(value_type, SetOf):
        value_type = value_type.item
    return _merge_entries(file_value, actual, partial(_normalize_value, value_type))


def merge_records(file_records: Sequence[Any], actual: Sequence[Any], zone: Item) -> Merged:
    """Merge a record set of which a file has encrypted a part.

    Args:
        file_records: The records of the set, as the file has them.
        actual: Those of the panel.
        zone: The zone, as the file has it.
    """
    vaulted_names: set[str] = set()
    for record in file_records:
        vaulted_names.update(_collect_vaulted_parts(record))

    normalize = partial(_normalize_record, zone, "ttl" in vaulted_names)
    merged = _merge_entries(file_records, actual, normalize)

    # The panel's records would show the name.
    has_vaulted_name = not vaulted_names.isdisjoint({"host", "type"})
    if has_vaulted_name and len(merged.value) > len(file_records):
        return Merged(file_records, True)
    return merged


def _merge_entries(
    file_entries: Sequence[Any], actual: Sequence[Any], normalize: Normalize
) -> Merged:
    """Merge a list of which a file has encrypted some entries, or parts of them.

    An encrypted entry that the panel does not have may have become another one there, which is as
    secret. So the list stays then as it is.
    """
    actual_by_form = {normalize(entry): entry for entry in actual}
    if any(_is_unreadable(entry) for entry in file_entries):
        is_outdated = _is_outdated_for_sure(file_entries, actual_by_form, normalize)
        return Merged(file_entries, is_outdated)

    entries = []
    forms = set()
    for file_entry in file_entries:
        form = normalize(file_entry)
        forms.add(form)
        if form in actual_by_form:
            entries.append(_keep_vaulted_parts(actual_by_form[form], file_entry))
        elif _collect_vaulted_parts(file_entry):
            return Merged(file_entries, True)

    entries += [entry for form, entry in actual_by_form.items() if form not in forms]
    return Merged(entries, False)


def _is_outdated_for_sure(
    file_entries: Sequence[Any], actual_forms: Collection[Hashable], normalize: Normalize
) -> bool:
    """Return whether the panel's list differs, whatever the entries are that nothing decrypts."""
    readable = [entry for entry in file_entries if not _is_unreadable(entry)]
    forms = {normalize(entry) for entry in readable}
    if not forms.issubset(actual_forms):
        return True
    return len(actual_forms) - len(forms) != len(file_entries) - len(readable)


def _collect_vaulted_parts(entry: Any) -> dict[str, Vaulted]:
    """Return by name what is encrypted of an entry; an entry that is a text has no name."""
    if isinstance(entry, Vaulted):
        return {"": entry}
    if not isinstance(entry, Mapping):
        return {}
    return {name: value for name, value in entry.items() if isinstance(value, Vaulted)}


def _is_unreadable(entry: Any) -> bool:
    """Return whether this run cannot decrypt an entry, or a part of it: that is empty."""
    return not all(_collect_vaulted_parts(entry).values())


def _keep_vaulted_parts(actual: Any, file_entry: Any) -> Any:
    """Return an entry of the panel with what the file's entry has encrypted."""
    if isinstance(file_entry, Vaulted):
        return file_entry
    if not isinstance(file_entry, Mapping):
        return actual
    return {**file_entry, **actual, **_collect_vaulted_parts(file_entry)}


def _normalize_record(zone: Item, has_ttl: bool, record: Mapping[str, Any]) -> Hashable:
    """Return the form of a record that is equal for equal records. has_ttl: whether its TTL
    counts.
    """
    record_type = str(record.get("type")).strip().upper()
    value = normalize_value(record_type, record.get("value", ""), str(zone.get("domain")))
    form = (make_host_relative(record, zone), record_type, value)
    if not has_ttl:
        return form
    return (*form, str(record.get("ttl")).strip())


def _find_type(plural: str, path: OptionPath) -> ValueType:
    """Return the type of an option; that of any text where there is no such option."""
    field = index_fields_by_option(plural).get(path)
    if field is None:
        return Text()
    return field.type


def _normalize_value(value_type: ValueType, value: Any) -> str:
    """Return the form of a value that is equal for equal values."""
    if isinstance(value, str):
        value = str(value).strip()
    return repr(value_type.normalize(value))


def _is_other_value(value_type: ValueType, encrypted: Any, actual: Any) -> bool:
    """Return whether the panel shows another value than a file has encrypted."""
    # A value that this run cannot decrypt is empty.
    if not encrypted:
        return False
    if isinstance(value_type, SetOf) and isinstance(actual, list):
        entries = [entry.strip() for entry in value_type.split(encrypted.strip())]
        return bool(value_type.normalize(entries) != value_type.normalize(actual))
    return _normalize_value(value_type, encrypted) != _normalize_value(value_type, actual)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The points that the description of the API leaves open, and what the fields of objects say about
them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.fields import Mutability
from ...module_utils._schema.kind import Kind

# One table for the simulator and for this: what a panel is found to do, the simulator can do.
TABLE = (
    Path(__file__).parents[3]
    / "roles"
    / "simulator"
    / "files"
    / "panel_simulator"
    / "open_points.yml"
)
OTHERWISE = "otherwise"
# By the names of their paths, as profiles have them.
BY_NAME: Mapping[str, Kind] = {
    kind.path.strip("/").replace("-", "_"): kind for kind in KINDS.values()
}
# A name that is reported. Anything else may be the name of a customer.
USUAL = re.compile(r"[a-z][a-z0-9_]{0,40}")
_VERSION = re.compile(r"\d{1,4}(\.\d{1,4}){0,3}")
_PASSWORDS = frozenset({"password", "password_hash", "password_hash_os"})
_FORMS_OF_IDS = {"numbers": int, "texts": str}
_FORMS_OF_SWITCHES = {"booleans": bool, "numbers": int, "texts": str}
_FORMS_OF_LISTS = {"arrays": list, "objects": dict}


class Sample(NamedTuple):
    """An object as the panel shows it: alone, and as an item of its list; each empty if it is not
    shown so."""

    alone: Mapping[str, Any]
    item: Mapping[str, Any]


def read_points() -> dict[str, dict[str, Any]]:
    """Read the open points by their names."""
    return dict(yaml.safe_load(TABLE.read_text(encoding="utf-8")))


def read_whole_number(value: Any) -> int | None:
    """Return a whole number, also of one that the panel writes as a text; None for anything
    else."""
    if isinstance(value, bool):
        return None
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def read_version(value: Any) -> str:
    """Return a version of the usual form; empty for anything else."""
    if isinstance(value, str) and _VERSION.fullmatch(value):
        return value
    return ""


def list_expected_fields(kind: Kind) -> list[str]:
    """Return the fields that an answer about one object should have."""
    fields = set(kind.read_only)
    if kind.plural == DNS:
        return sorted(fields)

    fields.add("id")
    if kind.traits.has_status:
        fields.add("status")
    for field in (*kind.key, *kind.fields):
        if field.change is not Mutability.AT_CREATION:
            fields.add(field.name)

    return sorted(fields)


def list_allowed_fields(kind: Kind) -> set[str]:
    """Return the fields that an answer may have without being a finding."""
    return {
        *list_expected_fields(kind),
        *kind.creation_flags,
        *_PASSWORDS,
        *("id", "status", "domain", "id_domain"),
    }


def observe_fields(
    samples: Mapping[str, Sample], own_kinds: Set[str], points: Mapping[str, Any]
) -> dict[str, Any]:
    """Return by point what the fields of objects say.

    Args:
        samples: By kind, one object.
        own_kinds: The kinds whose object is of the test client.
        points: The open points.
    """
    forms = _observe_forms(samples)
    differences = _compare_fields(samples, own_kinds, points)
    # That nothing differs is known only if objects of all kinds were seen.
    is_complete = own_kinds >= BY_NAME.keys() - {"admins"}
    if not is_complete:
        differences = {point: fields for point, fields in differences.items() if fields}
    return {**forms, **differences}


def _observe_forms(samples: Mapping[str, Sample]) -> dict[str, str | None]:
    """Return in which forms the panel writes numbers, switches and lists."""
    ids = []
    switches = []
    for sample in samples.values():
        for fields in sample:
            ids.append(fields.get("id"))
            switches += [value for name, value in fields.items() if name.startswith("is_")]

    other_records = None
    if "dns" in samples:
        records = samples["dns"].alone.get("records")
        if isinstance(records, Mapping):
            other_records = records.get("other")
    return {
        "numbers": _find_common_form(_FORMS_OF_IDS, ids),
        "switches": _find_common_form(_FORMS_OF_SWITCHES, switches),
        "lists": _find_common_form(_FORMS_OF_LISTS, [other_records]),
    }


def _find_common_form(forms: Mapping[str, type], values: Iterable[Any]) -> str | None:
    """Return the form that all values have; None without values that show one."""
    names = {_find_form(value, forms) for value in values if value not in (None, [], {})}
    if not names:
        return None
    return names.pop() if len(names) == 1 else OTHERWISE


def _find_form(value: Any, forms: Mapping[str, type]) -> str:
    for name, type_ in forms.items():
        if isinstance(value, type_):
            return name
    return OTHERWISE


def _compare_fields(
    samples: Mapping[str, Sample], own_kinds: Set[str], points: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return by point and kind which fields are not as the description has them."""
    other_names = _collect_other_names(points["renamed_members"]["examples"])
    differences: dict[str, dict[str, Any]] = {
        "renamed_members": {},
        "hidden_members": {},
        "short_lists": {},
        "extra_members": {},
    }
    for name, sample in samples.items():
        kind = BY_NAME[name]
        renamed = _find_renamed_fields(kind, sample, other_names.get(name, {}))
        by_point = {
            "renamed_members": renamed,
            "hidden_members": _find_hidden_fields(kind, sample, renamed),
            "short_lists": _find_fields_missing_in_list(kind, sample, renamed),
        }
        if name in own_kinds:
            by_point["extra_members"] = _collect_extra_fields(kind, sample, renamed)
        for point, fields in by_point.items():
            if fields:
                differences[point][name] = fields

    return differences


def _collect_other_names(
    examples: Iterable[Mapping[str, Mapping[str, str]]],
) -> dict[str, dict[str, str]]:
    """Return by kind and field the other name that a panel may have for it."""
    names: dict[str, dict[str, str]] = {}
    for example in examples:
        for kind, fields in example.items():
            names.setdefault(kind, {}).update(fields)
    return names


def _find_missing_fields(kind: Kind, sample: Sample) -> list[str]:
    fields = sample.alone or sample.item
    return [field for field in list_expected_fields(kind) if field not in fields]


def _find_unknown_fields(kind: Kind, sample: Sample) -> set[str]:
    fields = sample.alone or sample.item
    return fields.keys() - list_allowed_fields(kind)


def _find_renamed_fields(
    kind: Kind, sample: Sample, other_names: Mapping[str, str]
) -> dict[str, str]:
    """Return by field the name that the panel has for it."""
    unknown = _find_unknown_fields(kind, sample)
    missing = _find_missing_fields(kind, sample)
    return {field: other_names[field] for field in missing if other_names.get(field) in unknown}


def _find_hidden_fields(kind: Kind, sample: Sample, renamed: Mapping[str, str]) -> list[str]:
    return [field for field in _find_missing_fields(kind, sample) if field not in renamed]


def _find_fields_missing_in_list(
    kind: Kind, sample: Sample, renamed: Mapping[str, str]
) -> list[str]:
    """Return the fields that the object shows alone and its list does not."""
    if not sample.item:
        return []
    missing = []
    for field in list_expected_fields(kind):
        name = renamed.get(field, field)
        if name in sample.alone and name not in sample.item:
            missing.append(field)

    return missing


def _collect_extra_fields(kind: Kind, sample: Sample, renamed: Mapping[str, str]) -> dict[str, Any]:
    """Return unknown fields with an empty value of their type, since their values are the
    panel's."""
    fields = sample.alone or sample.item
    extra = {}
    for field in sorted(_find_unknown_fields(kind, sample) - set(renamed.values())):
        value = fields[field]
        if USUAL.fullmatch(field) and not isinstance(value, (list, dict)):
            extra[field] = value and type(value)()

    return extra

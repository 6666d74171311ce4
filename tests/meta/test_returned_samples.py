"""Every returned value has a sample, which is as its documentation describes it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.plugin_docs import read_docstring

from tools.layout import ROOT

TYPES: dict[str, type | tuple[type, ...]] = {
    "bool": bool,
    "dict": dict,
    "float": (int, float),
    "int": int,
    "list": list,
    "path": str,
    "raw": object,
    "str": str,
}
DOCUMENTED = sorted(
    path
    for kind in ("filter", "lookup", "modules")
    for path in (ROOT / "plugins" / kind).glob("panel_*.py")
)

OF_MODULES = [path for path in DOCUMENTED if path.parent.name == "modules"]
# Keys that are types of objects, paths, names of points, or chosen by the user.
WITH_DATA_AS_KEYS = {
    "panel_archive": ("objects", "left_out"),
    "panel_client": ("removed",),
    "panel_export": ("counts",),
    "panel_import": ("counts",),
    "panel_resources_info": ("resources",),
    "panel_secrets": ("secrets",),
    "panel_verify": ("profile",),
}


@pytest.mark.parametrize("path", DOCUMENTED, ids=lambda path: path.stem)
def test_a_sample_has_the_type_of_its_value_and_no_other_fields(path: Path) -> None:
    assert list(find_wrong_samples(read_returned(path))) == []


@pytest.mark.parametrize("path", DOCUMENTED, ids=lambda path: path.stem)
def test_every_returned_value_has_a_sample(path: Path) -> None:
    returned = read_returned(path)

    assert returned
    assert list(find_missing_samples(returned)) == []


def test_a_sample_of_another_type_is_found() -> None:
    returned = {
        "count": {"type": "int", "sample": "/srv/panel/acme.yml"},
        "is_new": {"type": "int", "sample": True},
        "names": {"type": "list", "elements": "str", "sample": ["acme", 5]},
        "plan": {"type": "dict", "contains": {"id": {"type": "int", "sample": "5"}}},
        "right": {"type": "list", "elements": "dict", "sample": [{"id": 5}]},
    }

    assert list(find_wrong_samples(returned)) == ["count", "is_new", "names", "plan.id"]


def test_a_field_of_a_sample_that_is_not_described_or_has_another_type_is_found() -> None:
    fields = {"id": {"type": "int"}, "note": {"type": "str"}}
    objects = {
        "type": "list",
        "elements": "dict",
        "contains": fields,
        "sample": [{"id": 5, "note": None}, {"id": "5"}, {"size": 5}],
    }

    assert list(find_wrong_samples({"emails": objects})) == ["emails.id", "emails.size"]


@pytest.mark.parametrize("path", OF_MODULES, ids=lambda path: path.stem)
def test_the_fields_of_a_returned_dictionary_are_described_unless_they_are_data(path: Path) -> None:
    undescribed = [
        name
        for name, described in read_returned(path).items()
        if "dict" in (described["type"], described.get("elements"))
        and not described.get("contains")
        and "lists its fields" not in str(described["description"])
        and name not in ("error", *WITH_DATA_AS_KEYS.get(path.stem, ()))
    ]

    assert undescribed == []


def test_a_value_without_a_sample_is_found_unless_each_of_its_fields_has_one() -> None:
    returned = {
        "count": {"type": "int"},
        "plan": {"type": "dict", "contains": {"id": {"sample": 5}, "name": {"type": "str"}}},
        "right": {"type": "dict", "contains": {"id": {"sample": 5}}},
        "sampled": {"type": "dict", "contains": {"id": {"type": "int"}}, "sample": {"id": 5}},
    }

    assert list(find_missing_samples(returned)) == ["count", "plan.name"]


def read_returned(path: Path) -> dict[str, Any]:
    """Return the documentation of what a module or plugin returns, by name."""
    returned = read_docstring(str(path))["returndocs"]
    if isinstance(returned, str):
        returned = yaml.safe_load(returned)
    documented: dict[str, Any] = returned
    return documented


def find_missing_samples(values: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield the path of each value that has no sample, and is in none of another value."""
    for name, described in values.items():
        if "sample" in described:
            continue
        if described.get("contains"):
            yield from find_missing_samples(described["contains"], f"{path}{name}.")
        else:
            yield f"{path}{name}"


def find_wrong_samples(values: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield the path of each value whose sample has another type.

    Also that of each field of a sample that is not described, or has another type.
    """
    for name, described in values.items():
        fields = described.get("contains") or {}
        if "sample" in described and not _has_its_type(described):
            yield f"{path}{name}"
        elif "sample" in described and fields:
            yield from _find_wrong_fields(described["sample"], fields, f"{path}{name}.")
        yield from find_wrong_samples(fields, f"{path}{name}.")


def _find_wrong_fields(sample: Any, fields: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the path of each field of a sample, an object or several, that is not as described."""
    samples = sample if isinstance(sample, list) else [sample]
    for name, value in itertools.chain.from_iterable(each.items() for each in samples):
        described = fields.get(name)
        if described is None:
            yield f"{path}{name}"
        elif value is None:
            # The description says when it is null.
            continue
        elif not _has_its_type({**described, "sample": value}):
            yield f"{path}{name}"
        elif described.get("contains"):
            yield from _find_wrong_fields(value, described["contains"], f"{path}{name}.")


def _has_its_type(described: Mapping[str, Any]) -> bool:
    sample = described["sample"]
    if not _is_of(sample, described["type"]):
        return False
    if described["type"] != "list":
        return True
    return all(_is_of(element, described["elements"]) for element in sample)


def _is_of(value: Any, type_name: str) -> bool:
    # In Python, a boolean is a number too.
    if isinstance(value, bool) and type_name != "raw":
        return type_name == "bool"
    return isinstance(value, TYPES[type_name])

"""A sample of a returned value has the type that its documentation names."""

from __future__ import annotations

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


@pytest.mark.parametrize("path", DOCUMENTED, ids=lambda path: path.stem)
def test_a_sample_has_the_type_of_its_value(path: Path) -> None:
    returned = read_docstring(str(path))["returndocs"]
    if isinstance(returned, str):
        returned = yaml.safe_load(returned)

    assert returned
    assert list(find_wrong_samples(returned)) == []


def test_a_sample_of_another_type_is_found() -> None:
    returned = {
        "count": {"type": "int", "sample": "/srv/panel/acme.yml"},
        "is_new": {"type": "int", "sample": True},
        "names": {"type": "list", "elements": "str", "sample": ["acme", 5]},
        "plan": {"type": "dict", "contains": {"id": {"type": "int", "sample": "5"}}},
        "right": {"type": "list", "elements": "dict", "sample": [{"id": 5}]},
    }

    assert list(find_wrong_samples(returned)) == ["count", "is_new", "names", "plan.id"]


def find_wrong_samples(values: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield the path of each value whose sample has another type."""
    for name, described in values.items():
        if "sample" in described and not _has_its_type(described):
            yield f"{path}{name}"
        yield from find_wrong_samples(described.get("contains") or {}, f"{path}{name}.")


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

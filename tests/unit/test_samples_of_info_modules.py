"""What the documentation of an info module shows as a sample is what a panel gives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from ansible.parsing.plugin_docs import read_docstring

from tests.support import pem
from tests.support.mixed_panel import make_mixed_objects
from tools.layout import ROOT

# Those of panel_resources_info are of several modules, and those of a login are texts.
OTHERS = ("panel_content_info", "panel_login_info", "panel_resources_info")
OPTIONS = {"panel_client_info": {"include": ["resources", "stats", "traffic"]}}
INFO_MODULES = sorted(
    path.stem
    for path in (ROOT / "plugins" / "modules").glob("panel_*_info.py")
    if path.stem not in OTHERS
)


@pytest.mark.parametrize("name", INFO_MODULES)
def test_a_sample_has_the_fields_that_a_panel_gives(name: str, in_memory: Any) -> None:
    panel = in_memory(make_mixed_objects(pem.make_texts(), clients=5))
    key, sample = read_sample(name)

    answer = panel.run(name, **OPTIONS.get(name, {}))

    assert sorted(set(list_paths(sample)) - set(list_paths(answer[key]))) == []


def test_the_fields_of_an_object_are_listed_with_their_types() -> None:
    sample = [{"id": 5, "target": {"path": "/www"}}]

    assert list(list_paths(sample)) == ["id: int", "target: dict", "target.path: str"]


def read_sample(name: str) -> tuple[str, Any]:
    """Return the key under which an info module returns what it read, and the sample of it."""
    path = ROOT / "plugins" / "modules" / f"{name}.py"
    returned = read_docstring(str(path))["returndocs"]
    if isinstance(returned, str):
        returned = yaml.safe_load(returned)
    [(key, described)] = [entry for entry in returned.items() if entry[0] != "error"]
    # As JSON has it: Ansible gives texts and lists that are marked, which have types of their own.
    return key, json.loads(json.dumps(described["sample"]))


def list_paths(value: Any, path: str = "") -> Iterator[str]:
    """Yield the path of each field in objects, with the type of its value.

    Null has no type that could differ, so its field is left out.
    """
    if isinstance(value, list):
        for element in value:
            yield from list_paths(element, path)
    if not isinstance(value, dict):
        return
    for name, field in value.items():
        if field is not None:
            yield f"{path}{name}: {type(field).__name__}"
        yield from list_paths(field, f"{path}{name}.")

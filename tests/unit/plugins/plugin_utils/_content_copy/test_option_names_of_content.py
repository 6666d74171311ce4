"""The role content names the options of its modules as an operator writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._content.source_host import (
    SOURCE_OPTIONS,
)
from tools.layout import ROOT

ROLE = ROOT / "roles" / "content"
_OF_OBJECT = re.compile(r"__content_object\.(\w+)")
_OF_ROLE = re.compile(r"__content_settings\.(content_\w+)")
_OF_NAMES = re.compile(r"{{ __content_names\.(\w+) }}")
_NAMES_OF_PLANS = {"__content_connection": "content_source", "__content_plan.mode": "content_step"}


def _find_name(value: str) -> str:
    """Return what an operator writes for the value of an option; empty where it follows by itself."""
    for expression, name in _NAMES_OF_PLANS.items():
        if expression in value and "==" not in value:
            return name
    match = _OF_OBJECT.search(value) or _OF_ROLE.search(value)

    return match[1] if match else ""


def _list_calls(kind: str) -> Iterator[dict[str, str]]:
    """Yield the options of each module that copies or compares an object of a kind."""
    tasks = yaml.safe_load((ROLE / "tasks" / f"{kind}.yml").read_text(encoding="utf-8"))
    for task in tasks:
        defaults = task.get("module_defaults", {})
        for call in task.get("block", [task]):
            for key, options in call.items():
                if key.startswith("hosting.panel.panel_") and key.endswith("_sync"):
                    yield {**defaults.get(key, {}), **options}


def _read_names() -> dict[str, str]:
    variables = yaml.safe_load((ROLE / "vars" / "main.yml").read_text(encoding="utf-8"))
    names: dict[str, str] = variables["__content_option_names"]

    return {option: _OF_NAMES.sub(r"\1", name) for option, name in names.items()}


@pytest.mark.parametrize("kind", ["tree", "mailbox", "database"])
def test_each_option_has_the_name_that_the_operator_wrote(kind: str) -> None:
    names = _read_names()

    for options in _list_calls(kind):
        for option, value in options.items():
            name = _find_name(str(value))
            assert name in ("", names.get(option, option)), option


def test_each_part_of_the_source_is_the_host_of_the_operator() -> None:
    names = _read_names()

    assert {names[f"source.{member}"] for member in SOURCE_OPTIONS} == {"content_source"}


def test_each_call_for_a_tree_takes_an_old_rsync_if_the_operator_accepts_it() -> None:
    expected = "{{ __content_settings.content_allow_old_rsync }}"
    values = [options["allow_old_rsync"] for options in _list_calls("tree")]

    assert values == [expected] * 4


def test_the_role_move_names_its_own_variables_for_all_that_it_gives() -> None:
    text = (ROOT / "roles" / "move" / "tasks" / "content.yml").read_text(encoding="utf-8")
    copying = next(task for task in yaml.safe_load(text) if "block" in task)
    variables = copying["block"][0]["vars"]
    typed_names = variables.pop("__content_typed_names")

    assert set(variables) == set(typed_names)
    assert all("__move_names." in name for name in typed_names.values())

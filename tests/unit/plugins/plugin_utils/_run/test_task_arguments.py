"""Arguments of an action that its specification takes, and that mean nothing all the same."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.plugin_utils._run.job import JobAction
from ansible_collections.hosting.panel.plugins.plugin_utils._run.panel_action import PanelAction
from tools.layout import ROOT

SPECIFICATION: dict[str, Any] = {
    "file": {"type": "path"},
    "panels": {"type": "list", "elements": "dict", "options": {"ca_path": {"type": "path"}}},
    "word": {"type": "str"},
    "number": {"type": "int"},
}


def check(arguments: dict[str, Any]) -> dict[str, Any]:
    return PanelAction.checked_arguments(
        cast("Any", SimpleNamespace(_task=SimpleNamespace(args=arguments))), SPECIFICATION
    )


def test_every_empty_path_is_named_by_its_place() -> None:
    arguments = {"file": "", "panels": [{"ca_path": "x"}, {"ca_path": " "}], "word": ""}
    with pytest.raises(OptionError) as caught:
        check(arguments)
    words = "is empty; give a path, or omit the option."
    assert str(caught.value) == (f"file: {words} panels[1].ca_path: {words} Nothing was read or written.")


def test_what_ansible_would_make_a_text_of_is_refused() -> None:
    with pytest.raises(OptionError) as caught:
        check({"word": False, "panels": [{"ca_path": {"a": "x"}}]})
    assert "word: False is not accepted; YAML reads yes, no," in str(caught.value)
    assert "panels[0].ca_path: {'a': 'x'} is not accepted; it must be a text." in str(caught.value)


def test_a_path_that_is_left_out_is_not_empty() -> None:
    arguments = {"file": None, "panels": None, "word": "", "number": None}
    assert check(arguments) == arguments


@pytest.mark.parametrize("path", sorted((ROOT / "plugins" / "action").glob("panel_*.py")), ids=lambda path: path.stem)
def test_every_action_checks_its_arguments_so(path: Path) -> None:
    action = importlib.import_module(f"ansible_collections.hosting.panel.plugins.action.{path.stem}")
    assert action.ActionModule.specification
    assert getattr(action.ActionModule, "arguments", JobAction.arguments) is JobAction.arguments

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role's argument specification and the modules name the same options."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import connection_argument_spec
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.plugin_utils._run.in_process import operation_of
from ansible_collections.hosting.panel.plugins.plugin_utils._sites.customers import LISTS

SPECIFICATION = Path(__file__).resolve().parents[3] / "roles" / "site" / "meta" / "argument_specs.yml"
ACTIONS = sorted(path.stem for path in (Path(__file__).resolve().parents[3] / "plugins" / "action").glob("panel_*.py"))
# By variable: the kind, and which options of its module the role takes no value for.
VARIABLES = {
    "site_plan": ("plans", {"id", "state", "new_name"}),
    "site_client": ("clients", {"id", "state"}),
    **{f"site_{plural}": (plural, set(decided)) for plural, decided in LISTS.items()},
}


def _options() -> dict[str, Any]:
    options: dict[str, Any] = yaml.safe_load(SPECIFICATION.read_text(encoding="utf-8"))["argument_specs"]["main"][
        "options"
    ]
    return options


@pytest.mark.parametrize("variable", VARIABLES)
def test_a_variable_takes_the_options_of_its_module(variable: str) -> None:
    plural, left_out = VARIABLES[variable]
    module = {
        name: (spec.get("type", "str"), spec.get("elements"), spec.get("choices"))
        for name, spec in operation_of(KINDS[plural].module)[0].options.items()
        if name not in left_out
    }
    role = {
        name: (spec["type"], spec.get("elements"), spec.get("choices"))
        for name, spec in _options()[variable]["options"].items()
    }
    assert role == module


@pytest.mark.parametrize("plural", KINDS)
def test_a_kind_is_named_by_options_of_its_module(plural: str) -> None:
    kind = KINDS[plural]
    options = operation_of(kind.module)[0].options
    assert set(kind.named_by) <= set(options)
    assert (kind.password is not None) == ("regenerate_password" in options)


def _options_of_fragment(name: str) -> dict[str, Any]:
    """The options that a fragment of the collection adds, without those of the connection."""
    file, variant = [*name.split(".")[2:], "documentation"][:2]
    module = importlib.import_module(f"ansible_collections.hosting.panel.plugins.doc_fragments.{file}")
    text = getattr(module.ModuleDocFragment, variant.upper())
    options: dict[str, Any] = yaml.safe_load(text).get("options", {})
    return {option: spec for option, spec in options.items() if option not in connection_argument_spec()}


@pytest.mark.parametrize("name", ACTIONS)
def test_an_actions_documentation_names_its_options(name: str) -> None:
    package = "ansible_collections.hosting.panel.plugins"
    documentation = yaml.safe_load(importlib.import_module(f"{package}.modules.{name}").DOCUMENTATION)
    documented = dict(documentation.get("options", {}))
    for fragment in documentation.get("extends_documentation_fragment", []):
        documented |= _options_of_fragment(fragment)
    specification = importlib.import_module(f"{package}.action.{name}").ActionModule.specification
    own = {option: spec for option, spec in specification.items() if option not in connection_argument_spec()}
    assert {option: spec.get("choices") for option, spec in documented.items()} == {
        option: spec.get("choices") for option, spec in own.items()
    }
    assert {option: spec["type"] for option, spec in documented.items()} == {
        option: spec["type"] for option, spec in own.items()
    }

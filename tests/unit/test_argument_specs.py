"""Actions, their documentation and the kinds name the same options; the roles copy none of them."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import connection_argument_spec
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.plugin_utils._customers.customers import LISTS
from ansible_collections.hosting.panel.plugins.plugin_utils._run.in_process import operation_of
from tools.layout import ROOT

SPECIFICATION = ROOT / "roles" / "site" / "meta" / "argument_specs.yml"
ACTIONS = sorted(path.stem for path in (ROOT / "plugins" / "action").glob("panel_*.py"))


def test_the_role_has_a_list_for_every_kind_that_a_client_owns_and_names_its_module() -> None:
    options = yaml.safe_load(SPECIFICATION.read_text(encoding="utf-8"))["argument_specs"]["main"]["options"]
    described = {name: str(option["description"]) for name, option in options.items()}
    lists = {f"site_{plural}": f"M(hosting.panel.{KINDS[plural].module})" for plural in LISTS}
    assert {name for name, option in options.items() if option["type"] == "list"} == set(lists)
    assert [name for name, module in lists.items() if module not in described[name]] == []


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

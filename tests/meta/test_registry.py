"""Every kind that has a table is in the registry, in the order of dependency, and nobody else keeps a list of kinds.

Actions, their documentation and the kinds name the same options; the roles copy none of them.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import connection_argument_spec
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.plugin_utils._customers.customers import LISTS
from ansible_collections.hosting.panel.plugins.plugin_utils._run.in_process import operation_of
from tests.meta import modules
from tools.layout import ROOT

UTILS = "ansible_collections.hosting.panel.plugins.module_utils."
TABLES = sorted(
    path.stem
    for path in (ROOT / "plugins" / "module_utils" / "_kinds").glob("*.py")
    if path.stem not in ("__init__", "registry")
)


def _registry() -> Any:
    modules.init_loader()
    return importlib.import_module(UTILS + "_kinds.registry")


@pytest.mark.parametrize("name", TABLES)
def test_a_kind_with_a_table_is_among_those_that_are_handled_together(name: str) -> None:
    modules.init_loader()
    values = vars(importlib.import_module(UTILS + f"_kinds.{name}")).values()
    tables = [value for value in values if type(value).__name__ == "Kind"]
    assert tables
    for table in tables:
        assert _registry().KINDS[table.plural] is table
        assert Path(ROOT / "plugins" / "modules" / f"{table.module}.py").is_file()


def test_a_kind_comes_after_those_that_it_refers_to() -> None:
    registry = _registry()
    order = list(registry.KINDS)
    for plural, table in registry.KINDS.items():
        above = {registry.BY_PATH[row.collection].plural for row in table.references} - {plural}
        for target in (*above, *filter(None, [table.part_of])):
            assert order.index(target) < order.index(plural), (plural, target)


# What these count or show is their own choice, and not a property of kinds.
CHOICES = {
    "module_utils/_kinds/client.py": "the members of a plan that limit numbers",
    "plugin_utils/_report/reading.py": "the members that a page shows",
    "plugin_utils/_report/findings.py": "the columns of a page, and the members of the statistics that count",
}


def _named_in(node: ast.AST) -> set[object]:
    entries = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", ())
    return {entry.value for entry in entries if isinstance(entry, ast.Constant)}


def test_nobody_but_the_registry_keeps_a_list_of_kinds() -> None:
    plurals = set(_registry().KINDS)
    plugins = ROOT / "plugins"
    keepers = {
        path.relative_to(plugins).as_posix()
        for path in plugins.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if len(_named_in(node) & plurals) >= 3
    }
    assert keepers == CHOICES.keys()


def _answers(value: Any, variable: str) -> Iterator[dict[str, Any]]:
    """The questions about a variable in AWX."""
    if isinstance(value, dict) and value.get("variable") == variable:
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _answers(inner, variable)


def test_what_people_choose_kinds_from_has_those_of_the_registry() -> None:
    registry = _registry()
    rotated = registry.ROTATED
    specification = yaml.safe_load((ROOT / "roles" / "rotate" / "meta" / "argument_specs.yml").read_text("utf-8"))
    assert specification["argument_specs"]["main"]["options"]["rotate_kinds"]["choices"] == list(rotated)
    templates = yaml.safe_load((ROOT / "extensions" / "awx" / "objects" / "job_templates.yml").read_text("utf-8"))
    purges = [question["choices"] for question in _answers(templates, "panel_purge")]
    assert purges
    assert all(choices == list(registry.TABLES) for choices in purges)


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

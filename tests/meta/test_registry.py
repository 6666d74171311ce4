"""Every kind that has a table is in the registry, in the order of dependency, and choices of kinds
are made of it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.meta import modules
from tools.generated import list_rotated_kinds, make_choices_writer
from tools.layout import ROOT

PLUGINS = "ansible_collections.hosting.panel.plugins"
UTILS = f"{PLUGINS}.module_utils."
TABLES = sorted(
    path.stem
    for path in (ROOT / "plugins" / "module_utils" / "_kinds").glob("*.py")
    if path.stem not in ("__init__", "registry")
)


def _load_registry() -> Any:
    """Return the registry of kinds, which Ansible's own loader has to find."""
    modules.prepare_loader()
    return importlib.import_module(UTILS + "_kinds.registry")


@pytest.mark.parametrize("name", TABLES)
def test_a_kind_with_a_table_is_among_those_that_are_handled_together(name: str) -> None:
    modules.prepare_loader()
    values = vars(importlib.import_module(UTILS + f"_kinds.{name}")).values()
    tables = [value for value in values if type(value).__name__ == "Kind"]

    assert tables

    for table in tables:
        assert _load_registry().KINDS[table.plural] is table
        assert Path(ROOT / "plugins" / "modules" / f"{table.module}.py").is_file()


def test_a_kind_comes_after_those_that_it_refers_to() -> None:
    registry = _load_registry()
    order = list(registry.KINDS)

    for plural, table in registry.KINDS.items():
        above = {registry.BY_PATH[row.kind_path].plural for row in table.references} - {plural}
        for target in (*above, *filter(None, [table.part_of])):
            assert order.index(target) < order.index(plural), (plural, target)


def test_a_list_of_choices_that_begins_with_another_kind_is_refused_and_not_left_as_it_is() -> None:
    write_choices = make_choices_writer(["servers", "clients", "domains"])

    with pytest.raises(ValueError, match="nothing in it matches"):
        write_choices("choices: [clients, domains]")
    assert write_choices("choices: [servers, emails]") == "choices: [servers, clients, domains]"


def _find_questions(value: Any, variable: str) -> Iterator[dict[str, Any]]:
    """Yield the questions about a variable in AWX."""
    if isinstance(value, dict):
        if value.get("variable") == variable:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _find_questions(inner, variable)


def test_what_people_choose_kinds_from_has_those_of_the_registry() -> None:
    registry = _load_registry()
    rotated = list_rotated_kinds(registry.TABLES)

    variables = yaml.safe_load((ROOT / "roles" / "rotate" / "vars" / "main.yml").read_text("utf-8"))

    assert variables["__rotate_variables"]["rotate_kinds"]["choices"] == rotated

    templates = yaml.safe_load(
        (ROOT / "extensions" / "awx" / "objects" / "job_templates.yml").read_text("utf-8")
    )
    purges = [question["choices"] for question in _find_questions(templates, "panel_purge")]

    assert purges
    assert all(choices == list(registry.TABLES) for choices in purges)


def test_the_role_has_a_list_for_every_kind_that_a_client_owns_and_names_its_module() -> None:
    kinds = _load_registry().KINDS
    lists_of = importlib.import_module(f"{PLUGINS}.plugin_utils._customers.customers").LISTS
    text = (ROOT / "roles" / "site" / "meta" / "argument_specs.yml").read_text(encoding="utf-8")
    options = yaml.safe_load(text)["argument_specs"]["main"]["options"]
    described = {name: str(option["description"]) for name, option in options.items()}
    lists = {f"site_{plural}": f"M(hosting.panel.{kinds[plural].module})" for plural in lists_of}

    variables = yaml.safe_load(
        (ROOT / "roles" / "site" / "vars" / "main.yml").read_text(encoding="utf-8")
    )
    table = {**variables["__site_variables"], **variables["__site_object_variables"]}

    assert {name for name, rules in table.items() if rules["type"] == "objects"} == set(lists)
    assert [name for name, module in lists.items() if module not in described[name]] == []


def test_a_kind_is_named_by_options_of_its_module() -> None:
    for kind in _load_registry().KINDS.values():
        options = modules.find_operation(kind.module).options
        assert set(kind.key_options) <= set(options)
        assert (kind.password is not None) == ("regenerate_password" in options)

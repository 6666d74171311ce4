"""Options that take a text, in all modules: what YAML misread is refused in each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._operation.validation import (
    find_misread_values,
)
from ansible_collections.hosting.panel.plugins.module_utils._values.option_marks import ACCEPTED
from ansible_collections.hosting.panel.plugins.plugin_utils._run.in_process import load_operation
from tools.layout import ROOT

PLUGINS = "ansible_collections.hosting.panel.plugins"
# Those that run on another host, by Ansible's own check of options.
OF_CONTENT = (
    "panel_content_info",
    "panel_database_sync",
    "panel_files_sync",
    "panel_mailbox_sync",
)
MODULES = sorted(
    path.stem
    for path in (ROOT / "plugins" / "modules").glob("panel_*.py")
    if path.stem not in OF_CONTENT
)
# Each has a form of its own, which no number has or which a number is as good for.
WITH_FORM = {
    "panel_client_info": ["month"],
    "panel_dns": ["protect"],
    "panel_report": ["panels.disk_space", "time", "usage_decimal", "usage_separator"],
    "panel_resources": ["expected_checksum"],
}


def read_specification(module: str) -> Mapping[str, Any]:
    """Return the options of a module, or of the action in its place."""
    if (ROOT / "plugins" / "action" / f"{module}.py").exists():
        specification: Mapping[str, Any] = import_module(
            f"{PLUGINS}.action.{module}"
        ).ActionModule.specification
        return specification
    return load_operation(module).options


def list_text_options(
    specification: Mapping[str, Any], prefix: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Yield path and rules of each option that takes a text, or a list of texts."""
    for name, rules in specification.items():
        path = (*prefix, name)
        if "options" in rules:
            yield from list_text_options(rules["options"], path)
        of_entries = rules.get("elements") if rules["type"] == "list" else rules["type"]
        is_free = not rules.get("choices") and ACCEPTED not in rules
        if of_entries in ("str", "path") and is_free:
            yield path, rules


def put_at(
    specification: Mapping[str, Any], path: tuple[str, ...], value: object
) -> dict[str, Any]:
    """Return options with a value at a path, in the only entry of lists on the way."""
    name, *further = path
    if not further:
        return {name: value}
    inner = put_at(specification[name]["options"], tuple(further), value)
    return {name: [inner] if specification[name]["type"] == "list" else inner}


@pytest.mark.parametrize("module", MODULES)
def test_a_number_or_switch_in_the_place_of_a_text_is_refused_by_each_module(module: str) -> None:
    specification = read_specification(module)
    accepted_options = set()
    for path, rules in list_text_options(specification):
        misread: list[Any] = [83, 8.1, True]
        if rules["type"] == "list":
            misread += [[83], [True]]
        for value in misread:
            options = put_at(specification, path, value)
            problems = [*find_misread_values(options, specification)]
            if not any("in quotes" in problem.cause for problem in problems):
                accepted_options.add(".".join(path))

    assert sorted(accepted_options) == WITH_FORM.get(module, [])

# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML of a file that people write is read where depth and aliases are checked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.layout import ROOT

READERS = frozenset(
    {"load", "load_all", "safe_load", "safe_load_all", "full_load", "unsafe_load"}
    | {"compose", "compose_all", "get_single_data", "get_single_node"}
)
FOLDERS = ("plugins", "roles", "playbooks")
# The files that read YAML by themselves, and why they may.
REASONS = {
    "plugins/plugin_utils/_run/nested_text.py": "checks depth and aliases",
    "plugins/plugin_utils/_folder/yaml_file.py": "checks depth and aliases, and makes the values",
    "plugins/plugin_utils/_inventory/panels.py": "makes no values, after the depth was checked",
    "plugins/plugin_utils/_variables/approval.py": "makes no values, and checks the depth",
    "plugins/plugin_utils/_variables/plugin_arguments.py": "reads the documentation of a plugin",
    "plugins/plugin_utils/_verify/open_points.py": "reads a table of the collection",
    "roles/simulator/files/panel_simulator/settings.py": "has no plugins, and is for tests",
    "roles/simulator/files/panel_simulator/__main__.py": "has no plugins, and is for tests",
}


def list_readers(code: str) -> Iterator[str]:
    """Yield the functions and methods that read YAML and that a file calls."""
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        of_yaml = isinstance(node.func.value, ast.Name) and node.func.value.id == "yaml"
        if node.func.attr in READERS and (of_yaml or node.func.attr.startswith("get_single")):
            yield node.func.attr


def list_files() -> list[Path]:
    """Return the files with code that reads files of operators."""
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]


def test_yaml_is_read_only_where_depth_and_aliases_are_checked() -> None:
    reading = {
        str(path.relative_to(ROOT))
        for path in list_files()
        if list(list_readers(path.read_text(encoding="utf-8")))
    }

    assert reading == set(REASONS)


def test_each_way_to_read_yaml_is_known() -> None:
    code = "yaml.safe_load(a)\nyaml.compose(b, L)\nloader.get_single_data()\nyaml.dump(c)\nx.load()"

    assert list(list_readers(code)) == ["safe_load", "compose", "get_single_data"]

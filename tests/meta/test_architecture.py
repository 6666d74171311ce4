# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrows between the files of the collection run one way, as docs/architecture.md draws them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from tools.layout import ROOT

PLUGINS = ROOT / "plugins"
UTILS = PLUGINS / "module_utils"
PREFIX = "ansible_collections.hosting.panel.plugins.module_utils."

_PRIVATE_FILES = frozenset(path.stem for path in UTILS.glob("_*.py"))


@cache
def imports(path: Path) -> frozenset[str]:
    """The full names of the modules that a file imports, also inside of functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names if alias.name in _PRIVATE_FILES}
    return frozenset(names)


@cache
def reached(name: str) -> frozenset[str]:
    """The files of module_utils that a file depends on, directly or not; raises RecursionError for a circle."""
    path = UTILS / (name.replace(".", "/") + ".py")
    direct = {found.removeprefix(PREFIX) for found in imports(path) if found.startswith(PREFIX)}
    return frozenset(direct.union(*(reached(other) for other in direct)))


# What the bottom may use: the names of errors.
BOTTOM = ("_values.", "_tables", "_kinds.", "_errors")
FILES = sorted(
    path.relative_to(UTILS).with_suffix("").as_posix().replace("/", ".")
    for path in UTILS.rglob("*.py")
    if path.name != "__init__.py"
)


@pytest.mark.parametrize("name", FILES)
def test_no_file_depends_on_itself(name: str) -> None:
    assert name not in reached(name)


def test_only_the_session_knows_requests() -> None:
    knowing = {
        path.relative_to(PLUGINS).as_posix()
        for path in PLUGINS.rglob("*.py")
        if any(name.partition(".")[0] in ("requests", "urllib3") for name in imports(path))
    }
    assert knowing == {"module_utils/_session.py"}


def test_only_the_module_front_end_knows_ansible_module() -> None:
    knowing = {
        name for name in FILES if "ansible.module_utils.basic" in imports(UTILS / (name.replace(".", "/") + ".py"))
    }
    # The other one borrows its words for a library that is not there.
    assert knowing == {"_module", "_missing_library"}


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith(BOTTOM)])
def test_tables_and_values_know_nothing_above_them(name: str) -> None:
    assert {other for other in reached(name) if not other.startswith(BOTTOM)} == set()


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith("planning")])
def test_planning_cannot_send_anything(name: str) -> None:
    assert reached(name) & {"_client", "_objects", "_operation", "_perform"} == set()


def test_the_client_knows_no_kind_and_no_plan() -> None:
    assert {
        other for other in reached("_client") if other.startswith(("_tables", "_kinds", "_planning", "_options"))
    } == set()


def test_only_one_place_knows_how_actions_show_something() -> None:
    shown = {"ansible.plugins.action", "ansible.utils.display"}
    knowing = {path.name for path in (PLUGINS / "action").glob("*.py") if imports(path) & shown}
    knowing |= {
        path.name for path in (PLUGINS / "plugin_utils").rglob("*.py") if "ansible.utils.display" in imports(path)
    }
    assert knowing == {"_panel_action.py"}
    for path in (PLUGINS / "action").glob("panel*.py"):
        (action,) = [
            node
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if getattr(node, "name", "") == "ActionModule"
        ]
        assert isinstance(action, ast.ClassDef)
        assert [ast.unparse(base) for base in action.bases] == ["PanelAction"], path.name
        assert "run" not in {getattr(node, "name", "") for node in action.body}, path.name


def test_a_module_file_holds_no_more_than_documentation_and_a_name() -> None:
    for path in (PLUGINS / "modules").glob("panel_*.py"):
        defined = [node.name for node in ast.parse(path.read_text(encoding="utf-8")).body if hasattr(node, "name")]
        assert defined in (["main"], []), path.name


PURE = sorted(
    path
    for path in (PLUGINS / "plugin_utils").rglob("*.py")
    if " Pure" in (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "")
)
SENDING_OR_WRITING = (
    "_client",
    "_inner_module",
    "_module_runs",
    "_whole_file",
    "_private_file",
    "os",
    "shutil",
    "tempfile",
)


@pytest.mark.parametrize("path", PURE, ids=lambda path: path.stem)
def test_what_says_that_it_is_pure_neither_sends_nor_writes_files(path: Path) -> None:
    known = {name.rpartition(".")[2] for name in imports(path)}
    assert known.isdisjoint(SENDING_OR_WRITING)

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind that has a table can be handled alone, together with others, and by the role site."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from tests.meta import modules
from tools.layout import ROOT

UTILS = "ansible_collections.hosting.panel.plugins.module_utils."
TABLES = sorted(
    path.stem
    for path in (ROOT / "plugins" / "module_utils" / "_kinds").glob("*.py")
    if path.stem not in ("__init__", "owner", "registry")
)


def _registry() -> Any:
    modules.init_loader()
    return importlib.import_module(UTILS + "_kinds.registry")


@pytest.mark.parametrize("name", TABLES)
def test_a_kind_with_a_table_is_among_those_that_are_handled_together(name: str) -> None:
    modules.init_loader()
    values = vars(importlib.import_module(UTILS + f"_kinds.{name}")).values()
    (table,) = (value for value in values if type(value).__name__ == "Kind" and value.singular == name)
    assert _registry().KINDS[table.plural] is table
    assert Path(ROOT / "plugins" / "modules" / f"{table.module}.py").is_file()


def test_a_kind_comes_after_those_that_it_refers_to() -> None:
    registry = _registry()
    order = list(registry.KINDS)
    for plural, table in registry.KINDS.items():
        above = {registry.BY_PATH[row.collection].plural for row in table.references} - {plural}
        for target in (*above, *filter(None, [table.part_of])):
            assert order.index(target) < order.index(plural), (plural, target)

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


def _bulk() -> Any:
    modules.init_loader()
    return importlib.import_module(UTILS + "_kinds.registry")


@pytest.mark.parametrize("name", TABLES)
def test_a_kind_with_a_table_is_among_those_that_are_handled_together(name: str) -> None:
    modules.init_loader()
    table = getattr(importlib.import_module(UTILS + f"_kinds.{name}"), name.upper())
    assert _bulk().TABLES[table.plural] is table
    assert Path(ROOT / "plugins" / "modules" / f"panel_{table.singular}.py").is_file()


def test_the_order_of_dependency_is_the_same_everywhere() -> None:
    modules.init_loader()
    objects = importlib.import_module("ansible_collections.hosting.panel.plugins.plugin_utils._run.object_kinds")
    assert tuple(objects.OBJECT_KINDS) == _bulk().ORDER


def test_a_kind_comes_after_those_that_it_refers_to() -> None:
    bulk = _bulk()
    for plural, table in bulk.TABLES.items():
        for row in (*table.key, *table.rows):
            for one in (row, *getattr(row, "members", ())):
                target = getattr(one, "collection", None)
                if target and bulk.BY_PATH[target].plural != plural:
                    order = bulk.ORDER
                    assert order.index(bulk.BY_PATH[target].plural) < order.index(plural), (plural, target)

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A value passes through few files on its way from the option to the request: as many as the table of docs/architecture.md says, at most."""

from __future__ import annotations

import importlib
import re
import sys
from types import FrameType
from typing import Any

import pytest

from tests.support.memory_panel import MemoryPanel, zone
from tests.support.tasks import run_task
from tools.layout import ROOT

PLUGINS = "ansible_collections.hosting.panel.plugins"
MARKER = "qzmark7"
LONGEST = {
    (hit[1], hit[2]): int(hit[3])
    for hit in re.finditer(
        r"^\| `(\w+)` of `(\w+)` \| (\d+) \|$", (ROOT / "docs/architecture.md").read_text("utf-8"), re.MULTILINE
    )
}
DOMAIN = {"id": 3, "domain": "acme.example", "id_parent_domain": 0}
CLIENT = {"id": 1, "username": "acme"}
WALKS: dict[tuple[str, str], tuple[dict[str, list[dict[str, Any]]], dict[str, Any]]] = {
    ("username", "panel_client"): ({}, {"username": MARKER}),
    ("password", "panel_client"): ({}, {"username": "acme", "password": MARKER}),
    ("records", "panel_dns"): (
        {"/domains": [DOMAIN], "/dns": [zone(3, "acme.example")]},
        {"domain": "acme.example", "records": [{"host": "www", "type": "CNAME", "value": f"{MARKER}.example."}]},
    ),
    ("resources", "panel_resources"): (
        {"/clients": [CLIENT]},
        {"resources": {"clients": [{"username": "acme", "password": MARKER, "update_password": "always"}]}, "concurrency": 1},
    ),
}  # fmt: skip


def holds_marker(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(holds_marker, value)) or any(map(holds_marker, value.values()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(map(holds_marker, value))
    return isinstance(value, str) and MARKER in value


def files_on_the_way(operation: Any, panel: MemoryPanel, options: dict[str, Any]) -> list[str]:
    """The files of the plugins whose functions are given the marker, in the order in which it reaches them."""
    files: dict[str, None] = {}

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        _before, is_ours, name = code.co_filename.partition("/hosting/panel/plugins/")
        if event == "call" and is_ours and name not in files:
            arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            if any(holds_marker(frame.f_locals.get(one)) for one in arguments):
                files[name] = None

    sys.setprofile(note)
    try:
        result = run_task(operation, panel, options)
    finally:
        sys.setprofile(None)
    assert not result.get("failed"), result
    return list(files)


def test_the_page_names_each_of_these_ways() -> None:
    assert LONGEST.keys() == WALKS.keys()


@pytest.mark.parametrize(("option", "module"), WALKS)
def test_a_value_passes_through_no_more_files_than_the_page_says(option: str, module: str) -> None:
    objects, options = WALKS[option, module]
    panel = MemoryPanel(objects)
    files = files_on_the_way(importlib.import_module(f"{PLUGINS}.modules.{module}").OPERATION, panel, options)
    assert MARKER in str(panel.writes)
    assert len(files) <= LONGEST[option, module], files

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel refuses of one certificate or zone keeps no other from being written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.parts import write_parts

PARTS = {("dns", zone): {"dns": [{"domain": zone}]} for zone in ("a.example", "b.example", "c.example")}


class Panel:
    """A panel that refuses all that it is asked for together with ``wrong``, and writes everything else."""

    def __init__(self, wrong: str = "", kind: str = "WrongItems") -> None:
        self.wrong, self.kind = wrong, kind
        self.asked: list[list[str]] = []

    def run(self, _module: str, options: Mapping[str, Any]) -> dict[str, Any]:
        zones = [item["domain"] for item in options["resources"]["dns"]]
        self.asked.append(zones)
        if self.wrong in zones:
            message = f"{self.wrong}: its records cannot be read. Nothing was written."
            return {"failed": True, "changed": False, "msg": message, "error": {"type": self.kind}}
        results = [{"kind": "dns", "key": zone, "result": "changed"} for zone in zones]
        return {
            "changed": True,
            "plan": {"actions": [{"kind": "dns", "key": zone} for zone in zones]},
            "results": results,
        }

    planned = run


def written(panel: Any, planned: bool = False) -> dict[str, Any]:
    return write_parts(panel, PARTS, planned)


def test_all_parts_are_one_task() -> None:
    panel = Panel()
    assert written(panel)["changed"] is True
    assert panel.asked == [["a.example", "b.example", "c.example"]]


def test_what_is_wrong_with_one_part_is_a_result_of_that_one_alone() -> None:
    for planned in (False, True):
        panel = Panel("b.example")
        done = written(panel, planned)
        assert panel.asked[1:] == [["a.example"], ["b.example"], ["c.example"]]
        assert (done["changed"], done["failed"]) == (True, True)
        assert done["results"][1] == {
            "kind": "dns",
            "key": "b.example",
            "result": "failed",
            "msg": "b.example: its records cannot be read.",
        }
        assert [one["result"] for one in done["results"]] == ["changed", "failed", "changed"]
        assert [one["key"] for one in done["plan"]["actions"]] == ["a.example", "c.example"]


def test_a_panel_that_cannot_be_reached_is_asked_once() -> None:
    panel = Panel("b.example", "Unreachable")
    assert written(panel)["error"] == {"type": "Unreachable"}
    assert len(panel.asked) == 1


def test_nothing_is_asked_for_nothing() -> None:
    panel: Any = Panel()
    assert write_parts(panel, {}) == {"plan": {"actions": []}}
    assert panel.asked == []

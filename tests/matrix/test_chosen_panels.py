"""A playbook chooses a panel from the file of a report, and from what it knows of its hosts."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._report.build_report import build_report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_reading import (
    PanelReading,
)
from tests.support.playbook import Run, play

GIB = 1 << 30
NOW = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=datetime.UTC)
PLACE = "hosting.panel.panel_place"
FILE = "lookup('ansible.builtin.file', 'report.json')"
RULES = "most_promised_percent='150', keep_free='1G', never=['web-3']"
FIGURES = (
    "[{'name': 'web-1', 'disk_size': size, 'disk_used': 0, 'disk_promised': '50G', 'clients': 1},"
    " {'name': 'web-2', 'disk_size': nothing | default(''), 'disk_used': 0, 'disk_promised': 0,"
    " 'clients': 0}]"
)
# By name of a task what it shows.
EXPRESSIONS = {
    "a file": f"{FILE} | {PLACE}('10G', {RULES})",
    "a file that was read": f"{FILE} | from_json | {PLACE}(plan, {RULES})",
    "a list": f"{FIGURES} | {PLACE}(plan.resources)",
    "the name alone": f"({FIGURES} | {PLACE}('10G') | selectattr('fits') | first).panel",
}
# By name of a task what it does wrong.
MISTAKES = {
    "a misspelt panel": f"{FILE} | {PLACE}('10G', only=['wbe-1'])",
    "a misspelt rule": f"{FILE} | {PLACE}('10G', nevr=['web-1'])",
    "no demand": f"{FIGURES} | {PLACE}(nothing | default(None))",
}


def make_panel(name: str, used: int) -> PanelReading:
    """Return a panel as a report reads it."""
    return PanelReading(
        name,
        f"{name}.example",
        disk_space=100 * GIB,
        server={"resources": {"consumed_disk_space": used * GIB}},
        objects={"clients": [{"id": 1, "username": "acme"}]},
        stats={1: {"disk_space": {"value": used * GIB, "max": 2 * used * GIB}}},
    )


def make_tasks() -> Iterator[dict[str, Any]]:
    """Yield a task for each expression."""
    plan = {"name": "Business", "resources": {"disk_space": "10G"}}
    for name, expression in {**EXPRESSIONS, **MISTAKES}.items():
        yield {
            "name": name,
            "ansible.builtin.debug": {"msg": f"{{{{ {expression} }}}}"},
            "vars": {"plan": plan, "size": "100G"},
        }


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Evaluate every expression once for all tests."""
    folder = tmp_path_factory.mktemp("choice")
    report = build_report(
        [make_panel("web-1", 40), make_panel("web-2", 20), make_panel("web-3", 1)], NOW
    )
    Path(folder, "report.json").write_text(json.dumps(report), encoding="utf-8")
    return play(make_tasks(), None, folder)


@pytest.mark.parametrize("name", ["a file", "a file that was read"])
def test_a_panel_is_chosen_from_the_file_of_a_report(run: Run, name: str) -> None:
    assert run[name].result["msg"] == [
        {
            "panel": "web-2",
            "fits": True,
            "why": "50.0 % of the disk would be promised; 70.0 GiB would be left free",
            "promised_percent": 50.0,
        },
        {
            "panel": "web-1",
            "fits": True,
            "why": "90.0 % of the disk would be promised; 50.0 GiB would be left free",
            "promised_percent": 90.0,
        },
        {
            "panel": "web-3",
            "fits": False,
            "why": "never names it",
            "promised_percent": 12.0,
        },
    ]


def test_a_panel_is_chosen_from_figures_of_the_playbook(run: Run) -> None:
    places = run["a list"].result["msg"]
    assert [(entry["panel"], entry["why"]) for entry in places] == [
        ("web-1", "60.0 % of the disk would be promised; 90.0 GiB would be left free"),
        ("web-2", "not known: disk_size"),
    ]
    assert run["the name alone"].result["msg"] == "web-1"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a misspelt panel", f"{PLACE}: only: there is no panel wbe-1; did you mean web-1?"),
        ("a misspelt rule", f"{PLACE}: nevr: unknown. The arguments are demand, "),
        ("no demand", f"{PLACE}: demand: missing, or null."),
    ],
)
def test_a_mistake_is_in_the_message(run: Run, name: str, message: str) -> None:
    assert (run[name].outcome, message in run[name].msg) == ("failed", True), run[name].msg

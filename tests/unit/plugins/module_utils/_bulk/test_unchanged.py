"""An object that the panel shows exactly as an item wants it gets no plan of its own, and all that
is decided is the same as with one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk import object_decisions, planner
from ansible_collections.hosting.panel.plugins.module_utils._bulk.plan_state import (
    ItemOutcome,
    PlanState,
)
from ansible_collections.hosting.panel.plugins.module_utils._items.desired_items import Item
from tests.support import pem
from tests.support.grid import Behaviour, list_behaviours, select_behaviours
from tests.support.in_memory import InMemory
from tests.support.memory import MemoryPanel
from tests.support.mixed_panel import make_mixed_objects
from tests.support.place import Place
from tests.support.tasks import run_items

CHOSEN = {behaviour.name for behaviour in select_behaviours(list_behaviours())}
BEHAVIOURS = [
    pytest.param(
        behaviour, id=behaviour.name, marks=() if behaviour.name in CHOSEN else pytest.mark.long
    )
    for behaviour in list_behaviours()
]
Decisions = dict[str, Any]
Planned = Callable[[], Mapping[str, Any]]


def decide(monkeypatch: pytest.MonkeyPatch, run: Planned, has_shortcut: bool) -> Decisions:
    """Return what a run of panel_resources returns, and what is known of its plan."""
    states: list[PlanState] = []
    decide_object = object_decisions.decide_object

    def note_state(state: PlanState, item: Item) -> ItemOutcome:
        states.append(state)
        counts = count_decisions(state)
        outcome = decide_object(state, item)
        assert count_decisions(state) == counts, "only the planner adds what is decided"
        return outcome

    with monkeypatch.context() as patch:
        patch.setattr(planner, "decide_object", note_state)
        if not has_shortcut:
            patch.setattr(object_decisions, "_find_unchanged", lambda _state, _item: None)
        result = run()
    return {"result": result, **(describe_state(states[0]) if states else {})}


def describe_state(state: PlanState) -> Decisions:
    """Return what decides about what comes after the items, with names for items."""
    return {
        "unchanged": state.unchanged,
        "warnings": state.warnings,
        "mistakes": state.mistakes,
        "left out": state.left_out,
        "claimed": {identity: item.name for identity, item in state.claimed.items()},
        "needed": {identity: item.name for identity, item in state.needed.items()},
        "marked": sorted(state.marked),
        "released": state.released_by,
        "pending": state.pending,
    }


def count_decisions(state: PlanState) -> dict[str, int]:
    """Return how much of each is known of a plan."""
    counts = {name: len(decided) for name, decided in describe_state(state).items()}
    return {**counts, "actions": len(state.actions)}


def assert_same_decisions(monkeypatch: pytest.MonkeyPatch, run: Planned) -> Decisions:
    """Return what is decided, which is the same with the shortcut and without it."""
    decisions = decide(monkeypatch, run, has_shortcut=True)
    assert decisions == decide(monkeypatch, run, has_shortcut=False)
    return decisions


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_an_item_of_every_kind_and_field_ends_alike(
    sample_panel: Place, monkeypatch: pytest.MonkeyPatch, behaviour: Behaviour
) -> None:
    existing = [] if behaviour.existing is None else [behaviour.existing]
    sample_panel.prepare(behaviour.kind, *existing, **behaviour.settings)
    resources = {behaviour.kind.plural: [sample_panel.resolve(behaviour.options)]}
    options = {"resources": resources, "max_deletes": 50, "return_unchanged": True}

    assert_same_decisions(
        monkeypatch,
        lambda: sample_panel.run("plan", "panel_resources", options, check_mode=True).result,
    )


@pytest.mark.long
@pytest.mark.parametrize("purge", [[], ["emails", "databases"]], ids=["alone", "with a purge"])
def test_an_export_of_a_mixed_panel_ends_alike(
    monkeypatch: pytest.MonkeyPatch, purge: list[str]
) -> None:
    panel = InMemory(make_mixed_objects(pem.make_texts(), clients=4))
    resources = panel.run("panel_resources_info")["resources"]
    resources["emails"] = [{**item, "max_size": 7} for item in resources["emails"][::2]]
    options = {"resources": resources, "purge": purge, "max_deletes": 99, "return_unchanged": True}

    decisions = assert_same_decisions(
        monkeypatch, lambda: panel.run("panel_resources", check_mode=True, **options)
    )

    assert len(decisions["unchanged"]) > 40


OBJECTS = {
    "/hosting-plans": [{"id": 1, "name": "Business"}],
    "/clients": [{"id": 11, "username": "acme", "id_hosting_plan": 1, "notes": "x"}],
    "/domains": [
        {"id": 31, "domain": "acme.example", "id_user": 11, "id_parent_domain": 0},
        {"id": 32, "domain": "www.acme.example", "id_user": 11, "id_parent_domain": 31},
    ],
}
ACME = {"username": "acme", "hosting_plan": "Business", "notes": "x"}


@pytest.mark.parametrize(
    "resources",
    [
        pytest.param({"clients": [ACME]}, id="as it is"),
        pytest.param({"clients": [ACME, {"id": 11, "notes": "x"}]}, id="named twice"),
        pytest.param({"clients": [{"id": 11, "notes": "y"}, ACME]}, id="named twice, once changed"),
        pytest.param(
            {"plans": [{"name": "Business", "state": "absent"}], "clients": [ACME]},
            id="what it refers to is deleted",
        ),
        pytest.param(
            {"plans": [{"name": "Business", "new_name": "Gold"}], "clients": [ACME]},
            id="what it refers to is renamed",
        ),
        pytest.param(
            {"clients": [{**ACME, "state": "absent"}, ACME]}, id="it is deleted by another item"
        ),
        pytest.param(
            {"domains": [{"domain": "www.acme.example", "parent_domain": "acme.example"}]},
            id="a reference to its own kind",
        ),
        pytest.param(
            {"domains": [{"domain": "www.acme.example", "parent_domain": ""}]},
            id="a reference that is to go",
        ),
        pytest.param(
            {"domains": [{"domain": "ACME.example.", "client": "acme"}]}, id="another spelling"
        ),
        pytest.param(
            {"domains": [{"domain": "acme.example", "client": "globex"}]}, id="no such object"
        ),
    ],
)
def test_items_about_one_object_end_alike(
    monkeypatch: pytest.MonkeyPatch, resources: Mapping[str, Any]
) -> None:
    def run() -> dict[str, Any]:
        return run_items(
            MemoryPanel(OBJECTS), resources, True, max_deletes=9, return_unchanged=True
        )

    assert_same_decisions(monkeypatch, run)


def test_an_object_as_it_is_desired_takes_the_shortcut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_decisions, "prepare", pytest.fail)

    result = run_items(MemoryPanel(OBJECTS), {"clients": [ACME]}, True)

    assert result["plan"]["summary"]["unchanged"] == 1

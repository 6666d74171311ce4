"""What is decided about one of many items, beside what the single module of its kind decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk import planner
from ansible_collections.hosting.panel.plugins.module_utils._bulk.plan_state import (
    ItemOutcome,
    PlanState,
)
from ansible_collections.hosting.panel.plugins.module_utils._items.desired_items import Item
from tests.support.memory import MemoryPanel
from tests.support.tasks import run_items

OBJECTS = {
    "/hosting-plans": [{"id": 1, "name": "Business"}],
    "/clients": [{"id": 11, "username": "acme", "id_hosting_plan": 1, "notes": "x"}],
    "/domains": [
        {"id": 31, "domain": "acme.example", "id_user": 11, "id_parent_domain": 0},
        {"id": 32, "domain": "www.acme.example", "id_user": 11, "id_parent_domain": 31},
    ],
}
ACME = {"username": "acme", "hosting_plan": "Business", "notes": "x"}


def plan_items(resources: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plan of these items on the panel of the tests."""
    return run_items(MemoryPanel(OBJECTS), resources, True, max_deletes=9, return_unchanged=True)


def count_decisions(state: PlanState) -> dict[str, int]:
    """Return how much of each is known of a plan."""
    return {
        "actions": len(state.actions),
        "unchanged": len(state.unchanged),
        "warnings": len(state.warnings),
        "mistakes": len(state.mistakes),
        "left out": len(state.left_out),
        "claimed": len(state.claimed),
        "needed": len(state.needed),
        "marked": len(state.marked),
        "released": len(state.released_by),
        "pending": len(state.pending),
    }


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
def test_a_decision_changes_nothing_of_the_state(
    monkeypatch: pytest.MonkeyPatch, resources: Mapping[str, Any]
) -> None:
    decide_object = planner.decide_object
    differences = []

    def decide_and_count(state: PlanState, item: Item) -> ItemOutcome:
        counts = count_decisions(state)
        outcome = decide_object(state, item)
        differences.append(counts == count_decisions(state))
        return outcome

    monkeypatch.setattr(planner, "decide_object", decide_and_count)
    plan_items(resources)

    assert differences
    assert all(differences)


def test_an_object_that_is_as_its_item_has_it_is_unchanged() -> None:
    result = plan_items({"clients": [ACME]})

    assert result["plan"]["actions"] == []
    assert result["results"] == [
        {"kind": "clients", "key": "acme", "id": 11, "result": "unchanged"}
    ]


def test_two_items_about_one_unchanged_object_are_refused() -> None:
    result = plan_items({"clients": [ACME, {"id": 11, "notes": "x"}]})

    assert "clients[1] (with id 11) names the same object as clients[0] (acme)" in result["msg"]


def test_what_an_unchanged_object_refers_to_is_not_deleted() -> None:
    plans = [{"name": "Business", "state": "absent"}]

    result = plan_items({"plans": plans, "clients": [ACME]})

    assert "plans[0] (Business) is deleted, but clients[0] (acme) needs it" in result["msg"]

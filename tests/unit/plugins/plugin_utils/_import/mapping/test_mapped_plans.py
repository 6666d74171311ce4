"""Hosting plans of an import: what of a limit does not arrive is named."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.plugin_utils._import.item_checks import CheckedItem
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping import plans
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.mapper import map_source
from ansible_collections.hosting.panel.plugins.plugin_utils._import.operator_mapping import (
    read_mapping,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Customer,
    Limits,
    Origin,
    Plan,
    Source,
)

# Some that the collection takes, and some that it refuses for one resource or for all of them.
_VALUES = st.sampled_from([None, -1, 0, 1, -2, 10**6, 10**30])
_LIMITS = st.builds(Limits, **dict.fromkeys(plans.RESOURCES.values(), _VALUES))
_CHOICES = st.sampled_from([None, ["anna"], ["anna", "bert"]])


@given(limits=_LIMITS, plan_count=st.integers(0, 2), clients=_CHOICES)
def test_each_limit_that_a_plan_loses_is_named_once_for_each_of_its_rows(
    limits: Limits, plan_count: int, clients: list[str] | None
) -> None:
    mapped = map_source(_make_source(limits, plan_count), read_mapping(None), clients=clients)

    (plan,) = mapped.resources[None]["plans"]
    requested = {
        option for option, name in plans.RESOURCES.items() if getattr(limits, name) is not None
    }
    dropped = requested - set(plan.get("resources", {}))
    rows = [entry["source"] for entry in mapped.carried if entry["kind"] == "plans"]
    customers = ["client:1", "client:2"] if clients != ["anna"] else ["client:1"]
    assert rows == ([f"plan:{number}" for number in range(plan_count)] or customers)
    named = Counter(
        (entry["source"], entry["field"]) for entry in mapped.left_out if entry["kind"] == "plans"
    )
    assert named == Counter((row, f"resources.{option}") for row in rows for option in dropped)


def test_a_plan_without_disk_space_is_named() -> None:
    mapped = map_source(_make_source(Limits(disk_space=0), 0), read_mapping(None))

    assert {
        (entry["source"], entry["field"]) for entry in mapped.left_out if entry["kind"] == "plans"
    } == {("client:1", "resources.disk_space"), ("client:2", "resources.disk_space")}


@pytest.mark.parametrize("clients", [None, ["anna"]])
@pytest.mark.parametrize("plan_count", [0, 2])
def test_a_client_whose_plan_is_refused_is_named(
    monkeypatch: pytest.MonkeyPatch, plan_count: int, clients: list[str] | None
) -> None:
    def refuse(*_arguments: Any) -> CheckedItem:
        return CheckedItem(None, {}, "It is refused.")

    monkeypatch.setattr(plans, "check_item", refuse)

    mapped = map_source(
        _make_source(Limits(domains=3), plan_count), read_mapping(None), clients=clients
    )

    named = {
        (entry["source"], entry.get("field"), entry["why"])
        for entry in mapped.left_out
        if entry.get("field") == "hosting_plan"
    }
    assert named == {
        (f"client:{number}", "hosting_plan", "It is refused.")
        for number in range(1, 3 if clients is None else 2)
    }
    assert not any(
        "hosting_plan" in client
        for items in mapped.resources.values()
        for client in items.get("clients", ())
    )


def _make_source(limits: Limits, plan_count: int) -> Source:
    """Return two customers with equal limits, and so many plans with these."""
    return Source(
        customers=tuple(
            Customer(Origin("client", str(number)), name, "", limits)
            for number, name in enumerate(("anna", "bert"), 1)
        ),
        plans=tuple(
            Plan(Origin("plan", str(number)), f"Plan {number}", limits)
            for number in range(plan_count)
        ),
    )

"""hosting.panel.panel_select: which objects are chosen, and which names fit nothing."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_select import panel_select

PANEL: dict[str, list[dict[str, Any]]] = {
    "plans": [{"name": "Business"}, {"name": "Empty"}],
    "clients": [{"username": "acme", "hosting_plan": "Business", "email": "it@acme.example"}, {"username": "beta"}],
    "emails": [
        {"email": "info@acme.example", "client": "acme", "max_size": 1},
        {"email": "printer@acme.example", "client": "acme"},
        {"email": "info@xn--mller-kva.example", "client": "beta"},
    ],
}


def chosen(**options: Any) -> list[str]:
    found = panel_select(PANEL, **options)
    assert found["unmatched"] == []
    assert found["count"] == sum(len(items) for items in found["resources"].values())
    return [str(next(iter(item.values()))) for items in found["resources"].values() for item in items]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"clients": ["acme"], "kinds": ["emails"]}, ["info@acme.example", "printer@acme.example"]),
        ({"plans": ["bus*"], "kinds": ["clients"]}, ["acme"]),
        ({"plans": ["Empty"], "kinds": ["clients"]}, []),
        ({"clients": ["*"], "kinds": ["emails"], "exceptions": ["printer@*", "beta"]}, ["info@acme.example"]),
        ({"objects": {"emails": ["INFO@müller.example"]}}, ["info@xn--mller-kva.example"]),
        ({}, []),
    ],
)
def test_objects_are_chosen_by_client_by_plan_and_by_name(options: dict[str, Any], names: list[str]) -> None:
    assert chosen(**options) == names


def test_an_item_has_only_what_names_the_object_and_the_given_options() -> None:
    found = panel_select(PANEL, objects={"emails": ["info@acme.example"]}, options={"regenerate_password": True})
    assert found["resources"] == {"emails": [{"email": "info@acme.example", "regenerate_password": True}]}


def test_each_name_that_fits_nothing_is_told_with_the_one_that_may_be_meant() -> None:
    found = panel_select(
        PANEL, clients=["x*"], plans=["Busines"], objects={"emails": ["inf@acme.example"]}, exceptions=["nobody"]
    )
    assert found["unmatched"] == [
        "clients: no x* here.",
        "plans: no Busines here, did you mean Business?",
        "objects.emails: no inf@acme.example here, did you mean info@acme.example?",
        "except: no nobody here.",
    ]

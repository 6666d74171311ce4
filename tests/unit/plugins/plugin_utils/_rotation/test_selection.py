"""Names and patterns that choose objects."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.hosting.panel.plugins.plugin_utils._rotation.selection import (
    Choice,
    select_objects,
)
from tests.support.client_tables import NUMBERS, PADDED

PANEL: dict[str, list[dict[str, Any]]] = {
    "plans": [{"name": "Business"}, {"name": "Empty"}],
    "clients": [
        {"username": "acme", "hosting_plan": "Business", "email": "it@acme.example"},
        {"username": "beta"},
    ],
    "emails": [
        {"email": "info@acme.example", "client": "acme", "max_size": 1},
        {"email": "printer@acme.example", "client": "acme"},
        {"email": "info@xn--mller-kva.example", "client": "beta"},
    ],
}


def select(
    resources: Any,
    options: dict[str, Any] | None = None,
    option_names: dict[str, str] | None = None,
    **choice: Any,
) -> dict[str, Any]:
    """Choose objects, as the filter does."""
    return select_objects(resources, Choice(**choice), options or {}, option_names or {})


def select_names(**options: Any) -> list[str]:
    """Return the names of the objects that a selection takes."""
    selection = select(PANEL, **options)
    assert selection["unmatched"] == []
    assert selection["count"] == sum(len(items) for items in selection["resources"].values())

    return [
        str(next(iter(item.values())))
        for items in selection["resources"].values()
        for item in items
    ]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        pytest.param(
            {"clients": ["acme"], "kinds": ["emails"]},
            ["info@acme.example", "printer@acme.example"],
            id="client",
        ),
        pytest.param({"plans": ["bus*"], "kinds": ["clients"]}, ["acme"], id="pattern of plans"),
        pytest.param({"plans": ["Empty"], "kinds": ["clients"]}, [], id="plan without clients"),
        pytest.param(
            {"clients": ["*"], "kinds": ["emails"], "exceptions": ["printer@*", "beta"]},
            ["info@acme.example"],
            id="exceptions",
        ),
        pytest.param(
            {"objects": {"emails": ["INFO@müller.example"]}},
            ["info@xn--mller-kva.example"],
            id="name in letters of its language",
        ),
        pytest.param({}, [], id="nothing"),
    ],
)
def test_objects_are_chosen_by_client_by_plan_and_by_name(
    options: dict[str, Any], names: list[Any]
) -> None:
    assert select_names(**options) == names


def test_an_item_has_only_what_names_the_object_and_the_given_options() -> None:
    selection = select(
        PANEL, objects={"emails": ["info@acme.example"]}, options={"regenerate_password": True}
    )
    assert selection["resources"] == {
        "emails": [{"email": "info@acme.example", "regenerate_password": True}]
    }


def test_each_name_that_fits_nothing_is_told_with_the_one_that_may_be_meant() -> None:
    selection = select(
        PANEL,
        clients=["x*"],
        plans=["Busines"],
        objects={"emails": ["inf@acme.example"]},
        exceptions=["nobody"],
    )

    assert selection["unmatched"] == [
        "clients: nothing on this panel fits x*.",
        "plans: nothing on this panel fits Busines; did you mean Business?",
        "objects.emails: nothing on this panel fits inf@acme.example; did you mean info@acme.example?",
        "exceptions: nothing on this panel fits nobody.",
    ]


def test_what_fits_nothing_is_told_by_the_names_of_the_variables_that_were_typed() -> None:
    selection = select(
        PANEL,
        clients=["x*"],
        objects={"emails": ["x*"]},
        option_names={"clients": "panels_clients", "objects": "rotate_objects"},
    )

    assert selection["unmatched"] == [
        "panels_clients: nothing on this panel fits x*.",
        "rotate_objects.emails: nothing on this panel fits x*.",
    ]


@pytest.mark.parametrize("text", PADDED)
@pytest.mark.parametrize("option", ["clients", "plans", "exceptions", "objects"])
def test_a_name_of_a_selection_that_may_be_a_number_beside_a_blank_is_refused(
    option: str, text: str
) -> None:
    options: dict[str, Any] = {
        option: {"emails": [text]} if option == "objects" else ["acme", text]
    }
    with pytest.raises(AnsibleFilterError, match="without blanks"):
        select({"clients": [{"username": "acme"}], "emails": [], "plans": []}, **options)


@pytest.mark.parametrize("number", NUMBERS, ids=str)
@pytest.mark.parametrize("option", ["clients", "plans", "exceptions", "objects"])
def test_a_name_of_a_selection_that_yaml_has_read_as_something_else_is_refused(
    option: str, number: Any
) -> None:
    options: dict[str, Any] = {
        option: {"emails": [number]} if option == "objects" else ["acme", number]
    }
    with pytest.raises(AnsibleFilterError, match="in quotes"):
        select({"clients": [{"username": "acme"}], "emails": [], "plans": []}, **options)

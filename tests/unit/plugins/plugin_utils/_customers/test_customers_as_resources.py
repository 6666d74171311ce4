"""Customers become resources (hosting.panel.panel_customers_to_resources), and a result is sorted
by them (hosting.panel.panel_customers_result)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.hosting.panel.plugins.filter.panel_customers_result import (
    panel_customers_result,
)
from ansible_collections.hosting.panel.plugins.filter.panel_customers_to_resources import (
    panel_customers_to_resources,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.plugin_utils._customers.customers import LISTS

MAILBOX = KINDS["emails"].title
ACME: dict[str, Any] = {"client": {"username": "acme"}}
BETA: dict[str, Any] = {"client": {"username": "beta"}}


def get_refusal(*customers: Any, password_variable: str | None = None) -> str:
    """Return the message for which some customers are refused."""
    with pytest.raises(AnsibleFilterError) as caught:
        panel_customers_to_resources(list(customers), password_variable)
    return str(caught.value)


def test_customers_become_one_list_of_each_kind_with_their_owner() -> None:
    acme = {
        **ACME,
        "hosting_plan": "Business",
        "domains": [{"domain": "acme.example"}],
        "dns": [{"domain": "acme.example"}],
    }
    beta = {
        **BETA,
        "emails": [{"email": "info@beta.example", "client": "beta"}],
        "scheduled_tasks": [{"command": "true"}],
        "directory_protections": [{"path": "/www"}],
        "login_url": True,
    }

    assert panel_customers_to_resources([acme, beta]) == {
        "clients": [{"username": "acme", "hosting_plan": "Business"}, {"username": "beta"}],
        "domains": [{"domain": "acme.example", "client": "acme"}],
        "dns": [{"domain": "acme.example", "client": "acme"}],
        "emails": [{"email": "info@beta.example", "client": "beta"}],
        "directory_protections": [{"path": "/www", "client": "beta"}],
        "scheduled_tasks": [{"command": "true", "client": "beta"}],
    }


EMPTY = [
    pytest.param("", id="empty"),
    pytest.param(" ", id="blank"),
    pytest.param("\t\n", id="tab and line end"),
    pytest.param(None, id="null"),
]


@pytest.mark.parametrize("value", EMPTY)
@pytest.mark.parametrize("field", ["plan", "hosting_plan", *LISTS, "login_url"])
def test_an_empty_field_of_a_customer_counts_as_not_given(field: str, value: Any) -> None:
    customer = {**ACME, field: value}

    assert panel_customers_to_resources([customer]) == {"clients": [{"username": "acme"}]}
    assert panel_customers_result(make_result(), [customer])["with_login_url"] == []


@pytest.mark.parametrize("value", EMPTY)
def test_an_empty_plan_leaves_the_other_way_to_name_it(value: Any) -> None:
    named = panel_customers_to_resources([{**ACME, "plan": value, "hosting_plan": "Business"}])
    described = panel_customers_to_resources(
        [{**ACME, "plan": {"name": "Business"}, "hosting_plan": value}]
    )

    assert named["clients"] == [{"username": "acme", "hosting_plan": "Business"}]
    assert described["clients"] == named["clients"]


@pytest.mark.parametrize("value", EMPTY)
def test_an_empty_client_and_an_empty_unknown_field_are_refused(value: Any) -> None:
    assert "must be a dictionary with a username" in get_refusal({"client": value})
    assert "acme mailboxes: there is no such field" in get_refusal({**ACME, "mailboxes": value})


def test_a_plan_that_several_customers_give_is_there_once_and_must_be_the_same() -> None:
    plan = {"name": "Business", "resources": {"disk_space": "1G"}}
    equal = {"name": "Business", "resources": {"disk_space": 1073741824}}

    same = panel_customers_to_resources([{**ACME, "plan": plan}, {**BETA, "plan": equal}])

    assert same["plans"] == [plan]
    assert [client["hosting_plan"] for client in same["clients"]] == ["Business"] * 2

    message = get_refusal({**ACME, "plan": plan}, {**BETA, "plan": {"name": "Business"}})
    assert message.startswith("beta plan Business: has other options than in acme.")


def test_a_customer_without_a_username_is_called_as_the_operator_wrote_it() -> None:
    """Name what is wrong in variables of the roles site and sites."""
    mistake = "must be a dictionary with a username."
    with pytest.raises(AnsibleFilterError) as refused_list:
        panel_customers_to_resources([BETA, {"client": {}}], list_variable="sites")
    assert str(refused_list.value).startswith(f"sites[1] client: {mistake}")
    with pytest.raises(AnsibleFilterError) as refused_variables:
        panel_customers_to_resources([{"client": {}, "emails": [7]}], prefix="site_")
    mistakes = f"site_client: {mistake} site_emails: must be a list"
    assert mistakes in str(refused_variables.value)


@pytest.mark.parametrize(
    ("customer", "mistake"),
    [
        ({**ACME, "emails": [{"client": "beta"}]}, "site_emails[0].client: the owner is"),
        ({**ACME, "plan": "Business"}, "site_plan: must be a dictionary with a name."),
        (
            {**ACME, "plan": {"name": "B"}, "hosting_plan": "B"},
            "acme: the hosting plan is named in site_plan and in site_hosting_plan.",
        ),
    ],
    ids=["owner", "plan", "two plans"],
)
def test_a_mistake_of_the_only_customer_names_the_variable(customer: Any, mistake: str) -> None:
    with pytest.raises(AnsibleFilterError) as refused:
        panel_customers_to_resources([customer], prefix="site_")

    assert str(refused.value).startswith(mistake)


@pytest.mark.parametrize(
    ("customer", "option"),
    [
        ({"client": {"username": 83}}, "sites[0] client.username: 83"),
        ({**ACME, "plan": {"name": 567}}, "acme plan.name: 567"),
        ({**ACME, "hosting_plan": 567}, "acme hosting_plan: 567"),
    ],
    ids=["username", "plan", "hosting plan"],
)
def test_a_number_that_several_objects_get_as_a_name_is_one_mistake(
    customer: dict[str, Any], option: str
) -> None:
    objects = {"domains": [{"domain": "a.example"}], "emails": [{"email": "a@a.example"}]}
    with pytest.raises(AnsibleFilterError) as refused:
        panel_customers_to_resources([{**customer, **objects}], list_variable="sites")

    assert str(refused.value).startswith(f"{option} is a number, and YAML may have changed")
    assert str(refused.value).count("is a number") == 1


def test_the_mistakes_alone_are_returned_where_a_role_asks_for_them() -> None:
    assert panel_customers_to_resources([ACME], only_mistakes=True) == []

    mistyped = [{**ACME, "email": []}, 7]
    (message,) = panel_customers_to_resources(mistyped, only_mistakes=True)

    assert message.startswith("2 mistakes: acme email: there is no such field; ")
    assert message.endswith("customers[1]: must be a dictionary with a client.")


@pytest.mark.parametrize(
    ("customer", "mistake"),
    [
        pytest.param(7, "customers[0]: must be a dictionary with a client.", id="number"),
        pytest.param(
            {}, "customers[0] client: must be a dictionary with a username.", id="no client"
        ),
        pytest.param(
            {"client": {"username": ""}},
            "customers[0] client: must be a dictionary with a username.",
            id="empty username",
        ),
        pytest.param(
            {"client": {"usrname": "acme"}},
            "customers[0] client.usrname: there is no such option; did you mean username?",
            id="mistyped username",
        ),
        pytest.param(
            {**ACME, "plan": {"nmae": "Business"}},
            "acme plan.nmae: there is no such option; did you mean name?",
            id="mistyped name of a plan",
        ),
        pytest.param(
            {**ACME, "mailboxes": []},
            "acme mailboxes: there is no such field; there are client, plan,",
            id="unknown field",
        ),
        pytest.param(
            {**ACME, "email": []},
            "acme email: there is no such field; did you mean emails?",
            id="mistyped field",
        ),
        pytest.param(
            {**ACME, "credentials_file": "a"},
            "acme credentials_file: there is no such field;",
            id="option of another module",
        ),
        pytest.param(
            {**ACME, "emails": {"email": "x"}},
            "acme emails: must be a list of dictionaries.",
            id="dictionary for a list",
        ),
        pytest.param(
            {**ACME, "emails": ["info@acme.example"]},
            "acme emails: must be a list of dictionaries.",
            id="list of texts",
        ),
        pytest.param(
            {"client": {"username": "acme", "state": "absent"}},
            "acme client.state: is not taken here.",
            id="state of a client",
        ),
        pytest.param(
            {**ACME, "plan": {"name": "B", "new_name": "C"}},
            "acme plan.new_name: is not taken here.",
            id="new name of a plan",
        ),
        pytest.param(
            {**ACME, "plan": "Business"},
            "acme plan: must be a dictionary with a name.",
            id="plan that is a text",
        ),
        pytest.param(
            {
                "client": {"username": "acme", "id_hosting_plan": 3},
                "hosting_plan": "B",
                "plan": {"name": "B"},
            },
            "acme: the hosting plan is named in plan and in hosting_plan and in client.id_hosting_plan. Specify it once.",
            id="two plans",
        ),
        pytest.param(
            {**ACME, "emails": [{"email": "a@b.example", "client": "beta"}]},
            "acme emails[0].client: the owner is the client acme.",
            id="owner",
        ),
        pytest.param(
            {**ACME, "emails": [{"email": "a@b.example", "id_user": 3}]},
            "acme emails[0].id_user: the owner is the client acme.",
            id="id of an owner",
        ),
    ],
)
def test_a_mistake_names_the_customer_and_the_place(customer: Any, mistake: str) -> None:
    assert get_refusal(customer).startswith(mistake)


@pytest.mark.parametrize("value", [0, 0.0, False, {}], ids=repr)
@pytest.mark.parametrize("kind", LISTS)
def test_what_counts_as_false_is_no_list_of_a_customer(kind: str, value: Any) -> None:
    assert get_refusal({**ACME, kind: value}).startswith(
        f"acme {kind}: must be a list of dictionaries."
    )


@pytest.mark.parametrize("value", ["", " ", None, []], ids=repr)
@pytest.mark.parametrize("kind", LISTS)
def test_a_list_of_a_customer_that_is_empty_counts_as_not_given(kind: str, value: Any) -> None:
    resources = panel_customers_to_resources([ACME])

    assert panel_customers_to_resources([{**ACME, kind: value}]) == resources


def test_a_mistake_shows_the_beginning_of_a_long_username() -> None:
    customer = {"client": {"username": "x" * 20_000}, "emails": 7}

    assert get_refusal(customer).startswith(f"{'x' * 600}… emails: must be a list")


def test_without_the_variable_every_object_with_a_password_needs_one() -> None:
    customer = {
        "client": {"username": "acme", "password": "given"},
        "domains": [{"domain": "acme.example"}],
        "emails": [
            {"email": "info@acme.example"},
            {"email": "old@acme.example", "state": "absent"},
            {"id": 7, "max_size": "1G"},
            {"email": "a@acme.example", "password": "x", "regenerate_password": True},
            {"email": "b@acme.example", "password_hash": "$6$x"},
        ],
        "directory_protections": [{"path": "/www", "username": "boss"}],
    }
    message = get_refusal(customer, password_variable="sites_credentials_dir")
    no_password = "no password. Give a password, or set sites_credentials_dir."

    assert message == (
        f"3 mistakes: {MAILBOX} info@acme.example: {no_password} {MAILBOX} a@acme.example: {no_password} "
        f"directory protection acme:/www:boss: {no_password} Nothing was written."
    )
    assert panel_customers_to_resources([customer])


@pytest.mark.parametrize("value", [False, "no", "false", 0, "0", "", None])
def test_a_password_that_is_not_regenerated_needs_no_other_one(value: Any) -> None:
    mailbox = {"email": "info@acme.example", "password": "x", "regenerate_password": value}
    client = {"username": "acme", "password": "given"}
    customer = {"client": client, "emails": [mailbox]}

    resources = panel_customers_to_resources([customer], "sites_credentials_dir")

    assert resources["emails"] == [{**mailbox, "client": "acme"}]


@pytest.mark.parametrize("value", [True, "yes", "on", 1])
def test_a_regenerated_password_needs_a_file_that_keeps_it(value: Any) -> None:
    mailbox = {"email": "info@acme.example", "password": "x", "regenerate_password": value}
    client = {"username": "acme", "password": "given"}

    message = get_refusal(
        {"client": client, "emails": [mailbox]}, password_variable="sites_credentials_dir"
    )

    assert message.startswith(f"{MAILBOX} info@acme.example: no password.")


def make_result(
    *results: tuple[str, str, str], failed: bool = False, **summary: int
) -> dict[str, Any]:
    """results: kind, key and what became of it.

    All but what is unchanged is in the plan, of acme.
    """
    actions = [
        {"kind": kind, "key": key, "client": "acme"}
        for kind, key, outcome in results
        if outcome != "unchanged"
    ]
    entries = [
        {"kind": kind, "key": key, "id": 7, "result": outcome, "msg": "no"}
        for kind, key, outcome in results
    ]
    counts = {"create": 0, "update": 0, "delete": 0, "unchanged": 0, **summary}

    return {"plan": {"summary": counts, "actions": actions}, "results": entries, "failed": failed}


def test_a_result_is_counted_by_customer() -> None:
    done = make_result(
        ("clients", "acme", "changed"),
        ("emails", "info@acme.example", "failed"),
        ("emails", "boss@acme.example", "skipped"),
        ("domains", "acme.example", "unchanged"),
        ("emails", "old@acme.example", "changed"),
        create=3,
        unchanged=1,
        failed=True,
    )
    acme = {**ACME, "emails": [{"email": "old@acme.example", "state": "absent"}]}

    sorted_out = panel_customers_result(done, [acme, BETA], "kept/{client}.yml")

    assert sorted_out["customers"] == [
        {
            "client": "acme",
            "changed": 2,
            "failed": 1,
            "skipped": 1,
            "credentials_file": "kept/acme.yml",
        },
        {
            "client": "beta",
            "changed": 0,
            "failed": 0,
            "skipped": 0,
            "credentials_file": "kept/beta.yml",
        },
    ]
    assert sorted_out["failures"] == [
        f"failed acme: {MAILBOX} info@acme.example: no",
        f"skipped acme: {MAILBOX} boss@acme.example: no",
    ]

    ids = {
        kind: [{"key": key, "id": 7}]
        for kind, key in (("clients", "acme"), ("domains", "acme.example"))
    }

    assert sorted_out["objects"] == ids
    assert sorted_out["line"] == "2 customers, not complete: acme"


def test_objects_are_in_the_order_of_the_customers_also_where_a_run_completed_another_one() -> None:
    acme = {**ACME, "domains": [{"domain": "a.example"}, {"domain": "b.example"}]}
    outcomes = [
        ("domains", "b.example", "changed"),
        ("clients", "acme", "unchanged"),
        ("domains", "a.example", "unchanged"),
    ]
    results = [
        {"kind": kind, "key": key, "id": 1, "result": result} for kind, key, result in outcomes
    ]
    result = {"plan": {"summary": {}, "actions": []}, "results": results}
    objects = panel_customers_result(result, [acme], "")["objects"]
    keys = [(kind, [item["key"] for item in ids]) for kind, ids in objects.items()]

    assert keys == [("clients", ["acme"]), ("domains", ["a.example", "b.example"])]


@pytest.mark.parametrize(
    "customer",
    [
        {"client": {"username": "Geheim-2026z", "password": "Geheim-2026z"}, "nothing": 1},
        {
            "client": {"username": "acme", "password": "x"},
            "emails": [
                {
                    "email": "Geheim-2026z",
                    "password": "Geheim-2026z",
                    "regenerate_password": True,
                }
            ],
        },
    ],
)
def test_no_mistake_shows_a_password_that_is_the_name_of_its_object(customer: Any) -> None:
    message = get_refusal(customer, password_variable="sites_credentials_dir")

    assert "Geheim" not in message
    assert "********" in message

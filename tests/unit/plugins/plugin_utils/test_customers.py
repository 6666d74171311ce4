# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many customers become one set of resources, every mistake in them is named, and new objects get a password."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._sites.customers import read_sites

ACME: dict[str, Any] = {"client": {"username": "acme"}}


def test_customers_become_one_list_of_each_kind_with_their_owner() -> None:
    customers = read_sites(
        [
            {
                **ACME,
                "hosting_plan": "Business",
                "domains": [{"domain": "acme.example"}],
                "dns": [{"domain": "acme.example"}],
            },
            {
                "client": {"username": "beta"},
                "emails": [{"email": "INFO@Müller.example"}],
                "credentials_file": "other.yml",
            },
        ],
        "kept",
    )
    assert customers.mistakes == []
    assert customers.resources == {
        "clients": [{"username": "acme", "hosting_plan": "Business"}, {"username": "beta"}],
        "domains": [{"domain": "acme.example", "client": "acme"}],
        "dns": [{"domain": "acme.example", "client": "acme"}],
        "emails": [{"email": "INFO@Müller.example", "client": "beta"}],
    }
    assert customers.files == ["kept/acme.yml", "other.yml"]
    assert customers.owner_of("emails", "info@xn--mller-kva.example") == 1
    assert customers.owner_of("emails", "other@acme.example") is None


def test_mistakes_in_the_form_of_a_customer_hide_none_in_its_objects() -> None:
    wrong = {
        "client": {"username": "acme", "id": 7, "emial": "it@acme.example"},
        "plan": "Business",
        "mailboxes": [],
        "databases": {},
        "emails": [{"email": "nobody", "client": "beta"}],
    }
    found = [mistake.partition(" is ")[0] for mistake in read_sites([wrong, {"client": "acme"}, 7], "kept").mistakes]
    assert [text for text in found if not text.startswith("sites[0]")] == [
        "sites[1]: client: must be a dictionary with a username.",
        "sites[2]: must be a dictionary with a client.",
    ]
    for words in (
        "mailboxes: there",
        "client.id:",
        "plan: must",
        "databases: must",
        "emails[0]: client:",
        " emial:",
        " email:",
    ):
        assert sum(words in text for text in found) == 1, words


def test_a_plan_that_several_customers_name_is_there_once_and_has_to_be_the_same() -> None:
    plan = {"name": "Business", "resources": {"domains": 5}}
    same = read_sites([{**ACME, "plan": plan}, {"client": {"username": "beta"}, "plan": dict(plan)}], "kept")
    assert (same.mistakes, same.resources["plans"]) == ([], [plan])
    assert [client["hosting_plan"] for client in same.resources["clients"]] == ["Business"] * 2
    other = read_sites([{**ACME, "plan": plan}, {"client": {"username": "beta"}, "plan": {"name": "Business"}}], "kept")
    assert other.mistakes == ["sites[1] (beta): plan Business is one thing here and another in sites[0] (acme)."]


@pytest.mark.parametrize(
    ("site", "mistake"),
    [
        ({}, "sites[0]: client: must be a dictionary with a username."),
        ({"client": {"username": ""}}, "sites[0]: client: must be a dictionary with a username."),
        ({**ACME, "mailboxes": []}, "sites[0] (acme): mailboxes: there is no such member; there are client, plan,"),
        ({**ACME, "credentials_file": ["a"]}, "sites[0] (acme): credentials_file: must be the path of a file."),
        ({**ACME, "emails": {}}, "sites[0] (acme): emails: must be a list of dictionaries."),
        ({**ACME, "emails": ["info@acme.example"]}, "sites[0] (acme): emails[0]: must be a dictionary."),
        ({"client": {"username": "acme", "state": "absent"}}, "sites[0] (acme): client.state: is not taken here."),
        ({**ACME, "plan": {"name": "B", "new_name": "C"}}, "sites[0] (acme): plan.new_name: is not taken here."),
        ({**ACME, "plan": "Business"}, "sites[0] (acme): plan: must be a dictionary with a name."),
        (
            {"client": {"username": "acme", "id_hosting_plan": 3}, "hosting_plan": "Business"},
            "sites[0] (acme): the hosting plan is named in hosting_plan and in client; name it in one of them.",
        ),
        (
            {**ACME, "emails": [{"email": "a@acme.example", "client": "beta"}]},
            "sites[0] (acme): emails[0]: client: the owner is the client.",
        ),
        (
            {**ACME, "ftp_users": [{"id": 4, "regenerate_password": True}]},
            "sites[0] (acme): ftp_users[0]: regenerate_password: give the object's name, not its id,",
        ),
        (
            {**ACME, "emails": [{"email": "a@acme.example", "max_size": "1.5G"}]},
            "sites[0] (acme): emails[0] (a@acme.example) max_size: '1.5G' is not accepted;",
        ),
        (
            {"client": {"username": "../acme"}},
            "sites[0] (../acme): credentials_file: missing; this username is no name for a file, so",
        ),
    ],
)
def test_a_mistake_names_the_customer_and_the_place(site: dict[str, Any], mistake: str) -> None:
    (found,) = read_sites([site], "kept").mistakes
    assert found.startswith(mistake)


def test_the_same_object_of_two_customers_is_a_mistake() -> None:
    emails = {"emails": [{"email": "info@acme.example"}]}
    customers = read_sites([{**ACME, **emails}, {"client": {"username": "acme"}, **emails}], "kept")
    assert customers.mistakes == [
        "sites[1] (acme): client (acme): names the same object as sites[0] (acme): client.",
        "sites[1] (acme): emails[0] (info@acme.example): names the same object as sites[0] (acme): emails[0].",
    ]


def test_without_a_file_everything_needs_a_password() -> None:
    site = {
        "client": {"username": "acme", "password": "given"},
        "domains": [{"domain": "acme.example"}],
        "emails": [{"email": "info@acme.example"}, {"email": "old@acme.example", "state": "absent"}],
    }
    (mistake,) = read_sites([site], None).mistakes
    assert mistake.startswith("sites[0] (acme): emails[0] (info@acme.example): the panel would generate a password,")
    assert read_sites([{**site, "credentials_file": "kept.yml"}], None).mistakes == []

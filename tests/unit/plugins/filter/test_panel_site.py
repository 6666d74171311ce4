"""The filters of the role site."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_site_customer import panel_site_customer
from ansible_collections.hosting.panel.plugins.filter.panel_site_mail_records import (
    panel_site_mail_records,
)
from ansible_collections.hosting.panel.plugins.filter.panel_site_mistakes import panel_site_mistakes

OBJECTS = {"site_client": {"username": "acme"}, "site_emails": [{"email": "info@acme.example"}]}
SETTINGS: dict[str, Any] = {
    "site_domains": [{"domain": "acme.example"}],
    "site_dns": [],
    "site_credentials_file": "acme.yml",
    "site_mail_dns": True,
}
ZONE: dict[str, Any] = {
    "domain": "xn--mller-kva.example",
    "records": {"other": [{"host": "@", "type": "MX", "ttl": 3600, "value": "10 mail"}]},
}
DOMAIN = {"domain": "xn--mller-kva.example", "is_email_domain": True}
NO_PASSWORD = "no password. Give a password, or set site_credentials_file."
DMARC = {"host": "_dmarc", "type": "TXT", "value": "v=DMARC1; p=none"}


def test_a_customer_has_what_its_variables_describe_and_no_setting_of_the_role() -> None:
    assert panel_site_customer(OBJECTS, SETTINGS) == {
        "client": {"username": "acme"},
        "emails": [{"email": "info@acme.example"}],
        "domains": [{"domain": "acme.example"}],
        "dns": [],
    }


@pytest.mark.parametrize("variable", ["site_plan", "site_hosting_plan"])
def test_a_customer_has_a_hosting_plan_only_if_a_variable_names_it(variable: str) -> None:
    customer = panel_site_customer(OBJECTS, {**SETTINGS, variable: "Business"})
    assert customer.keys() - panel_site_customer(OBJECTS, SETTINGS).keys() == {
        variable.removeprefix("site_")
    }


@pytest.mark.parametrize(
    ("before", "in_variables", "variable", "mistakes"),
    [
        (["a"], ["b", "a"], "site_credentials_file", ["a", "b"]),
        ([], [], "", []),
        (
            [],
            [],
            "site_credentials_file",
            [f"2 mistakes: client acme: {NO_PASSWORD} mailbox info@acme.example: {NO_PASSWORD}"],
        ),
    ],
)
def test_the_customer_is_checked_once_its_variables_are_right(
    before: list[str], in_variables: list[str], variable: str, mistakes: list[str]
) -> None:
    objects = {"settings": OBJECTS, "mistakes": in_variables}
    assert panel_site_mistakes(before, objects, SETTINGS, variable) == mistakes


def test_a_variable_of_the_role_sites_is_a_mistake_unless_the_right_one_holds_something() -> None:
    objects = {"settings": {**OBJECTS, "site_emails": []}, "mistakes": []}
    names = ["client_emails", "site_emails", "sites_max_deletes"]
    written = {"names": names, "foreign": []}
    mistakes = [
        "client_emails: did you mean site_emails?",
        "sites_max_deletes: did you mean site_max_deletes?",
    ]
    assert panel_site_mistakes([], objects, SETTINGS, "", written) == mistakes
    with_foreign = {**written, "foreign": ["client_*", "sites_*"]}
    assert panel_site_mistakes([], objects, SETTINGS, "", with_foreign) == []

    objects["settings"]["site_emails"] = [{"email": "info@acme.example", "password": "a"}]
    assert panel_site_mistakes([], objects, SETTINGS, "", {**written, "names": names[:2]}) == []


def test_a_zone_gets_the_spf_and_dmarc_records_that_it_lacks() -> None:
    added = panel_site_mail_records([ZONE], [DOMAIN])
    assert [zone["domain"] for zone in added] == ["xn--mller-kva.example"]
    assert DMARC in added[0]["records"]
    assert [record["value"][:6] for record in added[0]["records"]] == ["v=spf1", "v=DMAR"]


@pytest.mark.parametrize("name", ["müller.example", "MÜLLER.example", "xn--mller-kva.example"])
def test_what_the_variables_add_to_a_zone_in_check_mode_counts_as_existing(name: str) -> None:
    desired = {"domain": name, "records": [DMARC]}
    added = panel_site_mail_records([ZONE], [DOMAIN], [desired])
    assert [record["value"][:6] for record in added[0]["records"]] == ["v=spf1"]


@pytest.mark.parametrize(
    "desired", [{"domain": "other.example", "records": [DMARC]}, {"domain": "müller.example"}]
)
def test_a_desired_zone_that_the_panel_lacks_or_without_records_changes_nothing(
    desired: dict[str, Any],
) -> None:
    added = panel_site_mail_records([ZONE], [DOMAIN], [desired])
    assert added == panel_site_mail_records([ZONE], [DOMAIN])

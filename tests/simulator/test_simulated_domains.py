# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Main domains, subdomains and system domains."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.simulator import Simulator


def names(simulator: Simulator, query: str = "") -> list[str]:
    """The domains of a list."""
    return [domain["domain"] for domain in simulator.request("GET", f"/domains{query}").json()]


def test_a_domain_is_created_with_its_defaults(simulator: Simulator, acme: int) -> None:
    assert simulator.request("POST", "/domains", {"id_user": acme, "domain": "Shop.EXAMPLE."}).json() == {"id": 2}
    domain = simulator.request("GET", "/domains/2").json()
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+02:00", domain.pop("created_at"))
    assert re.fullmatch(
        r'default\._domainkey IN TXT \( "v=DKIM1; k=rsa; p=[^"]+"( "[^"]+")+ \)', domain.pop("dkim_record")
    )
    assert domain == {
        "id": 2,
        "status": domain["status"],
        "id_user": acme,
        "id_parent_domain": 0,
        "domain": "shop.example",
        "domain_utf8": "shop.example",
        "php_version": "",
        "traffic": 0,
        "is_disabled": False,
        "delete_on": None,
        "dkim_selector": "default",
        "is_custom_dns": False,
        "is_dns_disabled": False,
        "is_subdomain": False,
        "is_system_domain": False,
        "is_email_domain": True,
        "is_email_sending_only": False,
        "target": {"target": "/shop.example/", "is_forwarding": False, "forwarding_type": 301},
        "security": {
            "id_certificate": 0,
            "lets_encrypt": False,
            "is_prefer_https": False,
            "is_hsts": False,
            "hsts_max_age": 10368000,
            "hsts_include": False,
            "hsts_preload": False,
        },
        "apache": {"http_directives": "", "https_directives": ""},
    }


def test_a_domain_is_found_in_either_spelling_and_any_case(simulator: Simulator, acme: int) -> None:
    simulator.request("POST", "/domains", {"id_user": acme, "domain": "B\u00fccher.example"})
    domain = simulator.request("GET", "/domains/name/xn--bcher-kva.example").json()
    assert (domain["domain"], domain["domain_utf8"]) == ("xn--bcher-kva.example", "b\u00fccher.example")
    for name in ("b%C3%BCcher.example", "B%C3%9CCHER.example", "XN--BCHER-KVA.EXAMPLE"):
        assert simulator.request("GET", f"/domains/name/{name}").json()["id"] == domain["id"]
    refused = simulator.request("POST", "/domains", {"id_user": acme, "domain": "xn--bcher-kva.example"})
    assert (refused.status_code, "already in use" in refused.json()["message"]) == (400, True)


def test_a_www_subdomain_is_created_on_demand(simulator: Simulator, acme: int) -> None:
    simulator.request("POST", "/domains", {"id_user": acme, "domain": "shop.example", "create_www_subdomain": True})
    www = simulator.request("GET", "/domains/name/www.shop.example").json()
    assert (www["id_parent_domain"], www["is_subdomain"], www["is_email_domain"], www["target"]["target"]) == (
        2,
        True,
        False,
        "/shop.example/",
    )
    assert www["dkim_record"] == ""
    again = simulator.request("POST", "/domains", {"id_user": acme, "domain": "www2.example"})
    assert again.status_code == 201


def test_a_domain_whose_www_subdomain_exists_is_not_created_at_all(simulator: Simulator, acme: int) -> None:
    simulator.request("POST", "/domains", {"id_user": acme, "domain": "www.shop.example"})
    refused = simulator.request(
        "POST", "/domains", {"id_user": acme, "domain": "shop.example", "create_www_subdomain": True}
    )
    assert refused.status_code == 400
    assert names(simulator) == ["acme.example", "www.shop.example"]


def test_prohibited_domains_cannot_be_created(simulator: Simulator, acme: int) -> None:
    simulator.settings({"prohibited_domains": ["bank.example"]})
    for name in ("bank.example", "my.bank.example"):
        answer = simulator.request("POST", "/domains", {"id_user": acme, "domain": name})
        assert (answer.status_code, answer.json()["message"]) == (400, f"domain: {name} is a prohibited domain.")
    assert simulator.request("POST", "/domains", {"id_user": acme, "domain": "mybank.example"}).status_code == 201


def test_lists_are_filtered_by_class(simulator: Simulator) -> None:
    simulator.request("POST", "/clients", {"username": "acme", "create_system_domain": True})
    simulator.request("POST", "/domains", {"id_user": 2, "domain": "acme.example", "create_www_subdomain": True})
    main, sub, system = "acme.example", "www.acme.example", "acme.server.panel.example"
    assert names(simulator) == [system, main, sub]
    assert names(simulator, "?main_domains=true") == [main]
    assert names(simulator, "?subdomains=1") == [sub]
    assert names(simulator, "?system_domains=true&main_domains=true") == [system, main]
    assert names(simulator, "?system_domains=false") == [main, sub]
    assert names(simulator, "?subdomains=false&main_domains=0") == [system]
    assert simulator.request("GET", "/domains?subdomains=perhaps").status_code == 400


def test_nested_members_are_merged(simulator: Simulator, acme: int) -> None:
    simulator.request(
        "PUT",
        "/domains/1",
        {"security": {"is_hsts": True}, "target": {"target": "https://other.example/", "forwarding_type": "302"}},
    )
    domain = simulator.request("GET", "/domains/1").json()
    assert (domain["security"]["is_hsts"], domain["security"]["hsts_max_age"]) == (True, 10368000)
    assert domain["target"] == {"target": "https://other.example/", "is_forwarding": True, "forwarding_type": 302}


def test_read_only_members_of_a_body_are_ignored(simulator: Simulator, acme: int) -> None:
    before = simulator.request("GET", "/domains/1").json()
    assert simulator.request("PUT", "/domains/1", before).json() == {"id": 1}
    body = {"domain_utf8": "x", "traffic": 5, "status": 2, "id": 7, "is_custom_dns": True, "dkim_record": "x"}
    simulator.request("PUT", "/domains/1", {**body, "target": {"is_forwarding": True}})
    assert {**simulator.request("GET", "/domains/1").json(), "status": 1} == {**before, "status": 1}


@pytest.mark.parametrize("body", [{"domain": "new.example"}, {"id_user": 3}, {"id_parent_domain": 1}])
def test_identity_cannot_be_changed(simulator: Simulator, acme: int, body: dict[str, Any]) -> None:
    answer = simulator.request("PUT", "/domains/1", body)
    assert (answer.status_code, answer.json()["message"]) == (400, f"{next(iter(body))}: cannot be changed.")


def test_identity_may_be_repeated_in_another_spelling(simulator: Simulator, acme: int) -> None:
    assert simulator.request("PUT", "/domains/1", {"domain": "ACME.example", "id_user": acme}).status_code == 200


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("2030-01-31", "2030-01-31T00:00:00+0000"),
        ("2030-01-31T12:00:00+02:00", "2030-01-31T10:00:00+0000"),
        ("2030-01-31T12:00:00+0000", "2030-01-31T12:00:00+0000"),
        ("", None),
    ],
)
def test_delete_on_is_shown_with_an_offset_without_colon(
    simulator: Simulator, acme: int, given: str, shown: str | None
) -> None:
    simulator.request("PUT", "/domains/1", {"delete_on": given})
    assert simulator.request("GET", "/domains/1").json()["delete_on"] == shown


def test_lets_encrypt_and_a_certificate_take_each_others_place(
    simulator: Simulator, acme: int, certificate: dict[str, str]
) -> None:
    simulator.request("POST", "/certificates", {"name": "own", "components": certificate})
    both = simulator.request("PUT", "/domains/1", {"security": {"id_certificate": 1, "lets_encrypt": True}})
    assert (both.status_code, both.json()["message"]) == (400, "security.lets_encrypt: excludes id_certificate.")
    for body, expected in (
        ({"lets_encrypt": True}, (0, True)),
        ({"id_certificate": 1}, (1, False)),
        ({"lets_encrypt": True}, (0, True)),
    ):
        simulator.request("PUT", "/domains/1", {"security": body})
        security = simulator.request("GET", "/domains/1").json()["security"]
        assert (security["id_certificate"], security["lets_encrypt"]) == expected


def test_deleting_a_main_domain_takes_subdomains_accounts_and_zone_with_it(simulator: Simulator, acme: int) -> None:
    simulator.seed(
        {
            "domains": [
                {
                    "domain": "a.acme.example",
                    "client": "acme",
                    "parent_domain": "acme.example",
                    "is_email_domain": True,
                },
                {"domain": "b.a.acme.example", "client": "acme", "parent_domain": "a.acme.example"},
                {"domain": "other.example", "client": "acme"},
            ],
            "dns": [{"domain": "acme.example", "records": []}],
            "emails": [
                {"email": "info@acme.example"},
                {"email": "info@a.acme.example"},
                {"email": "info@other.example", "aliases": ["x@acme.example", "y@a.acme.example", "z@other.example"]},
            ],
        }
    )
    assert simulator.request("DELETE", "/domains/name/acme.example").status_code == 204
    assert names(simulator) == ["other.example"]
    emails = simulator.request("GET", "/emails").json()
    assert [(email["email"], email["aliases"], email["aliases_utf8"]) for email in emails] == [
        ("info@other.example", ["z@other.example"], ["z@other.example"])
    ]
    assert simulator.state()["zones"] == {}
    assert simulator.request("PUT", "/emails/3", {"aliases": []}).status_code == 200


def test_deleting_a_subdomain_leaves_its_parent(simulator: Simulator, acme: int) -> None:
    simulator.seed({"domains": [{"domain": "a.acme.example", "client": "acme", "parent_domain": "acme.example"}]})
    assert simulator.request("DELETE", "/domains/2").status_code == 204
    assert names(simulator) == ["acme.example"]


def test_the_selector_shows_in_the_dkim_record_and_in_the_default_zone(simulator: Simulator, acme: int) -> None:
    before = simulator.request("GET", "/domains/1").json()["dkim_record"]
    simulator.request("PUT", "/domains/1", {"dkim_selector": "s2026"})
    after = simulator.request("GET", "/domains/1").json()["dkim_record"]
    assert after == before.replace("default._domainkey", "s2026._domainkey")
    hosts = [record["host"] for record in simulator.request("GET", "/dns/1").json()["records"]["other"]]
    assert "s2026._domainkey" in hosts

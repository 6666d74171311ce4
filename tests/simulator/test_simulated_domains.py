"""Main domains, subdomains and system domains."""

from __future__ import annotations

import pytest

from tests.support.simulator import Simulator


def names(simulator: Simulator, query: str = "") -> list[str]:
    """The domains of a list."""
    return [domain["domain"] for domain in simulator.request("GET", f"/domains{query}").json()]


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


def test_the_selector_shows_in_the_dkim_record_and_in_the_default_zone(simulator: Simulator, acme: int) -> None:
    before = simulator.request("GET", "/domains/1").json()["dkim_record"]
    simulator.request("PUT", "/domains/1", {"dkim_selector": "s2026"})
    after = simulator.request("GET", "/domains/1").json()["dkim_record"]
    assert after == before.replace("default._domainkey", "s2026._domainkey")
    hosts = [record["host"] for record in simulator.request("GET", "/dns/1").json()["records"]["other"]]
    assert "s2026._domainkey" in hosts

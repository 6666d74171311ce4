"""Domains and what clients have beside them: mailboxes, certificates, databases, FTP users, directory protections and scheduled tasks."""

from __future__ import annotations

from typing import Any

import pytest

from panel_simulator.self_signed import make
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


def test_addresses_have_two_spellings(simulator: Simulator, acme: int) -> None:
    simulator.request("POST", "/domains", {"id_user": acme, "domain": "b\u00fccher.example"})
    body = {
        "id_user": acme,
        "email": "info@B\u00fccher.example",
        "aliases": ["hi@xn--bcher-kva.example", "ho@b\u00fccher.example", "Hi@b\u00fccher.example"],
        "forwardings": ["x@m\u00fcller.example"],
    }
    simulator.request("POST", "/emails", body)
    email = simulator.request("GET", "/emails/name/info%40b%C3%BCcher.example").json()
    assert (email["email"], email["email_utf8"]) == ("info@xn--bcher-kva.example", "info@b\u00fccher.example")
    assert email["aliases"] == ["hi@xn--bcher-kva.example", "ho@xn--bcher-kva.example"]
    assert email["aliases_utf8"] == ["hi@b\u00fccher.example", "ho@b\u00fccher.example"]
    assert (email["forwardings"], email["forwardings_utf8"]) == (["x@xn--mller-kva.example"], ["x@m\u00fcller.example"])
    for name in ("info@xn--bcher-kva.example", "INFO%40B%C3%BCCHER.example"):
        assert simulator.request("GET", f"/emails/name/{name}").json()["id"] == email["id"]


def test_an_alias_is_not_found_by_name(simulator: Simulator, acme: int) -> None:
    simulator.request("POST", "/emails", {"id_user": acme, "email": "a@acme.example", "aliases": ["b@acme.example"]})
    assert simulator.request("GET", "/emails/name/b@acme.example").status_code == 404


def test_a_certificate_shows_its_parts_but_not_its_key(
    simulator: Simulator, acme: int, certificate: dict[str, str]
) -> None:
    body = {
        "id_user": acme,
        "name": "Acme: own",
        "components": {**certificate, "ca_certificate": certificate["certificate"]},
    }
    assert simulator.request("POST", "/certificates", body).json() == {"id": 1}
    shown = simulator.request("GET", "/certificates/name/Acme%3A%20own").json()
    assert list(shown) == ["id", "id_user", "name", "components", "secured_domains", "valid_till", "issuer"]
    assert shown["components"] == {
        "csr": "",
        "certificate": certificate["certificate"],
        "ca_certificate": certificate["certificate"],
    }
    assert (shown["secured_domains"], shown["issuer"], shown["valid_till"][-6:]) == (
        ["acme.example"],
        "acme.example",
        "+02:00",
    )
    simulator.settings({"shows_private_keys": True})
    assert simulator.request("GET", "/certificates/1").json()["components"]["private_key"] == certificate["private_key"]


def test_parts_must_be_there_parse_and_belong_together(simulator: Simulator, certificate: dict[str, str]) -> None:
    other = make("other.example")[1]
    for components, words in (
        ({}, "components.private_key: this member is required."),
        ({"private_key": certificate["private_key"]}, "components.certificate: this member is required."),
        ({**certificate, "private_key": "x"}, "components.private_key: is not an unencrypted private key in PEM."),
        (
            {**certificate, "certificate": certificate["private_key"]},
            "components.certificate: is not a certificate in PEM.",
        ),
        ({**certificate, "ca_certificate": "x"}, "components.ca_certificate: is not a certificate in PEM."),
        ({**certificate, "private_key": other}, "components.private_key: does not belong to the certificate."),
        ({**certificate, "private_key": None}, "components.private_key: must be a string."),
    ):
        answer = simulator.request("POST", "/certificates", {"name": "one", "components": components})
        assert (answer.status_code, answer.json()["message"]) == (400, words)
    without = simulator.request("POST", "/certificates", {"name": "one"})
    assert without.json()["message"] == "components.private_key: this member is required."
    flat = simulator.request("POST", "/certificates", {"name": "one", **certificate})
    assert flat.status_code == 400


def test_a_put_without_the_key_keeps_it_and_must_fit_it(simulator: Simulator, certificate: dict[str, str]) -> None:
    simulator.request("POST", "/certificates", {"name": "one", "components": certificate})
    text, key = make("new.example")
    assert simulator.request("PUT", "/certificates/1", {"components": {"certificate": text}}).status_code == 400
    for mode in ("merge", "replace"):
        simulator.settings({"nested_update": mode})
        same = {"components": {"certificate": certificate["certificate"]}}
        assert simulator.request("PUT", "/certificates/name/one", same).json() == {"id": 1}
    assert (
        simulator.request(
            "PUT", "/certificates/1", {"components": {"certificate": text, "private_key": key}}
        ).status_code
        == 200
    )
    assert simulator.request("GET", "/certificates/1").json()["secured_domains"] == ["new.example"]


def test_deleting_a_certificate_takes_it_out_of_domains(
    simulator: Simulator, acme: int, certificate: dict[str, str]
) -> None:
    simulator.request("POST", "/certificates", {"name": "one", "components": certificate})
    simulator.request("PUT", "/domains/1", {"security": {"id_certificate": 1}})
    assert simulator.request("DELETE", "/certificates/1").status_code == 204
    assert simulator.request("GET", "/domains/1").json()["security"]["id_certificate"] == 0


CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "databases": (
        {"database_name": "acme_shop"},
        {
            "database_name": "acme_shop",
            "database_username": "acme_shop",
            "description": "",
            "size": 0,
            "remote_hosts": [],
        },
    ),
    "ftp-users": (
        {"username": "acme-web"},
        {"status": 1, "username": "acme-web", "description": "", "home_directory": "/www"},
    ),
    "directory-protections": (
        {"path": "/acme.example/intern", "username": "eva"},
        {"status": 1, "path": "/acme.example/intern", "auth_name": "", "username": "eva", "exceptions": []},
    ),
    "scheduled-tasks": (
        {"type": "php", "command": "cron.php", "schedule": {"hour": "*/2"}},
        {
            "status": 1,
            "type": "php",
            "command": "cron.php",
            "description": "",
            "php_interpreter": None,
            "schedule": {"minute": "0", "hour": "*/2", "day_of_month": "*", "month": "*", "day_of_week": "*"},
            "is_enabled": True,
        },
    ),
}


@pytest.mark.parametrize("path", CASES)
def test_an_object_is_created_changed_and_deleted_by_id(simulator: Simulator, acme: int, path: str) -> None:
    simulator.settings({"status_delay": 0})
    body, expected = CASES[path]
    created = simulator.request("POST", f"/{path}", {"id_user": acme, **body})
    assert created.status_code == 201
    assert ("password" in created.json()) == (path != "scheduled-tasks")
    assert simulator.request("GET", f"/{path}").json() == [{"id": 1, "id_user": acme, **expected}]
    assert simulator.request("GET", f"/{path}/1").json() == {"id": 1, "id_user": acme, **expected}
    change = {"exceptions": ["/public"]} if path == "directory-protections" else {"description": "new"}
    assert simulator.request("PUT", f"/{path}/1", change).json() == {"id": 1}
    assert simulator.request("GET", f"/{path}/1").json() == {"id": 1, "id_user": acme, **expected, **change}
    assert simulator.request("DELETE", f"/{path}/1").status_code == 204
    for method in ("GET", "PUT", "DELETE"):
        assert simulator.request(method, f"/{path}/1", {} if method == "PUT" else None).status_code == 404


@pytest.mark.parametrize(
    ("path", "is_unique"),
    [("databases", True), ("ftp-users", True), ("directory-protections", False), ("scheduled-tasks", False)],
)
def test_names_of_databases_and_ftp_users_are_unique_the_others_are_not(
    simulator: Simulator, acme: int, path: str, is_unique: bool
) -> None:
    body = {"id_user": acme, **CASES[path][0]}
    simulator.request("POST", f"/{path}", body)
    assert simulator.request("POST", f"/{path}", body).status_code == (400 if is_unique else 201)

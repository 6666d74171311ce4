"""E-mail accounts: addresses in both spellings, aliases, owners."""

from __future__ import annotations

from tests.support.simulator import Simulator


def test_an_account_is_created_with_its_defaults(simulator: Simulator, acme: int) -> None:
    created = simulator.request("POST", "/emails", {"id_user": acme, "email": "Info@ACME.example"}).json()
    assert (created["id"], len(created["password"]) >= 12) == (1, True)
    email = simulator.request("GET", "/emails/1").json()
    assert email == {
        "id": 1,
        "status": email["status"],
        "id_user": acme,
        "email": "info@acme.example",
        "email_utf8": "info@acme.example",
        "description": "",
        "size": 0,
        "max_size": 2**30,
        "catch_all": False,
        "store_forwarded_emails": False,
        "aliases": [],
        "aliases_utf8": [],
        "forwardings": [],
        "forwardings_utf8": [],
    }


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

"""DNS settings of main domains."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.simulator import Simulator

PATH = "/dns/name/acme.example"


def zone(simulator: Simulator) -> dict[str, Any]:
    """GET of the zone."""
    answer = simulator.request("GET", PATH)
    assert answer.status_code == 200
    return dict(answer.json())


def values(shown: dict[str, Any], host: str, kind: str) -> list[str]:
    """The values of a record set."""
    return [record["value"] for record in shown["records"]["other"] if (record["host"], record["type"]) == (host, kind)]


def put(simulator: Simulator, records: list[dict[str, Any]], **soa: Any) -> Any:
    """PUT of a whole zone."""
    present = zone(simulator)["records"]["soa"]
    return simulator.request("PUT", PATH, {"records": {"soa": {**present, **soa}, "other": records}})


def test_the_default_zone_has_what_a_domain_needs(simulator: Simulator, acme: int) -> None:
    shown = zone(simulator)
    assert list(shown) == ["is_custom_dns", "is_dns_disabled", "dkim_record", "records"]
    assert (shown["is_custom_dns"], shown["is_dns_disabled"]) == (False, False)
    assert shown["dkim_record"] == simulator.request("GET", "/domains/1").json()["dkim_record"]
    assert shown["records"]["soa"] == {
        "ttl": 86400,
        "primary_ns": "ns1.panel.example.",
        "rname": "hostmaster.acme.example.",
        "refresh": 14400,
        "retry": 1800,
        "expire": 604800,
        "minimum": 3600,
    }
    assert values(shown, "@", "NS") == ["ns1.panel.example.", "ns2.panel.example."]
    for host in ("@", "www", "mail"):
        assert (values(shown, host, "A"), values(shown, host, "AAAA")) == (["192.0.2.10"], ["2001:db8::10"])
    assert values(shown, "@", "MX") == ["10 mail.acme.example."]
    assert values(shown, "@", "TXT") == ["v=spf1 a mx ~all"]
    assert f"default._domainkey IN TXT ( {values(shown, 'default._domainkey', 'TXT')[0]} )" == shown["dkim_record"]
    assert all(list(record) == ["host", "ttl", "type", "value"] for record in shown["records"]["other"])


def test_the_records_of_a_put_become_the_whole_zone(simulator: Simulator, acme: int) -> None:
    records = [
        {"host": "@", "ttl": 3600, "type": "A", "value": "192.0.2.1"},
        {"host": "*.shop", "ttl": "300", "type": "CNAME", "value": "acme.example."},
        {"host": "_sip._tcp", "ttl": 300, "type": "SRV", "value": "10 5 5060 sip.acme.example."},
        {"host": "@", "ttl": 300, "type": "TXT", "value": "v=spf1 -all"},
        {"host": "@", "ttl": 300, "type": "TXT", "value": '"two" "chunks"'},
    ]
    answer = put(simulator, records, ttl="7200", refresh=100)
    assert (answer.status_code, answer.json()) == (200, {"id": 1})
    shown = zone(simulator)
    assert shown["records"]["other"] == [{**record, "ttl": int(str(record["ttl"]))} for record in records]
    assert (shown["records"]["soa"]["ttl"], shown["records"]["soa"]["refresh"]) == (7200, 100)
    assert (shown["is_custom_dns"], simulator.request("GET", "/domains/1").json()["is_custom_dns"]) == (True, True)


def test_disabling_and_enabling_dns_ends_with_the_default_zone(simulator: Simulator, acme: int) -> None:
    default = zone(simulator)
    put(simulator, [])
    simulator.request("PUT", PATH, {"is_dns_disabled": True})
    disabled = zone(simulator)
    assert (disabled["is_dns_disabled"], disabled["is_custom_dns"], disabled["records"]["other"]) == (True, False, [])
    assert simulator.request("GET", "/domains/1").json()["is_dns_disabled"] is True
    simulator.request("PUT", PATH, {"is_dns_disabled": False})
    assert zone(simulator) == default


def test_delete_brings_the_default_zone_back(simulator: Simulator, acme: int) -> None:
    default = zone(simulator)
    for change in ({"is_dns_disabled": True}, {"records": {"soa": default["records"]["soa"], "other": []}}):
        simulator.request("PUT", PATH, change)
        answer = simulator.request("DELETE", PATH)
        assert (answer.status_code, answer.content) == (204, b"")
        assert zone(simulator) == default


@pytest.mark.parametrize(
    "path",
    [
        "/dns/99",
        "/dns/name/unknown.example",
        "/dns/name/www.acme.example",
        "/dns/2",
        "/dns/name/acme.server.panel.example",
    ],
)
def test_only_main_domains_have_dns_settings(simulator: Simulator, path: str) -> None:
    simulator.request("POST", "/clients", {"username": "acme"})
    simulator.request("POST", "/domains", {"id_user": 2, "domain": "acme.example", "create_www_subdomain": True})
    simulator.request("POST", "/clients", {"username": "sys", "create_system_domain": True})
    for method in ("GET", "PUT", "DELETE"):
        assert (
            simulator.request(method, path, {"is_dns_disabled": True} if method == "PUT" else None).status_code == 404
        )


def test_the_dkim_placeholder_is_replaced_on_writing(simulator: Simulator, acme: int) -> None:
    actual = values(zone(simulator), "default._domainkey", "TXT")
    put(simulator, [{"host": "default._domainkey", "ttl": 300, "type": "TXT", "value": "<DKIM_RECORD_VALUE>"}])
    assert values(zone(simulator), "default._domainkey", "TXT") == actual


def test_texts_are_shown_as_they_were_written(simulator: Simulator, acme: int) -> None:
    texts = ["plain", '"quoted"', 'with "inner"']
    put(simulator, [{"host": "@", "ttl": 300, "type": "TXT", "value": text} for text in texts])
    assert values(zone(simulator), "@", "TXT") == texts


RECORD = {"host": "@", "ttl": 300, "type": "A", "value": "192.0.2.1"}


@pytest.mark.parametrize(
    ("change", "member"),
    [
        ({"ttl": 0}, "ttl"),
        ({"ttl": "x"}, "ttl"),
        ({"ttl": 1.5}, "ttl"),
        ({"ttl": None}, "ttl"),
        ({"type": "a"}, "type"),
        ({"type": "SOA"}, "type"),
        ({"type": None}, "type"),
        ({"host": "www.acme.example."}, "host"),
        ({"host": "a b"}, "host"),
        ({"host": 5}, "host"),
        ({"value": ""}, "value"),
        ({"value": "192.0.2.256"}, "value"),
        ({"type": "AAAA"}, "value"),
        ({"type": "MX", "value": "mail.acme.example."}, "value"),
        ({"type": "MX", "value": "x mail.acme.example."}, "value"),
        ({"type": "SRV", "value": "1 2 3"}, "value"),
        ({"type": "CNAME", "value": "no name"}, "value"),
    ],
)
def test_a_wrong_record_is_refused_by_its_place(
    simulator: Simulator, acme: int, change: dict[str, Any], member: str
) -> None:
    simulator.settings({"scalars": "refused"})
    answer = put(simulator, [RECORD, {**RECORD, **change}])
    assert answer.status_code == 400
    assert answer.json()["message"].startswith(f"records.other[1].{member}: ")
    assert zone(simulator)["is_custom_dns"] is False

"""From a zone to the options of panel_dns that make it, there and on a panel where it is another."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._dns.planning import plan_zone
from ansible_collections.hosting.panel.plugins.module_utils._dns.wanted_zone import read_wanted_zone
from ansible_collections.hosting.panel.plugins.module_utils._items.export_panel import exported_zone
from tests.support import memory_panel

NAME = "acme.example"
DKIM = '"v=DKIM1; k=rsa; p=MIIB" "IjAN"'
SOA = {**memory_panel.SOA, "ttl": "86400", "serial": 2026010101}
RECORDS = [
    {"host": "www", "ttl": 300, "type": "A", "value": "192.0.2.20"},
    {"host": "WWW.Shop", "ttl": "300", "type": "cname", "value": "www"},
    {"host": "acme.example.", "ttl": 86400, "type": "NS", "value": "ns1.panel.example."},
    {"host": "@", "ttl": 86400, "type": "TXT", "value": '"v=spf1 " "mx"', "id": 7},
    {"host": "@", "ttl": 86400, "type": "MX", "value": "10 mail.acme.example"},
    {"host": "sel._domainkey", "ttl": 86400, "type": "TXT", "value": DKIM},
]


def zone(records: list[dict[str, Any]], **members: Any) -> dict[str, Any]:
    key = {"dkim_record": f"sel._domainkey IN TXT ( {DKIM} )"}
    return memory_panel.custom_zone(*records, soa=SOA, **{**key, **members})


def options(shown: dict[str, Any]) -> dict[str, Any]:
    found = exported_zone({"domain": NAME}, shown)
    assert found is not None
    return found


def change(shown: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """What panel_dns would send for these options; nothing where the zone is right."""
    return dict(plan_zone(shown, read_wanted_zone(wanted)).body)


def test_a_custom_zone_has_all_its_records_sorted_and_its_soa_record() -> None:
    assert options(zone(RECORDS)) == {
        "domain": NAME,
        "purge": True,
        "max_delete_percent": 100,
        "soa": {**{name: value for name, value in SOA.items() if name != "serial"}, "ttl": 86400},
        "records": [
            {"host": "@", "type": "MX", "ttl": 86400, "value": "10 mail.acme.example"},
            {"host": "@", "type": "NS", "ttl": 86400, "value": "ns1.panel.example."},
            {"host": "@", "type": "TXT", "ttl": 86400, "value": '"v=spf1 " "mx"'},
            {"host": "sel._domainkey", "type": "TXT", "ttl": 86400, "value": "<DKIM_RECORD_VALUE>"},
            {"host": "www", "type": "A", "ttl": 300, "value": "192.0.2.20"},
            {"host": "www.shop", "type": "CNAME", "ttl": 300, "value": "www"},
        ],
    }


@pytest.mark.parametrize("records", [RECORDS, RECORDS[:2], [], [RECORDS[0], RECORDS[0]]])
def test_an_exported_zone_changes_nothing_on_the_same_panel(records: list[dict[str, Any]]) -> None:
    assert change(zone(records), options(zone(records))) == {}


def test_an_exported_zone_takes_the_place_of_the_default_records_elsewhere() -> None:
    elsewhere = zone(
        [
            {"host": "@", "ttl": 3600, "type": "NS", "value": "ns9.other.example."},
            {"host": "mail", "ttl": 3600, "type": "A", "value": "192.0.2.99"},
            {"host": "sel._domainkey", "ttl": 3600, "type": "TXT", "value": "v=DKIM1; k=rsa; p=OTHER"},
        ],
        dkim_record="sel._domainkey IN TXT v=DKIM1; k=rsa; p=OTHER",
        is_custom_dns=False,
    )
    sent = change(elsewhere, options(zone(RECORDS)))["records"]["other"]
    shown = {(record["host"], record["type"], record["ttl"], record["value"]) for record in sent}
    # The other panel's own key, for 24 hours as here.
    key = ("sel._domainkey", "TXT", 86400, "v=DKIM1; k=rsa; p=OTHER")
    assert shown == {
        key,
        *(
            (record["host"], record["type"], record["ttl"], record["value"])
            for record in options(zone(RECORDS))["records"]
            if record["value"] != "<DKIM_RECORD_VALUE>"
        ),
    }


def test_without_name_servers_of_its_own_it_takes_the_default_ones_away() -> None:
    shown = options(zone(RECORDS[:1]))
    assert shown["protect"] == ["_acme-challenge* TXT"]
    assert "protect" not in options(zone(RECORDS))
    elsewhere = zone([{"host": "@", "ttl": 3600, "type": "NS", "value": "ns9.other.example."}])
    assert [record["host"] for record in change(elsewhere, shown)["records"]["other"]] == ["www"]


def test_a_default_zone_is_asked_for_as_such() -> None:
    shown = zone(RECORDS, is_custom_dns=False)
    assert options(shown) == {"domain": NAME, "state": "default"}
    assert change(shown, options(shown)) == {}


def test_a_disabled_zone_is_switched_off() -> None:
    shown = zone([], is_custom_dns=False, is_dns_disabled=True)
    assert options(shown) == {"domain": NAME, "is_dns_disabled": True}
    assert change(shown, options(shown)) == {}


@pytest.mark.parametrize(
    ("domain", "answer"),
    [
        ({"is_custom_dns": False, "is_dns_disabled": False}, False),
        ({"is_custom_dns": False, "is_dns_disabled": True}, False),
        ({"is_custom_dns": True, "is_dns_disabled": False}, True),
        ({"is_custom_dns": False}, True),
        ({}, True),
    ],
)
def test_only_zones_with_records_of_their_own_are_read(domain: dict[str, Any], answer: bool) -> None:
    assert (exported_zone({"domain": NAME, **domain}, None) is None) is answer


def test_what_the_zone_says_counts_more_than_what_the_list_said_before() -> None:
    domain = {"domain": NAME, "is_custom_dns": True, "is_dns_disabled": False}
    assert exported_zone(domain, zone([], is_custom_dns=False)) == {"domain": NAME, "state": "default"}

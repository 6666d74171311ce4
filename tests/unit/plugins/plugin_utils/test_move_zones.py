# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Zones of a client that moves: new addresses and names, and shorter times to live."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._move.moved_zones import (
    Substitutes,
    changes_only_ttls,
    is_same_but_for_ttl,
    left_behind,
    longest,
    lowered,
    name_servers,
    read_substitutes,
    rewritten,
)

SUBSTITUTES = read_substitutes(
    {"192.0.2.10": "198.51.100.20", "2001:db8::10": "2001:DB8:1::20"}, {"Old.panel.example.": "new.panel.example"}
)


def record(kind: str, value: Any, host: str = "@", ttl: Any = 3600) -> dict[str, Any]:
    return {"host": host, "type": kind, "ttl": ttl, "value": value}


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("A", "192.0.2.10", "198.51.100.20"),
        ("A", "192.0.2.11", "192.0.2.11"),
        ("AAAA", "2001:DB8:0:0::10", "2001:db8:1::20"),
        ("MX", "10 old.panel.example.", "10 new.panel.example."),
        ("MX", "10 OLD.panel.example", "10 new.panel.example."),
        ("SRV", "0 5 443 old.panel.example.", "0 5 443 new.panel.example."),
        ("CNAME", "www", "www"),
        ("NS", "old.panel.example.", "new.panel.example."),
        ("CNAME", "", ""),
        ("TXT", "v=spf1 +ip4:192.0.2.10 mx -all", "v=spf1 +ip4:198.51.100.20 mx -all"),
        (
            "TXT",
            "v=spf1 ip4:192.0.2.10/32 ip6:2001:db8::10 ~all",
            "v=spf1 ip4:198.51.100.20/32 ip6:2001:db8:1::20 ~all",
        ),
        ("TXT", '"v=spf1 ip4:192.0.2.10" " -all"', "v=spf1 ip4:198.51.100.20 -all"),
        ("TXT", "v=spf1 ip4:192.0.2.0/24 -all", "v=spf1 ip4:192.0.2.0/24 -all"),
        ("TXT", "v=spf1 ip4:192.0.2.10/24 -all", "v=spf1 ip4:192.0.2.10/24 -all"),
        ("TXT", "my address is ip4:192.0.2.10", "my address is ip4:192.0.2.10"),
        ("TXT", '"v=spf1 mx" " -all"', '"v=spf1 mx" " -all"'),
        ("A", None, None),
    ],
)
def test_a_value_leads_to_the_new_server_where_it_led_to_the_old_one(kind: str, before: Any, after: Any) -> None:
    zone = rewritten({"domain": "acme.example", "records": [record(kind, before)]}, SUBSTITUTES)
    assert zone["records"] == [record(kind, after)]


def test_the_primary_name_server_is_replaced_and_the_zone_given_is_not_touched() -> None:
    zone = {"domain": "acme.example", "soa": {"ttl": 60, "primary_ns": "old.panel.example."}, "records": []}
    assert rewritten(zone, SUBSTITUTES)["soa"] == {"ttl": 60, "primary_ns": "new.panel.example."}
    assert zone["soa"] == {"ttl": 60, "primary_ns": "old.panel.example."}
    assert rewritten({"domain": "acme.example", "state": "default"}, SUBSTITUTES) == {
        "domain": "acme.example",
        "state": "default",
    }


@pytest.mark.parametrize(
    "addresses", [{"192.0.2.10": "2001:db8::1"}, {"192.0.2.0/24": "192.0.2.1"}, {"192.0.2.10": ""}]
)
def test_addresses_that_cannot_stand_for_each_other_are_refused(addresses: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"addresses: .* is not accepted"):
        read_substitutes(addresses, {})


def test_records_that_lead_to_the_old_server_are_named_unless_something_is_given_for_them() -> None:
    old = Substitutes({"192.0.2.10": "", "192.0.2.11": ""}, {"old.panel.example": "", "ns.panel.example": ""})
    zone = {
        "records": [
            record("A", "192.0.2.10"),
            record("A", "192.0.2.11", host="www"),
            record("TXT", "v=spf1 ip4:192.0.2.11 -all"),
            record("MX", "10 ns.panel.example."),
            record("MX", "10 old.panel.example."),
            record("CNAME", "elsewhere.example.", host="shop"),
        ]
    }
    assert left_behind(zone, old, SUBSTITUTES) == [
        "www A 192.0.2.11",
        "@ TXT v=spf1 ip4:192.0.2.11 -all",
        "@ MX 10 ns.panel.example.",
    ]
    kept = read_substitutes({"192.0.2.11": "192.0.2.11"}, {"ns.panel.example": "ns.panel.example"})
    assert left_behind({"records": zone["records"][1:4]}, old, kept) == []
    assert left_behind({"state": "default"}, old, kept) == []


def test_the_name_servers_of_zones_are_named_once() -> None:
    zones = [
        {"records": [record("NS", "ns2.panel.example."), record("NS", "NS1.panel.example")]},
        {"records": [record("NS", "ns1.panel.example."), record("MX", "10 mail.panel.example.")]},
        {"state": "default", "soa": {"primary_ns": "NS2.panel.example."}},
    ]
    assert name_servers(zones) == ["ns1.panel.example", "ns2.panel.example"]


def test_only_longer_times_to_live_are_lowered() -> None:
    records = [record("A", "192.0.2.10", ttl="86400"), record("A", "192.0.2.11", ttl=60), record("MX", "10 mail")]
    assert lowered(records, 300) == [
        record("A", "192.0.2.10", ttl=300),
        record("A", "192.0.2.11", ttl=60),
        record("MX", "10 mail", ttl=300),
    ]
    assert lowered(records, 86400) is None
    assert lowered([], 300) is None
    assert longest(records) == 86400
    assert longest([]) == 0


def test_a_zone_is_the_same_whatever_its_times_to_live_and_its_order() -> None:
    records = [record("A", "192.0.2.10", ttl=60), record("TXT", '"a" "b"')]
    assert is_same_but_for_ttl(records, [record("TXT", "ab"), record("a", "192.0.2.10")])
    assert not is_same_but_for_ttl(records, [record("A", "192.0.2.10")])


def test_a_plan_that_does_more_than_to_change_times_to_live_is_seen() -> None:
    same = {"host": "www", "type": "A", "ttl": 300, "before": ["192.0.2.9"], "after": ["192.0.2.9"]}
    assert changes_only_ttls({"entries": [same]})
    assert not changes_only_ttls({"entries": [same, {**same, "after": []}]})
    assert not changes_only_ttls({"entries": [{**same, "after": ["192.0.2.7", "192.0.2.9"]}]})

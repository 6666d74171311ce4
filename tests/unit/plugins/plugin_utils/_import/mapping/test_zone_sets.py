"""Records of the panel stay in a new zone where they are right, and go where they are wrong."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._dns.desired_zone import (
    read_desired_zone,
)
from ansible_collections.hosting.panel.plugins.module_utils._dns.records import (
    Record,
    normalize_record,
)
from ansible_collections.hosting.panel.plugins.module_utils._dns.zone_warnings import (
    find_protect_warnings,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.zone_sets import (
    choose_zone_options,
)


def _make_records(*records: tuple[str, str, str]) -> list[Record]:
    return [
        normalize_record({"host": host, "type": kind, "value": value}, "acme.example")
        for host, kind, value in records
    ]


def _is_protected(options: dict[str, Any], host_and_type: str) -> bool:
    return host_and_type in options["protect"]


@pytest.mark.parametrize(
    "records",
    [
        [("shop", "A", "198.51.100.7")],
        [("shop", "CNAME", "elsewhere.example.")],
        [("@", "A", "198.51.100.7"), ("@", "AAAA", "2001:db8::7")],
        [("@", "A", "203.0.113.5")],
        [("@", "MX", "10 mail.elsewhere.example."), ("@", "TXT", "v=spf1 -all")],
    ],
)
def test_all_other_records_of_the_panel_stay(records: list[tuple[str, str, str]]) -> None:
    assert choose_zone_options(_make_records(*records), True, ["203.0.113.5"], (), ()) == {}


def choose_options_for_cname() -> dict[str, Any]:
    """Return the options of a zone with a CNAME of www."""
    records = _make_records(("www", "CNAME", "elsewhere.example."))
    return choose_zone_options(records, False, (), {("shop", "A")}, ["blog"])


def test_a_cname_takes_the_place_of_what_the_panel_has_at_its_host() -> None:
    options = choose_options_for_cname()

    assert options["purge"] is True
    assert not any(pattern.startswith("[w]ww ") for pattern in options["protect"])


@pytest.mark.parametrize(
    "pattern", ["@ NS", "@ *", "[m]ail *", "*._domainkey *", "[s]hop *", "[b]log *", "[*] *"]
)
def test_what_the_panel_has_beside_a_cname_stays(pattern: str) -> None:
    assert _is_protected(choose_options_for_cname(), pattern)


def test_a_site_elsewhere_gets_no_address_of_the_panel_beside_its_own() -> None:
    records = _make_records(("@", "A", "198.51.100.7"))
    options = choose_zone_options(records, True, (), (), ())

    assert _is_protected(options, "@ [!A]*")
    assert not _is_protected(options, "@ *")
    assert _is_protected(options, "[w]ww *")


def test_hosts_that_the_new_zone_does_not_have_give_no_warning() -> None:
    records = _make_records(("www", "CNAME", "elsewhere.example."))
    options = choose_zone_options(records, False, (), {("*.shop", "A"), ("a-b.c", "A")}, ["blog"])
    item = {"domain": "acme.example", "records": [record.fields for record in records], **options}
    zone = {"records": {"soa": {}, "other": [{"host": "@", "type": "NS", "value": "ns1.example."}]}}

    assert find_protect_warnings(zone, read_desired_zone(item)) == []


def test_an_address_of_the_old_server_is_replaced_by_that_of_the_panel() -> None:
    records = _make_records(("@", "A", "198.51.100.7"))

    assert choose_zone_options(records, True, (), {("@", "AAAA")}, ()) == {}


def test_texts_stand_beside_the_spf_record_of_a_generated_zone() -> None:
    records = _make_records(("@", "TXT", '"site-verification=1"'))

    assert choose_zone_options(records, False, (), (), ()) == {"append": True}
    assert choose_zone_options(records, True, (), (), ()) == {}

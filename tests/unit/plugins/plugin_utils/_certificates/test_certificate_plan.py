# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which certificates are due, and which records that takes, from dictionaries alone."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.plan import (
    Panel,
    Terms,
    aliased,
    challenges_of,
    goes_on,
    name_servers_in,
    not_covered,
    records_by_zone,
    resources_of,
    why_due,
    with_ttl,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.state import fingerprint
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.wanted import Wanted

NOW = datetime.datetime(2026, 11, 22, 12, tzinfo=datetime.UTC)
TERMS = Terms("https://ca.example/dir", "ec256", 30)
ACME = Wanted("acme", "acme", ("acme.example", "*.acme.example"), ("acme.example",))
KEPT: dict[str, Any] = {
    "name": "acme",
    "names": ["*.acme.example", "acme.example"],
    "key_type": "ec256",
    "directory": TERMS.directory,
    "not_before": "2026-11-01T00:00:00+00:00",
    "not_after": "2027-01-30T00:00:00+00:00",
}
PANEL = Panel(
    [
        {"id": 1, "domain": "acme.example", "id_user": 7},
        {"id": 2, "domain": "shop.acme.example", "id_user": 7, "is_subdomain": True, "id_parent_domain": 1},
        {"id": 3, "domain": "de.acme.example", "id_user": 7},
        {"id": 4, "domain": "Müller.example", "id_user": "8"},
        {"id": 5, "domain": "off.example", "id_user": 7, "is_dns_disabled": "true"},
        {"id": 6, "domain": "acme.server.example", "id_user": 7, "is_system_domain": True},
    ],
    [{"id": 7, "username": "acme"}, {"id": 8, "username": "beta"}],
)


def test_what_is_as_wanted_is_not_due_whatever_the_order_of_its_names() -> None:
    assert why_due(ACME, KEPT, TERMS, NOW) == ""


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (None, "there is none yet"),
        ({"directory": "https://staging.example/dir"}, "it is of https://staging.example/dir"),
        ({"names": ["acme.example", "old.acme.example"]}, "its names change: +*.acme.example -old.acme.example"),
        ({"key_type": "rsa2048"}, "its key is rsa2048 and not ec256"),
        ({"not_after": "2026-12-22T12:00:00+00:00"}, "it ends on 2026-12-22"),
        ({"not_after": "2026-12-22T12:00:01+00:00"}, ""),
        ({"not_after": "2026-12-22T13:59:00+02:00"}, "it ends on 2026-12-22"),
        ({"not_after": "2020-01-01T00:00:00+00:00"}, "it ends on 2020-01-01"),
    ],
)
def test_a_certificate_is_due_for_a_reason(changes: dict[str, Any] | None, why: str) -> None:
    assert why_due(ACME, None if changes is None else {**KEPT, **changes}, TERMS, NOW) == why


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (None, False),
        (KEPT, True),
        ({**KEPT, "names": ["acme.example"]}, False),
        ({**KEPT, "key_type": "ec384"}, False),
        ({**KEPT, "directory": "https://other.example"}, False),
    ],
)
def test_an_order_goes_on_where_it_would_be_made_again_as_it_is(order: dict[str, Any] | None, expected: bool) -> None:
    assert goes_on(order, ACME, TERMS) is expected


DEPLOYED = {**KEPT, "certificate": "leaf", "chain": "above", "private_key": "key"}


@pytest.mark.parametrize(
    ("names", "left"),
    [
        (["acme.example", "*.acme.example", "b.example"], []),
        (["acme.example", "*.acme.example"], ["b.example"]),
        (["acme.example"], ["shop.acme.example", "b.example"]),
        (["*.acme.example"], ["acme.example", "b.example"]),
        (None, ["acme.example", "shop.acme.example", "b.example"]),
    ],
)
def test_a_certificate_is_assigned_to_none_but_the_domains_that_it_is_for(
    names: list[str] | None, left: list[str]
) -> None:
    assign = ("acme.example", "shop.acme.example", "b.example")
    grown = Wanted("acme", "acme", ("acme.example", "*.acme.example", "b.example"), assign)
    kept = {**DEPLOYED, "names": names} if names else None
    assert not_covered(grown, kept, NOW) == left
    if kept:
        resources = resources_of(grown, kept, NOW)
        components = {"certificate": "leaf", "ca_certificate": "above", "private_key": "key"}
        assert resources["certificates"] == [{"name": "acme", "client": "acme", "components": components}]
        assert resources["domains"] == [
            {"domain": one, "security": {"certificate": "acme"}} for one in assign if one not in left
        ]


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("acme.example", "acme.example"),
        ("*.acme.example", "acme.example"),
        ("_acme-challenge.shop.acme.example", "acme.example"),
        ("www.de.acme.example", "de.acme.example"),
        ("xn--mller-kva.example", "xn--mller-kva.example"),
        ("acme.server.example", None),
        ("notacme.example", None),
    ],
)
def test_a_name_lies_in_the_smallest_zone(name: str, zone: str | None) -> None:
    assert PANEL.zone_of(name) == zone


@pytest.mark.parametrize(
    ("wanted", "absent", "reachable"),
    [
        (ACME, [], ("acme.example",)),
        (
            Wanted("a", "nobody", ("nowhere.example", "off.example"), ("shop.nowhere.example",)),
            [
                "client: there is no client nobody on this panel.",
                "domains: nowhere.example is in no zone of this panel, so it cannot be proven by DNS here.",
                "assign: there is no domain shop.nowhere.example on this panel.",
            ],
            (),
        ),
        (
            Wanted("a", "beta", ("acme.example",), ("acme.example", "xn--mller-kva.example")),
            ["domains: acme.example is of another client than beta."],
            ("xn--mller-kva.example",),
        ),
        (
            Wanted("a", "beta", ("*.example",), ("acme.example",)),
            [
                "domains: *.example is in no zone of this panel, so it cannot be proven by DNS here.",
                "assign: acme.example is of another client than beta.",
            ],
            (),
        ),
    ],
)
def test_what_is_not_on_the_panel_is_told_and_the_other_domains_can_be_reached(
    wanted: Wanted, absent: list[str], reachable: tuple[str, ...]
) -> None:
    assert list(PANEL.absent(wanted)) == absent
    assert PANEL.reachable(wanted) == reachable


@pytest.mark.parametrize(
    ("domain", "client"),
    [
        ({"id": 1, "domain": "acme.example"}, {"id": 7, "username": "acme"}),
        ({"id": 1, "domain": "acme.example", "id_user": 7}, {"username": "acme"}),
        ({"id": 1, "domain": "acme.example"}, {"username": "acme"}),
    ],
)
def test_a_certificate_is_assigned_to_no_domain_whose_client_the_panel_does_not_say(
    domain: dict[str, Any], client: dict[str, Any]
) -> None:
    panel = Panel([domain], [client])
    words = "domains: the panel does not say whether acme.example is of acme, so it is left as it is."
    assert (list(panel.absent(ACME)), panel.reachable(ACME)) == ([words], ())


@pytest.mark.parametrize(
    ("names", "domains"),
    [
        (("*.acme.example", "www.acme.example", "acme.example"), ["acme.example"]),
        (("www.shop.acme.example", "*.de.acme.example"), ["shop.acme.example", "de.acme.example"]),
        (("notacme.example",), []),
    ],
)
def test_a_name_is_of_the_client_of_the_smallest_domain_that_it_lies_in(
    names: tuple[str, ...], domains: list[str]
) -> None:
    assert PANEL.domains_named(Wanted("a", "acme", names, ())) == domains
    assert list(PANEL.foreign(Wanted("a", "beta", names, ()))) == [
        f"domains: {domain} is of another client than beta." for domain in domains
    ]


def test_a_certificate_that_has_ended_is_assigned_to_nothing() -> None:
    ended = {**DEPLOYED, "not_after": "2026-11-22T12:00:00+00:00"}
    assert not_covered(ACME, DEPLOYED, NOW) == []
    assert not_covered(ACME, ended, NOW) == ["acme.example"]
    assert "domains" not in resources_of(ACME, ended, NOW)
    # What check mode asks about is the one that would take its place.
    assert resources_of(ACME, ended, NOW, is_renewed=True) == resources_of(ACME, DEPLOYED, NOW)


def test_records_are_where_a_zone_is_and_its_dns_is_not_disabled() -> None:
    zones = ("acme.example", "off.example", "gone.example", "shop.acme.example")
    assert [PANEL.has_records(zone) for zone in zones] == [True, False, False, False]


def test_names_whose_zone_has_no_dns_are_told_apart_from_mistakes() -> None:
    wanted = Wanted("a", "acme", ("acme.example", "*.off.example"), ())
    assert list(PANEL.absent(wanted)) == []
    assert list(PANEL.without_dns(wanted)) == [
        "domains: DNS of off.example is disabled on this panel, so *.off.example cannot be proven by DNS here."
    ]


OURS, OLDER, FOREIGN = (
    f"-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n" for text in ("b3Vycw==", "b2xkZXI=", "YW55")
)


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (None, None),
        ({"components": {"certificate": OURS.replace("\n", "\r\n")}}, None),
        # Issued by an earlier run that was killed before the upload of the next one, or put back from a backup.
        ({"components": {"certificate": OLDER}}, None),
        ({"components": {}}, None),
        ({"components": {"certificate": FOREIGN}, "id_user": 7}, "this name that"),
        ({"components": {"certificate": FOREIGN}, "id_user": "8"}, "this name, of another client than acme, that"),
        ({"components": {"certificate": ""}}, "this name that"),
        (
            {"components": {"certificate": "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----"}},
            "this name that",
        ),
        ({"components": {"certificate": None}}, "this name that"),
    ],
)
def test_a_certificate_of_the_same_name_that_no_run_issued_is_in_the_way(
    shown: dict[str, Any] | None, words: str | None
) -> None:
    kept = {**KEPT, "certificate": OURS, "replaced": [fingerprint(OLDER)]}
    found = list(PANEL.in_the_way(ACME, shown, kept))
    assert [sentence.partition("certificate of ")[2][: len(words or "")] for sentence in found] == [words][
        : bool(words)
    ]
    # Without a state folder any certificate of the name is somebody else's.
    assert bool(list(PANEL.in_the_way(ACME, shown, None))) is bool(shown)


def test_the_challenges_of_all_orders_are_one_list_of_records_for_each_zone() -> None:
    first = challenges_of(
        {"_acme-challenge.acme.example": ["one", "two"], "_acme-challenge.xn--mller-kva.example": ["three"]}, PANEL
    )
    second = challenges_of(
        {"_acme-challenge.acme.example": ["one"], "_acme-challenge.www.de.acme.example.": ["four"]}, PANEL
    )
    zones = records_by_zone([*first, *second])
    assert {zone: [(record["host"], record["value"]) for record in records] for zone, records in zones.items()} == {
        "acme.example": [("_acme-challenge.acme.example.", "one"), ("_acme-challenge.acme.example.", "two")],
        "xn--mller-kva.example": [("_acme-challenge.xn--mller-kva.example.", "three")],
        "de.acme.example": [("_acme-challenge.www.de.acme.example.", "four")],
    }
    assert {record["type"] for records in zones.values() for record in records} == {"TXT"}


ZONE = {
    "records": {
        "other": [
            {"host": "@", "type": "NS", "value": "ns1.panel.example."},
            {"host": "acme.example.", "type": "ns", "value": "NS2"},
            {"host": "@", "type": "NS", "value": "ns1.panel.example."},
            {"host": "sub", "type": "NS", "value": "ns9.elsewhere.example."},
            {"host": "_acme-challenge", "type": "CNAME", "value": "elsewhere.example."},
            {"host": "_ACME-challenge.www.acme.example.", "type": "cname", "value": "elsewhere.example."},
            {"host": "_acme-challenge.shop", "type": "TXT", "value": "proof"},
        ]
    }
}


def test_the_name_servers_of_a_zone_are_those_that_it_names_for_itself() -> None:
    assert name_servers_in(ZONE, "acme.example") == ["ns1.panel.example", "ns2.acme.example"]


def test_aliases_in_the_place_of_challenges_are_found() -> None:
    hosts = [f"_acme-challenge.{name}" for name in ("acme.example", "www.acme.example", "shop.acme.example")]
    assert aliased(ZONE, "acme.example", hosts) == hosts[:2]


def test_challenge_records_take_the_ttl_of_those_that_they_join() -> None:
    hosts = ["_acme-challenge.shop.acme.example.", "_acme-challenge.new.acme.example."]
    records = [{"host": host, "type": "TXT", "value": "proof"} for host in hosts]
    assert [record.get("ttl") for record in with_ttl(records, ZONE, "acme.example")] == [None, 60]
    assert [record.get("ttl") for record in with_ttl(records, None, "acme.example")] == [60, 60]

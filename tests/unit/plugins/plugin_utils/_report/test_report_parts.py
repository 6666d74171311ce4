# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates, traffic, errors, duplicates and servers."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._report.findings import (
    certificates,
    duplicates,
    faults,
    lets_encrypt,
    mail_dns,
    sorted_by_expiry,
    worst_first,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_answers import PanelReading
from ansible_collections.hosting.panel.plugins.plugin_utils._report.usage import by_service, server, traffic

ZONE = datetime.timezone(datetime.timedelta(hours=1))
NOW = datetime.datetime(2026, 11, 20, 23, 30, tzinfo=ZONE)


def reading(name: str = "one", **objects: Any) -> PanelReading:
    objects.setdefault("clients", [{"id": 1, "username": "acme"}, {"id": 2, "username": "other"}])
    return PanelReading(name, f"{name}.example", objects=objects)


@pytest.mark.parametrize(
    ("ends", "days", "level"),
    [
        ("2026-11-19T10:00:00+01:00", -1, "bad"),
        ("2026-11-20T23:59:00+01:00", 0, "bad"),
        # Half an hour ahead, and tomorrow on the calendar of the report.
        ("2026-11-20T23:10:00+0000", 1, "bad"),
        ("2026-11-27T00:00:00", 7, "bad"),
        ("2026-11-28T00:00:00Z", 8, "near"),
        ("2026-12-20 12:00:00", 30, "near"),
        ("2026-12-21T12:00:00+01:00", 31, "fine"),
        (None, None, "fine"),
        ("soon", None, "fine"),
    ],
)
def test_certificates_are_judged_by_the_days_on_the_calendar(ends: str | None, days: int | None, level: str) -> None:
    used = [{"domain": "acme.example", "security": {"id_certificate": 5}}]
    found = certificates(reading(certificates=[{"id": 5, "valid_till": ends}], domains=used), NOW, 30, 7)
    assert [(one["days"], one["level"]) for one in found] == [(days, level)]


def test_a_certificate_tells_where_it_is_used_and_one_that_is_not_used_comes_last_and_is_never_urgent() -> None:
    domains = [
        {"domain": "www.acme.example", "security": {"id_certificate": 5}},
        {"domain": "xn--mller-kva.example", "domain_utf8": "müller.example", "security": {"id_certificate": 5}},
        {"domain": "other.example", "security": {"id_certificate": 0, "lets_encrypt": True}},
        {"domain": "odd.example", "security": None},
    ]
    shown = [
        {"id": 4, "name": "old", "valid_till": "2020-01-01T00:00:00Z", "id_user": 0, "issuer": None},
        {"id": 5, "name": "new", "valid_till": "2027-01-01T00:00:00Z", "id_user": 1, "secured_domains": ["b", "a"]},
    ]
    one = reading(certificates=shown, domains=domains)
    found = sorted_by_expiry(certificates(one, NOW, 30, 7))
    assert [(entry["name"], entry["used_by"], entry["client"], entry["level"]) for entry in found] == [
        ("new", ["müller.example", "www.acme.example"], "acme", "fine"),
        ("old", [], "", "fine"),
    ]
    assert found[0]["secures"] == ["a", "b"]
    assert lets_encrypt(one) == 1


def test_traffic_is_added_up_by_server_service_and_client() -> None:
    by_month = {
        "2026-10": by_service({"http": {"in": 1, "out": 2}, "imap": {"out": 4}, "gopher": {"out": 1000}}),
        "2026-11": by_service({"ftp": {"in": 8, "out": "16"}, "http": 7}),
    }
    other = {"2026-11": by_service({"smtp": {"in": 100}})}
    one = PanelReading("one", "", objects=reading().objects, traffic={1: by_month, 2: other})
    found = traffic([one, PanelReading("two", "", failure="gone")], ["2026-10", "2026-11"], top=1)
    assert found == {
        "months": ["2026-10", "2026-11"],
        "servers": [{"server": "one", "bytes": [7, 124]}],
        "services": [
            {"service": "web", "bytes": [3, 0]},
            {"service": "mail", "bytes": [4, 100]},
            {"service": "ftp", "bytes": [0, 24]},
        ],
        "clients": [{"server": "one", "client": "other", "bytes": [0, 100]}],
    }


def test_objects_in_the_state_of_error_are_named_with_their_owner() -> None:
    found = faults(
        reading(
            clients=[{"id": 1, "username": "acme", "status": 2}, {"id": 2, "username": "other", "status": 1}],
            domains=[
                {"domain": "a.example", "status": 2, "id_user": 1},
                {"domain": "b.example", "status": 3, "id_user": 1},
            ],
            scheduled_tasks=[{"id": 9, "status": 2, "id_user": 0, "description": ""}],
            databases=[{"database_name": "no_status", "status": 2}],
        )
    )
    assert [(one["kind"], one["key"], one["client"]) for one in found] == [
        ("clients", "acme", "acme"),
        ("domains", "a.example", "acme"),
        ("scheduled_tasks", "id 9", ""),
    ]


def test_mail_dns_names_the_owner_and_the_worst_comes_first() -> None:
    record = {"host": "@", "type": "TXT", "value": f"v=spf1 {'a ' * 300}\u202e"}
    finding = {"about": "spf", "problem": "several", "level": "bad", "record": record, "replaces": [record]}
    judged = [
        {"domain": "fine.example", "level": "fine", "look_ups": 2, "findings": []},
        {"domain": "xn--mller-kva.example", "level": "bad", "look_ups": None, "findings": [finding]},
    ]
    domains = [{"domain": "xn--mller-kva.example", "domain_utf8": "müller.example", "id_user": 1}]
    one = PanelReading("one", "", objects=reading(domains=domains).objects, mail_dns=judged)
    found = worst_first(mail_dns(one))
    assert [(row["domain"], row["client"], row["level"]) for row in found] == [
        ("müller.example", "acme", "bad"),
        ("fine.example", "", "fine"),
    ]
    shown = found[0]["findings"][0]
    assert shown["record"]["value"] == f"v=spf1 {'a ' * 300}\ufffd"
    assert shown["replaces"] == [shown["record"]]


def test_a_name_on_two_servers_is_a_duplicate_and_its_subdomains_are_counted_with_it() -> None:
    def domains(*names: str) -> list[dict[str, Any]]:
        return [{"domain": name, "id_user": 1, "is_subdomain": name.count(".") > 1} for name in names]

    one = reading(domains=domains("acme.example", "www.acme.example", "shop.acme.example", "only.example"))
    two = reading(
        "two",
        clients=[{"id": 1, "username": "Other"}],
        domains=[
            *domains("ACME.example", "www.acme.example", "sub.else.example"),
            {"domain": "system.example", "is_system_domain": True},
        ],
    )
    three = reading("three", clients=[], domains=[{"domain": "system.example", "is_system_domain": True}])
    assert duplicates([one, two, three]) == [
        {
            "kind": "domain",
            "name": "acme.example",
            "servers": [{"server": "one", "client": "acme"}, {"server": "two", "client": "Other"}],
            "subdomains": 1,
        },
        {
            "kind": "client",
            "name": "other",
            "servers": [{"server": "one", "client": "other"}, {"server": "two", "client": "other"}],
            "subdomains": 0,
        },
    ]


def test_a_server_is_as_full_as_the_operator_says_its_disk_is_large() -> None:
    stats = {1: {"disk_space": {"value": 1, "max": 70}}, 2: {"disk_space": {"value": 1, "max": -1}}, 3: {}}
    shown = {"resources": {"consumed_disk_space": 95, "traffic": "5"}, "meta": {"uptime": {"days": 3}}}
    found = server(PanelReading("one", "", 100, server=shown, stats=stats), 90)
    assert found["disk_space"] == {
        "used": 95, "promised": 70, "unlimited_clients": 1, "capacity": 100, "percent": 95.0, "level": "near",
    }  # fmt: skip
    assert (found["traffic_this_month"], found["uptime_days"], found["reboot_required"]) == (5, 3, False)
    assert server(PanelReading("one", "", server=shown), 90)["disk_space"]["percent"] is None


def test_a_server_that_says_nothing_or_nonsense_is_shown_without_numbers() -> None:
    for shown in ({}, {"meta": [], "resources": "none", "operating_system": {"updates": 5}}):
        found = server(PanelReading("one", "", 100, server=shown), 90)
        assert (found["hostname"], found["disk_space"]["used"], found["reboot_required"]) == ("", None, False)

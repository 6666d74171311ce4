# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a reading needs attention: limits, mailboxes, servers, traffic, certificates, mail DNS, errors and duplicates."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._report.findings import report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.reading import (
    PanelReading,
    by_service,
    months_kept,
    months_over,
    read_kept,
)

NOW = datetime.datetime(2026, 11, 20, 23, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
CLIENTS = [{"id": number, "username": f"client-{number}", "id_hosting_plan": 1} for number in (1, 2, 3)]
MONTHS = ["2026-09", "2026-10", "2026-11"]


def reading(name: str = "one", **more: Any) -> PanelReading:
    fields = {one: more.pop(one) for one in ("stats", "traffic", "mail_dns", "server", "disk_space") if one in more}
    objects = {"clients": CLIENTS, "plans": [{"id": 1, "name": "Business"}], **more}
    return PanelReading(name, f"{name}.example", objects=objects, **fields)


def of(*readings: PanelReading, **numbers: int) -> dict[str, Any]:
    return report(readings, NOW, **numbers)


def used(value: Any, most: Any) -> dict[str, Any]:
    return {"value": value, "max": most}


@pytest.mark.parametrize(
    ("name", "value", "most", "percent", "level"),
    [
        ("disk_space", 89, 100, 89.0, "fine"),
        ("disk_space", 90, 100, 90.0, "near"),
        ("disk_space", 100, 100, 100.0, "bad"),
        ("disk_space", 7, -1, None, "fine"),
        ("disk_space", 7, None, None, "fine"),
        # A client with all mailboxes that were paid for needs no attention.
        ("email_accounts", 20, 20, 100.0, "fine"),
        ("email_accounts", 21, 20, 105.0, "bad"),
        ("databases", 0, 0, 0.0, "fine"),
        ("databases", 1, 0, 999.0, "bad"),
    ],
)
def test_what_runs_full_needs_attention_early_and_what_is_counted_only_beyond_its_limit(
    name: str, value: int, most: int, percent: float | None, level: str
) -> None:
    client = of(reading(stats={1: {name: used(value, most)}}))["clients"][0]
    resource = {"name": name, "value": value, "max": most, "percent": percent, "level": level}
    assert (client["resources"], client["level"]) == ([resource], level)
    assert client["worst"] == (resource if percent is not None else None)


def test_the_worst_client_comes_first_and_those_that_were_not_read_last() -> None:
    stats = {1: {"disk_space": used(95, 100), "databases": used(9, 9)}, 2: {"traffic": used(101, 100)}}
    found = of(reading(stats=stats))["clients"]
    shown = [(one["client"], one["plan"], one["level"], one["is_read"]) for one in found]
    assert shown == [
        ("client-2", "Business", "bad", True),
        ("client-1", "Business", "near", True),
        ("client-3", "Business", "fine", False),
    ]


def test_full_mailboxes_are_listed_with_their_owner_and_the_fullest_first() -> None:
    emails = [
        {"email": "a@acme.example", "size": 90, "max_size": 100, "id_user": 1},
        {"email": "b@xn--mller-kva.example", "email_utf8": "b@müller.example", "size": 9, "max_size": 9, "id_user": 2},
        {"email": "c@acme.example", "size": 89, "max_size": 100, "id_user": 1},
        {"email": "d@acme.example", "size": 89, "max_size": -1, "id_user": 1},
        {"email": "e@acme.example", "max_size": 5, "id_user": 9},
    ]
    found = of(reading(emails=emails))["mailboxes"]
    shown = [(one["email"], one["client"], one["percent"], one["level"]) for one in found]
    assert shown == [("b@müller.example", "client-2", 100.0, "bad"), ("a@acme.example", "client-1", 90.0, "near")]


def test_a_server_is_as_full_as_the_operator_says_its_disk_is_large() -> None:
    stats = {1: {"disk_space": used(1, 70)}, 2: {"disk_space": used(1, -1)}, 3: {}}
    shown = {"resources": {"consumed_disk_space": 95, "traffic": 5}, "meta": {"uptime": {"days": 3}}}
    [found] = of(reading(stats=stats, server=shown, disk_space=100))["servers"]
    disk = {"used": 95, "promised": 70, "unlimited_clients": 1, "capacity": 100, "percent": 95.0, "level": "near"}
    assert found["disk_space"] == disk
    assert (found["traffic_this_month"], found["uptime_days"], found["reboot_required"]) == (5, 3, False)
    assert of(reading(server=shown))["servers"][0]["disk_space"]["percent"] is None


def test_what_a_panel_leaves_out_is_no_number() -> None:
    bare = {"clients": [{"id": 1}], "domains": [{}], "certificates": [{}], "emails": [{}]}
    for shown in ({}, {"meta": None, "resources": {}, "operating_system": {"updates": None}}):
        found = of(reading(server=shown, disk_space=100, stats={1: {"disk_space": None}}, **bare))
        [server] = found["servers"]
        assert (server["hostname"], server["disk_space"]["used"], server["reboot_required"]) == ("", None, False)
        assert found["clients"][0]["client"] == "(without a name)" and json.dumps(found)


def test_traffic_is_added_up_by_panel_service_and_client() -> None:
    by_month = {
        "2026-10": by_service({"http": {"in": 1, "out": 2}, "imap": {"out": 4}, "gopher": {"out": 1000}}),
        "2026-11": by_service({"ftp": {"in": 8, "out": 16}, "http": None}),
    }
    one = reading(traffic={1: by_month, 2: {"2026-11": by_service({"smtp": {"in": 100}})}})
    assert of(one, months=2, top=1)["traffic"] == {
        "months": ["2026-10", "2026-11"],
        "servers": [{"server": "one", "bytes": [7, 124]}],
        "services": [
            {"service": "web", "bytes": [3, 0]},
            {"service": "mail", "bytes": [4, 100]},
            {"service": "ftp", "bytes": [0, 24]},
        ],
        "clients": [{"server": "one", "client": "client-2", "bytes": [0, 100]}],
    }


@pytest.mark.parametrize(
    ("ends", "days", "level"),
    [
        ("2026-11-19T10:00:00+01:00", -1, "bad"),
        # Half an hour ahead, and tomorrow on the calendar of the report.
        ("2026-11-20T23:10:00+0000", 1, "bad"),
        ("2026-11-27T00:00:00", 7, "bad"),
        ("2026-11-28T00:00:00Z", 8, "near"),
        ("2026-12-20 12:00:00", 30, "near"),
        ("2026-12-21T12:00:00+01:00", 31, "fine"),
        (None, None, "fine"),
    ],
)
def test_certificates_are_judged_by_the_days_on_the_calendar(ends: str | None, days: int | None, level: str) -> None:
    domains = [{"domain": "acme.example", "security": {"id_certificate": 5}}]
    [found] = of(reading(certificates=[{"id": 5, "valid_till": ends}], domains=domains))["certificates"]
    assert (found["days"], found["level"]) == (days, level)


def test_a_certificate_that_no_domain_uses_comes_last_and_is_never_urgent() -> None:
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
    found = of(reading(certificates=shown, domains=domains))
    rows = [(one["name"], one["used_by"], one["client"], one["level"], one["secures"]) for one in found["certificates"]]
    assert rows == [
        ("new", ["müller.example", "www.acme.example"], "client-1", "fine", ["a", "b"]),
        ("old", [], "", "fine", []),
    ]
    assert found["lets_encrypt_domains"] == 1


def test_objects_with_the_status_error_are_named_with_their_owner() -> None:
    found = of(
        reading(
            clients=[{"id": 1, "username": "acme", "status": 2}, {"id": 2, "username": "other", "status": 1}],
            domains=[{"domain": "a.example", "status": 2, "id_user": 1}, {"domain": "b.example", "status": 3}],
            scheduled_tasks=[{"id": 9, "status": 2, "id_user": 0, "description": ""}],
            databases=[{"database_name": "no_status", "status": 2}],
        )
    )["errors"]
    expected = [("clients", "acme", "acme"), ("domains", "a.example", "acme"), ("scheduled_tasks", "id 9", "")]
    assert [(one["kind"], one["key"], one["client"]) for one in found] == expected


def test_mail_dns_names_the_owner_and_the_worst_comes_first() -> None:
    finding = {"about": "spf", "problem": "missing", "level": "bad", "record": {"value": f"v=spf1 {'a ' * 300}"}}
    judged = [
        {"domain": "fine.example", "level": "fine", "look_ups": 2, "findings": []},
        {"domain": "xn--mller-kva.example", "level": "bad", "look_ups": None, "findings": [finding]},
    ]
    domains = [{"domain": "xn--mller-kva.example", "domain_utf8": "müller.example", "id_user": 1}]
    found = of(reading(domains=domains, mail_dns=judged))["mail_dns"]
    assert [(row["domain"], row["client"]) for row in found] == [("müller.example", "client-1"), ("fine.example", "")]
    assert found[0]["findings"] == [{**finding, "replaces": []}]


def test_a_name_on_two_panels_is_a_duplicate_and_its_subdomains_are_counted_with_it() -> None:
    def domains(*names: str) -> list[dict[str, Any]]:
        return [{"domain": name, "id_user": 1, "is_subdomain": name.count(".") > 1} for name in names]

    system = {"domain": "system.example", "is_system_domain": True}
    one = reading(domains=domains("acme.example", "www.acme.example", "shop.acme.example", "only.example"))
    others = domains("ACME.example", "www.acme.example", "sub.else.example")
    two = reading("two", clients=[{"id": 1, "username": "Client-1"}], domains=[*others, system])
    three = reading("three", clients=[], domains=[system])

    def duplicate(kind: str, name: str, second: str, below: int) -> dict[str, Any]:
        places = [{"server": "one", "client": "client-1"}, {"server": "two", "client": second}]
        return {"kind": kind, "name": name, "servers": places, "subdomains": below}

    assert of(one, two, three)["duplicates"] == [
        duplicate("domain", "acme.example", "Client-1", 1),
        duplicate("client", "client-1", "client-1", 0),
    ]


@pytest.mark.parametrize(
    ("now", "expected"),
    [("2026-11-02T23:59:59+01:00", MONTHS[:1]), ("2026-11-03T00:00:00+01:00", MONTHS[:2])],
)
def test_a_month_is_over_two_days_after_its_end(now: str, expected: list[str]) -> None:
    assert months_over(MONTHS, datetime.datetime.fromisoformat(now)) == expected


def test_whole_months_that_are_over_are_kept_by_panel_and_client() -> None:
    whole = {"web": 1, "mail": 2, "ftp": 3}
    one = reading("web-1", traffic={1: {"2026-09": whole, "2026-10": {"web": 3}, "2026-11": whole}})
    kept = json.loads(json.dumps({"months_over": months_kept([one], MONTHS[:2])}))
    assert read_kept(kept, MONTHS) == {("web-1", "web-1.example", "1", "client-1"): {"2026-09": whole}}
    assert read_kept(kept, ["2026-10"]) == {("web-1", "web-1.example", "1", "client-1"): {}}


@pytest.mark.parametrize("content", [None, [], {"months_over": 7}, {"months_over": [{"server": "a", "months": []}]}])
def test_a_file_that_a_person_changed_keeps_nothing(content: Any) -> None:
    assert read_kept(content, MONTHS) == {}

"""What of a reading needs attention.

Limits, mailboxes, servers, traffic, certificates, mail DNS, errors and duplicates.
"""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._report.build_report import build_report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.months import (
    list_months_to_keep,
    read_kept_months,
    select_past_months,
    sum_by_service,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_reading import (
    PanelReading,
)

NOW = datetime.datetime(2026, 11, 20, 23, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
CLIENTS = [
    {"id": number, "username": f"client-{number}", "id_hosting_plan": 1} for number in (1, 2, 3)
]
UMLAUT = {"domain": "xn--mller-kva.example", "domain_utf8": "müller.example", "id_user": 1}
MONTHS = ["2026-09", "2026-10", "2026-11"]


def make_reading(name: str = "one", **more: Any) -> PanelReading:
    """Return what a panel shows."""
    fields = {
        name: more.pop(name)
        for name in ("stats", "traffic", "mail_dns", "server", "disk_space")
        if name in more
    }
    objects = {"clients": CLIENTS, "plans": [{"id": 1, "name": "Business"}], **more}
    return PanelReading(name, f"{name}.example", objects=objects, **fields)


def list_rows(area: str, *fields: str, numbers: Any = None, **more: Any) -> list[tuple[Any, ...]]:
    """These members of each row of an area, of one panel."""
    area_rows = build_report([make_reading(**more)], NOW, **(numbers or {}))[area]
    return [tuple(row[field] for field in fields) for row in area_rows]


def make_usage(value: Any, most: Any) -> dict[str, Any]:
    """Return what a client uses of what it may use."""
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
    name: str, value: int, most: int | None, percent: float | None, level: str
) -> None:
    row = list_rows(
        "clients", "resources", "level", "worst", stats={1: {name: make_usage(value, most)}}
    )[0]
    resource = {"name": name, "value": value, "max": most, "percent": percent, "level": level}

    assert row == ([resource], level, resource if percent is not None else None)


def test_full_mailboxes_are_listed_with_their_owner_and_the_fullest_first() -> None:
    sizes = [
        ("a@a.example", 90, 100),
        ("b@a.example", 9, 9),
        ("c@a.example", 89, 100),
        ("d@a.example", 89, -1),
    ]
    emails = [
        {"email": email, "size": size, "max_size": most, "id_user": 1}
        for email, size, most in sizes
    ]
    emails[1]["email_utf8"] = "b@ä.example"

    mailboxes = list_rows(
        "mailboxes",
        "email",
        "client",
        "percent",
        "level",
        emails=[*emails, {"email": "e", "max_size": 5}],
    )

    assert mailboxes == [
        ("b@ä.example", "client-1", 100.0, "bad"),
        ("a@a.example", "client-1", 90.0, "near"),
    ]


def test_a_server_is_as_full_as_the_operator_says_its_disk_is_large() -> None:
    stats = {1: {"disk_space": make_usage(1, 70)}, 2: {"disk_space": make_usage(1, -1)}, 3: {}}
    server = {
        "resources": {"consumed_disk_space": 95, "traffic": 5},
        "meta": {"uptime": {"days": 3}},
    }
    fields = ("disk_space", "traffic_this_month", "uptime_days", "reboot_required")
    disk = {
        "used": 95,
        "promised": 70,
        "unlimited_clients": 1,
        "capacity": 100,
        "percent": 95.0,
        "level": "near",
    }

    assert list_rows("servers", *fields, stats=stats, server=server, disk_space=100) == [
        (disk, 5, 3, False)
    ]

    # A panel counts once, whatever is wrong with it.
    full = make_reading(
        disk_space=95, server={**server, "operating_system": {"updates": {"reboot_required": True}}}
    )

    assert build_report([full, make_reading(server=server)], NOW)["summary"]["servers"] == {
        "bad": 1,
        "near": 0,
        "total": 2,
        "level": "bad",
    }
    assert list_rows("servers", "disk_space", server=server)[0][0]["percent"] is None


def test_traffic_is_added_up_by_panel_service_and_client() -> None:
    october = sum_by_service(
        {"http": {"in": 1, "out": 2}, "imap": {"out": 4}, "gopher": {"out": 1000}}
    )
    november = sum_by_service({"ftp": {"in": 8, "out": 16}, "http": None})
    second = {"2026-11": sum_by_service({"smtp": {"in": 100}})}

    panel_reading = make_reading(traffic={1: {"2026-10": october, "2026-11": november}, 2: second})

    assert build_report([panel_reading], NOW, months=2, top=1)["traffic"] == {
        "months": ["2026-10", "2026-11"],
        "servers": [{"server": "one", "bytes": [7, 124]}],
        "services": [
            {"service": service, "bytes": amounts}
            for service, amounts in (("web", [3, 0]), ("mail", [4, 100]), ("ftp", [0, 24]))
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
def test_certificates_are_judged_by_the_days_on_the_calendar(
    ends: str | None, days: int | None, level: str
) -> None:
    domains = [
        {"domain": "acme.example", "security": {"id_certificate": 5}},
        {"domain": "b.example", "security": None},
    ]
    certificates = [{"id": 5, "valid_till": ends}]

    assert list_rows(
        "certificates", "days", "level", certificates=certificates, domains=domains
    ) == [(days, level)]


def test_a_certificate_that_no_domain_uses_comes_last_and_is_never_urgent() -> None:
    domains = [
        {"domain": "www.a.example", "security": {"id_certificate": 5}},
        {**UMLAUT, "security": {"id_certificate": 5}},
    ]
    certificates = [
        {
            "id": 4,
            "name": "old",
            "valid_till": "2020-01-01T00:00:00Z",
            "id_user": 0,
            "issuer": None,
        },
        {
            "id": 5,
            "name": "new",
            "valid_till": "2027-01-01T00:00:00Z",
            "id_user": 1,
            "secured_domains": ["b", "a"],
        },
    ]

    rows_of_certificates = list_rows(
        "certificates",
        "name",
        "client",
        "level",
        "secures",
        "used_by",
        certificates=certificates,
        domains=domains,
    )
    used_by = ["müller.example", "www.a.example"]

    assert rows_of_certificates == [
        ("new", "client-1", "fine", ["a", "b"], used_by),
        ("old", "", "fine", [], []),
    ]

    rows_of_certificates = build_report(
        [make_reading(domains=[{"security": {"lets_encrypt": True}}, *domains])], NOW
    )["lets_encrypt_domains"]

    assert rows_of_certificates == 1


def test_objects_with_the_status_error_are_named_with_their_owner() -> None:
    errors = list_rows(
        "errors",
        "kind",
        "key",
        "client",
        clients=[
            {"id": 1, "username": "acme", "status": 2},
            {"id": 2, "username": "other", "status": 1},
        ],
        domains=[
            {"domain": "a.example", "status": 2, "id_user": 1},
            {"domain": "b.example", "status": 3},
        ],
        scheduled_tasks=[{"id": 9, "status": 2, "id_user": 0, "description": ""}],
        databases=[{"database_name": "no_status", "status": 2}],
    )

    assert errors == [
        ("clients", "acme", "acme"),
        ("domains", "a.example", "acme"),
        ("scheduled_tasks", "id 9", ""),
    ]


def test_a_name_on_two_panels_is_a_duplicate_and_its_subdomains_are_counted_with_it() -> None:
    def make_domains(*names: str) -> list[dict[str, Any]]:
        return [
            {"domain": name, "id_user": 1, "is_subdomain": name.count(".") > 1} for name in names
        ]

    def duplicate(kind: str, name: str, second: str, below: int) -> dict[str, Any]:
        places = [{"server": "one", "client": "client-1"}, {"server": "two", "client": second}]
        return {"kind": kind, "name": name, "servers": places, "subdomains": below}

    system = {"domain": "system.example", "is_system_domain": True}
    one_panel = make_reading(
        domains=make_domains(
            "acme.example", "www.acme.example", "shop.acme.example", "only.example"
        )
    )
    their_domains = [*make_domains("ACME.example", "www.acme.example", "sub.else.example"), system]

    two = make_reading("two", clients=[{"id": 1, "username": "Client-1"}], domains=their_domains)

    assert build_report([one_panel, two, make_reading("three", clients=[], domains=[system])], NOW)[
        "duplicates"
    ] == [
        duplicate("domain", "acme.example", "Client-1", 1),
        duplicate("client", "client-1", "client-1", 0),
    ]


def test_whole_months_that_are_over_since_two_days_are_kept_by_panel_and_client() -> None:
    ends = [datetime.datetime.fromisoformat(f"2026-11-0{day}T00:00:00+01:00") for day in (2, 3)]
    assert [select_past_months(MONTHS, end) for end in ends] == [MONTHS[:1], MONTHS[:2]]

    whole = {"web": 1, "mail": 2, "ftp": 3}
    panel_reading = make_reading(
        "web-1", traffic={1: {"2026-09": whole, "2026-10": {"web": 3}, "2026-11": whole}}
    )
    kept = json.dumps({"months_over": list_months_to_keep([panel_reading], MONTHS[:2])})

    assert read_kept_months(kept) == {
        ("web-1", "web-1.example", "1", "client-1"): {"2026-09": whole}
    }


def test_a_report_that_is_nested_too_deeply_keeps_no_months() -> None:
    """Read an earlier report that Python cannot read."""
    assert read_kept_months('{"months_over": ' + "[" * 90_000) == {}

"""A report in words: what a panel says is text, nothing is loaded, each finding is there once, and
metrics are what their parsers read."""

from __future__ import annotations

import datetime
import html
import re
from collections import Counter
from typing import Any

import pytest
from prometheus_client import parser as older_format
from prometheus_client.openmetrics import parser as openmetrics

from ansible_collections.hosting.panel.plugins.plugin_utils._report.build_report import build_report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.metrics import render_metrics
from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_reading import (
    PanelReading,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.rendering import (
    group_mail_dns,
    render_page,
)
from tools.layout import ROOT

pytestmark = pytest.mark.long

ZONE = datetime.timezone(datetime.timedelta(hours=1))
NOW = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=ZONE)
EVIL = "</script><script>alert('{{ 7 * 7 }}')</script><img src=x onerror=alert(1)>\"'&\u202e"
CLEAN = EVIL[:-1]  # as an operator names things
AWAY = PanelReading("web-2", "web-2.example", failure="GET /server was not answered")


class Page:
    """A page, and its text by the id of the section; that above all sections has the empty id."""

    def __init__(self, *readings: PanelReading, title: str = "Report") -> None:
        self.html = render_page(build_report(readings, NOW, title))
        _head, *body = re.split(r'<body>|<section id="(\w+)">', self.html)
        texts = [
            " ".join(html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", "", section)).split())
            for section in body[1::2]
        ]
        self.texts = dict(zip([anchor or "" for anchor in body[::2]], texts, strict=True))

    def find_all(self, pattern: str) -> list[str]:
        """Return everything in the page that fits a pattern."""
        return re.findall(pattern, self.html)


def make_evil_panel(name: str) -> PanelReading:
    """Return what a panel shows that has markup in every text."""
    stats = {"disk_space": {"value": 100, "max": 100}, "traffic": {"value": EVIL, "max": EVIL}}
    finding = {
        "about": "spf",
        "problem": "missing",
        "level": "bad",
        "message": CLEAN,
        "advice": CLEAN,
    }
    record = {"host": CLEAN, "type": "TXT", "value": CLEAN * 3}
    judged = {
        "domain": CLEAN,
        "level": "bad",
        "look_ups": 1,
        "findings": [{**finding, "record": record}],
    }
    security = {"id_certificate": 7}
    objects = {
        "clients": [{"id": 1, "username": EVIL, "status": 2, "id_hosting_plan": 3}],
        "plans": [{"id": 3, "name": EVIL}],
        "domains": [
            {"domain": EVIL, "domain_utf8": EVIL, "id_user": 1, "status": 2, "security": security}
        ],
        "certificates": [{"id": 7, "name": EVIL, "issuer": EVIL, "valid_till": "2026-11-21"}],
        "emails": [{"email": EVIL, "size": 5, "max_size": 5, "id_user": 1, "status": 2}],
    }
    server = {
        "meta": {"hostname": EVIL, "panel_version": EVIL},
        "operating_system": {"label": EVIL},
    }
    change = {"kind": "clients", "key": CLEAN, "what": "different", "details": CLEAN}
    drift = {"is_compared": True, "failure": "", "changes": [change]}
    traffic = {1: {"2026-11": {"web": 10}}}

    return PanelReading(
        name, name, 100, "", (CLEAN,), server, objects, {1: stats}, traffic, drift, [judged]
    )


def test_what_a_panel_says_is_shown_as_text_wherever_it_is_shown() -> None:
    page = Page(
        make_evil_panel("one"),
        make_evil_panel(CLEAN),
        PanelReading(CLEAN, CLEAN, failure=CLEAN),
        title=CLEAN,
    )

    assert page.html.count("&lt;/script&gt;&lt;script&gt;") > 20
    assert len(page.texts) == 10
    # One script and no picture, and the direction of a line is not turned.
    assert page.find_all("<script") == ["<script"]
    assert page.find_all("<img|\u202e") == []
    assert page.find_all(r"\\u202e")
    assert (
        "49"
        not in page.html.replace("{{ 7 * 7 }}", "")
        .partition("</style>")[2]
        .partition("<script>")[0]
    )


def test_the_page_loads_nothing_links_nowhere_and_allows_its_own_style_and_script_alone() -> None:
    page = Page(make_evil_panel("one"))
    assert page.find_all(r"<(?:link|iframe|object|form)\b|<[^>]*\s(?:style|src|on\w+)=") == []

    ids = page.find_all(r'<[^>]*\sid="([^"]*)"')
    targets = page.find_all(r'href="([^"]*)"')
    assert targets
    assert set(targets) <= {f"#{anchor}" for anchor in ids}
    assert len(ids) == len(set(ids))

    [policy] = page.find_all(r'Security-Policy" content="([^"]*)"')
    assert re.sub(r"sha256-[A-Za-z0-9+/=]+", "X", policy) == (
        "default-src 'none'; style-src 'X'; script-src 'X'; base-uri 'none'; form-action 'none'"
    )


def test_a_customer_on_two_panels_is_one_row() -> None:
    def make_panel(name: str, **client: Any) -> PanelReading:
        clients = [{"id": 1, "username": "acme", **client}, {"id": 2, "username": f"other-{name}"}]
        domains = [
            {"domain": "acme.example", "id_user": 1},
            {"domain": "sold.example", "id_user": 2},
        ]
        return PanelReading(name, name, objects={"clients": clients, "domains": domains})

    text = Page(make_panel("one"), make_panel("two", is_suspended=True)).texts["duplicates"]

    assert (
        "acme one, two (suspended) 1 domain sold.example one (other-one), two (other-two) domain"
        in text
    )


def test_the_page_says_that_traffic_may_be_too_low_where_a_panel_was_not_read_completely() -> None:
    problem = "Use and traffic of 1 of 1 clients could not be read: gone by now"
    partly = PanelReading("one", "one.example", problems=(problem,))
    completely = PanelReading("two", "two.example")

    sentence = "Amounts of a panel that was not read completely may be too low."
    assert sentence in Page(completely, partly).texts["traffic"]
    assert sentence not in Page(completely).texts["traffic"]


FAILED = {"clients": [{"id": 1, "username": "acme", "status": 2}]}
FULLER_MAILBOX = {"emails": [{"email": "info@acme.example", "size": 95, "max_size": 100}]}
FULL = {"disk_space": {"value": 95, "max": 100}}
# By case what was read, and the sections of the page in their order.
URGENCIES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nothing": ({}, ["servers", "traffic", "lists"]),
    "an error": ({"objects": FAILED}, ["errors", "servers", "traffic", "lists"]),
    "an error, and a client near a limit": (
        {"objects": FAILED, "stats": {1: FULL}},
        ["errors", "limits", "servers", "traffic", "lists"],
    ),
    "a mailbox that is nearly full": (
        {"objects": FULLER_MAILBOX},
        ["limits", "servers", "traffic", "lists"],
    ),
    "a panel that was not read": ({"failure": "away"}, ["servers", "traffic", "lists"]),
    "problems of a panel, and a mailbox that is nearly full": (
        {"problems": ("late",), "objects": FULLER_MAILBOX},
        ["servers", "limits", "traffic", "lists"],
    ),
}


@pytest.mark.parametrize(("reading_fields", "sections"), URGENCIES.values(), ids=URGENCIES)
def test_the_most_urgent_section_comes_first_and_the_links_to_them_have_the_same_order(
    reading_fields: dict[str, Any], sections: list[str]
) -> None:
    page = Page(PanelReading("web-1", "web-1.example", **reading_fields))
    (navigation,) = page.find_all(r"<nav[^>]*>(.*?)</nav>")

    assert list(page.texts)[1:] == sections
    assert re.findall(r'href="#(\w+)"', navigation) == sections


def make_reading(name: str = "web-1", clients: int = 1, **more: Any) -> PanelReading:
    """Return what a panel shows."""
    ends = {5: "2026-11-25T12:00:00+01:00", 6: "2020-01-01T00:00:00Z"}
    objects = {
        "clients": [
            {"id": number, "username": f"acme-{number}", "is_suspended": True}
            for number in range(clients)
        ],
        "domains": [{"domain": "acme.example", "status": 2, "security": {"id_certificate": 5}}],
        "emails": [{"email": "info@acme.example", "size": 95, "max_size": 100}],
        "certificates": [{"id": at, "name": "acme", "valid_till": end} for at, end in ends.items()],
    }
    full = {"disk_space": {"value": 10, "max": 10}, "email_accounts": {"value": 2, "max": 2}}
    findings = [
        {"about": about, "level": level}
        for about, level in (("spf", "bad"), ("dkim", "near"), ("dmarc", "fine"))
    ]
    judged = [
        {"domain": at, "level": "bad", "look_ups": 2, "findings": findings}
        for at in ("acme.example", "b.example")
    ]
    change = {"kind": "emails", "key": "info@acme.example", "what": "missing", "details": ""}
    system = {"label": 'Debian "12"\\', "updates": {"reboot_required": True}}
    fields: dict[str, Any] = {
        "server": {
            "operating_system": system,
            "resources": {"consumed_disk_space": 2**53 + 1, "traffic": 7},
        },
        "objects": objects,
        "stats": dict.fromkeys(range(clients), full),
        "disk_space": 2**54,
        "mail_dns": judged,
        "drift": {"is_compared": True, "failure": "", "changes": [change]},
    }

    return PanelReading(name, f"{name}.example", **{**fields, **more})


def read_samples(*readings: PanelReading) -> dict[tuple[Any, ...], float]:
    """By name and labels, as the parser of OpenMetrics reads them."""
    text = render_metrics(build_report(readings, NOW))
    families = list(openmetrics.text_string_to_metric_families(text))
    older = [
        sample
        for family in older_format.text_string_to_metric_families(text)
        for sample in family.samples
    ]
    current = [sample for family in families for sample in family.samples]
    assert [sample[:3] for sample in current] == [sample[:3] for sample in older]
    assert text.endswith("\n# EOF\n")
    assert {family.type for family in families} == {"gauge"}
    assert all(family.documentation for family in families)
    assert {family.unit for family in families if family.name.endswith(("_bytes", "_seconds"))} == {
        "bytes",
        "seconds",
    }

    return {
        (sample.name.removeprefix("hosting_panel_"), *sorted(sample.labels.items())): sample.value
        for sample in current
    }


def test_the_numbers_of_metrics_are_those_of_the_report() -> None:
    metrics = read_samples(make_reading())
    expected: dict[tuple[str, ...], float] = {
        ("up",): 1,
        ("reboot_required",): 1,
        ("problems",): 0,
        ("clients_suspended",): 1,
        ("mail_domains",): 2,
        ("disk_used_bytes",): 2**53 + 1,
        ("disk_size_bytes",): 2**54,
        ("disk_promised_bytes",): 10,
        ("month_traffic_bytes",): 7,
        ("objects", "kind=emails"): 1,
        ("mailboxes_full", "level=near"): 1,
        ("clients_at_limit", "level=bad", "resource=disk_space"): 1,
        # All mailboxes that were paid for are in use, which is well.
        ("clients_at_limit", "level=bad", "resource=email_accounts"): 0,
        ("certificates", "level=bad"): 1,
        ("certificates", "level=fine"): 1,
        # That of the old one, which no domain uses, does not count.
        ("certificate_end_timestamp_seconds",): datetime.datetime(
            2026, 11, 25, tzinfo=ZONE
        ).timestamp(),
        ("mail_dns_findings", "about=spf", "level=bad"): 2,
        ("mail_dns_findings", "about=dmarc", "level=near"): 0,
        ("objects_failed", "kind=domains"): 1,
        ("objects_failed", "kind=ftp_users"): 0,
        ("drift_compared",): 1,
        ("drift_objects", "what=missing"): 1,
    }
    values = {
        (key[0], *(f"{name}={value}" for name, value in key[1:] if name != "panel")): number
        for key, number in metrics.items()
    }

    assert {key: values.get(key) for key in expected} == expected
    assert metrics["findings", ("area", "certificates"), ("level", "bad")] == 1
    assert metrics[("report_timestamp_seconds",)] == NOW.timestamp()


def test_what_was_not_read_gives_no_number_that_is_too_low() -> None:
    away = read_samples(make_reading(), AWAY)
    assert {key: value for key, value in away.items() if ("panel", "web-2") in key} == {
        ("up", ("panel", "web-2")): 0
    }

    partly = {
        key[0]
        for key in read_samples(
            make_reading(problems=("Use of 1 of 1 clients could not be read",), stats={})
        )
    }

    assert {"clients_at_limit", "disk_promised_bytes", "mail_dns_findings"} & partly == set()

    failed = make_reading(
        "web-2", mail_dns=[], drift={"is_compared": False, "failure": "x", "changes": []}
    )
    unread = read_samples(make_reading(mail_dns=None, drift=None), failed)
    of_one = {key[0] for key in unread if ("panel", "web-1") in key}

    assert {
        "mail_domains",
        "mail_dns_findings",
        "drift_compared",
        "drift_objects",
    } & of_one == set()
    assert (
        unread["drift_compared", ("panel", "web-2")]
        == unread["mail_domains", ("panel", "web-2")]
        == 0
    )
    assert ("drift_objects", ("panel", "web-2"), ("what", "missing")) not in unread


@pytest.mark.parametrize(
    "name", ['with "quotes"', "back\\slash", "two\nlines", "{panel=}", "müller ", "\\n"]
)
def test_names_with_special_characters_come_back_as_they_were(name: str) -> None:
    metrics = read_samples(make_reading(name))
    assert metrics["up", ("panel", name)] == 1
    assert ("operating_system", 'Debian "12"\\') in next(key for key in metrics if key[0] == "info")


def test_a_panel_has_as_many_series_whatever_is_on_it_and_no_customer_is_named() -> None:
    single, many = (read_samples(make_reading(clients=clients)) for clients in (1, 300))
    assert single.keys() == many.keys()
    assert "acme" not in str(many)

    counts = Counter("panel" in dict(key[1:]) for key in single)
    guide = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")

    assert f"{counts[True]} for each panel, plus {counts[False]} for the fleet" in guide


def make_domain_with_finding(domain: str, text: str, **changes: str) -> dict[str, Any]:
    """Return a row of a domain with one finding, whose message has this text."""
    finding = {
        "about": "spf",
        "problem": "void",
        "level": "bad",
        "message": f"Receivers stop at {text}.",
        "advice": f"Correct the record of {domain}.",
        "record": None,
        **changes,
    }
    return {"domain": domain, "server": "web-1", "client": "acme", "findings": [finding]}


def test_a_finding_of_several_domains_is_shown_once_with_a_word_for_their_names() -> None:
    domains = [make_domain_with_finding(name, f"a:mail.{name}/24") for name in ("a.de", "b.de")]

    (group,) = group_mail_dns(domains)

    assert group["message"] == "Receivers stop at a:mail.DOMAIN/24."
    assert group["advice"] == "Correct the record of DOMAIN."
    assert [domain["domain"] for domain in group["domains"]] == ["a.de", "b.de"]


def test_the_name_of_a_domain_within_another_name_stays() -> None:
    text = "a:extra.de a:x-a.de a:a.de.example a:a.de"
    domains = [make_domain_with_finding("a.de", text) for _panel in range(2)]

    (group,) = group_mail_dns(domains)

    assert group["message"] == "Receivers stop at a:extra.de a:x-a.de a:a.de.example a:DOMAIN."


def test_problems_of_another_kind_are_no_group() -> None:
    domains = [
        make_domain_with_finding("a.de", "x", problem="void"),
        make_domain_with_finding("b.de", "x", problem="ignored"),
    ]

    assert len(group_mail_dns(domains)) == 2

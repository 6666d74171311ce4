# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as metrics: what the parsers of prometheus_client read in it."""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

import pytest
from prometheus_client import parser as older_format
from prometheus_client.openmetrics import parser as openmetrics

from ansible_collections.hosting.panel.plugins.plugin_utils._report.make_report import report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.metrics import metrics
from ansible_collections.hosting.panel.plugins.plugin_utils._report.reading import PanelReading
from tools.layout import ROOT

ZONE = datetime.timezone(datetime.timedelta(hours=1))
NOW = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=ZONE)
FULL = {"disk_space": {"value": 10, "max": 10}, "email_accounts": {"value": 2, "max": 2}}
SERVER = {
    "meta": {"hostname": "web-1.example", "panel_version": "25.3"},
    "operating_system": {"label": 'Debian "12"\\', "updates": {"reboot_required": True}},
    "resources": {"consumed_disk_space": 2**53 + 1, "traffic": 7},
}
MAIL_DNS = [
    {
        "domain": name,
        "level": "bad",
        "look_ups": 2,
        "findings": [
            {"about": about, "problem": "several", "level": level, "record": None}
            for about, level in (("spf", "bad"), ("dkim", "near"), ("dmarc", "fine"), ("zone", "fine"))
        ],
    }
    for name in ("acme.example", "acme-shop.example")
]


def reading(name: str = "web-1", clients: int = 1, **more: Any) -> PanelReading:
    objects = {
        "clients": [{"id": number, "username": f"acme-{number}", "is_suspended": True} for number in range(clients)],
        "domains": [{"domain": "acme.example", "status": 2, "security": {"id_certificate": 5}}],
        "emails": [{"email": "info@acme.example", "size": 95, "max_size": 100}],
        "certificates": [
            {"id": 5, "name": "acme", "valid_till": "2026-11-25T12:00:00+01:00"},
            {"id": 6, "name": "old", "valid_till": "2020-01-01T00:00:00Z"},
        ],
    }
    stats = dict.fromkeys(range(clients), FULL)
    members = {"server": SERVER, "objects": objects, "stats": stats, "disk_space": 2**54, "mail_dns": MAIL_DNS, **more}
    return PanelReading(name, f"{name}.example", **members)


def compared(*changes: dict[str, str]) -> dict[str, Any]:
    return {"is_compared": True, "failure": "", "changes": [*changes]}


def text_of(*readings: PanelReading) -> str:
    return metrics(report(readings, NOW))


def samples(text: str) -> dict[tuple[Any, ...], float]:
    """By name and labels, as the parser of OpenMetrics reads them."""
    families = list(openmetrics.text_string_to_metric_families(text))
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value for family in families for sample in family.samples
    }


def value(text: str, name: str, **labels: str) -> float:
    return samples(text)[(f"hosting_panel_{name}", *sorted(labels.items()))]


def test_both_formats_read_every_sample_and_find_gauges_with_their_units() -> None:
    text = text_of(reading())
    families = list(openmetrics.text_string_to_metric_families(text))
    older = [sample for family in older_format.text_string_to_metric_families(text) for sample in family.samples]
    assert [sample[:3] for family in families for sample in family.samples] == [sample[:3] for sample in older]
    assert {family.type for family in families} == {"gauge"}
    assert all(family.documentation for family in families)
    units = {family.unit for family in families if family.name.endswith(("_bytes", "_seconds"))}
    assert units == {"bytes", "seconds"}
    assert text.endswith("\n# EOF\n")


@pytest.mark.parametrize(
    ("name", "labels", "expected"),
    [
        ("report_timestamp_seconds", {}, NOW.timestamp()),
        ("up", {"panel": "web-1"}, 1),
        ("reboot_required", {"panel": "web-1"}, 1),
        ("problems", {"panel": "web-1"}, 0),
        ("disk_used_bytes", {"panel": "web-1"}, 2**53 + 1),
        ("disk_size_bytes", {"panel": "web-1"}, 2**54),
        ("disk_promised_bytes", {"panel": "web-1"}, 10),
        ("month_traffic_bytes", {"panel": "web-1"}, 7),
        ("objects", {"panel": "web-1", "kind": "emails"}, 1),
        ("clients_suspended", {"panel": "web-1"}, 1),
        ("clients_at_limit", {"panel": "web-1", "resource": "disk_space", "level": "bad"}, 1),
        # All mailboxes that were paid for are in use, which is well.
        ("clients_at_limit", {"panel": "web-1", "resource": "email_accounts", "level": "bad"}, 0),
        ("mailboxes_full", {"panel": "web-1", "level": "near"}, 1),
        ("certificates", {"panel": "web-1", "level": "bad"}, 1),
        ("certificates", {"panel": "web-1", "level": "fine"}, 1),
        # That of the old one, which no domain uses, does not count.
        ("certificate_end_timestamp_seconds", {"panel": "web-1"}, datetime.datetime(2026, 11, 25, tzinfo=ZONE).timestamp()),
        ("mail_domains", {"panel": "web-1"}, 2),
        ("mail_dns_findings", {"panel": "web-1", "about": "spf", "level": "bad"}, 2),
        ("mail_dns_findings", {"panel": "web-1", "about": "spf", "level": "near"}, 0),
        ("mail_dns_findings", {"panel": "web-1", "about": "dkim", "level": "near"}, 2),
        ("mail_dns_findings", {"panel": "web-1", "about": "dmarc", "level": "near"}, 0),
        ("objects_failed", {"panel": "web-1", "kind": "domains"}, 1),
        ("objects_failed", {"panel": "web-1", "kind": "ftp_users"}, 0),
        ("findings", {"area": "certificates", "level": "bad"}, 1),
    ],
)  # fmt: skip
def test_the_numbers_are_those_of_the_report(name: str, labels: dict[str, str], expected: float) -> None:
    assert value(text_of(reading()), name, **labels) == expected


def test_a_panel_that_failed_is_a_metric_and_the_only_one_of_that_panel() -> None:
    away = PanelReading("web-2", "web-2.example", failure="GET /server was not answered")
    text = text_of(reading(), away)
    assert [key for key in samples(text) if ("panel", "web-2") in key] == [("hosting_panel_up", ("panel", "web-2"))]
    assert value(text, "up", panel="web-2") == 0
    assert value(text, "findings", area="servers", level="bad") == 1


def test_what_was_read_in_part_gives_no_number_that_is_too_low() -> None:
    partly = reading(problems=("Use and traffic of 1 of 1 clients could not be read",), stats={})
    text = text_of(partly)
    assert value(text, "problems", panel="web-1") == 1
    assert "hosting_panel_clients_at_limit{" not in text
    assert "hosting_panel_disk_promised_bytes{" not in text
    assert "hosting_panel_mail_dns_findings{" not in text


def test_mail_dns_that_was_not_checked_is_no_zero() -> None:
    text = text_of(reading(mail_dns=None), reading("web-2", mail_dns=[]))
    assert {key for key in samples(text) if "_mail_d" in key[0] and ("panel", "web-1") in key} == set()
    assert value(text, "mail_domains", panel="web-2") == 0
    assert value(text, "mail_dns_findings", panel="web-2", about="mx", level="bad") == 0


def test_drift_is_there_where_the_panel_has_an_export() -> None:
    changed = compared({"kind": "emails", "key": "a@b.example", "what": "missing", "details": ""})
    failed = {"is_compared": False, "failure": "no folder", "changes": []}
    text = text_of(reading(drift=changed), reading("web-2", drift=failed), reading("web-3"))
    found = {key: number for key, number in samples(text).items() if "drift" in key[0]}
    assert {key[1:]: number for key, number in found.items() if key[0] == "hosting_panel_drift_compared"} == {
        (("panel", "web-1"),): 1,
        (("panel", "web-2"),): 0,
    }
    assert value(text, "drift_objects", panel="web-1", what="missing") == 1
    assert value(text, "drift_objects", panel="web-1", what="surplus") == 0
    assert not [key for key in found if key[0] == "hosting_panel_drift_objects" and ("panel", "web-2") in key]


@pytest.mark.parametrize("name", ['with "quotes"', "back\\slash", "two\nlines", "{panel=}", "müller ", "\\n"])
def test_names_with_special_characters_come_back_as_they_were(name: str) -> None:
    assert value(text_of(reading(name)), "up", panel=name) == 1
    assert ("operating_system", 'Debian "12"\\') in next(key for key in samples(text_of(reading())) if "info" in key[0])


def test_a_panel_has_as_many_series_whatever_is_on_it_and_no_customer_is_named() -> None:
    drift = compared({"kind": "emails", "key": "info@acme.example", "what": "missing", "details": ""})
    counts = []
    for clients in (1, 300):
        text = text_of(reading(clients=clients, drift=drift))
        assert "acme" not in text
        counts.append(Counter("panel" in dict(key[1:]) for key in samples(text)))
    assert counts[0] == counts[1]
    guide = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert f"{counts[0][True]} series for each panel and {counts[0][False]} for all" in guide

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a monitoring system reads about certificates, with the parsers of prometheus_client."""

from __future__ import annotations

import datetime

from prometheus_client import parser as older_format
from prometheus_client.openmetrics import parser as openmetrics

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.metrics import metrics_of

NOW = datetime.datetime(2026, 11, 22, 12, tzinfo=datetime.UTC)


def test_metrics_say_until_when_what_was_issued_and_what_failed() -> None:
    certificates = [
        {"name": "acme", "not_after": "2027-02-20T00:00:00Z", "renewed": True},
        {"name": 'a "b"\\', "not_after": None, "renewed": False},
    ]
    text = metrics_of("panel.example", certificates, {'a "b"\\'}, NOW)
    families = list(openmetrics.text_string_to_metric_families(text))
    found = [sample[:3] for family in families for sample in family.samples]
    acme, other = ({"panel": "panel.example", "certificate": one["name"]} for one in certificates)
    assert found == [
        ("hosting_panel_certificate_not_after_timestamp_seconds", acme, 1803081600),
        ("hosting_panel_certificate_issued", acme, 1),
        ("hosting_panel_certificate_issued", other, 0),
        ("hosting_panel_certificate_failed", acme, 0),
        ("hosting_panel_certificate_failed", other, 1),
        ("hosting_panel_certificates_last_run_timestamp_seconds", {"panel": "panel.example"}, 1795348800),
    ]
    older = older_format.text_string_to_metric_families(text)
    assert [sample[:3] for family in older for sample in family.samples] == found
    assert {(family.type, family.unit, bool(family.documentation)) for family in families} == {
        ("gauge", "seconds", True),
        ("gauge", "", True),
    }

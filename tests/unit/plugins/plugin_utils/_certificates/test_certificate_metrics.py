# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a monitoring system reads about certificates."""

from __future__ import annotations

import datetime

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.metrics import metrics_of

NOW = datetime.datetime(2026, 11, 22, 12, tzinfo=datetime.UTC)


def test_metrics_say_until_when_what_was_issued_and_what_failed() -> None:
    certificates = [
        {"name": "acme", "not_after": "2027-02-20T00:00:00Z", "renewed": True},
        {"name": 'a "b"\\', "not_after": None, "renewed": False},
    ]
    assert metrics_of("panel.example", certificates, {'a "b"\\'}, NOW).splitlines() == [
        "# HELP hosting_panel_certificate_not_after_timestamp_seconds Until when the certificate that is in use is valid.",
        "# TYPE hosting_panel_certificate_not_after_timestamp_seconds gauge",
        'hosting_panel_certificate_not_after_timestamp_seconds{panel="panel.example",certificate="acme"} 1803081600',
        "# HELP hosting_panel_certificate_issued Whether the last run issued it.",
        "# TYPE hosting_panel_certificate_issued gauge",
        'hosting_panel_certificate_issued{panel="panel.example",certificate="acme"} 1',
        'hosting_panel_certificate_issued{panel="panel.example",certificate="a \\"b\\"\\\\"} 0',
        "# HELP hosting_panel_certificate_failed Whether it failed in the last run, or was not tried after a failure.",
        "# TYPE hosting_panel_certificate_failed gauge",
        'hosting_panel_certificate_failed{panel="panel.example",certificate="acme"} 0',
        'hosting_panel_certificate_failed{panel="panel.example",certificate="a \\"b\\"\\\\"} 1',
        "# HELP hosting_panel_certificates_last_run_timestamp_seconds When the last run ended.",
        "# TYPE hosting_panel_certificates_last_run_timestamp_seconds gauge",
        'hosting_panel_certificates_last_run_timestamp_seconds{panel="panel.example"} 1795348800',
        "# EOF",
    ]

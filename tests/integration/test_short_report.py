# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A report about a panel whose lists leave out what it shows of single objects is that of any other panel."""

from __future__ import annotations

import datetime
from typing import Any

from ansible.parsing.vault import VaultLib

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import read_connection
from ansible_collections.hosting.panel.plugins.plugin_utils._report.read_panels import PanelToRead, Wish, gather
from ansible_collections.hosting.panel.plugins.plugin_utils._report.report_data import Thresholds, report
from tests.support import pem
from tests.support.mixed_panel import mixed_panel
from tests.support.simulator import Simulator

NOW = datetime.datetime(2026, 11, 21, 8, tzinfo=datetime.UTC)
SHORT = {
    "clients": ["id_hosting_plan"],
    "domains": ["security", "id_user"],
    "certificates": ["valid_till"],
    "emails": ["max_size"],
}


def test_a_report_is_the_same_where_lists_are_short(simulator: Simulator) -> None:
    simulator.seed(mixed_panel(pem.texts(), clients=3))
    usual = reported(simulator)
    simulator.settings({"short_lists": SHORT})
    assert reported(simulator) == usual
    assert {client["plan"] for client in usual["clients"]} >= {"Business", "Agency 100 %"}


def reported(simulator: Simulator) -> dict[str, Any]:
    connection = read_connection({"api_url": simulator.url, "api_key": simulator.api_key})
    [reading] = gather([PanelToRead("one", "one", connection)], Wish(["2026-10"], 2, VaultLib()), lambda _text: None)
    found = report([reading], NOW, Thresholds(), "Report")
    return {
        name: found[name]
        for name in ("clients", "certificates", "mailboxes", "duplicates", "errors", "lets_encrypt_domains")
    }

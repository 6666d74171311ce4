# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in memory is the simulator's in what is decided above the handlers, too, on its own clock."""

from __future__ import annotations

from typing import Any

import pytest

from tools.reliability.memory import MemoryPlace

ACME = {"clients": [{"username": "acme"}]}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"api_enabled": False}, "The API is disabled."),
        (
            {"api_enabled": False, "api_disabled": "page_403"},
            'the answer is text/html of 107 bytes with the title "403 Forbidden"',
        ),
        ({"allowed_addresses": ["192.0.2.1"]}, "must not be used from this address"),
        ({"missing_paths": ["GET /ping"]}, "The endpoint does not exist."),
    ],
)
def test_it_refuses_as_over_http(settings: dict[str, Any], words: str) -> None:
    ran = MemoryPlace(ACME, settings).run("ping", "panel_ping", {})
    assert (ran.outcome, words in ran.msg) == ("failed", True), ran.msg


def test_it_answers_in_the_form_of_the_panel() -> None:
    settings = {"numbers": "texts", "switches": "texts"}
    ran = MemoryPlace(ACME, settings).run("read", "panel_api", {"path": "/clients/name/acme"})
    assert (ran.result["response"]["id"], ran.result["response"]["is_suspended"]) == ("2", "0")

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
    settings = {"content_type": "none", "numbers": "texts", "switches": "texts", "json_texts": "escaped"}
    ran = MemoryPlace(ACME, settings).run("read", "panel_api", {"path": "/clients/name/acme"})
    assert (ran.result["response"]["id"], ran.result["response"]["is_suspended"]) == ("2", "0")


def test_requests_beyond_its_limit_wait_on_its_clock() -> None:
    place = MemoryPlace(ACME, {"request_limit": 1})
    first, second = (place.run("ping", "panel_ping", {}, retry_time=100) for _time in range(2))
    assert (first.seconds < 1, second.outcome, [entry["status"] for entry in second.requests]) == (
        True,
        "ok",
        [429, 200],
    )
    assert 55 < second.seconds < 65

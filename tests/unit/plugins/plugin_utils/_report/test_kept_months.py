# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which traffic of months that are over is kept, and for whom it counts."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._report.kept_months import (
    kept_after,
    months_over,
    name_of,
    read_kept,
    rows_of,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_answers import PanelReading
from ansible_collections.hosting.panel.plugins.plugin_utils._report.usage import by_service

MONTHS = ["2026-09", "2026-10", "2026-11"]
SEPTEMBER, OCTOBER = {"web": 1, "mail": 2, "ftp": 3}, {"web": 4, "mail": 5, "ftp": 6}
ACME = {"id": 1, "username": "acme"}
NAME = name_of("web-1", "web-1.example", ACME)


def reading(*clients: dict[str, Any], failure: str = "", **traffic: Any) -> PanelReading:
    found = {ACME["id"]: traffic} if traffic else {}
    return PanelReading("web-1", "web-1.example", failure=failure, objects={"clients": clients}, traffic=found)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2026-11-02T23:59:59+01:00", ["2026-09"]),
        ("2026-11-03T00:00:00+01:00", ["2026-09", "2026-10"]),
        ("2026-12-31T00:00:00+01:00", MONTHS),
        ("2026-09-15T00:00:00+01:00", []),
    ],
)
def test_a_month_is_over_two_days_after_its_end(now: str, expected: list[str]) -> None:
    assert months_over(MONTHS, datetime.datetime.fromisoformat(now)) == expected


def test_what_is_kept_is_read_again_as_it_was() -> None:
    before = kept_after({}, [reading(ACME, **{"2026-09": SEPTEMBER, "2026-10": OCTOBER})], ["2026-09"])
    assert before == {NAME: {"2026-09": SEPTEMBER}}
    assert read_kept(json.loads(json.dumps({"months_over": rows_of(before)})), ["2026-09"]) == before


@pytest.mark.parametrize(
    "after",
    [
        reading(failure="GET /server was not answered"),
        # A client whose traffic could not be read this time.
        reading(ACME),
    ],
)
def test_what_could_not_be_read_this_time_stays_kept(after: PanelReading) -> None:
    assert kept_after({NAME: {"2026-09": SEPTEMBER}}, [after], MONTHS) == {NAME: {"2026-09": SEPTEMBER}}


@pytest.mark.parametrize(
    ("server", "address", "client"),
    [
        ("web-2", "web-1.example", ACME),
        ("web-1", "new.example", ACME),
        ("web-1", "web-1.example", {"id": 2, "username": "acme"}),
        ("web-1", "web-1.example", {"id": 1, "username": "other"}),
    ],
)
def test_it_counts_for_the_same_client_of_the_same_panel_alone(
    server: str, address: str, client: dict[str, Any]
) -> None:
    assert name_of(server, address, client) != NAME


def test_a_client_that_is_gone_and_a_month_that_is_not_shown_any_more_are_forgotten() -> None:
    before = {NAME: {"2026-09": SEPTEMBER, "2026-10": OCTOBER}}
    assert kept_after(before, [reading()], MONTHS) == {}
    assert kept_after(before, [reading(ACME)], ["2026-10"]) == {NAME: {"2026-10": OCTOBER}}


@pytest.mark.parametrize("answer", [{}, {"http": {"in": 1, "out": 2}}, {"http": 7, "smtp": [], "ftp": {"in": None}}])
def test_a_month_that_a_panel_tells_in_part_only_is_not_kept(answer: dict[str, Any]) -> None:
    assert kept_after({}, [reading(ACME, **{"2026-09": by_service(answer), "2026-10": OCTOBER})], MONTHS) == {
        NAME: {"2026-10": OCTOBER}
    }


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        "text",
        {"months_over": 7},
        {"months_over": [7, {"server": "web-1", "months": []}]},
        {"months_over": [{"server": "web-1", "address": "web-1.example", "id": "1", "client": "acme", "months": {"2026-09": {"web": 1}}}]},
    ],
)  # fmt: skip
def test_what_has_another_form_keeps_nothing(content: Any) -> None:
    assert not any(read_kept(content, MONTHS).values())


@pytest.mark.parametrize(
    ("month", "amounts"),
    [
        *(("2026-09", {**SEPTEMBER, "web": wrong}) for wrong in (-5, "9999", 1.5, 1.0, True, None, 2**63, [], {})),
        ("2026-09", {**SEPTEMBER, "other": 1}),
        ("2026-11", SEPTEMBER),  # not over when the report is made
        ("2027-01", SEPTEMBER),
        ("September", SEPTEMBER),
    ],
)
def test_a_month_that_cannot_be_is_asked_again(month: str, amounts: dict[str, Any]) -> None:
    rows = rows_of({NAME: {month: amounts, "2026-10": OCTOBER}})
    assert read_kept({"months_over": rows}, ["2026-09", "2026-10"]) == {NAME: {"2026-10": OCTOBER}}

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What counts as near a limit, and what comes first."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_answers import PanelReading
from ansible_collections.hosting.panel.plugins.plugin_utils._report.usage import clients, mailboxes, sorted_by_use


def reading(stats: dict[int, dict[str, Any]], **objects: Any) -> PanelReading:
    shown = [{"id": number, "username": f"client-{number}", "id_hosting_plan": 1} for number in (1, 2, 3)]
    plans = [{"id": 1, "name": "Business"}]
    return PanelReading("one", "one.example", objects={"clients": shown, "plans": plans, **objects}, stats=stats)


def used(value: Any, most: Any) -> dict[str, Any]:
    return {"value": value, "max": most}


@pytest.mark.parametrize(
    ("name", "value", "most", "percent", "level"),
    [
        ("disk_space", 89, 100, 89.0, "fine"),
        ("disk_space", 90, 100, 90.0, "near"),
        ("disk_space", 100, 100, 100.0, "bad"),
        ("traffic", 250, 100, 250.0, "bad"),
        ("files", 95, 100, 95.0, "near"),
        ("disk_space", 7, -1, None, "fine"),
        ("disk_space", 7, None, None, "fine"),
        # Whoever has all mailboxes that were paid for is no case for the operator.
        ("email_accounts", 20, 20, 100.0, "fine"),
        ("email_accounts", 21, 20, 105.0, "bad"),
        ("databases", 0, 0, 0.0, "fine"),
        ("databases", 1, 0, 999.0, "bad"),
    ],
)
def test_what_runs_full_needs_attention_early_and_what_is_counted_only_beyond_its_limit(
    name: str, value: int, most: int, percent: float | None, level: str
) -> None:
    client = clients(reading({1: {name: used(value, most)}}), 90)[0]
    resources = [{"name": name, "value": value, "max": most, "percent": percent, "level": level}]
    assert (client["resources"], client["level"]) == (resources, level)
    assert client["worst"] == (resources[0] if percent is not None else None)


def test_the_worst_client_comes_first_and_those_without_numbers_last() -> None:
    found = clients(
        reading(
            {
                1: {"disk_space": used(95, 100), "email_accounts": used(10, 10)},
                2: {"traffic": used(101, 100), "disk_space": used(3, 100)},
            }
        ),
        90,
    )
    assert [(one["client"], one["level"], one["is_read"]) for one in sorted_by_use(found)] == [
        ("client-2", "bad", True),
        ("client-1", "near", True),
        ("client-3", "fine", False),
    ]
    assert [one["worst"] and one["worst"]["name"] for one in sorted_by_use(found)] == ["traffic", "disk_space", None]
    assert {one["plan"] for one in found} == {"Business"}


@pytest.mark.parametrize(
    "stats", [{}, {"disk_space": 5}, {"disk_space": used("much", "more")}, {"disk_space": used(True, 1)}]
)
def test_statistics_that_are_none_are_left_out(stats: dict[str, Any]) -> None:
    client = clients(reading({1: stats}), 90)[0]
    assert (client["resources"], client["worst"], client["is_read"]) == ([], None, True)


def test_numbers_that_came_as_texts_count() -> None:
    assert clients(reading({1: {"disk_space": used("95", "100")}}), 90)[0]["level"] == "near"


def test_full_mailboxes_are_listed_with_their_owner_the_fullest_first() -> None:
    emails = [
        {"email": "a@acme.example", "size": 90, "max_size": 100, "id_user": 1},
        {
            "email": "b@xn--mller-kva.example",
            "email_utf8": "b@müller.example",
            "size": 100,
            "max_size": 100,
            "id_user": 2,
        },
        {"email": "c@acme.example", "size": 89, "max_size": 100, "id_user": 1},
        {"email": "d@acme.example", "size": 89, "max_size": -1, "id_user": 1},
        {"email": "e@acme.example", "max_size": 5, "id_user": 9},
    ]
    assert [
        (one["email"], one["client"], one["percent"], one["level"]) for one in mailboxes(reading({}, emails=emails), 90)
    ] == [("b@müller.example", "client-2", 100.0, "bad"), ("a@acme.example", "client-1", 90.0, "near")]

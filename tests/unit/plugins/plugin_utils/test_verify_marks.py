# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""By which name and mark something counts as a verify's, and which names of members are told."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._verify import conversation, removal
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.marks import (
    LONGEST,
    OWN_NAME,
    PLAN_LIMITS,
    Left,
    has_own_limits,
    mark,
    new_name,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.members import may_be_told, told_members, words_in

NAME = "hpverifyabcdef"
# Of the one request that may be under way when the time is over.
LONGEST_TIMEOUT = 60
NOW = datetime.datetime(2026, 11, 22, 12, 0, tzinfo=datetime.UTC)
MARK = mark(NAME, NOW, "0123456789ab")


def test_a_new_name_is_one_that_nobody_has() -> None:
    name = new_name(set())
    assert OWN_NAME.fullmatch(name)
    assert new_name({name}) != name


def test_a_mark_says_since_when_and_where() -> None:
    left = Left(NAME, MARK)
    assert (left.is_marked, left.since, left.place) == (True, NOW, "0123456789ab")
    for minutes, here, there in (
        (0, 60, 15),
        (14.5, 46, 1),
        (15, 45, 0),
        (59.5, 1, 0),
        (60, 0, 0),
        (-1440, 1500, 1455),
    ):
        now = NOW + datetime.timedelta(minutes=minutes)
        assert (left.minutes(now, is_panels=False), left.minutes(now, is_panels=True)) == (here, there)


def test_a_verify_is_over_before_its_client_counts_as_left_over() -> None:
    longest = conversation.MOST_SECONDS + removal.MOST_SECONDS + LONGEST_TIMEOUT
    assert longest < LONGEST.total_seconds()


@pytest.mark.parametrize(
    ("name", "notes"),
    [
        ("hpverifyabcdeg", MARK),
        (NAME, f"{MARK} Do not delete."),
        (NAME, f"Copied: {MARK}"),
        (NAME, MARK.replace("2026-11-22", "2026-13-22")),
        (NAME, ""),
        (NAME, None),
        (NAME, [MARK]),
        (NAME, MARK.lower().replace("t12", "t12")),
    ],
)
def test_a_name_and_notes_that_do_not_fit_together_are_somebody_elses(name: str, notes: Any) -> None:
    assert not Left(name, notes).is_marked


@pytest.mark.parametrize(
    ("plan", "is_own"),
    [
        ({"name": NAME, "resources": PLAN_LIMITS}, True),
        ({"name": NAME, "resources": {**PLAN_LIMITS, "databases": 2}}, True),
        ({"name": NAME, "resources": {name: str(value) for name, value in PLAN_LIMITS.items()}}, True),
        ({"name": NAME, "resources": {**PLAN_LIMITS, "ftp_users": -1}}, False),
        ({"name": NAME, "resources": {}}, False),
        ({"name": NAME}, False),
    ],
)
def test_a_plan_of_such_a_name_is_a_verifys_by_its_limits(plan: dict[str, Any], is_own: bool) -> None:
    assert has_own_limits(plan) is is_own


@pytest.mark.parametrize(
    ("name", "beside", "is_told"),
    [
        ("spam_filter", [], True),
        ("spam_filter", [{"email": "spam_filter@acme.example"}], False),
        ("acme_shop", [{"databases": [{"name": "acme_shop"}]}], False),
        ("mueller_gmbh", [{"company": "Mueller GmbH"}], False),
        ("Acme", [], False),
        ("acme.example", [], False),
        ("it@acme", [], False),
        ("a" * 42, [], False),
        (7, [], False),
    ],
)
def test_only_a_name_that_can_be_no_data_is_told(name: Any, beside: list[Any], is_told: bool) -> None:
    assert may_be_told(name, words_in(beside)) is is_told


OWN = {"id": 7, "spam_filter": "on"}


@pytest.mark.parametrize(
    ("groups", "own", "told"),
    [
        ([[OWN]], OWN, {"spam_filter": ""}),
        ([[OWN], [{"id": 1}, {"id": 2}]], OWN, {"spam_filter": ""}),
        # A map by customers has other keys on each object, and is told from others neither on one object nor by what is in it.
        ([[OWN, {"id": 8}]], OWN, {}),
        ([[{"id": 7, "mueller_gmbh": 1}]], {}, {}),
        ([[{"id": 7, "mueller_gmbh": 1}, {"id": 8, "schmidt_ag": 1}]], {}, {}),
        ([[{"id": 7, "mueller_gmbh": {"iban": 1}}, {"id": 8, "mueller_gmbh": {}}]], {}, {"(an object)": {}}),
        (
            [[{"id": 7, "mueller_gmbh": None, "schmidt_ag": [1]}, {"id": 8, "mueller_gmbh": {}}]],
            {},
            {"(an object)": {}, "(a list)": []},
        ),
        ([[{"id": 7, "mueller_gmbh": True}], [{"id": 8, "mueller_gmbh": False, "username": "Mueller-GmbH"}]], {}, {}),
        ([[{"id": 7, "is_fast": True}], [{"id": 8, "is_fast": False}]], {}, {"is_fast": False}),
    ],
)
def test_only_members_that_cannot_be_keys_of_a_map_are_named(
    groups: list[list[dict[str, Any]]], own: dict[str, Any], told: dict[str, Any]
) -> None:
    assert told_members(groups, own, {"id", "username"}, words_in(shown for group in groups for shown in group)) == told

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of a run in which something failed, and of certificates that are renewed in each run."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.outcome import (
    about_short_lives,
    complaint,
    not_in_place,
    out_of_place,
    why_not_ordered,
    wrong_in,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.wanted import Wanted

REFUSED = "POST /certificates answered 400: The key is wrong. See whether components.private_key is that of the certificate. Nothing was written."
SKIPPED = "the certificate acme failed."
DONE: dict[str, Any] = {"changed": True, "plan": {"actions": []}}
HALF_DONE: dict[str, Any] = {
    "failed": True,
    "changed": True,
    "msg": "1 of 4 changes failed, 1 was skipped, 1 was written. The results of this task say what became of each.",
    "results": [
        {"kind": "certificates", "key": "beta", "result": "changed"},
        {"kind": "certificates", "key": "gamma", "result": "unchanged"},
        {"kind": "certificates", "key": "acme", "result": "failed", "msg": REFUSED},
        {"kind": "domains", "key": "acme.example", "result": "skipped", "msg": SKIPPED},
    ],
}
NOT_PLANNED = {"failed": True, "msg": "GET /certificates answered 500. Nothing was written."}
OF_ACME = "1 of 1 certificates failed: acme: The authority says: no."
IN_PLACE = (
    "Not all certificates are where they belong: acme could not be uploaded: POST /certificates answered 400: The key is wrong. Nothing was "
    "written. acme.example does not use its certificate: the certificate acme failed."
)


@pytest.mark.parametrize(
    ("failed", "left", "issued", "done", "zones", "message"),
    [
        ([], [], [], DONE, [], ""),
        ([], [], ["acme"], DONE, ["acme.example"], ""),
        ([OF_ACME], [], [], DONE, [], f"{OF_ACME} Nothing was issued. Run again for the rest."),
        (
            [OF_ACME],
            [],
            [],
            DONE,
            ["acme.example", "beta.example"],
            f"{OF_ACME} The challenge records in acme.example, beta.example were removed. Nothing was issued. Run again for the rest.",
        ),
        (
            [OF_ACME],
            ["b", "c"],
            ["beta"],
            DONE,
            [],
            f"{OF_ACME} 2 were not tried after that: b, c. What was issued is kept and in place. Run again for the rest.",
        ),
        (
            [],
            [],
            ["acme", "beta"],
            HALF_DONE,
            [],
            f"{IN_PLACE} The next run puts what is kept in place without a new order. Run again for the rest.",
        ),
        (
            [OF_ACME],
            [],
            [],
            HALF_DONE,
            [],
            f"{OF_ACME} {IN_PLACE} Nothing was issued. The next run puts what is kept in place without a new order. Run again for the rest.",
        ),
        (
            [],
            [],
            ["acme"],
            NOT_PLANNED,
            [],
            (
                "The certificates cannot be put in place: GET /certificates answered 500. Nothing was written. The next run puts "
                "what is kept in place without a new order. Run again for the rest."
            ),
        ),
    ],
)
def test_a_failed_run_says_what_failed_what_was_written_all_the_same_and_what_to_do(
    failed: list[str], left: list[str], issued: list[str], done: dict[str, Any], zones: list[str], message: str
) -> None:
    assert complaint(failed, "", left, issued, done, zones) == message


@pytest.mark.parametrize(
    ("issued", "done", "words"),
    [
        (["acme"], DONE, "What was issued is kept. Not in place: acme."),
        (["acme", "beta"], DONE, "What was issued is kept. Not in place: acme."),
        (["beta"], DONE, "What was issued is kept and in place."),
        (["acme"], NOT_PLANNED, "The next run puts what is kept in place without a new order."),
    ],
)
def test_what_was_issued_and_found_another_in_its_place_is_told_as_kept(
    issued: list[str], done: dict[str, Any], words: str
) -> None:
    assert complaint([OF_ACME], "", [], issued, done, held_back={"acme"}).endswith(f". {words} Run again for the rest.")


@pytest.mark.parametrize(
    ("is_written", "done", "words"),
    [
        (False, DONE, "Nothing was ordered or written. 1 was not tried after that: acme. Run again for the rest."),
        (True, DONE, "Nothing was ordered. 1 was not tried after that: acme. Run again for the rest."),
        (
            True,
            HALF_DONE,
            (
                f"Nothing was ordered. 1 was not tried after that: acme. {IN_PLACE} "
                "The next run puts what is kept in place without a new order. Run again for the rest."
            ),
        ),
    ],
)
def test_why_nothing_was_ordered_is_told_with_whether_anything_was_written(
    is_written: bool, done: dict[str, Any], words: str
) -> None:
    end = why_not_ordered("The authority cannot be reached.", is_written)
    assert complaint([], end, ["acme"], [], done) == f"The authority cannot be reached. {words}"


ACME = Wanted("acme", "acme", ("acme.example", "*.acme.example"), ("acme.example", "shop.acme.example"))
BETA = Wanted("beta", "beta", ("beta.example",), ())
OF_BETA = ("certificates", "beta")


@pytest.mark.parametrize(
    ("done", "keys"),
    [
        (DONE, set()),
        (HALF_DONE, {("certificates", "acme"), ("domains", "acme.example")}),
        (
            NOT_PLANNED,
            {("certificates", "acme"), ("domains", "acme.example"), ("domains", "shop.acme.example"), OF_BETA},
        ),
    ],
)
def test_nothing_is_in_place_of_a_task_that_failed_as_a_whole(done: dict[str, Any], keys: set[tuple[str, str]]) -> None:
    assert out_of_place(done, [ACME, BETA]) == keys


def test_only_what_failed_or_was_skipped_is_wrong() -> None:
    assert wrong_in(HALF_DONE) == {("certificates", "acme"): REFUSED, ("domains", "acme.example"): SKIPPED}
    assert wrong_in(DONE) == wrong_in(NOT_PLANNED) == {}
    assert not_in_place(DONE) == []


def kept(hours: int) -> dict[str, str]:
    begin = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)
    end = begin + datetime.timedelta(hours=hours, seconds=-1)
    return {"not_before": begin.isoformat(), "not_after": end.isoformat()}


SO = "at most from the start, and so renewed in each run."


@pytest.mark.parametrize(
    ("renew_days", "hours", "warnings"),
    [
        (5, {"week": 6 * 24}, []),
        (
            6,
            {"week": 6 * 24, "month": 20 * 24},
            [f"week: valid for 6 days {SO} Set certificate_renew_days to less than 6."],
        ),
        (
            30,
            {"week": 6 * 24, "month": 20 * 24},
            [f"week, month: valid for 20 days {SO} Set certificate_renew_days to less than 6."],
        ),
        (6, {"week": 5 * 24 + 12}, [f"week: valid for 6 days {SO} Set certificate_renew_days to less than 6."]),
        (2, {"short": 30}, [f"short: valid for 2 days {SO} Set certificate_renew_days to less than 2."]),
        (1, {"short": 30}, []),
        (
            1,
            {"half": 12, "whole": 24},
            [
                f"half, whole: valid for 24 hours {SO} No certificate_renew_days is short enough for the shortest of them."
            ],
        ),
    ],
)
def test_certificates_that_live_too_shortly_are_told_with_how_long_they_live(
    renew_days: int, hours: dict[str, int], warnings: list[str]
) -> None:
    assert about_short_lives({name: kept(life) for name, life in hours.items()}, renew_days) == warnings

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown of each certificate is what the panel has after the task, whatever failed."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.outcome import out_of_place
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.rows import (
    Course,
    line_of,
    line_of_others,
    row_of,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.wanted import Wanted

NOW = datetime.datetime(2026, 11, 22, 12, tzinfo=datetime.UTC)
BEFORE, AFTER = "2026-12-20T00:00:00Z", "2027-02-20T00:00:00Z"
ACME = Wanted("acme", "acme", ("acme.example", "*.acme.example"), ("acme.example", "shop.acme.example"))
KEPT = {"names": list(ACME.names), "not_after": "2027-02-20T01:00:00+01:00"}
RENEWED = Course(ACME, "it ends on 2026-12-20", "", KEPT, ACME.assign, datetime.datetime.fromisoformat(BEFORE))
NEW = dataclasses.replace(RENEWED, why="there is none yet", end=None)
NOT_ORDERED = dataclasses.replace(
    RENEWED, why="", trouble="failed: no.", kept={**KEPT, "not_after": BEFORE[:-1] + "+00:00"}
)
ENDED_AT = "2026-11-01T00:00:00Z"
ENDED = Course(
    ACME,
    "it ends on 2026-11-01",
    "",
    {**KEPT, "not_after": ENDED_AT[:-1] + "+00:00"},
    ACME.assign,
    datetime.datetime.fromisoformat(ENDED_AT),
)
UPLOAD, USE = ("certificates", "acme"), ("domains", "acme.example")
FAILED = {"failed": True, "msg": "GET /certificates answered 500."}
NO_UPLOAD = {
    "failed": True,
    "results": [
        {"kind": "certificates", "key": "acme", "result": "failed", "msg": "no."},
        *({"kind": "domains", "key": domain, "result": "skipped"} for domain in ACME.assign),
    ],
}
NO_USE = {"failed": True, "results": [{"kind": "domains", "key": "acme.example", "result": "failed"}]}


@pytest.mark.parametrize(
    ("course", "changes", "done", "not_after", "assigned", "line"),
    [
        (RENEWED, {UPLOAD}, {}, AFTER, ACME.assign, "until 2027-02-20; ordered, since it ends on 2026-12-20; uploaded"),
        (
            RENEWED,
            {UPLOAD},
            NO_UPLOAD,
            BEFORE,
            (),
            "until 2026-12-20; ordered, since it ends on 2026-12-20; could not be uploaded",
        ),
        (
            RENEWED,
            (),
            FAILED,
            BEFORE,
            (),
            "until 2026-12-20; ordered, since it ends on 2026-12-20; could not be uploaded",
        ),
        (NEW, (), FAILED, None, (), "not there yet; ordered, since there is none yet; could not be uploaded"),
        (
            NEW,
            {UPLOAD, USE},
            NO_USE,
            AFTER,
            ("shop.acme.example",),
            "until 2027-02-20; ordered, since there is none yet; uploaded",
        ),
        (NOT_ORDERED, (), {}, BEFORE, ACME.assign, "until 2026-12-20; failed: no."),
        (dataclasses.replace(NOT_ORDERED, kept=None), (), {}, None, (), "not there yet; failed: no."),
        # The customer has moved one domain elsewhere.
        (
            dataclasses.replace(NOT_ORDERED, reachable=["acme.example"]),
            (),
            {},
            BEFORE,
            ("acme.example",),
            "until 2026-12-20; failed: no.",
        ),
    ],
)
def test_a_certificate_is_shown_as_the_panel_has_it_after_the_task(
    course: Course, changes: Any, done: dict[str, Any], not_after: str | None, assigned: tuple[str, ...], line: str
) -> None:
    row = row_of(course, changes, out_of_place(done, [ACME]), NOW, False)
    assert (row["not_after"], row["assigned"], row["renewed"]) == (not_after, list(assigned), bool(course.why))
    assert line_of(row, False) == f"acme: {line}"


@pytest.mark.parametrize(
    ("course", "changes", "not_after", "line"),
    [
        # It has ended, and one of its domains uses it all the same.
        (
            ENDED,
            {("domains", "shop.acme.example")},
            ENDED_AT,
            "until 2026-11-01 now; would be ordered, since it ends on 2026-11-01; would be uploaded; would be assigned to shop.acme.example",
        ),
        (
            dataclasses.replace(RENEWED, kept=NOT_ORDERED.kept),
            (),
            BEFORE,
            "until 2026-12-20 now; would be ordered, since it ends on 2026-12-20; would be uploaded",
        ),
        (
            dataclasses.replace(NEW, kept=None),
            (),
            None,
            "not there yet; would be ordered, since there is none yet; would be uploaded; would be assigned to acme.example, shop.acme.example",
        ),
    ],
)
def test_check_mode_shows_what_is_in_use_now_and_what_would_be_done(
    course: Course, changes: Any, not_after: str | None, line: str
) -> None:
    row = row_of(course, changes, (), NOW, True)
    assert (row["not_after"], row["assigned"], line_of(row, True)) == (not_after, list(ACME.assign), f"acme: {line}")


def test_what_no_item_names_is_told_in_one_line() -> None:
    words = "in the state folder with their keys, and not among the items; nothing is done with them"
    assert line_of_others({"old", "older"}) == [f"old, older: {words}"]
    assert line_of_others(set()) == []

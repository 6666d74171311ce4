# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A verify sees what each panel does otherwise and nothing else, and removes what a killed one has left, wherever that was killed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.verifying import LOOK_ALIKES, MOST_REQUESTS, POINTS, TRIED, canonical
from tests.support.verifying_in_memory import Blow, Panel

# With the limits that follow the plan, there is nothing left that assigning it again could change.
# And where a PUT replaces a group, which of two certificates stays is no sign. A client that is ready at once needs no waiting.
HIDDEN_BY_OTHERS = {
    ("plan_changes", "follow"): {"plan_assignment"},
    ("nested_update", "replace"): {"certificate_choice"},
    ("statuses", "at_once"): {"new_clients"},
}


@pytest.mark.parametrize(("name", "value"), TRIED, ids=[f"{name}: {json.dumps(value)}" for name, value in TRIED])
def test_what_makes_a_panel_special_is_seen_and_nothing_else(name: str, value: Any) -> None:
    outcome = Panel(**{name: value}).verify()
    assert canonical(outcome.profile) == canonical({name: value})
    verdicts = {check["id"]: check["verdict"] for check in outcome.checks}
    unseen = HIDDEN_BY_OTHERS.get((name, value) if isinstance(value, str) else (name, ""), set())
    for other, point in POINTS.items():
        tried = point.seen in ("read", "write")
        expected = "confirmed" if tried else "skipped"
        assert verdicts[other] == ("contradicted" if other == name else "unknown" if other in unseen else expected), (
            other
        )
    assert (outcome.left, outcome.on_panel) == ([], {})
    assert len(outcome.log) <= MOST_REQUESTS


class Killed(BaseException):
    """Nothing is sent any more."""


def test_what_a_verify_that_is_killed_at_any_write_has_left_the_next_one_removes_and_nothing_else() -> None:
    panel, number, was_killed = Panel(LOOK_ALIKES), 0, True
    before = panel.state()["objects"]
    while was_killed:
        number += 1
        was_killed = _is_killed(panel, number)
        outcome = panel.verify()
        assert (outcome.left, outcome.profile) == ([], {}), number
        assert panel.state()["objects"] == before, number
    assert number > 50


def _is_killed(panel: Panel, last: int) -> bool:
    """Whether a verify has got as far as that write, after which it does nothing more."""
    sent = 0

    def strike(_number: int, method: str, _path: str) -> Blow | None:
        nonlocal sent
        if sent == last:
            raise Killed
        sent += method != "GET"
        return None

    try:
        panel.verify(strike)
    except Killed:
        return True
    return False

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""``wait`` waits until the panel has applied a change, fails when it could not, and never loses a generated password.

``read_back`` shows what the panel has made of it.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import BothWays, task
from tests.support.simulator import Simulator
from tests.support.worker import work

SEED = {"clients": [{"username": "acme"}], "domains": [{"domain": "acme.example", "client": "acme"}]}
OPTIONS = {"email": "info@acme.example", "wait": True}


def before(**settings: Any) -> list[Any]:
    """A fresh panel with these settings."""
    return [["POST", "/reset", None], ["POST", "/seed", SEED], ["POST", "/settings", settings]]


TASKS = [
    task("applied", "panel_email", OPTIONS, before(status_delay=0.7)),
    task("applied already", "panel_email", OPTIONS),
    task("predicted", "panel_email", OPTIONS, before(status_delay=0.7), check_mode=True),
    task("not waited for", "panel_email", {**OPTIONS, "wait": False}, before(status_delay=60)),
    task("too slow", "panel_email", {**OPTIONS, "wait_timeout": 1}, before(status_delay=60)),
    task("read back", "panel_email", {**OPTIONS, "read_back": True}, before(status_delay=0.2)),
    task("changed", "panel_email", {**OPTIONS, "description": "x", "wait": False, "read_back": True}),
    task("right already", "panel_email", {**OPTIONS, "wait": False, "read_back": True}),
    task("refused", "panel_email", OPTIONS, before(status_delay=0.1, failing_kinds=["emails"])),
]


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> BothWays:
    return BothWays(TASKS, simulator, tmp_path_factory.mktemp("waiting"), work)


class TestWait:
    """Each of them in each way."""

    def test_the_result_shows_the_applied_object(self, runs: BothWays, way: str) -> None:
        recording = runs[way]["applied"]
        assert recording.outcome == "ok", recording.msg
        assert recording.result["email"]["status"] == 1
        assert recording.result["generated_password"]
        assert recording.requests[-1]["time"] - recording.requests[1]["time"] > 0.6

    def test_what_is_applied_is_not_waited_for(self, runs: BothWays, way: str) -> None:
        recording = runs[way]["applied already"]
        assert recording.writes == []
        assert len(recording.requests) <= 2
        assert recording.result["email"]["status"] == 1

    def test_check_mode_predicts_the_same_and_does_not_wait(self, runs: BothWays, way: str) -> None:
        predicted, real = runs[way]["predicted"], runs[way]["applied"]
        assert predicted.result["email"]["status"] == 1
        assert predicted.result["diff"] == real.result["diff"]
        # What a new mailbox needs and must not meet is looked at: its domain, and the addresses of the others.
        looks = ("GET /emails/name/", "GET /domains/", "GET /emails")
        assert all(call.startswith(looks[:2]) or call == looks[2] for call in predicted.calls)

    def test_without_it_nothing_is_waited_for(self, runs: BothWays, way: str) -> None:
        recording = runs[way]["not waited for"]
        assert recording.outcome == "ok"
        assert recording.calls[-1] == "POST /emails"

    def test_what_was_made_or_changed_is_read_back(self, runs: BothWays, way: str) -> None:
        made, changed, right = (runs[way][name] for name in ("read back", "changed", "right already"))
        assert [recording.outcome for recording in (made, changed, right)] == ["ok"] * 3
        # Members that nobody sent.
        assert (made.result["email"]["status"], made.result["email"]["aliases"]) == (1, [])
        assert "password" not in made.result["email"]
        identifier = made.result["email"]["id"]
        assert changed.calls[-2:] == [f"PUT /emails/{identifier}", f"GET /emails/{identifier}"]
        assert changed.result["email"] == {
            **made.result["email"],
            "description": "x",
            "status": changed.result["email"]["status"],
        }
        assert (right.changed, len(right.calls)) == (False, 1)

    @pytest.mark.parametrize(("name", "words"), [("too slow", ("1 s",)), ("refused", ("status 2",))])
    def test_a_wait_in_vain_fails_and_hands_over_the_password(
        self, runs: BothWays, way: str, name: str, words: tuple[str, ...]
    ) -> None:
        recording = runs[way][name]
        assert recording.outcome == "failed"
        assert recording.changed
        assert recording.result["generated_password"]
        assert [word for word in ("info@acme.example", *words) if word not in recording.msg] == [], recording.msg

"""A verify of a panel that breaks off.

What an answer does not show is unknown, and contradicts and confirms nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from unittest import mock

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._verify import trials
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.open_points import BY_NAME
from panel_simulator.answering import Reply
from panel_simulator.calls import Call
from tests.support.transcript import make_cut_off_fault
from tests.support.verifying import NAME, Verified

Effect = Callable[[], Reply]


def truncate(effect: Effect) -> Reply:
    """Answer with the first half of the body."""
    reply = effect()
    body = reply.body or b"{}"
    return replace(reply, status=200, body=body[: len(body) // 2], media_type="application/json")


def lose(effect: Effect) -> Reply:
    """Lose the answer after the request took effect."""
    effect()
    raise make_cut_off_fault()


def fail(effect: Effect) -> Reply:
    """Answer with an error after the request took effect."""
    effect()
    return Reply(500, b'{"code": "500", "message": "No."}', "application/json")


def show_page(effect: Effect) -> Reply:
    """Answer with a page after the request took effect."""
    effect()
    return Reply(200, b"<html><title>Please wait</title></html>", "text/html")


def envelop(effect: Effect) -> Reply:
    """Answer with the data inside another object."""
    return Reply(200, json.dumps({"data": json.loads(effect().body)}).encode(), "application/json")


BREAKS = {"truncated": truncate, "500": fail, "page": show_page}
BREAKS_OF_LISTS = {**BREAKS, "envelope": envelop}
KINDS = sorted(BY_NAME.keys() - {"admins", "dns"})
# Points whose trial reads lists or objects beside what it is about: the answer to its write
# decides.
DECIDED_BY_A_WRITE = {"plan_deletion", "missing_paths"}
# What needs the objects of some kinds only, although its trial reads more.
NEEDED_KINDS = {"kept_texts": {"databases", "ftp_users"}}
# Their last change takes back what the trial changed, when it has seen everything.
TAKEN_BACK = {"dates", "certificate_choice"}
POINTS_OF_FIELDS = {"hidden_members", "renamed_members", "short_lists", "extra_members"}


@dataclass
class Breaking:
    """Requests that are broken from one of them on.

    Attributes:
        kind: The kind that they are about, empty for any.
        method: Their method.
        is_list: Whether they are for lists, or else for objects.
        first: The number of the first one, counted from 1 after the first write of the run.
        trial: The point that is tried at the moment; empty after the trials.
        met: How many requests were broken, by the point in whose trial.
        passed: The points in whose trials one was answered as always.
    """

    kind: str
    method: str
    is_list: bool
    first: int
    break_off: Callable[[Effect], Reply]
    met: Counter[str] = field(default_factory=Counter)
    passed: set[str] = field(default_factory=set)
    trial: str = ""
    count: int = 0
    has_written: bool = False

    def strike(self, call: Call, effect: Effect) -> Reply:
        """Break the answer to the request that is meant."""
        self.has_written = self.has_written or call.method != "GET"
        kind = call.path.split("/")[1].replace("-", "_")
        is_list = call.path.count("/") == 1
        is_meant = (
            call.method == self.method and is_list == self.is_list and self.kind in ("", kind)
        )
        if not is_meant or not self.has_written:
            return effect()
        self.count += 1

        if self.count < self.first:
            self.passed.add(self.trial)
            return effect()

        self.met[self.trial] += 1

        return self.break_off(effect)

    def make_trials(self) -> dict[str, Callable[[Any], Any]]:
        """Return the trials, which say that they are running."""
        return {point: partial(self._run_trial, point) for point in trials.TRIALS}

    def _run_trial(self, point: str, panel: Any) -> Any:
        self.trial = point
        try:
            return TRIALS[point](panel)
        finally:
            self.trial = ""

    def run(self) -> dict[str, Any]:
        """Run the verification with one trial."""
        with mock.patch.object(trials, "TRIALS", self.make_trials()):
            return Verified().verify(strike=self.strike, writes=True, client=NAME)


TRIALS = dict(trials.TRIALS)


def check(breaking: Breaking, result: dict[str, Any]) -> None:
    """Fail if a point is contradicted, or if one is confirmed that needed a broken answer."""
    assert "defect" not in result.get("msg", "")
    verdicts = {check["id"]: check["verdict"] for check in result["checks"]}
    assert [point for point, verdict in verdicts.items() if verdict == "contradicted"] == []
    assert result["profile"] == {}
    needing = {point for point in breaking.met if is_needed(breaking, point)}
    # It reads each object of a kind, of which one is enough for these points.
    if "kept_texts" in breaking.met.keys() - breaking.passed:
        needing |= POINTS_OF_FIELDS
    assert {point: verdicts[point] for point in needing} == dict.fromkeys(needing, "unknown")


def is_needed(breaking: Breaking, point: str) -> bool:
    """Return whether a point needs the requests that were broken in its trial."""
    if not point or point in DECIDED_BY_A_WRITE:
        return False
    if breaking.method == "PUT" and point in TAKEN_BACK and breaking.met[point] == 1:
        return False
    return breaking.kind in NEEDED_KINDS.get(point, {breaking.kind})


def make_cases(breaks: dict[str, Any], most: int) -> list[Any]:
    """Return the parameters of the cases: a push tries some, a release all."""
    parameters = []
    for name in breaks:
        for first in range(1, most + 1):
            is_usual = name in ("truncated", "500") and first in (1, 3)
            marks = (pytest.mark.long,) if is_usual else (pytest.mark.long, pytest.mark.release)
            parameters.append(pytest.param(name, first, marks=marks, id=f"{name} from {first}"))

    return parameters


@pytest.mark.parametrize(("name", "first"), make_cases(BREAKS_OF_LISTS, 5))
@pytest.mark.parametrize("kind", KINDS)
def test_a_list_that_cannot_be_read_leaves_what_needs_it_unknown(
    kind: str, name: str, first: int
) -> None:
    breaking = Breaking(kind, "GET", True, first, BREAKS_OF_LISTS[name])
    check(breaking, breaking.run())


@pytest.mark.parametrize(("name", "first"), make_cases(BREAKS, 5))
@pytest.mark.parametrize("kind", [*KINDS, "dns"])
def test_an_object_that_cannot_be_read_leaves_what_needs_it_unknown(
    kind: str, name: str, first: int
) -> None:
    breaking = Breaking(kind, "GET", False, first, BREAKS[name])
    check(breaking, breaking.run())


@pytest.mark.parametrize(("name", "first"), make_cases(BREAKS, 30))
def test_changes_whose_answer_is_broken_leave_what_needs_them_unknown(
    name: str, first: int
) -> None:
    breaking = Breaking("", "PUT", False, first, BREAKS[name])
    check(breaking, breaking.run())


@pytest.mark.parametrize(("name", "first"), make_cases(BREAKS, 6))
def test_deletions_whose_answer_is_broken_contradict_nothing(name: str, first: int) -> None:
    breaking = Breaking("", "DELETE", False, first, BREAKS[name])
    result = breaking.run()
    breaking.met.clear()
    check(breaking, result)


@pytest.mark.parametrize("name", BREAKS_OF_LISTS)
def test_what_could_not_be_seen_at_the_end_may_be_left(name: str) -> None:
    result = Breaking("emails", "GET", True, 1, BREAKS_OF_LISTS[name]).run()
    assert {item["kind"] for item in result["left"]} == {"mailbox"}
    assert result["msg"].endswith(
        "These may be left, because the panel did not show whether they are gone: "
        f"mailbox m@{NAME}.example, mailbox m@{NAME}-2.example. Check them on the panel."
    )
    assert "could not be removed" not in result["msg"]


@pytest.mark.parametrize("name", BREAKS)
def test_a_panel_that_answers_nothing_clearly_has_no_form_of_its_errors(name: str) -> None:
    def strike(call: Call, effect: Effect) -> Reply:
        is_unknown_id = call.path.startswith("/clients/")
        return BREAKS[name](effect) if is_unknown_id else effect()

    result = Verified().verify(strike=strike)
    verdicts = {check["id"]: check["verdict"] for check in result["checks"]}

    assert verdicts["unknown_id"] == "unknown"
    assert result["profile"] == {}

"""What a pass of the role content does with an object."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_content_plan import panel_content_plan
from ansible_collections.hosting.panel.plugins.plugin_utils._content_copy.pass_plan import (
    OBJECT_STATES,
    PassPlan,
    plan_pass,
)

NOTHING = PassPlan("")
COPIES_TREE = PassPlan("copy")
PROVES_TREE = PassPlan("final", proof="equal")
COPIES_MAIL = PassPlan("copy", proof="contained")
FETCHES_MAIL = PassPlan("late", proof="contained")
LOOKS_FOR_MISSING_MAIL = PassPlan("late", is_check=True, proof="contained")
COPIES_DATABASE = PassPlan("copy", proof="equal")
COMPARES = PassPlan("compare", proof="equal")
COMPARES_AGAIN = PassPlan("compare", is_recheck=True, proof="equal")
LOOKS_AGAIN = PassPlan("copy", is_check=True, is_recheck=True, proof="contained")
LOOKS_AGAIN_FOR_LATE = PassPlan("late", is_check=True, is_recheck=True, proof="contained")

# By kind and step, in the order of the states: pending, interrupted, switched, finished.
PLANS = {
    ("tree", "info"): (NOTHING, NOTHING, NOTHING, NOTHING),
    ("tree", "copy"): (COPIES_TREE, COPIES_TREE, COPIES_TREE, NOTHING),
    ("tree", "final"): (PROVES_TREE, COMPARES_AGAIN, PROVES_TREE, NOTHING),
    ("tree", "late"): (NOTHING, NOTHING, NOTHING, NOTHING),
    ("tree", "verify"): (COMPARES, COMPARES, COMPARES, NOTHING),
    ("mailbox", "info"): (NOTHING, NOTHING, NOTHING, NOTHING),
    ("mailbox", "copy"): (COPIES_MAIL, COPIES_MAIL, COPIES_MAIL, NOTHING),
    ("mailbox", "final"): (COPIES_MAIL, LOOKS_AGAIN, COPIES_MAIL, NOTHING),
    ("mailbox", "late"): (FETCHES_MAIL, LOOKS_AGAIN_FOR_LATE, FETCHES_MAIL, NOTHING),
    ("mailbox", "verify"): (COMPARES, COMPARES, LOOKS_FOR_MISSING_MAIL, NOTHING),
    ("database", "info"): (NOTHING, NOTHING, NOTHING, NOTHING),
    ("database", "copy"): (COPIES_DATABASE, COPIES_DATABASE, COPIES_DATABASE, NOTHING),
    ("database", "final"): (COPIES_DATABASE, COMPARES_AGAIN, COPIES_DATABASE, NOTHING),
    ("database", "late"): (NOTHING, NOTHING, NOTHING, NOTHING),
    ("database", "verify"): (COMPARES, COMPARES, COMPARES, NOTHING),
}


@pytest.mark.parametrize(
    ("kind", "step", "state"),
    [(*kind_and_step, state) for kind_and_step, state in itertools.product(PLANS, OBJECT_STATES)],
)
def test_a_pass_is_planned_for_each_kind_step_and_state(kind: str, step: str, state: str) -> None:
    plans = dict(zip(OBJECT_STATES, PLANS[kind, step], strict=True))

    assert plan_pass(kind, step, state) == plans[state]


@pytest.mark.parametrize("step", ["info", "verify"])
@pytest.mark.parametrize("state", OBJECT_STATES)
@pytest.mark.parametrize("kind", ["tree", "mailbox", "database"])
def test_no_step_but_a_copy_writes(kind: str, state: str, step: str) -> None:
    plan = plan_pass(kind, step, state)

    assert plan.mode in ("", "compare") or plan.is_check


MAILBOX = {"kind": "mailbox", "key": "mailbox:i@a:i@a", "from": "i@a.example", "to": "i@a.example"}


def _make_state(step: str, late_outcome: str = "", **run: Any) -> dict[str, Any]:
    passes = {"late": {"outcome": late_outcome}} if late_outcome else {}
    return {
        "run": {"step": step, "done": [], "failed": [], "to_compare": [], **run},
        "objects": {MAILBOX["key"]: {"passes": passes}},
    }


@pytest.mark.parametrize(
    ("state", "plan"),
    [
        (_make_state("final"), COPIES_MAIL),
        (_make_state("final", to_compare=[MAILBOX["key"]]), LOOKS_AGAIN),
        (_make_state("final", to_compare=["mailbox:x:x"]), COPIES_MAIL),
        (_make_state("final", done=[MAILBOX["key"]], to_compare=[MAILBOX["key"]]), NOTHING),
        (_make_state("final", failed=[MAILBOX["key"]]), NOTHING),
        (_make_state("final", failed=["mailbox:x:x"]), COPIES_MAIL),
        (_make_state("verify"), COMPARES),
        (_make_state("verify", "copied"), LOOKS_FOR_MISSING_MAIL),
        (_make_state("verify", "unchanged"), LOOKS_FOR_MISSING_MAIL),
        (_make_state("verify", "failed"), COMPARES),
    ],
)
def test_the_plan_follows_from_what_runs_have_done(state: dict[str, Any], plan: PassPlan) -> None:
    shown_plan = panel_content_plan(state, MAILBOX, state["run"]["step"], True)

    assert PassPlan(**shown_plan) == plan


def test_an_object_that_failed_stops_the_others_where_the_role_does_not_continue() -> None:
    state = _make_state("final", failed=["mailbox:x:x"])

    assert PassPlan(**panel_content_plan(state, MAILBOX, "final", False)) == NOTHING

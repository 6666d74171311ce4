# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides what a pass of the role content does with an object.

Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from .content_objects import DATABASE, MAILBOX, TREE

INFO = "info"
COPY = "copy"
FINAL = "final"
LATE = "late"
VERIFY = "verify"
"""The steps of the role."""
COMPARE = "compare"
"""The mode of all three modules in which nothing is written."""

PENDING = "pending"
"""This step has not touched the object."""
INTERRUPTED = "interrupted"
"""A killed run of this step has copied the object, and this run has not looked at it."""
SWITCHED = "switched"
"""The step late has fetched its mail, so the target may have more than the source."""
FINISHED = "finished"
"""This run is through with the object, or stops before it."""
OBJECT_STATES = (PENDING, INTERRUPTED, SWITCHED, FINISHED)

UNPROVED = ""
EQUAL_SIDES = "equal"
CONTAINED = "contained"
"""What a pass proves: nothing, that both sides are equal, or that the target lacks nothing."""


@dataclass(frozen=True)
class PassPlan:
    """Says what a pass does with an object.

    Attributes:
        mode: Of the module: copy, final, late or compare; empty if the object is left alone.
        is_check: Whether the module runs in check mode, where it tells what the target lacks.
        is_recheck: Whether the pass only confirms what a killed run has copied.
        proof: ``UNPROVED``, ``EQUAL_SIDES`` or ``CONTAINED``.
    """

    mode: str
    is_check: bool = False
    is_recheck: bool = False
    proof: str = UNPROVED


_LEFT_ALONE = PassPlan("")
# What each step does with an object that it has not touched.
_PLANS = {
    (TREE, COPY): PassPlan(COPY),
    (TREE, FINAL): PassPlan(FINAL, proof=EQUAL_SIDES),
    (TREE, VERIFY): PassPlan(COMPARE, proof=EQUAL_SIDES),
    (MAILBOX, COPY): PassPlan(COPY, proof=CONTAINED),
    (MAILBOX, FINAL): PassPlan(COPY, proof=CONTAINED),
    (MAILBOX, LATE): PassPlan(LATE, proof=CONTAINED),
    (MAILBOX, VERIFY): PassPlan(COMPARE, proof=EQUAL_SIDES),
    (DATABASE, COPY): PassPlan(COPY, proof=EQUAL_SIDES),
    (DATABASE, FINAL): PassPlan(COPY, proof=EQUAL_SIDES),
    (DATABASE, VERIFY): PassPlan(COMPARE, proof=EQUAL_SIDES),
}
# The proof of a step is about now, so it does not trust what a killed run has copied.
_RECHECKS = {
    (TREE, FINAL): PassPlan(COMPARE, is_recheck=True, proof=EQUAL_SIDES),
    (MAILBOX, FINAL): PassPlan(COPY, is_check=True, is_recheck=True, proof=CONTAINED),
    (MAILBOX, LATE): PassPlan(LATE, is_check=True, is_recheck=True, proof=CONTAINED),
    (DATABASE, FINAL): PassPlan(COMPARE, is_recheck=True, proof=EQUAL_SIDES),
}
_PLANS_AFTER_SWITCH = {
    (MAILBOX, VERIFY): PassPlan(LATE, is_check=True, proof=CONTAINED),
}


def plan_pass(kind: str, step: str, state: str) -> PassPlan:
    """Return what the next pass of a step does with an object.

    Args:
        kind: Of the object: tree, mailbox or database.
        step: Of the role.
        state: One of ``OBJECT_STATES``.
    """
    usual_plan = _PLANS.get((kind, step), _LEFT_ALONE)
    if state == FINISHED:
        return _LEFT_ALONE
    if state == INTERRUPTED:
        return _RECHECKS.get((kind, step), usual_plan)
    if state == SWITCHED:
        return _PLANS_AFTER_SWITCH.get((kind, step), usual_plan)

    return usual_plan

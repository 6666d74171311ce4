# SPDX-License-Identifier: GPL-3.0-or-later
"""Foresees what the panel would refuse of a planned change. Pure.

Limits of clients, the password policy and other settings of the panel cannot be read through the
API, so what they refuse is not foreseen.
"""

from __future__ import annotations

from collections.abc import Iterator

from .._problems import OptionPath, Problem, ProblemForm, Written, as_option_path
from .._resolve.surroundings import Neighbour, Surroundings
from .object_plan import DELETE, UPDATE, ObjectPlan


def foresee_problems(plan: ObjectPlan, surroundings: Surroundings) -> list[Problem]:
    """Return a problem for each reason why the panel would refuse a change, or why the change must
    not be sent.
    """
    return [
        *_find_problems_with_neighbours(plan, surroundings.neighbours),
        *_find_problems_with_id(plan),
        *_find_problems_with_last_object(plan, surroundings.is_last),
        *_find_problems_with_references(plan),
    ]


def removes_switch(plan: ObjectPlan, field: str) -> bool:
    """Tell whether a change takes away, or switches off, an object that has this switch on."""
    if not plan.owned.get(field, True):
        return False
    if plan.action == UPDATE:
        return plan.body.get(field) is False
    return plan.action == DELETE


def list_copy_warnings(plan: ObjectPlan, surroundings: Surroundings) -> list[str]:
    """Return warnings about objects that keep what they once got from this one, such as the limits
    of a hosting plan.
    """
    name = plan.owned.get(plan.kind.name_field)
    label = f"{plan.kind.title} {name}"

    warnings = []
    for kind, reference in surroundings.copies:
        titles = kind.titles.capitalize()
        warnings.append(
            f"{titles} that have the {label} keep the limits that came with it before; "
            f"set {reference.reapply}: true for each {kind.title} to assign it again."
        )
    return warnings


def _describe_refusal(option: str | OptionPath, cause: str, advice: str = "") -> Problem:
    """Return the problem of a change that the panel would refuse."""
    return Problem(
        as_option_path(option),
        cause=cause,
        written=Written.NOTHING,
        advice=advice,
        form=ProblemForm.MISMATCH,
    )


def _find_problems_with_neighbours(
    plan: ObjectPlan, neighbours: tuple[Neighbour, ...]
) -> Iterator[Problem]:
    """Yield a problem for each object that a change cannot be made beside."""
    for neighbour in neighbours:
        if neighbour.foreign_owners is not None:
            theirs, ours = neighbour.foreign_owners
            cause = (
                f"the {neighbour.label} belongs to {theirs}, and the {plan.label} to {ours}; "
                "the panel keeps the objects of its clients apart."
            )
            yield _describe_refusal(neighbour.option_path, cause, "Correct the task.")

        if neighbour.takes_no_email:
            advice = "Switch that on with hosting.panel.panel_domain, or correct the address."
            cause = f"the {neighbour.label} takes no e-mail (is_email_domain: false)."
            yield _describe_refusal(neighbour.option_path, cause, advice)


def _find_problems_with_id(plan: ObjectPlan) -> Iterator[Problem]:
    """Refuse to change an object whose id is not known."""
    if plan.action in (UPDATE, DELETE) and plan.identifier is None:
        cause = f"The panel shows no id of the {plan.label}."
        yield Problem(cause=cause, written=Written.NOTHING)


def _find_problems_with_last_object(plan: ObjectPlan, is_last: bool) -> Iterator[Problem]:
    """Refuse to remove the last one of what a panel needs (docs/panel_api.md#last-admin)."""
    field = plan.kind.rules.keep_last
    if field is None or not is_last:
        return

    name = plan.owned.get(plan.kind.name_field)
    cause = (
        f"the {plan.kind.title} {name} is the last one with {field}, "
        "and without one the panel cannot be managed."
    )
    yield _describe_refusal(field, cause)


def _find_problems_with_references(plan: ObjectPlan) -> Iterator[Problem]:
    """Refuse to write an object without an owner because the panel did not say whose id that
    is.
    """
    for reference in plan.kind.references:
        if plan.body.get(reference.name, 0) is not None:
            continue

        cause = f"the panel shows no id in {reference.name} of the {plan.label}."
        advice = f"Give {reference.option} or {reference.name}."
        yield _describe_refusal(reference.option, cause, advice)

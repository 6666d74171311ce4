"""What the panel refused is tried again once something else has changed, and its result takes the
place of the first one."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.action_results import (
    CHANGED,
    FAILED,
    SKIPPED,
    Result,
    merge,
    select_retries,
)
from ansible_collections.hosting.panel.plugins.module_utils._bulk.actions import Action, Deletion
from ansible_collections.hosting.panel.plugins.module_utils._errors import (
    Effect,
    PanelError,
    Reached,
    Refused,
    ServerFailed,
)
from ansible_collections.hosting.panel.plugins.module_utils._problems import Written

DETAILS = {"method": "DELETE", "path": "/emails/1", "attempts": 1}
FIRST, SECOND, THIRD = (
    Action("emails", f"{name}@acme.example", Deletion(()), {}) for name in "abc"
)
CHANGE = Result(FIRST, CHANGED)
REFUSAL = Result(SECOND, FAILED, Refused("no.", **DETAILS, status=400))
READING_REFUSED = Result(
    SECOND,
    FAILED,
    Refused("no.", **DETAILS, status=403, reached=Reached(True, {"records_before": []})),
)
SKIP = Result(THIRD, SKIPPED, PanelError("it needs another one."))


@pytest.mark.parametrize(
    ("results", "retried"),
    [
        pytest.param(
            [CHANGE, REFUSAL, SKIP], {SECOND, THIRD}, id="what was refused, and what was skipped"
        ),
        pytest.param([REFUSAL, SKIP], set(), id="nothing where nothing has changed"),
        pytest.param([CHANGE, SKIP], set(), id="nothing where nothing was refused"),
        pytest.param(
            [CHANGE, Result(SECOND, FAILED, Refused("gone.", **DETAILS, status=404))],
            set(),
            id="nothing that is not there",
        ),
        pytest.param(
            [CHANGE, Result(SECOND, FAILED, ServerFailed("failed.", **DETAILS))],
            set(),
            id="nothing at which the panel failed",
        ),
        pytest.param([CHANGE, READING_REFUSED], set(), id="nothing that was written"),
    ],
)
def test_what_is_tried_again(results: list[Result], retried: set[Action]) -> None:
    assert select_retries(results) == retried


def test_the_second_result_counts_in_the_order_of_the_first_ones() -> None:
    result = Result(SECOND, CHANGED)
    assert merge([CHANGE, REFUSAL, SKIP], [SKIP, result]) == [CHANGE, result, SKIP]


def test_a_refusal_is_told_although_the_second_attempt_was_skipped() -> None:
    assert merge([CHANGE, REFUSAL], [Result(SECOND, SKIPPED, PanelError("it was skipped."))]) == [
        CHANGE,
        REFUSAL,
    ]


@pytest.mark.parametrize("status", [400, 403, 404, 409, 422])
@pytest.mark.parametrize(
    "written", [Written.MAYBE_CREATED, Written.MAYBE_WRITTEN, Written.MAYBE_DELETED]
)
def test_a_second_refusal_says_that_the_first_attempt_may_have_written(
    written: Written, status: int
) -> None:
    details = {"method": "PUT", "path": "/emails/1", "status": 409}
    first = Refused("no.", written=written, attempts=2, **details)
    details["status"] = status
    second = Refused("no.", written=Written.NOTHING, attempts=1, **details)

    (result,) = merge([Result(SECOND, FAILED, first)], [Result(SECOND, FAILED, second)])

    assert str(result.error) == f"no. {written.value}"
    assert result.effect.effect is Effect.UNKNOWN

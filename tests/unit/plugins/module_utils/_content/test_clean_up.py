# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests which error a task has whose work fails, and whose clean-up may fail as well."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.clean_up import clean_up_after
from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)

LEFTOVER = "It is left; the next run removes it."
REFUSALS = [ContentError("the server is gone."), OSError(28, "No space left on device")]


def make_clean_up(events: list[str], refusal: Exception | None = None) -> Callable[[], None]:
    """Return a clean-up that notes that it was called, and may fail."""

    def clean_up() -> None:
        events.append("cleaned up")
        if refusal is not None:
            raise refusal

    return clean_up


def test_clean_up_follows_work_that_succeeds() -> None:
    events: list[str] = []

    with clean_up_after(make_clean_up(events), LEFTOVER):
        events.append("worked")

    assert events == ["worked", "cleaned up"]


@pytest.mark.parametrize("failure", [ContentError("it failed."), OSError(), KeyboardInterrupt()])
def test_clean_up_follows_work_that_fails(failure: BaseException) -> None:
    events: list[str] = []

    with pytest.raises(type(failure)) as raised, clean_up_after(make_clean_up(events), LEFTOVER):
        raise failure

    assert raised.value is failure
    assert events == ["cleaned up"]
    assert getattr(failure, "advice", "") == ""


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize(
    ("advice", "full_advice"), [("", LEFTOVER), ("Run it again.", f"Run it again. {LEFTOVER}")]
)
def test_error_of_work_stays_and_names_what_is_left(
    refusal: Exception, advice: str, full_advice: str
) -> None:
    failure = ContentError("the import failed.", advice=advice)

    with (
        pytest.raises(ContentError) as raised,
        clean_up_after(make_clean_up([], refusal), LEFTOVER),
    ):
        raise failure

    assert (raised.value.problem, raised.value.advice) == ("the import failed.", full_advice)


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("failure", [OSError(5, "Input/output error"), KeyboardInterrupt()])
def test_any_other_failure_of_work_stays_too(failure: BaseException, refusal: Exception) -> None:
    with (
        pytest.raises(type(failure)) as raised,
        clean_up_after(make_clean_up([], refusal), LEFTOVER),
    ):
        raise failure

    assert raised.value is failure


@pytest.mark.parametrize("refusal", REFUSALS)
def test_clean_up_that_fails_after_work_that_succeeded_is_the_error(refusal: Exception) -> None:
    with pytest.raises(type(refusal)), clean_up_after(make_clean_up([], refusal), LEFTOVER):
        pass

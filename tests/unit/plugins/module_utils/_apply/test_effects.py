"""An error says whether the task has written anything, so that nobody has to tell it from its name."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils import _errors as errors
from ansible_collections.hosting.panel.plugins.module_utils._apply.apply import ExistsByNow
from ansible_collections.hosting.panel.plugins.module_utils._apply.creation import HasAnotherName
from ansible_collections.hosting.panel.plugins.module_utils._bulk.bulk_task import (
    PlanChanged,
    WrongItems,
)
from ansible_collections.hosting.panel.plugins.module_utils._errors import Effect, Reached
from ansible_collections.hosting.panel.plugins.module_utils._operation.locks import Busy
from ansible_collections.hosting.panel.plugins.module_utils._operation.operation import ObjectEffect
from ansible_collections.hosting.panel.plugins.module_utils._problems import (
    Written,
    describe_option_problem,
)

ONCE = {"method": "PUT", "path": "/clients/1", "attempts": 1}
TWICE = {**ONCE, "attempts": 2}


@pytest.mark.parametrize(
    ("error", "effect"),
    [
        (errors.OptionError("is wrong.", option="a"), Effect.NOTHING),
        (errors.UnknownReference("no such domain."), Effect.NOTHING),
        (errors.Conflict("it is somebody else's."), Effect.NOTHING),
        (ExistsByNow("it exists."), Effect.NOTHING),
        (errors.MissingLibrary("requests."), Effect.NOTHING),
        (Busy("it is locked."), Effect.NOTHING),
        (PlanChanged("another plan."), Effect.NOTHING),
        (WrongItems([describe_option_problem("a", "is wrong.")]), Effect.NOTHING),
        (errors.Unreachable("no connection.", **ONCE), Effect.NOTHING),
        (errors.TimeIsUp("over.", **ONCE), Effect.NOTHING),
        (errors.Denied("no.", **ONCE), Effect.NOTHING),
        (errors.Refused("no.", **ONCE), Effect.NOTHING),
        (errors.Refused("no.", **TWICE), Effect.UNKNOWN),
        (errors.Unreachable("no connection.", **TWICE), Effect.UNKNOWN),
        (errors.ServerFailed("failed.", **ONCE), Effect.UNKNOWN),
        (errors.UnexpectedAnswer("a page.", **ONCE), Effect.UNKNOWN),
        (errors.OutcomeUnknown("lost.", **ONCE), Effect.UNKNOWN),
        (errors.PanelError("something."), Effect.UNKNOWN),
        (errors.Conflict("damaged.", reached=Reached(is_changed=True)), Effect.WRITTEN),
        (
            HasAnotherName(
                label="database shop",
                identifier=7,
                kept_as="acme_shop",
                advice="Use that name.",
                password=None,
            ),
            Effect.WRITTEN,
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value.value,
)
def test_what_an_error_says_of_the_effect(error: errors.PanelError, effect: Effect) -> None:
    assert error.effect is effect


def test_an_error_after_an_attempt_that_may_have_written_leaves_the_effect_open() -> None:
    error = errors.Denied("no.", written=Written.MAYBE_WRITTEN, **ONCE)
    assert error.effect is Effect.UNKNOWN


def test_an_object_under_another_name_is_called_a_conflict_and_is_none() -> None:
    error = HasAnotherName(
        label="database shop",
        identifier=7,
        kept_as="acme_shop",
        advice="Use that name.",
        password=None,
    )
    assert (error.type_name, error.type_name) == ("Conflict", "Conflict")
    assert not isinstance(error, errors.Conflict)


def test_an_effect_survives_the_way_to_another_process() -> None:
    effect = ObjectEffect("emails", "info@acme.example", Effect.UNKNOWN, "x", existed=True)
    assert ObjectEffect.from_json(effect.as_json()) == effect

# SPDX-License-Identifier: GPL-3.0-or-later
"""Says what may follow an attempt at a request, by its method and by what happened to it. Pure.

A request that meets a reload of the panel's web server fails and is worth repeating after a few
seconds (docs/panel_api.md#reload). A repeated creation could make two objects, and a repeated
password or zone could be overtaken by its own first attempt.

All that is known of repeats begins here: ``PanelSession`` repeats by these rules. After a creation
whose answer was lost, which it never repeats, ``_apply/creation.py`` looks for the object and
decides. Before it repeats a zone, ``_dns/zone_writing.py`` looks whether it must.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

Value = TypeVar("Value")

# The seconds within which a write takes effect, or never: docs/panel_api.md#late-writes.
LATEST_EFFECT = 20
# How often something that may come late is looked for: the waits in between last 22 to 33 seconds.
MAX_POLLS = 9
_WHILE_THERE_IS_TIME = math.inf
# No answer, or that of a gateway which lost its connection to the panel, or waits no longer;
# after any other the panel is through with the request.
_BEFORE_THE_END = (None, 502, 504)


class Fault(Enum):
    """Names what happened to one attempt."""

    NOT_SENT = "not sent"  # no connection, so the panel saw nothing
    NO_SUCH_HOST = "no such host"
    BUSY = "busy"  # 429: nothing was done
    # 408, 502, 503, 504, or 500 without JSON: whether the work had begun is not known.
    NOT_SERVED = "not served"
    LOST_ANSWER = "lost answer"  # sent, then reset, timed out or cut off
    FAILED = "failed"  # 500 with a JSON error: the panel itself says that it failed


class Step(Enum):
    """Names what follows an attempt that got no answer."""

    END = "end"
    """The request fails."""

    REPEAT = "repeat"
    """It is sent again after a pause."""

    REPEAT_WHEN_THROUGH = "repeat when through"
    """It is sent again when the attempt before cannot have an effect any more."""


class ByMethod(Generic[Value]):
    """Has a value for each method.

    A second PUT sends the same values, and after a second DELETE 404 means done; a second POST
    would make another object.
    """

    def __init__(self, read: Value, change: Value, creation: Value) -> None:
        """Take the values for GET, for PUT and DELETE, and for POST."""
        self._values = {"GET": read, "POST": creation}
        self._change = change

    def get_for(self, method: str) -> Value:
        """Return the value for a method."""
        return self._values.get(method, self._change)


class FaultRule(NamedTuple):
    """Says what a fault means, and what may follow it.

    attempts: How often a request is sent that ended so at last.
    affects_all_requests: Whether every request meets this in that moment, and none after a pause.
    may_have_written: Whether a write that ended so may have had its effect.
    may_come_late: Whether it may still have it, since nobody said that the panel is done with it.
    outcome_is_unknown: Whether nothing that the panel says decides about a request that ended so.
    """

    attempts: ByMethod[float]
    affects_all_requests: bool = False
    may_have_written: bool = False
    may_come_late: bool = False
    outcome_is_unknown: ByMethod[bool] = ByMethod(False, False, False)


_ALWAYS = ByMethod(_WHILE_THERE_IS_TIME, _WHILE_THERE_IS_TIME, _WHILE_THERE_IS_TIME)
_ALL_BUT_CREATIONS = ByMethod(_WHILE_THERE_IS_TIME, _WHILE_THERE_IS_TIME, 1)

RULES: Mapping[Fault | None, FaultRule] = {
    # The panel has spoken, and nothing is sent again.
    None: FaultRule(attempts=ByMethod(1, 1, 1)),
    Fault.NO_SUCH_HOST: FaultRule(attempts=ByMethod(2, 2, 2)),
    Fault.NOT_SENT: FaultRule(attempts=_ALWAYS, affects_all_requests=True),
    Fault.BUSY: FaultRule(attempts=_ALWAYS, affects_all_requests=True),
    Fault.NOT_SERVED: FaultRule(
        attempts=_ALL_BUT_CREATIONS,
        affects_all_requests=True,
        may_have_written=True,
        may_come_late=True,
        outcome_is_unknown=ByMethod(False, False, True),
    ),
    Fault.LOST_ANSWER: FaultRule(
        attempts=_ALL_BUT_CREATIONS,
        may_have_written=True,
        may_come_late=True,
        outcome_is_unknown=ByMethod(True, True, True),
    ),
    Fault.FAILED: FaultRule(attempts=ByMethod(2, 1, 1), may_have_written=True),
}


def choose_next_step(method: str, fault: Fault | None, attempts: int, at_once: bool) -> Step:
    """Return what follows an attempt that got no answer.

    Args:
        method: The method of the request.
        fault: What happened to the attempt.
        attempts: How often the request was sent.
        at_once: Whether its caller says that it may be sent again at once: an attempt before it
            that comes late undoes nothing, as it would undo a later password or zone.
    """
    rule = RULES[fault]
    if attempts >= rule.attempts.get_for(method):
        return Step.END
    if rule.may_have_written and not at_once:
        return Step.REPEAT_WHEN_THROUGH
    return Step.REPEAT


def may_complete_later(status: int | None) -> bool:
    """Tell whether the panel may still be at a request whose last attempt got this status.

    Args:
        status: The status of the response; None where none came.
    """
    return status in _BEFORE_THE_END

# SPDX-License-Identifier: GPL-3.0-or-later
"""Says what may follow an attempt to create an object: how long the panel is asked for it, whose the
object is that it shows, and whether the creation is sent again. Pure.

How requests in general are repeated is said by ``_http/repeats.py``, which never repeats a creation
that may have had its effect.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from .._http.repeats import MAX_POLLS
from .._schema.kind import PanelTraits
from .outcomes import Failed, FailedMidway, Lost, Rejected, Unidentified, UnsettledOutcome


class Candidate(Enum):
    """Says whose an object is that the panel shows after an attempt."""

    OURS = "ours"
    """The panel has said that it made it, whatever it made of the values."""

    OURS_IF_AS_DESIRED = "ours if it is as desired"
    SOMEBODY_ELSES = "somebody else's"


class Reaction(NamedTuple):
    """Says how an attempt without a whole answer is settled.

    polls: How often the panel is asked for the object at most.
    candidate: Whose the object is that it shows.
    """

    polls: int
    candidate: Candidate


_FIRST, _REPEAT = False, True
# By outcome, and by whether the creation was sent before: the answer to the first attempt may have
# been lost then, and its object may come late.
_REACTIONS: dict[tuple[type[UnsettledOutcome], bool], Reaction] = {
    (Unidentified, _FIRST): Reaction(1, Candidate.OURS),
    (Unidentified, _REPEAT): Reaction(MAX_POLLS, Candidate.OURS),
    (Rejected, _FIRST): Reaction(1, Candidate.SOMEBODY_ELSES),
    (Rejected, _REPEAT): Reaction(MAX_POLLS, Candidate.OURS_IF_AS_DESIRED),
    (FailedMidway, _FIRST): Reaction(1, Candidate.OURS_IF_AS_DESIRED),
    (FailedMidway, _REPEAT): Reaction(MAX_POLLS, Candidate.OURS_IF_AS_DESIRED),
}


def react_to(outcome: UnsettledOutcome, is_repeat: bool, traits: PanelTraits) -> Reaction | None:
    """Return how an attempt without a whole answer is settled; None where nothing was created, so
    that there is nothing to look for.

    Args:
        outcome: What the attempt came to.
        is_repeat: Whether the creation was sent before.
        traits: How the panel treats objects of this kind.
    """
    if isinstance(outcome, Failed):
        return None
    if isinstance(outcome, Lost):
        polls = 1 if refuses_second(traits) else MAX_POLLS
        return Reaction(polls, Candidate.OURS_IF_AS_DESIRED)
    return _REACTIONS[type(outcome), is_repeat]


def may_send_again(
    outcome: UnsettledOutcome, traits: PanelTraits, outlasted_late_effect: bool
) -> bool:
    """Tell whether a creation that is not there may be sent again, and makes no second object.

    Args:
        outcome: What the attempt came to.
        traits: How the panel treats objects of this kind.
        outlasted_late_effect: Whether the panel was asked for so long that a request which ended
            before can make none any more.
    """
    if not isinstance(outcome, Lost):
        return False
    if refuses_second(traits):
        return True
    if not outlasted_late_effect:
        return False
    # Only time says that such a request has ended (docs/panel_api.md#late-writes). That is enough
    # where most panels refuse a second object as well, and not where none does.
    if outcome.may_complete_later:
        return traits.is_unique
    return True


def refuses_second(traits: PanelTraits) -> bool:
    """Tell whether the panel refuses a second object with the same name.

    Where it may keep another name than was sent, it does not.
    """
    return traits.is_unique and not traits.has_scheme

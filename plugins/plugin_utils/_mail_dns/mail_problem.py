# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a mail record, as data. Pure."""

from __future__ import annotations

from typing import NamedTuple

# The levels of a problem: mail is lost or anyone can forge it, something is weak, it could be
# stricter.
BAD = "bad"
NEAR = "near"
HINT = "fine"


class MailProblem(NamedTuple):
    """Describes one thing that is wrong.

    Attributes:
        problem: The word for it in a finding, such as ``missing``.
        level: One of the levels.
        message: What is wrong, in a sentence.
        advice: What to do, in a sentence.
    """

    problem: str
    level: str
    message: str
    advice: str

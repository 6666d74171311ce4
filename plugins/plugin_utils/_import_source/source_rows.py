# SPDX-License-Identifier: GPL-3.0-or-later
"""What the readers of all panels say of a row that does not arrive."""

from __future__ import annotations

UNREADABLE = "The row cannot be read."
"""The reason of a row that nobody expected."""
ZONE_LEFT_OUT = "Its zone does not arrive."
"""The reason of a record whose zone is left out as a whole."""


class NoObject(Exception):
    """Says that a row does not arrive.

    Attributes:
        reason: Why, in one sentence for people, without a secret of the row.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads one row of another panel: the row arrives, or there is a reason why it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Object = TypeVar("_Object")
UNREADABLE = "The row cannot be read."
"""The reason of a row with a value that no reader expected."""
ZONE_LEFT_OUT = "Its zone does not arrive."
"""The reason of a record whose zone is left out as a whole."""
VALUE_ERRORS = (ValueError, LookupError, ArithmeticError, TypeError, AttributeError)
"""What functions of Python raise for a value that they cannot read: it is no number, address or
domain, has fewer parts than expected, stands for more than a number can hold, or is no text."""


class NoObject(Exception):
    """Says that a row does not arrive. Raised where a value of it is read.

    Attributes:
        reason: Why, in one sentence for people, without a secret of the row.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def try_row(read: Callable[[], _Object]) -> _Object | NoObject:
    """Return what is read of a row, or why the row does not arrive.

    Every reader reads each row through this function, so that a row that makes no sense ends
    nothing but itself. Any other error is a fault of the reader, and ends the import.

    Args:
        read: Reads the row, and raises NoObject for one that does not arrive.
    """
    try:
        return read()
    except NoObject as refusal:
        return refusal
    except VALUE_ERRORS:
        return NoObject(UNREADABLE)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads one row of another panel: the row arrives, or there is a reason why it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...module_utils._log import log_failed_row
from .source_tables import SourceError

_Object = TypeVar("_Object")
READER_FAILED = "The reader of the import failed at this row ({}), which is a fault to report."
"""The reason of a row at which a reader raises something else than NoObject, with the type."""
ZONE_LEFT_OUT = "Its zone does not arrive."
"""The reason of a record whose zone is left out as a whole."""


class NoObject(Exception):
    """Says that a row does not arrive. Raised where a value of it is read.

    Attributes:
        reason: Why, in one sentence for people, without a secret of the row.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def try_row(read: Callable[[], _Object], table: str) -> _Object | NoObject:
    """Return what is read of a row, or why the row does not arrive.

    Every reader reads each row through this function, so that a row ends nothing but itself. What
    reads a cell raises NoObject for a value that makes no sense, and names the column. Any other
    error is a fault of the reader: the reason and the log say so.

    Args:
        read: Reads the row, and raises NoObject for one that does not arrive.
        table: The table of the row, for the log.

    Raises:
        SourceError: Nobody can read the source.
        MemoryError: The row is not to blame for it.
    """
    try:
        return read()
    except NoObject as refusal:
        return refusal
    except (SourceError, MemoryError):
        raise
    except Exception as fault:  # whatever a bug of a reader raises
        log_failed_row(table, fault)
        return NoObject(READER_FAILED.format(type(fault).__name__))

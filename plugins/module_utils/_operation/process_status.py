# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what the kernel says of a process."""

from __future__ import annotations

from typing import NamedTuple

PROCESSES = "/proc"
"""The directory with one of its own for each process."""
PARENT = 1
USER_TIME = 11
SYSTEM_TIME = 12
"""Places in the fields of a status."""
_STATE = 0
_BEGINNING = 19
# The states of a process of which only its number is left.
_ENDED = (b"Z", b"X")


class ProcessStatus(NamedTuple):
    """What the kernel says of a process.

    program: The name of its program.
    fields: What stands behind the name.
    """

    program: bytes
    fields: list[bytes]

    @property
    def has_ended(self) -> bool:
        """Tell whether only the number of the process is left."""
        return self.fields[_STATE] in _ENDED

    @property
    def beginning(self) -> str:
        """Return when the process began, in ticks since the start of the system. It stays when the
        process goes on with another program.
        """
        return self.fields[_BEGINNING].decode("ascii")


def read_status(process: int) -> ProcessStatus | None:
    """Return what the kernel says of a process; None if there is none. process: Its number."""
    try:
        with open(f"{PROCESSES}/{process}/stat", "rb") as file:
            # The name, in parentheses, may hold anything.
            beginning, _parenthesis, ending = file.read().rpartition(b")")
    except OSError:
        return None

    return ProcessStatus(beginning.partition(b"(")[2], ending.split())

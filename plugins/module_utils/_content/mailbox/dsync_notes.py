# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes each dsync that runs on a mailbox of the target, until a run has set right what they did.

So the file of these notes is there as long as a dsync may have left something
(``unregistered_files.py``, ``second_copies.py``). Its first lines are of the run that made it: what
the target had twice before its first dsync.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from ..._operation import process_status

_REPEATED = "repeated"
# The shell writes the number that the command keeps, and the second in which it began.
_NOTE = 'echo "$$ $(date +%s)" >> "$0" || exit 73; exec "$@"'


class DsyncProcess(NamedTuple):
    """A process of dsync.

    number: Its number.
    began: When it was started, in seconds since 1970.
    """

    number: int
    began: int


@dataclass(frozen=True)
class DsyncNotes:
    """What is noted of the dsyncs since a run came to its end; nothing if the last one did.

    processes: All of them, in their order.
    repeated: The digests of the GUIDs that a folder of the target had more than once before.
    """

    processes: Sequence[DsyncProcess] = ()
    repeated: Set[str] = frozenset()

    @property
    def have_all_ended(self) -> bool:
        """Return whether none of these processes is a doveadm that runs."""
        return not any(_is_running(process.number) for process in self.processes)


def begin_notes(path: str, repeated: Set[str]) -> None:
    """Make the file before dsync first runs. The file of a run that was killed stays as it is.

    Args:
        path: The file.
        repeated: As in ``DsyncNotes``.
    """
    if os.path.exists(path):
        return

    temporary = path + ".new"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.writelines(f"{_REPEATED} {digest}\n" for digest in sorted(repeated))
    os.replace(temporary, path)


def note_process(command: Sequence[str], path: str) -> list[str]:
    """Return a command that adds its process to the notes, and is the command then."""
    return ["sh", "-c", _NOTE, path, *command]


def read_notes(path: str) -> DsyncNotes:
    """Return what is noted; nothing if there is no such file."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return DsyncNotes()

    processes = []
    repeated = set()
    for line in lines:
        first, _space, second = line.partition(" ")
        if first == _REPEATED:
            repeated.add(second)
        elif first.isdigit() and second.isdigit():
            processes.append(DsyncProcess(int(first), int(second)))

    return DsyncNotes(processes, repeated)


def remove_notes(path: str) -> None:
    """Remove the file once nothing is left to be set right."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _is_running(process: int) -> bool:
    """Tell whether the process is a doveadm that has not ended. Another one may have its number."""
    try:
        with open(f"{process_status.PROCESSES}/{process}/cmdline", "rb") as file:
            command = file.read()
    except OSError:
        return False
    if not command:
        # While one program takes the place of another, the kernel shows no command either.
        status = process_status.read_status(process)
        return status is not None and not status.has_ended

    return b"doveadm" in command

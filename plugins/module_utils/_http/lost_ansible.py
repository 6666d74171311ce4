# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells whether the Ansible has ended for which this process works.

There are two questions, since a process can answer each only in some cases. Where it is a worker,
it knows its Ansible, also if that has ended before anybody asks: ``has_lost_ansible``. Every
process, also that of a module, sees that the one which started it ends from some moment on:
``StartingProcess``.

Which ansible-playbook has a path for longer than a task is a third question, which
``plugin_utils/_run/run_marks.py`` answers for a process of any number.
"""

from __future__ import annotations

import multiprocessing
import os


def has_lost_ansible() -> bool:
    """Return whether this process is a worker whose Ansible has ended.

    A worker outlives an Ansible that is killed, and goes on with its task. The process of a module
    does not know its Ansible, so for that the answer is no.
    """
    parent = multiprocessing.parent_process()

    return parent is not None and parent.pid != os.getppid()


class StartingProcess:
    """Watches the process that started this one: of a worker its Ansible, of a module what runs it.

    One that ended before it was watched is not noticed.
    """

    def __init__(self) -> None:
        """Begin to watch."""
        self._number = os.getppid()

    def has_ended(self) -> bool:
        """Tell whether it has ended since."""
        return os.getppid() != self._number

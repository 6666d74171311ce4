# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells whether the Ansible has ended for which this process works."""

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

# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module's operation in the process of Ansible's worker.

Imported in the controller before workers are forked, so that each of them inherits everything that
is loaded here.
"""

from __future__ import annotations

import functools
import importlib
import os
from dataclasses import replace
from typing import Any, Callable

from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_session import PanelSession
from ...module_utils._operation.handover import NOTHING_LOCAL, TaskRequest
from ...module_utils._operation.operation import Operation
from ...module_utils._task.perform import perform
from .._ansible.alarm import note_alarm, time_is_over
from .._ansible.plain_values import as_plain
from .module_call import ModuleCall

_MODULES = "ansible_collections.hosting.panel.plugins.modules."

# One session for all items of a loop, which run in one worker process. The process is part of the
# key, since sockets must not be shared.
_sessions: dict[tuple[int, Connection], PanelSession] = {}


def perform_call(call: ModuleCall, diff: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Return the result of a call, as the module would report it.

    Args:
        call: What the module gets.
        diff: Whether the result shows what changes.
        say: Prints a line of progress.
    """
    operation = load_operation(call.name)
    options = as_plain(call.options)
    local = replace(call.local or NOTHING_LOCAL, say=say)
    request = TaskRequest(options, call.check_mode, diff, call.handover, local)
    with note_alarm():
        return perform(operation, request, _get_session)


@functools.cache
def load_operation(module: str) -> Operation:
    """Return what a module does, for all items of a loop.

    Raises:
        ImportError: A library is missing.
    """
    operation: Operation = importlib.import_module(_MODULES + module).OPERATION
    return operation


def _get_session(connection: Connection) -> PanelSession:
    """Return the session of this process for a connection, which begins a task."""
    key = (os.getpid(), connection)
    if key not in _sessions:
        _sessions[key] = PanelSession(connection)
    session = _sessions[key]
    session.begin_task(connection, time_is_over.is_set)
    return session

# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module's operation in the process of Ansible's worker. Private to the collection.

Imported in the controller before workers are forked, so that each of them inherits everything that is loaded here.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Callable

from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_client import PanelClient, Patience
from ...module_utils._task.operation import Operation, perform

_MODULES = "ansible_collections.hosting.panel.plugins.modules."

# One session for all items of a loop, which run in one worker process. The process is part of the key, since sockets must not be shared.
_clients: dict[tuple[int, Connection], PanelClient] = {}
# Set once the time is over that the keyword ``timeout`` or ANSIBLE_TASK_TIMEOUT gives the task.
time_is_over = threading.Event()


def run_in_process(
    task: Any, given: dict[str, Any], say: Callable[[str], None], handed_on: Mapping[str, Any]
) -> dict[str, Any]:
    """The result of one of Ansible's tasks, as the module would report it.

    given: its options. say, handed_on: as of Task in ``_task/operation.py``.
    """
    # Not the task's resolved_action: up to ansible-core 2.18 that names the action plugin.
    operation = operation_of(str(task.action).rpartition(".")[2])
    with alarm_noted():
        return perform(operation, given, task.check_mode, task.diff, _kept_client, say=say, **handed_on)


@functools.cache
def operation_of(module: str) -> Operation:
    """What a module does, for all items of a loop. Raises ImportError where a library is missing."""
    operation: Operation = importlib.import_module(_MODULES + module).OPERATION
    return operation


def _kept_client(connection: Connection) -> PanelClient:
    key = (os.getpid(), connection)
    client = _clients.get(key)
    if client is None:
        client = _clients[key] = PanelClient(connection)
    client.patience = Patience(connection.retry_time)
    client.is_over = time_is_over.is_set
    return client


@contextlib.contextmanager
def alarm_noted() -> Iterator[None]:
    """Notes Ansible's alarm, so that nothing more is sent and the task ends with what it reached.

    Its exception would come wherever the task is: what was written would be unknown, and a password that the panel has just made lost.
    """
    # Where none is set any more, it rang in an earlier module of the same task.
    if signal.getitimer(signal.ITIMER_REAL)[0] > 0:
        time_is_over.clear()
    handler = signal.signal(signal.SIGALRM, lambda _number, _frame: time_is_over.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, handler)

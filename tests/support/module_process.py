"""What a module that runs in a process of its own hands to the action plugin, on the release of
ansible-core that runs the tests.

The module's work is done in this process, on whatever panel stands in for the real one. What comes
of it goes the way of each release: as JSON, read by Ansible's own method, its texts marked and its
warnings and failure made objects, where the release does that.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

from ansible.module_utils.ansible_release import __version__ as core
from ansible.plugins.action import ActionBase
from ansible.utils.unsafe_proxy import wrap_var

from ansible_collections.hosting.panel.plugins.module_utils._operation.handover import (
    Handover,
    TaskRequest,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.perform import perform
from ansible_collections.hosting.panel.plugins.plugin_utils._ansible.plain_values import as_plain
from ansible_collections.hosting.panel.plugins.plugin_utils._run import in_process

MARKS_TEXTS = tuple(map(int, core.split(".")[:2])) < (2, 19)


def execute_module(
    action: Any, module_name: str, module_args: Any, task_vars: Any = None, wrap_async: bool = False
) -> Any:
    """Run a module in place of ``ActionBase._execute_module``."""
    module = module_name.rpartition(".")[2]
    options = as_plain(module_args)
    handover = Handover.take_from(options)
    operation = in_process.load_operation(module)
    connect = in_process._get_session
    request = TaskRequest(options, action._task.check_mode, action._task.diff, handover)
    result = perform(operation, request, connect)

    return as_ansible_reads_it(action, result)


def as_ansible_reads_it(action: Any, result: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a module as ``ActionBase._execute_module`` returns it."""
    printed = {name: value for name, value in result.items() if name != "warnings"}
    response = {"stdout": json.dumps(printed), "stderr": "", "rc": int(bool(result.get("failed")))}
    read: Any = ActionBase._parse_returned_data
    profile = ["legacy"] if "profile" in inspect.signature(read).parameters else []
    data = read(action, response, *profile)
    if hasattr(data, "as_result_dict"):
        data = data.as_result_dict(for_round_trip=True)
    if result.get("warnings"):
        data["warnings"] = [make_warning(text) for text in result["warnings"]]

    return wrap_var(data) if MARKS_TEXTS else data


def make_warning(text: str) -> Any:
    """Return a warning as a module's process sends it."""
    if MARKS_TEXTS:
        return text
    from ansible.module_utils._internal import _messages

    return _messages.WarningSummary(event=_messages.Event(msg=text))


def imitate_processes(monkeypatch: Any) -> list[str]:
    """Have each task run its module as if it were a process.

    Returns what the modules print, which a connection may show.
    """
    printed: list[str] = []

    def execute(action: Any, **named: Any) -> Any:
        read = execute_module(action, **named)
        printed.append(repr(read))
        return read

    monkeypatch.setenv("PANEL_IN_PROCESS", "0")
    monkeypatch.setattr(ActionBase, "_execute_module", execute)
    monkeypatch.setattr(ActionBase, "_remove_tmp_path", lambda _self, _path: None)

    return printed

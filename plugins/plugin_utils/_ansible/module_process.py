# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module in a process of its own, on the host of the task, and makes its result plain.

Private members of ansible-core:

- ``ActionBase._remove_tmp_path`` and ``ConnectionBase._shell``, whose ``tmpdir`` is the folder of
  the module on the host: a plugin that runs a module has to remove the folder, and there is no
  public method for it.
- ``ActionBase._compute_environment_string`` evaluates the keyword ``environment`` of the task, of
  its block and of its play.
- ``ActionBase._play_context`` and ``ActionBase._shared_loader_obj``: the constructor of another
  action takes them.
- ``WarningSummary.event``: from 2.19 on a warning of a module is an object, whose text is in there.

Tried on ansible-core 2.16, 2.18, 2.19, 2.20, 2.21.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.plugins.action import ActionBase

from .plain_values import as_plain

# Fields of a module's result in which releases of ansible-core from 2.19 on put objects of their
# own.
_OF_ANSIBLE = frozenset({"warnings", "deprecations", "exception"})


def run_process(
    action: ActionBase, module: str, arguments: dict[str, Any], task_vars: Any
) -> dict[str, Any]:
    """Run a module on the host of the task, in check mode where the task is.

    Args:
        action: The action of the task.
        module: The module, as a task names it.
        arguments: What it gets. Ansible adds its own.
        task_vars: The variables of the task.

    Returns:
        The result as the same work in this process returns it.
    """
    wraps_async = bool(action._task.async_val) and not action._connection.has_native_async
    result: dict[str, Any] = action._execute_module(
        module_name=module, module_args=arguments, task_vars=task_vars, wrap_async=wraps_async
    )
    if not wraps_async:
        action._remove_tmp_path(action._connection._shell.tmpdir)
    return as_in_process(result)


def get_environment_of(action: ActionBase) -> dict[str, str]:
    """Return the variables that the keyword ``environment`` adds to the environment of the task."""
    variables: dict[str, Any] = {}
    if action._task.environment:
        action._compute_environment_string(variables)
    return {str(name): str(value) for name, value in variables.items()}


def collect_constructor_arguments(action: ActionBase) -> dict[str, Any]:
    """Return what another action for the same host is made of, without the task."""
    return {
        "connection": action._connection,
        "play_context": action._play_context,
        "loader": action._loader,
        "templar": action._templar,
        "shared_loader_obj": action._shared_loader_obj,
    }


def as_in_process(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return what came of a module's process as the same work in this process returns it.

    ansible-core up to 2.18 marks each text, and YAML cannot represent marked ones. From 2.19 on
    warnings are objects of its own, and a failure has an error beside it that repeats the message
    as the module worded it, which Ansible would print.
    """
    own_fields = {name: value for name, value in result.items() if name not in _OF_ANSIBLE}
    plain_result: dict[str, Any] = as_plain(own_fields)
    plain_result |= {name: result[name] for name in _OF_ANSIBLE if name in result}
    if "warnings" in plain_result:
        warnings = plain_result["warnings"] or ()
        plain_result["warnings"] = [_get_text_of_warning(warning) for warning in warnings]

    # A module that ended before the collection's own code could report anything has no field
    # "error".
    if plain_result.get("failed") and "error" in plain_result:
        plain_result.pop("exception", None)
    return plain_result


def _get_text_of_warning(warning: Any) -> str:
    """Return the text of a warning, which may be an object of Ansible."""
    event = getattr(warning, "event", None)
    text = warning if event is None else event.msg
    return str(as_plain(text))

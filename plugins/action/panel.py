# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin of all modules, named for each of them in meta/runtime.yml.

See plugin_utils/_run/panel_action.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..plugin_utils._run.lost_passwords import with_warning_of_lost_passwords
from ..plugin_utils._run.module_call import ModuleCall
from ..plugin_utils._run.panel_action import ActionOfCall, ModuleAction

_MODULE_OF_MANY = "panel_resources"


class ActionModule(ModuleAction):
    """Runs a module; what only the controller can do for it is done here."""

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        """Run the task, and return its result or failure.

        Of many objects, every failure says that not all is done, wherever it comes from: a play
        may go on after it, and ask.
        """
        result = super().run(tmp, task_vars)
        if result.get("failed") and self.make_call().name == _MODULE_OF_MANY:
            result["is_complete"] = False
        return result

    def run_task(self, task_vars: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run the module of the task, with the files that its options name."""
        returned = self._run_with_files(task_vars)
        position = self._find_unregistered()
        return with_warning_of_lost_passwords(returned, position) if position else returned

    def make_call(self) -> ModuleCall:
        """Return what this action runs; in check mode its warnings say that no password is kept."""
        call = super().make_call()
        position = self._find_unregistered()
        if not call.check_mode or not position:
            return call
        return call._replace(handover=replace(call.handover, unregistered=position))

    def _find_unregistered(self) -> str:
        """Return file and line of a task that keeps no result; empty for one that does.

        An ad-hoc command is in no file, and prints its result.
        """
        return "" if self._task.register else self._task.get_path()

    def _run_with_files(self, task_vars: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._task.args.get("resources_dir") is None:
            return _run_with_passwords(self, task_vars)
        # Only such tasks need it, and below only those with a file.
        from ..plugin_utils._folder.resources_dir import run_with_files  # noqa: PLC0415

        def run(call: ModuleCall) -> dict[str, Any]:
            action = ActionOfCall(self, call)
            return self.run_and_report(lambda: _run_with_passwords(action, task_vars))

        return run_with_files(self, run)


def _run_with_passwords(action: ModuleAction, task_vars: Mapping[str, Any]) -> Mapping[str, Any]:
    """Run the module of an action, with a file of passwords if its task has one."""
    if action.make_call().options.get("credentials_file") is None:
        return action.run_module(task_vars)
    from ..plugin_utils._credentials.durable_write import run_with_file  # noqa: PLC0415

    return run_with_file(action, task_vars)

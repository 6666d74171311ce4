# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin of all modules, named for each of them in meta/runtime.yml.

See plugin_utils/_run/panel_action.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..plugin_utils._run.panel_action import ModuleAction, reported


class ActionModule(ModuleAction):
    """Runs a module; what only the controller can do for it is done here."""

    def result_of(self, task_vars: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run the module of the task, with the files that its options name."""
        if self._task.args.get("resources_dir") is None:
            return self._with_passwords(task_vars)
        # Only such tasks need it, and below only those with a file.
        from ..plugin_utils._folder.resources_dir import run_with_files  # noqa: PLC0415

        def run() -> dict[str, Any]:
            return reported(lambda: self._with_passwords(task_vars), self.names)

        return run_with_files(self, run)

    def _with_passwords(self, task_vars: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run the module, with a file of passwords if the task has one."""
        if self._task.args.get("credentials_file") is None:
            return super().result_of(task_vars)
        from ..plugin_utils._credentials.durable_write import run_with_file  # noqa: PLC0415

        return run_with_file(self, task_vars)

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin of all modules, named for each of them in meta/runtime.yml: see plugin_utils/_run/module_action.py."""

from __future__ import annotations

from typing import Any

from ..plugin_utils._run.module_action import ModuleAction


class ActionModule(ModuleAction):
    """Runs a module; what only the controller can do for it is done here."""

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        if self._task.args.get("resources_dir") is None:
            return self._with_passwords(result, task_vars)
        # Only such tasks need it, and below only those with a file.
        from ..plugin_utils._folder.resources_dir import run_with_files  # noqa: PLC0415

        return self.reported(
            result, lambda: run_with_files(self._task, self.vault, lambda: self._with_passwords({}, task_vars))
        )

    def _with_passwords(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        if self._task.args.get("credentials_file") is None:
            return super().result_of(result, task_vars)
        from ..plugin_utils._credentials.task import run_with_file  # noqa: PLC0415

        return self.reported(result, lambda: run_with_file(self, task_vars))

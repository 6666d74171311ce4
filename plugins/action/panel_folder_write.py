# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what panel_resources_info returned as files, one for each client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..plugin_utils._folder.secrets import masked
from ..plugin_utils._folder.writing import (
    FolderError,
    FolderPlan,
    plan_folder,
    refuse_unwritable,
    write,
)
from ..plugin_utils._inputs.checked_arguments import checked_arguments
from ..plugin_utils._run.panel_action import PanelAction

ARGUMENT_SPEC: dict[str, Any] = {
    "resources": {"type": "dict", "required": True},
    "directory": {"type": "path", "required": True},
    "compares_only": {"type": "bool", "default": False},
}


class ActionModule(PanelAction):
    """The action behind hosting.panel.panel_folder_write; it never talks to the panel."""

    _supports_async = False
    _requires_connection = False

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:  # noqa: ARG002
        arguments = checked_arguments(self, ARGUMENT_SPEC)
        # Plain texts without the marks by which Ansible knows where they come from.
        resources = json.loads(json.dumps(self._task.args["resources"], default=str))
        try:
            plan = plan_folder(Path(arguments["directory"]), resources)
            if not arguments["compares_only"]:
                refuse_unwritable(plan)
                if not self._task.check_mode:
                    write(plan)
        except FolderError as error:
            return {**result, "failed": True, "changed": False, "msg": f"directory: {error}"}
        result["changed"] = bool(plan.changes)
        result["written"] = plan.written
        result["removed"] = plan.removed
        result["unchanged"] = plan.unchanged
        if self._task.diff:
            result["diff"] = _diff(plan)
        return result


def _diff(plan: FolderPlan) -> list[dict[str, str]]:
    return [
        {
            "before_header": str(change.path),
            "after_header": str(change.path),
            "before": masked(change.before or ""),
            "after": masked(change.after or ""),
        }
        for change in plan.changes
    ]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets one ansible-playbook use a path of the controller, until it ends."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..module_utils._errors import OptionError
from ..module_utils._problems import Written
from ..plugin_utils._run.panel_action import PanelAction
from ..plugin_utils._run.run_marks import wait_for_path

SPECIFICATION = {
    "path": {"type": "path", "required": True},
    "wait_timeout": {"type": "int", "default": 0},
}


class ActionModule(PanelAction):
    """The action behind hosting.panel.panel_lock. The module proper is documentation only."""

    _supports_async = False
    _requires_connection = False
    specification = SPECIFICATION

    def run_task(self, _task_vars: Mapping[str, Any]) -> Mapping[str, Any]:
        """Take the path, unless another run has it."""
        arguments = self.check_arguments(SPECIFICATION)
        seconds = arguments["wait_timeout"]
        if seconds < 0:
            cause = f"{seconds} is not accepted; it must be a number of seconds, 0 or more."
            raise OptionError(cause, option="wait_timeout", written=Written.NOTHING_READ)

        # By every link it is the same path.
        path = os.path.realpath(arguments["path"])
        if not self._task.check_mode:
            self._take(path, seconds)
        return {"changed": False, "path": path}

    def _take(self, path: str, seconds: int) -> None:
        """Take the path for this ansible-playbook.

        Raises:
            OptionError: Another one that has it does not end within so many seconds.
            PanelError: It cannot be taken.
        """
        process = wait_for_path(path, seconds, self.say)
        if process:
            cause = f"another ansible-playbook (process {process}) uses {path}."
            advice = "Wait until it has ended, or name another one."
            raise OptionError(cause, option="path", written=Written.NOTHING_READ, advice=advice)

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An action plugin that runs a module of awx.awx inside Ansible's worker, which saves a process for each of them, and records what it was given.

It is copied into a collection of a test, under the name of each module.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
from pathlib import Path
from typing import Any

from ansible.module_utils import basic
from ansible.plugins.action import ActionBase

# Here, so that it is imported once and not in each worker.
MODULE = importlib.import_module(__name__.replace(".action.", ".modules."))


class ActionModule(ActionBase):
    """What a module was given goes to $RECORDED_CALLS, a line for each task."""

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        name = str(self._task.action).rpartition(".")[2]
        given = json.loads(json.dumps(self._task.args, default=str))
        with Path(os.environ["RECORDED_CALLS"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps([name, given]) + "\n")
        basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": given}).encode()  # type: ignore[attr-defined]
        basic._ANSIBLE_PROFILE = "legacy"  # type: ignore[attr-defined]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            MODULE.main()
        return {**result, **json.loads(printed.getvalue().strip().splitlines()[-1])}

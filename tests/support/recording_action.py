# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An action plugin in the place of modules that cannot be installed here: checks options against a description, and records them.

It is copied into a collection of a test, under the name of each module.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):
    """The description is in $RECORDED_OPTIONS, a JSON file; what was given goes to $RECORDED_CALLS, a line for each task."""

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        name = str(self._task.action).rpartition(".")[2]
        options = json.loads(Path(os.environ["RECORDED_OPTIONS"]).read_text(encoding="utf-8"))[name]
        _validated, given = self.validate_argument_spec(options)
        with Path(os.environ["RECORDED_CALLS"]).open("a", encoding="utf-8") as file:
            file.write(
                json.dumps([name, {option: value for option, value in given.items() if value is not None}]) + "\n"
            )
        return {**result, "changed": True}

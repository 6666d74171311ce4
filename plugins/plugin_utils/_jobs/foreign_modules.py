# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs modules of other collections on the controller, whatever the task's connection is, and from several threads at once.

Their options, which may hold keys, reach them through a pipe and are in no file. Private to the collection.
"""

from __future__ import annotations

import importlib
import json
import shlex
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.plugins.action import ActionBase

# An alarm goes on in the program that takes the place of its process, and ends a module that does not see to it.
_LIMITED = "import os, signal, sys; signal.alarm({seconds}); os.execv(sys.executable, [sys.executable])"
_ENDED_BY_ALARM = (-signal.SIGALRM, 128 + signal.SIGALRM)


class ForeignModules:
    """Modules of other collections in place of the task of an action.

    environment: what they find in it beside the task's own. seconds: for which one of them may run.
    """

    def __init__(
        self, action: ActionBase, task_vars: Mapping[str, Any], environment: Mapping[str, str], seconds: int
    ) -> None:
        self._action, self.seconds = action, seconds
        # The controller's own Python has what Ansible itself needs, such as cryptography.
        self._variables = {**task_vars, "ansible_python_interpreter": _limited_python(seconds)}
        self._environment = dict(environment)

    def run(self, module: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """What the module returned, whether it failed or not; module: its full name."""
        own = self._action
        task = own._task.copy()
        task.action, task.args = module, dict(options)
        task.check_mode, task.diff, task.async_val, task.become, task.delegate_to = False, False, 0, False, None
        task.environment = [*(own._task.environment or []), self._environment]
        loaders = own._shared_loader_obj
        # A connection of its own, since threads must not share one.
        connection = loaders.connection_loader.get("ansible.builtin.local", own._play_context, "/dev/null")
        connection.set_options()
        connection.set_option("pipelining", True)
        name = module if loaders.action_loader.has_plugin(module) else "ansible.legacy.normal"
        action = loaders.action_loader.get(
            name,
            task=task,
            connection=connection,
            play_context=own._play_context,
            loader=own._loader,
            templar=own._templar,
            shared_loader_obj=loaders,
        )
        result: dict[str, Any] = action.run(task_vars=self._variables)
        return result


def _limited_python(seconds: int) -> str:
    """The path of a program that is Python for so many seconds, in the run's own folder of temporary files, which Ansible removes."""
    path = Path(vars(constants)["DEFAULT_LOCAL_TMP"], f"hosting.panel.python-{seconds}")
    words = [shlex.quote(word) for word in (sys.executable, "-c", _LIMITED.format(seconds=seconds))]
    path.write_text(f"#!/bin/sh\nexec {' '.join(words)}\n", encoding="utf-8")
    path.chmod(0o700)
    return str(path)


def took_too_long(result: Mapping[str, Any]) -> bool:
    """Whether a module was ended since its time was over."""
    return result.get("rc") in _ENDED_BY_ALARM


def collection_version(name: str) -> str | None:
    """The version of an installed collection, such as ``community.crypto``; None where there is none."""
    try:
        (folder, *_others) = importlib.import_module(f"ansible_collections.{name}").__path__
        manifest = json.loads(Path(folder, "MANIFEST.json").read_text(encoding="utf-8"))
        return str(manifest["collection_info"]["version"])
    except (ImportError, OSError, ValueError, LookupError, TypeError):
        return None

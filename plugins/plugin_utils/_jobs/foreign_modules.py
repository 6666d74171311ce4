# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs modules of other collections on the controller, whatever the task's connection is, and from several threads at once.

Their options, which may hold keys, are in no file. Private to the collection.
"""

from __future__ import annotations

import importlib
import json
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .._run.panel_action import PanelAction
from .module_host import ModuleHost


class ForeignModules:
    """Modules of other collections in place of the task of an action.

    modules: the full names of those that are no actions. environment: what they find in it beside the task's own. seconds: for which one
    of them may run.
    """

    def __init__(
        self, action: PanelAction, modules: Iterable[str], environment: Mapping[str, str], seconds: int
    ) -> None:
        self._action, self._modules = action, frozenset(modules)
        # Ansible shows a plugin to other threads before it is loaded whole.
        self._loading = threading.Lock()
        self._host = ModuleHost(self._modules, {**action._task_environment(), **environment}, seconds)

    def run(self, module: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """What the module returned, whether it failed or not; module: its full name. Raises NoResult."""
        if module in self._modules:
            return self._host.run(module, options)
        own = self._action
        task = own._task.copy()
        task.action, task.args = module, dict(options)
        task.check_mode, task.diff, task.async_val = False, False, 0
        loaders = own._shared_loader_obj
        with self._loading:
            action = loaders.action_loader.get(
                module,
                task=task,
                connection=own._connection,
                play_context=own._play_context,
                loader=own._loader,
                templar=own._templar,
                shared_loader_obj=loaders,
            )
        result: dict[str, Any] = action.run(task_vars={})
        return result

    def close(self) -> None:
        """Ends what was started for them."""
        self._host.close()


def collection_version(name: str) -> str | None:
    """The version of an installed collection, such as ``community.crypto``; None where there is none."""
    try:
        (folder, *_others) = importlib.import_module(f"ansible_collections.{name}").__path__
        manifest = json.loads(Path(folder, "MANIFEST.json").read_text(encoding="utf-8"))
        return str(manifest["collection_info"]["version"])
    except (ImportError, OSError, ValueError, LookupError, TypeError):
        return None

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs modules of the collection in the place of a task, for actions that are made of several. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.plugins.action import ActionBase

from .inner_module import inner_module, of_own_plan
from .panel_host import panel_host


class ModuleFailed(Exception):
    """A module failed. ``result`` is all that it returned; the text is its message, which holds no secret.

    place: words before the message, where more than one panel is in play.
    """

    def __init__(self, result: Mapping[str, Any], place: str = "") -> None:
        super().__init__(place + str(result.get("msg", "The module failed without a message.")))
        self.result = dict(result)

    @property
    def option(self) -> str:
        """The option that the module complains about; empty where it names none."""
        error = self.result.get("error")
        return str(error.get("option") or "") if isinstance(error, dict) else ""


class ModuleRuns:
    """Modules on one panel. ``warnings`` gathers what they warned of, each once."""

    def __init__(
        self,
        action: ActionBase,
        task_vars: Mapping[str, Any] | None,
        connection: Mapping[str, Any],
        place: str = "",
    ) -> None:
        """action: the plugin of the task; connection: the connection options as the task has them; place: as in ``ModuleFailed``."""
        self._action, self._task_vars, self._connection, self._place = action, task_vars, dict(connection), place
        self.warnings: list[str] = []

    def run(self, module: str, options: Mapping[str, Any], check_mode: bool | None = None) -> dict[str, Any]:
        """What the module returned, whether it failed or not. check_mode: None for that of the task."""
        inner = inner_module(self._action, module, {**self._connection, **options}, check_mode)
        # A checksum that is expected here is that of a plan that the same task has made.
        result = of_own_plan(inner.run(task_vars=self._task_vars))
        for warning in result.get("warnings") or ():
            if warning not in self.warnings:
                self.warnings.append(warning)
        return result

    def panel(self) -> str:
        """By which name the panel is known in files."""
        return panel_host(self._connection, inner_module(self._action, "panel_ping", {})._task_environment())

    def read(self, module: str, member: str, options: Mapping[str, Any]) -> Any:
        """A member of what an info module returned; raises ModuleFailed."""
        return self.succeed(module, options)[member]

    def succeed(self, module: str, options: Mapping[str, Any], check_mode: bool | None = None) -> dict[str, Any]:
        """As ``run``, but raises ModuleFailed where the module failed."""
        result = self.run(module, options, check_mode)
        if result.get("failed"):
            raise ModuleFailed(result, self._place)
        return result

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all actions of the collection have in common: the one way in which they show something. Private to the collection."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ...module_utils._secrets.terminal import on_one_line, with_harmless_words

display = Display()


class PanelAction(ActionBase):
    """An action whose words cannot drive a terminal, whoever chose the names in them."""

    _supports_check_mode = True

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        return with_harmless_words(self.result_of(super().run(tmp, task_vars), task_vars))

    @abstractmethod
    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        """What the task did. result: what Ansible begins every result with."""

    def _task_environment(self) -> dict[str, str]:
        """What the task's ``environment`` says, as the module would see it."""
        environment: dict[str, Any] = {}
        if self._task.environment:
            self._compute_environment_string(environment)
        return {str(name): str(value) for name, value in environment.items()}

    def say(self, text: str) -> None:
        """A line of progress on the controller's display."""
        display.display(f"{self._task.action}: {on_one_line(text)}")

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all actions of the collection have in common: how they read their arguments, and the one way in which they show something."""

from __future__ import annotations

import datetime
import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.parsing.vault import VaultLib
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ...module_utils._http.connection_settings import without_empty
from ...module_utils._secrets.terminal import on_one_line, with_harmless_words
from ...module_utils._task.validation import misread_values

display = Display()


class PanelAction(ActionBase):
    """An action whose words cannot drive a terminal, whoever chose the names in them."""

    _supports_check_mode = True

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        return with_harmless_words(self.result_of(super().run(tmp, task_vars), task_vars))

    @abstractmethod
    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        """What the task did. result: what Ansible begins every result with."""

    @property
    def vault(self) -> VaultLib:
        """The Vault passwords of the run, to which Ansible has no public way; the loader of every action plugin holds them."""
        return getattr(self._loader, "_vault", None) or VaultLib()

    def checked_arguments(self, specification: Mapping[str, Any]) -> dict[str, Any]:
        """As the specification has them, as plain values; raises where one does not fit it, or where a path is empty."""
        self._task.args = without_empty(self._task.args, specification)
        _validated, arguments = self.validate_argument_spec(dict(specification))
        mistakes = [error.message for error in misread_values(plain(self._task.args), specification)]
        mistakes += empty_paths(arguments, specification)
        if mistakes:
            raise AnsibleActionFail(f"{' '.join(mistakes)} Nothing was read or written.")
        checked: dict[str, Any] = plain({name: arguments[name] for name in specification if name in arguments})
        return checked

    def _task_environment(self) -> dict[str, str]:
        """What the task's ``environment`` says, as the module would see it."""
        environment: dict[str, Any] = {}
        if self._task.environment:
            self._compute_environment_string(environment)
        return {str(name): str(value) for name, value in environment.items()}

    def say(self, text: str) -> None:
        """A line of progress on the controller's display."""
        display.display(f"{self._task.action}: {on_one_line(text)}")


def empty_paths(arguments: Mapping[str, Any], specification: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """A sentence for each path that is empty, which would be the current folder, named by its place."""
    for name, option in specification.items():
        value = arguments.get(name)
        if option.get("type") == "path" and isinstance(value, str) and not value.strip():
            yield f"{place}{name} is empty: it has to name a path, or to be left out."
        elif "options" in option and isinstance(value, list):
            for index, item in enumerate(value):
                yield from empty_paths(item, option["options"], f"{place}{name}[{index}].")


def plain(value: Any) -> Any:
    """Plain values, as a module gets them, without the marks by which Ansible knows where they come from, secrets decrypted."""
    return json.loads(json.dumps(value, default=_plain_leaf))


def _plain_leaf(value: Any) -> str:
    return value.isoformat() if isinstance(value, (datetime.date, datetime.datetime)) else str(value)

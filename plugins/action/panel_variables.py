# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses variables of a role or a playbook that it does not have: Ansible passes over them, and with them over what they were to prevent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.hosting.panel.plugins.plugin_utils._plain_values import plain
from ansible_collections.hosting.panel.plugins.plugin_utils._variable_names import unknown_variables

ARGUMENT_SPEC: dict[str, Any] = {
    "prefix": {"type": "str", "required": True},
    # Of a role, whose options are known, and what it leaves behind.
    "specification": {"type": "path"},
    "known": {"type": "list", "elements": "str", "default": []},
    "foreign": {"type": "list", "elements": "str", "default": []},
    "is_shared": {"type": "bool", "default": False},
}


class ActionModule(ActionBase):
    """The action behind hosting.panel.panel_variables; it never talks to the panel."""

    _supports_check_mode = True
    _supports_async = False
    _requires_connection = False

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        _validated, checked = self.validate_argument_spec(ARGUMENT_SPEC)
        arguments = plain({name: checked[name] for name in ARGUMENT_SPEC if name in checked})
        prefix, foreign = arguments["prefix"], arguments["foreign"]
        known = [*arguments["known"], *self._options_of_role(arguments["specification"])]
        unknown = unknown_variables(task_vars or (), prefix, known, foreign, arguments["is_shared"])
        result.update(changed=False, unknown=unknown)
        if unknown:
            result["failed"] = True
            result["msg"] = (
                f"{' '.join(unknown)} Nothing was read or written. Correct the names; if they are variables of your own, rename them, or name "
                "them in panel_foreign_variables."
            )
        return result

    def _options_of_role(self, specification: str | None) -> Iterator[str]:
        if specification is not None:
            for entry in self._loader.load_from_file(specification)["argument_specs"].values():
                yield from entry.get("options") or ()

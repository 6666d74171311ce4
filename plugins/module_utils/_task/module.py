# SPDX-License-Identifier: GPL-3.0-or-later
"""The module front end: the only place that talks to AnsibleModule. Private to the collection."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from .._http.panel_client import PanelClient
from .operation import HANDED_ON, Operation, perform
from .validation import without_marks


class _Module(AnsibleModule):
    """AnsibleModule that leaves the check of the options to ``perform``: its own failures, and the system's log, would show secrets."""

    def _set_internal_properties(self, *further: Any) -> None:
        super()._set_internal_properties(*further)
        self.given: dict[str, Any] = self.params
        self.params, self.argument_spec = {}, {}


def run_as_module(operation: Operation) -> None:
    """Runs the operation as an Ansible module and exits."""
    specification = without_marks(operation.validator.argument_spec)
    module = _Module(argument_spec=specification, supports_check_mode=True)
    handed_on = {name: module.given.pop(option) for name, option in HANDED_ON.items() if option in module.given}
    result = perform(operation, module.given, module.check_mode, module._diff, PanelClient, **handed_on)
    for warning in result.pop("warnings", ()):
        module.warn(warning)
    if result.get("failed"):
        module.fail_json(**result)
    module.exit_json(**result)

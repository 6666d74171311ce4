# SPDX-License-Identifier: GPL-3.0-or-later
"""The module front end: the only place that talks to AnsibleModule. Private to the collection."""

from __future__ import annotations

import copy
from typing import Any, NoReturn

from ansible.module_utils.basic import AnsibleModule

from .._http.panel_client import PanelClient
from .._secrets.redaction import shown_arguments
from .operation import PLANNED, Operation, perform
from .validation import checkable, failed_validation


class _Module(AnsibleModule):
    """AnsibleModule that also keeps the options as the user wrote them, and whose own failures hold no secret."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        super().__init__(supports_check_mode=True, **operation.arguments())

    def _load_params(self) -> None:
        super()._load_params()
        self.planned: str = self.params.pop(PLANNED, "")
        self.given: dict[str, Any] = self.params
        self.params = checkable(copy.deepcopy(self._operation.summary(self.params)), self.argument_spec)

    def _log_invocation(self) -> None:
        # Ansible would write the fields of dictionaries into the system's log as they are.
        shown = {name: str(value) for name, value in shown_arguments(self.params, self.argument_spec).items()}
        self.log("Invoked with " + " ".join(f"{name}={value}" for name, value in shown.items()), log_args=shown)

    def fail_json(self, msg: str, **kwargs: Any) -> NoReturn:
        if "invocation" not in kwargs:
            kwargs.update(failed_validation(msg, self.params, self.given, self.argument_spec))
            msg = kwargs.pop("msg")
            self.no_log_values = set()
        super().fail_json(msg, **kwargs)


def run_as_module(operation: Operation) -> None:
    """Runs the operation as an Ansible module and exits."""
    module = _Module(operation)
    params = operation.whole(module.params, module.given)
    result = perform(
        operation, params, module.given, module.check_mode, module._diff, PanelClient, planned=module.planned
    )
    # perform has taken out the secrets. Ansible would mask the generated password too, which the caller needs.
    module.no_log_values = set()
    for warning in result.pop("warnings", ()):
        module.warn(warning)
    if result.get("failed"):
        module.fail_json(**result)
    module.exit_json(**result)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The module front end: the only place that talks to AnsibleModule. Private to the collection."""

from __future__ import annotations

from typing import Any, NoReturn

from ansible.module_utils.basic import AnsibleModule

from .._errors import PanelError
from .._http.connection_settings import without_empty
from .._http.panel_client import PanelClient
from .._secrets.redaction import shown_arguments
from .operation import PLANNED, Operation, perform
from .validation import refusal, refuse_misread_values


class _Module(AnsibleModule):
    """AnsibleModule that also keeps the options as the user wrote them, and whose own failures hold no secret."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        super().__init__(supports_check_mode=True, **operation.arguments())

    def _set_internal_properties(self, *further: Any) -> None:
        super()._set_internal_properties(*further)
        self.planned: str = self.params.pop(PLANNED, "")
        self.given: dict[str, Any] = self.params
        self.shown = without_empty(self._operation.summary(self.given), self.argument_spec)
        self.params = dict(self.shown)
        try:
            refuse_misread_values(self.shown, self.argument_spec)
        except PanelError as error:
            self.fail_json(**refusal(error, self.shown, self.argument_spec))

    def _log_invocation(self) -> None:
        # Ansible would write the fields of dictionaries into the system's log as they are.
        shown = {name: str(value) for name, value in shown_arguments(self.params, self.argument_spec).items()}
        self.log("Invoked with " + " ".join(f"{name}={value}" for name, value in shown.items()), log_args=shown)

    def fail_json(self, msg: str, **kwargs: Any) -> NoReturn:
        if "invocation" not in kwargs:
            kwargs = refusal(PanelError(msg), self.shown, self.argument_spec)
            msg = kwargs.pop("msg")
            self.no_log_values = set()
        super().fail_json(msg, **kwargs)


def run_as_module(operation: Operation) -> None:
    """Runs the operation as an Ansible module and exits."""
    module = _Module(operation)
    result = perform(
        operation, module.params, module.given, module.check_mode, module._diff, PanelClient, planned=module.planned
    )
    # perform has taken out the secrets. Ansible would mask the generated password too, which the caller needs.
    module.no_log_values = set()
    for warning in result.pop("warnings", ()):
        module.warn(warning)
    if result.get("failed"):
        module.fail_json(**result)
    module.exit_json(**result)

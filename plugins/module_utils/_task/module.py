# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs operations on a panel as modules. Only the modules for content, which talk to no panel, use
AnsibleModule themselves.
"""

from __future__ import annotations

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from .._ansible import list_sent_names, select_options_of_task
from .._http.panel_session import PanelSession
from .._operation.handover import Handover, TaskRequest
from .._operation.operation import Operation
from .._operation.validation import remove_marks
from .perform import perform

# AnsibleModule neither converts, checks nor logs an option of this type.
_TAKEN_AS_SENT = {"type": "raw", "no_log": True}


def run_as_module(operation: Operation) -> None:
    """Run the operation as an Ansible module, and exit."""
    module = AnsibleModule(argument_spec=_build_argument_spec(operation), supports_check_mode=True)
    # It would mask every option of the task, its name too. `perform` masks what is secret.
    module.no_log_values.clear()

    options = select_options_of_task(module.params)
    handover = Handover.take_from(options)
    request = TaskRequest(options, module.check_mode, module._diff, handover)
    result = perform(operation, request, PanelSession)

    for warning in result.pop("warnings", ()):
        module.warn(warning)
    if result.get("failed"):
        module.fail_json(**result)
    module.exit_json(**result)


def _build_argument_spec(operation: Operation) -> dict[str, dict[str, Any]]:
    """Return the options that were sent, each taken as it is, since `perform` checks them.

    AnsibleModule's own check would come first, and its failure would show the value of a misspelled
    option, which may be a secret.
    """
    # That `perform` checks the whole specification is shown, for each text and number of each
    # module, by tests/unit/plugins/plugin_utils/test_validation.py, and for unknown options and
    # wrong choices by tests/unit/test_bad_input.py.
    names = list_sent_names()
    if not names:
        return remove_marks(operation.validator.argument_spec)
    return {name: dict(_TAKEN_AS_SENT) for name in names}

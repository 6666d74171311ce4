# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the module of a kind with options from a dictionary, and keeps the password that the panel generates in an encrypted file.

The password goes from the module's result to the file without ever being in a result that Ansible prints, so that loops over
many objects need no no_log, which would hide names and errors too.
"""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.hosting.panel.plugins.module_utils._connection import connection_argument_spec
from ansible_collections.hosting.panel.plugins.plugin_utils._credentials import (
    Credential,
    CredentialsError,
    CredentialsFile,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._inner_module import given_connection, inner_module
from ansible_collections.hosting.panel.plugins.plugin_utils._object_kinds import OBJECT_KINDS
from ansible_collections.hosting.panel.plugins.plugin_utils._panel_host import panel_host
from ansible_collections.hosting.panel.plugins.plugin_utils._run_vault import credentials_file

ARGUMENT_SPEC: dict[str, Any] = {
    "kind": {"type": "str", "required": True, "choices": list(OBJECT_KINDS)},
    "options": {"type": "dict", "required": True},
    "credentials_file": {"type": "path"},
    **connection_argument_spec(),
}


class ActionModule(ActionBase):
    """The action behind hosting.panel.panel_object."""

    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        _validated, arguments = self.validate_argument_spec(ARGUMENT_SPEC)
        kind = OBJECT_KINDS[arguments["kind"]]
        file = credentials_file(arguments["credentials_file"], self._loader)
        if file is not None:
            try:
                file.check(writes=False)
            except CredentialsError as error:
                return {**result, "failed": True, "msg": f"credentials_file: {error} Nothing was written."}
        options = {**given_connection(self), **self._task.args["options"]}
        module = inner_module(self, kind.module, options)
        result.update(module.run(task_vars=task_vars))
        if file is not None and "generated_password" in result:
            panel = panel_host(options, module._task_environment())
            _keep(file, panel, arguments["kind"], options, result)
        return result


def _keep(file: CredentialsFile, panel: str, plural: str, options: dict[str, Any], result: dict[str, Any]) -> None:
    """Moves the generated password from the result to the file."""
    password = result.pop("generated_password")
    kind = OBJECT_KINDS[plural]
    shown = result.get(kind.singular) or {}
    key = kind.key_of({**shown, **options}) or f"id {shown.get('id')}"
    result["credentials_file"] = file.path
    try:
        file.keep(Credential(panel=panel, kind=plural, key=str(key), password=password))
    except CredentialsError as error:
        result["failed"] = True
        result["msg"] = (
            f"{plural} {key}: the panel generated a password, and it could not be kept: {error} The object exists, and nobody knows its "
            "password. Correct the cause, then run once with regenerate_password: true for this object."
        )

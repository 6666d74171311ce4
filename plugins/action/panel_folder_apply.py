# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the objects in a folder of files to panel_resources, and keeps the passwords that the panel generates in an encrypted file.

The secrets in the files and the generated passwords are in no result.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib
from ansible.plugins.action import ActionBase

from ansible_collections.hosting.panel.plugins.action.panel import ActionModule as PanelAction
from ansible_collections.hosting.panel.plugins.module_utils._connection import connection_argument_spec
from ansible_collections.hosting.panel.plugins.plugin_utils._credentials import CredentialsError
from ansible_collections.hosting.panel.plugins.plugin_utils._folder_reading import Folder, read_folder
from ansible_collections.hosting.panel.plugins.plugin_utils._folder_writing import FolderError
from ansible_collections.hosting.panel.plugins.plugin_utils._generated_passwords import keep_generated
from ansible_collections.hosting.panel.plugins.plugin_utils._inner_module import given_connection, inner_module
from ansible_collections.hosting.panel.plugins.plugin_utils._object_kinds import OBJECT_KINDS
from ansible_collections.hosting.panel.plugins.plugin_utils._panel_host import panel_host
from ansible_collections.hosting.panel.plugins.plugin_utils._plan_lines import failure_lines, plan_lines
from ansible_collections.hosting.panel.plugins.plugin_utils._run_vault import credentials_file

# Options of panel_resources that are handed on as they are.
HANDED_ON: dict[str, Any] = {
    "purge": {"type": "list", "elements": "str"},
    "max_deletes": {"type": "int"},
    "protect": {"type": "dict"},
    "concurrency": {"type": "int"},
    "expected_checksum": {"type": "str"},
}
ARGUMENT_SPEC: dict[str, Any] = {
    "directory": {"type": "path", "required": True},
    "credentials_file": {"type": "path"},
    "most_lines": {"type": "int", "default": 200},
    **HANDED_ON,
    **connection_argument_spec(),
}


class ActionModule(ActionBase):
    """The action behind hosting.panel.panel_folder_apply."""

    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        _validated, arguments = self.validate_argument_spec(ARGUMENT_SPEC)
        file = credentials_file(arguments["credentials_file"], self._loader)
        if file is None and not arguments["expected_checksum"] and not self._task.check_mode:
            return _failed(
                result,
                "credentials_file: missing; without a file for generated passwords, expected_checksum is needed, so that somebody has seen "
                "in check mode for which objects the panel would generate one. Nothing was written.",
            )
        vault = getattr(self._loader, "_vault", VaultLib())
        try:
            folder = read_folder(Path(arguments["directory"]), vault, None if file is None else Path(file.path))
            if file is not None:
                file.check(writes=not self._task.check_mode)
        except FolderError as error:
            return _failed(result, f"directory: {error}")
        except CredentialsError as error:
            return _failed(result, f"credentials_file: {error} Nothing was written.")
        module = self._module(folder, arguments)
        result.update(module.run(task_vars=task_vars))
        _explain(result, folder, arguments["most_lines"])
        if file is not None and result.get("generated_passwords"):
            panel = panel_host(self._task.args, module._task_environment())
            keep_generated(result, panel, lambda _kind, _key: file)
            result["credentials_file"] = file.path
        return result

    def _module(self, folder: Folder, arguments: Mapping[str, Any]) -> PanelAction:
        """The action that runs panel_resources in place of this task."""
        given = given_connection(self)
        given.update({name: arguments[name] for name in HANDED_ON if arguments[name] not in (None, "")})
        return inner_module(self, "panel_resources", {**given, "resources": dict(folder.resources)})


def _failed(result: dict[str, Any], message: str) -> dict[str, Any]:
    return {**result, "failed": True, "changed": False, "msg": message}


def _explain(result: dict[str, Any], folder: Folder, most: int) -> None:
    """Puts what a person wants to read in the place of all actions, and says of mistakes in which file they are."""
    plan = result.pop("plan", None)
    results = result.pop("results", ())
    if plan is not None:
        result["summary"] = plan["summary"]
        result["changes"] = len(plan["actions"])
        result["checksum"] = plan["checksum"]
        result["lines"] = plan_lines(plan, most)
        result["failures"] = failure_lines(results, most)
        result["generates"] = _generating(plan, folder)
    if result.get("failed"):
        result["msg"] = folder.in_files(str(result.get("msg", "")))
        error = result.get("error")
        if isinstance(error, dict) and isinstance(error.get("mistakes"), list):
            error["mistakes"] = [folder.in_files(str(mistake)) for mistake in error["mistakes"]]


def _generating(plan: Mapping[str, Any], folder: Folder) -> list[str]:
    """The objects for which the panel would generate a password."""
    found = []
    for action in plan["actions"]:
        kind = OBJECT_KINDS[action["kind"]]
        after = action.get("after") or {}
        if action["action"] == "create" and kind.generates and not {"password", "password_hash"} & after.keys():
            found.append(f"{action['kind']} {action['key']}")
    for plural, items in folder.resources.items():
        kind = OBJECT_KINDS[plural]
        found += [
            f"{plural} {kind.key_of(item) or item.get('id')}" for item in items if item.get("regenerate_password")
        ]
    return found

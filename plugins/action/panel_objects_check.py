# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the options of many objects, and that generated passwords could be kept, before the first of them is written."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ..module_utils._task.mistakes import each_once, told
from ..plugin_utils._inputs.checked_arguments import checked_arguments
from ..plugin_utils._inputs.plain_values import plain
from ..plugin_utils._passwords.ahead import PasswordsAhead
from ..plugin_utils._passwords.entries import Name, begun
from ..plugin_utils._passwords.file import LIST, Credential, CredentialsError
from ..plugin_utils._passwords.new import new_password
from ..plugin_utils._passwords.vault import credentials_file
from ..plugin_utils._run.panel_action import PanelAction
from ..plugin_utils._sites.mistakes import mistakes_in

ARGUMENT_SPEC: dict[str, Any] = {
    "resources": {"type": "dict", "required": True},
    "credentials_file": {"type": "path"},
}


class ActionModule(PanelAction):
    """The action behind hosting.panel.panel_objects_check; it never talks to the panel."""

    _supports_async = False
    _requires_connection = False

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:  # noqa: ARG002
        arguments = checked_arguments(self, ARGUMENT_SPEC)
        resources = plain(self._task.args["resources"])
        file = credentials_file(arguments["credentials_file"], self._loader)
        mistakes = mistakes_in(resources, keeps_passwords=file is not None)
        if file is not None and not mistakes:
            try:
                file.check()
                file.check_room(_with_passwords_for(PasswordsAhead(resources, "", lambda _kind, _index: None).names))
            except CredentialsError as error:
                mistakes.append(f"credentials_file: {error}")
        result["changed"] = False
        result["mistakes"] = each_once(mistakes)
        if mistakes:
            result["failed"] = True
            result["msg"] = told(mistakes, "mistakes")
        return result


def _with_passwords_for(names: Collection[Name]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Makes of a file's content what it may have to hold: a password more for each of these objects that has none in it."""

    def edit(content: dict[str, Any]) -> dict[str, Any]:
        known = {(entry.get("kind"), entry.get("key")) for entry in content[LIST] if isinstance(entry, dict)}
        panel = "panel.with-a-long-name.example:443"  # which one it is, only the tasks after this one know
        return begun(content, [Credential(panel, *name, new_password()) for name in names if name not in known])

    return edit

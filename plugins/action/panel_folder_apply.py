# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the objects in a folder of files to panel_resources, and keeps the passwords of new ones in an encrypted file.

These passwords are made here and are in the file before the panel gets them. They and the secrets in the folder are in no result.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ..module_utils._http.connection import connection_argument_spec
from ..module_utils._kinds.registry import TABLES
from ..module_utils._task.mistakes import first_of
from ..plugin_utils._folder.reading import Folder, read_folder
from ..plugin_utils._folder.writing import FolderError
from ..plugin_utils._inputs.checked_arguments import checked_arguments
from ..plugin_utils._passwords.ahead import PasswordsAhead
from ..plugin_utils._passwords.file import CredentialsError, CredentialsFile
from ..plugin_utils._passwords.vault import credentials_file
from ..plugin_utils._run.inner_module import (
    given_connection,
    inner_module,
    of_own_plan,
)
from ..plugin_utils._run.panel_action import PanelAction
from ..plugin_utils._run.panel_host import panel_host
from ..plugin_utils._words.plan_lines import failure_lines, plan_lines

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
_NO_FILE = (
    "credentials_file: missing; there is no file to keep the passwords in that are made for the {} objects under generates. Name one, or give "
    "passwords in the files of the folder. Nothing was written."
)

_NOT_IN_FOLDER = (
    "purge: no file of {1} has a list of {0}, so everything of that would go. Check purge (panel_purge of the playbooks) and the folder; if all "
    "of it shall go, put {2}: [] into a file of the folder. Nothing was written."
)

_WITHOUT_OBJECTS = "These files of {} were passed over, and objects that somebody believes to be in them are not: {}."
_NO_PURGE = (
    "purge: {} What they should hold would be deleted. Name files of objects NAME.yml, write what shall be empty as in emails: [], and move "
    "everything else out of the folder. Nothing was written."
)
_MOST_NAMED = 10


class ActionModule(PanelAction):
    """The action behind hosting.panel.panel_folder_apply."""

    _supports_async = False

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        arguments = checked_arguments(self, ARGUMENT_SPEC)
        file = credentials_file(arguments["credentials_file"], self._loader)
        vault = getattr(self._loader, "_vault", VaultLib())
        try:
            folder = read_folder(Path(arguments["directory"]), vault, None if file is None else Path(file.path))
            if file is not None:
                file.check()
            result.update(self._applied(folder, file, arguments, task_vars))
        except FolderError as error:
            return _failed(result, f"directory: {error}")
        except CredentialsError as error:
            return _failed(result, f"credentials_file: {error} Nothing was written.")
        return result

    def _applied(
        self, folder: Folder, file: CredentialsFile | None, arguments: Mapping[str, Any], task_vars: Any
    ) -> dict[str, Any]:
        """What came of the folder. Raises CredentialsError before anything is written."""
        given = given_connection(self)
        given.update({name: arguments[name] for name in HANDED_ON if arguments[name] not in (None, "")})

        def run(resources: Mapping[str, Any], check_mode: bool, **options: Any) -> dict[str, Any]:
            inner = inner_module(self, "panel_resources", {**given, "resources": resources, **options}, check_mode)
            done: dict[str, Any] = inner.run(task_vars=task_vars)
            return done

        panel = panel_host(self._task.args, inner_module(self, "panel_ping", {})._task_environment())
        ahead = PasswordsAhead(dict(folder.resources), panel, lambda _kind, _index: file)
        if ahead.unnamed:
            return _failed({}, f"{folder.in_files(' '.join(ahead.unnamed))} Nothing was written.")
        passed_over = _passed_over(folder, arguments["directory"])
        if passed_over and given.get("purge"):
            return _failed({}, _NO_PURGE.format(passed_over))
        if unnamed := [
            kind for kind in given.get("purge", ()) if kind in TABLES and folder.resources.get(kind) is None
        ]:
            return _failed({}, _NOT_IN_FOLDER.format(" and ".join(unnamed), arguments["directory"], unnamed[0]))
        planned = run(ahead.resources(), check_mode=True)
        new = ahead.choose((planned.get("plan") or {}).get("actions") or ())
        warnings = [*ahead.warnings(), *filter(None, [passed_over])]
        if self._task.check_mode:
            ahead.check()
        if planned.get("failed") or self._task.check_mode or not planned["plan"]["actions"]:
            done = planned
        elif ahead.chosen_without_file():
            done = {**planned, "failed": True, "changed": False, "msg": _NO_FILE.format(len(new))}
        else:
            checksum = planned["plan"]["checksum"]
            done = ahead.hand_over(
                lambda resources: of_own_plan(run(resources, check_mode=False, expected_checksum=checksum))
            )
            if file is not None and new:
                done["credentials_file"] = file.path
        if warnings:
            done["warnings"] = [*(done.get("warnings") or ()), *warnings]
        _explain(done, folder, arguments["most_lines"], [f"{kind} {key}" for kind, key in new])
        return done


def _failed(result: dict[str, Any], message: str) -> dict[str, Any]:
    return {**result, "failed": True, "changed": False, "msg": message}


def _passed_over(folder: Folder, directory: str) -> str:
    """A sentence about files that gave no objects; empty where there are none."""
    shown = first_of(folder.without_objects, _MOST_NAMED)
    return _WITHOUT_OBJECTS.format(directory, shown) if shown else ""


def _explain(result: dict[str, Any], folder: Folder, most: int, generates: list[str]) -> None:
    """Puts what a person wants to read in the place of all actions, and says of mistakes in which file they are."""
    plan = result.pop("plan", None)
    results = result.pop("results", ())
    if plan is not None:
        result["summary"] = plan["summary"]
        result["changes"] = len(plan["actions"])
        result["checksum"] = plan["checksum"]
        result["lines"] = plan_lines(plan, most)
        result["failures"] = failure_lines(results, most)
        result["generates"] = generates
    if result.get("failed"):
        result["msg"] = folder.in_files(str(result.get("msg", "")))
        error = result.get("error")
        if isinstance(error, dict) and isinstance(error.get("mistakes"), list):
            error["mistakes"] = [folder.in_files(str(mistake)) for mistake in error["mistakes"]]

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the module of a kind with options from a dictionary, and keeps the password of a new object in an encrypted file.

The password is made here, and is in the file before the panel gets it and in no result that Ansible prints. So loops over many objects
need no no_log, which would hide names and errors too, and a run that is killed at any moment loses none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..module_utils._http.connection import connection_argument_spec
from ..module_utils._kinds.registry import KINDS
from ..plugin_utils._inputs.checked_arguments import checked_arguments
from ..plugin_utils._inputs.plain_values import plain
from ..plugin_utils._passwords.ahead import (
    PasswordsAhead,
    Results,
    is_certainly_not_written,
)
from ..plugin_utils._passwords.entries import Name
from ..plugin_utils._passwords.file import CredentialsError, CredentialsFile
from ..plugin_utils._passwords.vault import credentials_file
from ..plugin_utils._run.inner_module import given_connection, inner_module
from ..plugin_utils._run.panel_action import PanelAction
from ..plugin_utils._run.panel_host import panel_host

# Options of single modules that no item has: those of the connection, and what is done after the write.
_OF_TASK = (*connection_argument_spec(), "wait", "wait_timeout", "read_back")
ARGUMENT_SPEC: dict[str, Any] = {
    "kind": {"type": "str", "required": True, "choices": list(KINDS)},
    "options": {"type": "dict", "required": True},
    "credentials_file": {"type": "path"},
    **connection_argument_spec(),
}


class ActionModule(PanelAction):
    """The action behind hosting.panel.panel_object."""

    _supports_async = False

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        arguments = checked_arguments(self, ARGUMENT_SPEC)
        kind, options = arguments["kind"], plain(self._task.args["options"])
        file = credentials_file(arguments["credentials_file"], self._loader)
        if file is None or KINDS[kind].password is None:
            result.update(self._run(kind, options, task_vars))
            return result
        try:
            file.check()
            result.update(self._run_with_file(kind, options, file, task_vars))
        except CredentialsError as error:
            return {**result, "failed": True, "msg": f"credentials_file: {error} Nothing was written."}
        return result

    def _run(self, kind: str, options: Mapping[str, Any], task_vars: Any, **task: bool) -> dict[str, Any]:
        """The result of the module. task: check_mode or diff where they are others than those of the task."""
        module = inner_module(self, KINDS[kind].module, {**given_connection(self), **options}, **task)
        result: dict[str, Any] = module.run(task_vars=task_vars)
        return result

    def _run_with_file(
        self, kind: str, options: dict[str, Any], file: CredentialsFile, task_vars: Any
    ) -> dict[str, Any]:
        """The result of the module. Raises CredentialsError before anything is written."""
        alone = {name: value for name, value in options.items() if name not in _OF_TASK}
        given = {name: value for name, value in options.items() if name in _OF_TASK}
        panel = panel_host(
            {**given_connection(self), **given}, inner_module(self, "panel_ping", {})._task_environment()
        )
        ahead = PasswordsAhead({kind: [alone]}, panel, lambda _kind, _index: file)
        if ahead.mistakes:
            refused = self._run(kind, options, task_vars, check_mode=True)
            return (
                refused
                if refused.get("failed")
                else {"failed": True, "msg": f"{' '.join(ahead.mistakes)} Nothing was written."}
            )
        (name,) = ahead.names or (None,)
        if name is None:
            return self._run(kind, options, task_vars)

        filled = {**given, **ahead.resources()[kind][0]}
        planned = self._run(kind, filled, task_vars, check_mode=True, diff=True)
        if not ahead.choose(_actions(name, planned)):
            # What waits until the panel has applied the object has to run.
            if planned.get("failed") or self._task.check_mode or not (planned["changed"] or given.get("wait")):
                return self._shown(planned)
            # By its id, so that it is not created where somebody has deleted it meanwhile.
            there = planned[KINDS[kind].singular]
            return self._run(kind, KINDS[kind].by_id(options, there["id"]) if there else options, task_vars)
        warnings = list(ahead.warnings())
        if self._task.check_mode:
            ahead.check()
            return self._shown(planned, warnings)

        done = ahead.hand_over(
            lambda resources: self._run(kind, {**given, **resources[kind][0]}, task_vars, diff=True), _results
        )
        return {**self._shown(done, warnings), "credentials_file": file.path}

    def _shown(self, result: dict[str, Any], warnings: list[str] | None = None) -> dict[str, Any]:
        """A result without the diff that the task did not ask for, and with these warnings."""
        shown = {name: value for name, value in result.items() if name != "diff" or self._task.diff}
        if warnings:
            shown["warnings"] = [*(shown.get("warnings") or ()), *warnings]
        return shown


def _actions(name: Name, result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a result of a module says that it does, as a plan has it."""
    after = (result.get("diff") or {}).get("after") or {}
    return [{"kind": name[0], "key": name[1], "after": after}]


def _results(result: Mapping[str, Any], names: Collection[Name]) -> Results:
    """What became of the one object, by the result of its module."""
    (name,) = names
    is_sent = "password" in _actions(name, result)[0]["after"]
    # A module fails after its write where the wait does.
    is_written = result.get("changed") and (result.get("failed") or is_sent)
    is_not_written = is_certainly_not_written(result.get("error")) if result.get("failed") else not is_sent
    return Results(frozenset([name] * bool(is_written)), frozenset([name] * bool(is_not_written and not is_written)))

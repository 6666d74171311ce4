# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives everything of many customers to panel_resources, and keeps the passwords of each in a file of its own.

A new object gets its password here and not from the panel, so that it can be in the file before the panel has it: a run that is killed
at any moment loses none. Passwords are in no result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..module_utils._http.connection import connection_argument_spec
from ..module_utils._task.mistakes import Mistake, each_once, first_of, told
from ..plugin_utils._inputs.checked_arguments import checked_arguments
from ..plugin_utils._inputs.plain_values import plain
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
from ..plugin_utils._sites.customers import Customers, read_sites
from ..plugin_utils._sites.item_places import in_places
from ..plugin_utils._words.plan_lines import failure_lines, plan_lines

# Options of panel_resources that are handed on as they are.
HANDED_ON: dict[str, Any] = {"max_deletes": {"type": "int"}, "concurrency": {"type": "int"}}
ARGUMENT_SPEC: dict[str, Any] = {
    "sites": {"type": "list", "elements": "dict", "required": True},
    "credentials_dir": {"type": "path"},
    "most_lines": {"type": "int", "default": 200},
    **HANDED_ON,
    **connection_argument_spec(),
}
_MOST_NAMED = 10
# The members of a result that say what became of the task, and nothing of single objects.
_OF_TASK = ("failed", "changed", "msg", "error", "warnings", "diff", "exception", "invocation")


class ActionModule(PanelAction):
    """The action behind hosting.panel.panel_sites."""

    _supports_async = False

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        arguments = checked_arguments(self, ARGUMENT_SPEC)
        customers = read_sites(plain(arguments["sites"]), arguments["credentials_dir"])
        files = {
            path: file
            for path in customers.files
            if path and (file := credentials_file(path, self._loader)) is not None
        }
        mistakes = [*customers.mistakes, *(mistake for file in files.values() for mistake in _in_place(file))]
        if mistakes:
            return {**result, **_mistaken(mistakes)}
        try:
            return {**result, **self._brought(customers, files, arguments, task_vars)}
        except CredentialsError as error:
            return {**result, **_failure(f"credentials_file: {error} Nothing was written to the panel.")}

    def _brought(
        self, customers: Customers, files: Mapping[str, CredentialsFile], arguments: Mapping[str, Any], task_vars: Any
    ) -> dict[str, Any]:
        """What came of the customers. Raises CredentialsError before anything is written."""

        def file_of(kind: str, index: int) -> CredentialsFile | None:
            path = customers.files[customers.owners[kind][index]]
            return files[path] if path else None

        panel = panel_host(self._task.args, inner_module(self, "panel_ping", {})._task_environment())
        ahead = PasswordsAhead(customers.resources, panel, file_of)
        handed_on = {name: arguments[name] for name in HANDED_ON if arguments[name] not in (None, "")}
        given = {**given_connection(self), **handed_on}

        def run(resources: dict[str, Any], check_mode: bool, **options: Any) -> dict[str, Any]:
            inner = inner_module(self, "panel_resources", {**given, "resources": resources, **options}, check_mode)
            done: dict[str, Any] = inner.run(task_vars=task_vars)
            return done

        planned = run(ahead.resources(), check_mode=True)
        if planned.get("failed") or not planned["plan"]["actions"]:
            return _explained(planned, customers, arguments["most_lines"])
        ahead.choose(planned["plan"]["actions"])
        if self._task.check_mode:
            ahead.check()
        warnings = list(ahead.warnings())

        def write(resources: dict[str, Any]) -> dict[str, Any]:
            return of_own_plan(run(resources, check_mode=False, expected_checksum=planned["plan"]["checksum"]))

        done = planned if self._task.check_mode else ahead.hand_over(write)
        if warnings:
            done["warnings"] = [*(done.get("warnings") or ()), *warnings]
        return _explained(done, customers, arguments["most_lines"])


def _failure(message: str) -> dict[str, Any]:
    return {"failed": True, "changed": False, "msg": message}


def _mistaken(mistakes: list[str]) -> dict[str, Any]:
    return {**_failure(told(mistakes, "mistakes")), "mistakes": each_once(mistakes)}


def _in_place(file: CredentialsFile) -> list[str]:
    try:
        file.check_place()
    except CredentialsError as error:
        # By its place and its cause, since the files of all customers may have the same.
        cause = str(error).removeprefix(f"{file.path}: ")
        return [Mistake(f"credentials_file: {file.path}", cause, ": ", most_alike=1)]
    return []


def _explained(inner: Mapping[str, Any], customers: Customers, most: int) -> dict[str, Any]:
    """What a person wants to read of a result of panel_resources: what became of each customer, and no secret."""
    shown = {name: inner[name] for name in _OF_TASK if name in inner and name != "invocation"}
    plan, results = inner.get("plan"), inner.get("results") or ()
    if plan is not None:
        shown["summary"] = plan["summary"]
        shown["changes"] = len(plan["actions"])
        shown["lines"] = plan_lines(plan, most)
    named = [{**entry, "owner": customers.owner_of(entry["kind"], entry["key"])} for entry in results]
    shown["failures"] = failure_lines([_with_customer(entry, customers) for entry in named], most)
    shown["customers"] = _by_customer(named, customers) if plan is not None else []
    if inner.get("failed"):
        message = in_places(str(inner.get("msg", "")), customers.places)
        wrong = [one["client"] for one in shown["customers"] if one["failed"] or one["skipped"]]
        prefix = f"Not complete: {first_of(wrong, _MOST_NAMED)}. " if wrong else ""
        shown["msg"] = prefix + message
        shown["failed"] = True
        # Ansible prints all of a result that failed.
        shown.pop("lines", None)
        shown["customers"] = [one for one in shown["customers"] if one["failed"] or one["skipped"]]
    return shown


def _with_customer(entry: Mapping[str, Any], customers: Customers) -> dict[str, Any]:
    owner = entry["owner"]
    return {**entry, "kind": entry["kind"] if owner is None else f"{customers.usernames[owner]}: {entry['kind']}"}


def _by_customer(results: list[dict[str, Any]], customers: Customers) -> list[dict[str, Any]]:
    """For each customer how many of its objects were changed, failed and were skipped."""
    counts = [{"changed": 0, "failed": 0, "skipped": 0} for _username in customers.usernames]
    for entry in results:
        if entry["owner"] is not None and entry["result"] in counts[entry["owner"]]:
            counts[entry["owner"]][entry["result"]] += 1
    return [
        {"client": username, **counted, "credentials_file": path or ""}
        for username, counted, path in zip(customers.usernames, counts, customers.files)
    ]

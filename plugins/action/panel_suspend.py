# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Suspends or releases a list of clients, which may come from a file of comma-separated values."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from ..module_utils._http.connection import connection_argument_spec
from ..module_utils._task.mistakes import each_once, first_of, told
from ..plugin_utils._inputs.checked_arguments import checked_arguments
from ..plugin_utils._inputs.exceptions import refusal, without_effect
from ..plugin_utils._inputs.ids import WithoutId
from ..plugin_utils._inputs.plain_values import plain
from ..plugin_utils._run.inner_module import given_connection, inner_module
from ..plugin_utils._run.panel_action import PanelAction
from ..plugin_utils._suspension.clients import (
    Columns,
    Entry,
    ListError,
    as_date,
    earliest,
    entries_of,
    read_csv,
)
from ..plugin_utils._suspension.effects import (
    CHANGES,
    FAILED,
    MISSING,
    RELEASED,
    SUSPENDED,
    Row,
    decide,
    left,
    settled,
    shown,
    table,
)

ARGUMENT_SPEC: dict[str, Any] = {
    "clients": {"type": "list", "elements": "raw"},
    "csv_file": {"type": "path"},
    "csv_username": {"type": "str", "default": "username"},
    "csv_due": {"type": "str"},
    "csv_reason": {"type": "str"},
    "state": {"type": "str", "choices": [SUSPENDED, RELEASED], "default": SUSPENDED},
    "grace_days": {"type": "int", "default": 0},
    "except": {"type": "list", "elements": "str", "default": []},
    "max": {"type": "int"},
    "today": {"type": "str"},
    "despite_missing": {"type": "bool", "default": False},
    **connection_argument_spec(),
}
_MOST_NAMED = 30
_OF_TASK = ("failed", "changed", "msg", "error", "warnings", "diff", "exception")


class ActionModule(PanelAction):
    """The action behind hosting.panel.panel_suspend."""

    _supports_async = False

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        checked = checked_arguments(self, ARGUMENT_SPEC)
        arguments = plain({name: checked[name] for name in ARGUMENT_SPEC if name in checked})
        entries, today, mistakes = _read(arguments)
        if mistakes:
            return {
                **result,
                **_failed(told(mistakes, "mistakes")),
                "mistakes": each_once(mistakes),
            }
        connection = given_connection(self)
        found = inner_module(self, "panel_client_info", connection).run(task_vars=task_vars)
        if found.get("failed"):
            return {**result, **{name: found[name] for name in _OF_TASK if name in found}}
        clients = {str(client.get("username")): client for client in found["clients"]}
        state, exceptions = arguments["state"], arguments["except"]
        pointless = without_effect(exceptions, [*clients, *(entry.username for entry in entries)])
        if pointless:
            return {**result, **_failed(refusal(pointless, clients))}
        try:
            rows = decide(entries, clients, state, arguments["grace_days"], exceptions, today)
        except WithoutId as error:
            return {**result, **_failed(str(error))}
        missing = [row.entry for row in rows if row.outcome == MISSING]
        if missing and not arguments["despite_missing"]:
            return {**result, **_shown(left(rows), state), **_failed(_missing(missing, are_others_done=False))}
        items = [{"id": row.id, "is_suspended": state == SUSPENDED} for row in rows if row.outcome == CHANGES]
        given = {**connection, "resources": {"clients": items}}
        limit = arguments["max"]
        if limit is not None:
            planned = inner_module(self, "panel_resources", given, check_mode=True).run(task_vars=task_vars)
            count = 0 if planned.get("failed") else len(planned["plan"]["actions"])
            if count > limit:
                message = f"max: {count} clients would be {state}, and the limit is {limit}. Nothing was written."
                return {**result, **_shown(left(_after(rows, planned)), state), **_failed(message)}
        done = inner_module(self, "panel_resources", given).run(task_vars=task_vars)
        result.update({name: done[name] for name in _OF_TASK if name in done})
        result.update(_shown(_after(rows, done), state, is_planned=self._task.check_mode))
        if missing:
            other = f" {result['msg']}" if result.get("failed") else ""
            result["msg"] = _missing(missing, are_others_done=not result.get("failed")) + other
            result["failed"] = True
        return result


def _read(arguments: Mapping[str, Any]) -> tuple[list[Entry], datetime.date, list[str]]:
    """The clients of the list, each once, the day that counts as today, and every mistake."""
    entries: list[Entry] = []
    mistakes: list[str] = []
    today = datetime.date.today()
    if arguments["clients"] is None and not arguments["csv_file"]:
        mistakes.append("clients, csv_file: name one of them (suspend_clients, suspend_csv_file in the role suspend).")
    if arguments["grace_days"] < 0:
        mistakes.append(f"grace_days: {arguments['grace_days']} is not accepted; it must be a whole number from 0.")
    if arguments["max"] is not None and arguments["max"] < 0:
        mistakes.append(f"max: {arguments['max']} is not accepted; it must be a whole number from 0.")
    try:
        today = as_date(arguments["today"]) or today
    except ValueError:
        mistakes.append(f"today: {arguments['today']!r} is not accepted; it must be a date, YYYY-MM-DD or DD.MM.YYYY.")
    try:
        entries += entries_of(arguments["clients"] or [])
    except ListError as error:
        mistakes += error.mistakes
    if arguments["csv_file"]:
        # Days of grace without a date to count them from would suspend everybody at once.
        has_grace = arguments["state"] == SUSPENDED and arguments["grace_days"] > 0
        due = arguments["csv_due"] or ("due" if has_grace else None)
        columns = Columns(arguments["csv_username"], due, arguments["csv_reason"])
        try:
            entries += read_csv(arguments["csv_file"], columns)
        except ListError as error:
            mistakes += error.mistakes
    return earliest(entries), today, mistakes


def _after(rows: Sequence[Row], done: Mapping[str, Any]) -> list[Row]:
    """The rows with what a result of panel_resources says of them; where it could not even plan, nothing was written."""
    if "plan" not in done:
        return left(rows)
    failed = {
        entry["key"]: str(entry.get("msg", ""))
        for entry in done.get("results", ())
        if entry["result"] in (FAILED, "skipped")
    }
    return settled(rows, (action["key"] for action in done["plan"]["actions"]), failed)


def _shown(rows: Sequence[Row], state: str, is_planned: bool = False) -> dict[str, Any]:
    return {"rows": [shown(row, state) for row in rows], "lines": table(rows, state, is_planned)}


def _missing(entries: Sequence[Entry], are_others_done: bool) -> str:
    named = first_of([f"{entry.username} ({entry.place})" for entry in entries], _MOST_NAMED)
    rest = (
        "The other clients of the list were done."
        if are_others_done
        else "Nothing was written. Correct the names, or set despite_missing (suspend_despite_missing in the role suspend) to have the others "
        "done all the same."
    )
    return f"Not on this panel: {named}. {rest}"


def _failed(message: str) -> dict[str, Any]:
    return {"failed": True, "changed": False, "msg": message}

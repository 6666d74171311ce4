# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Suspends or releases the clients of a list. Private to the collection."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from ...module_utils._task.mistakes import first_of
from .._jobs.job import Job
from .._jobs.job_failed import JobFailed, mistaken
from .._jobs.mistyped_names import refusal, without_effect
from .._jobs.run_modules import of_task, read_objects
from .client_list import Columns, Entry, ListError, as_date, earliest, entries_of, read_csv
from .outcomes import CHANGES, FAILED, MISSING, SUSPENDED, Row, decide, left, settled, shown, table

_MOST_NAMED = 30


def suspend_or_release(job: Job) -> dict[str, Any]:
    """Brings the clients of the list into the wanted state; the result of the task. Raises JobFailed and WithoutId."""
    arguments = job.arguments
    entries, today, mistakes = _read(arguments)
    if mistakes:
        raise mistaken(mistakes)
    clients = {str(client.get("username")): client for client in read_objects(job.panel, "clients")}
    state, exceptions = arguments["state"], arguments["except"]
    pointless = without_effect(exceptions, [*clients, *(entry.username for entry in entries)])
    if pointless:
        raise JobFailed(refusal(pointless, clients))
    rows = decide(entries, clients, state, arguments["grace_days"], exceptions, today)
    missing = [row.entry for row in rows if row.outcome == MISSING]
    if missing and not arguments["despite_missing"]:
        raise JobFailed(_missing(missing, are_others_done=False), **_shown(left(rows), state))
    items = [{"id": row.id, "is_suspended": state == SUSPENDED} for row in rows if row.outcome == CHANGES]
    given = {"resources": {"clients": items}}
    limit = arguments["max"]
    if limit is not None:
        planned = job.panel.run("panel_resources", given, check_mode=True)
        count = 0 if planned.get("failed") else len(planned["plan"]["actions"])
        if count > limit:
            message = f"max: {count} clients would be {state}, and the limit is {limit}. Nothing was written."
            raise JobFailed(message, **_shown(left(_after(rows, planned)), state))
    done = job.panel.run("panel_resources", given)
    result = {**of_task(done), **_shown(_after(rows, done), state, is_planned=job.check_mode)}
    if missing:
        other = f" {result['msg']}" if result.get("failed") else ""
        raise JobFailed(_missing(missing, are_others_done=not result.get("failed")) + other, **result)
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

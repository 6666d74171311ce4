# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of clients that are to be suspended or released, and how it is shown. Pure. Private to the collection."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._jobs.job_failed import id_of
from .._jobs.mistyped_names import fits
from .._jobs.plan_words import cut
from .client_list import Entry

SUSPENDED, RELEASED = "suspended", "released"
# What became of a client.
CHANGES, UNCHANGED, EXCEPTED, WAITS, MISSING, FAILED = "changes", "unchanged", "excepted", "waits", "missing", "failed"
LEFT = "left"
_LONGEST = 60


@dataclass(frozen=True)
class Row:
    """A client of the list. until: the day on which it would be suspended, of one that waits. id: of one that changes. why: of one that failed."""

    entry: Entry
    outcome: str
    id: int | None = None
    until: datetime.date | None = None
    why: str = ""


def decide(
    entries: Iterable[Entry],
    clients: Mapping[str, Mapping[str, Any]],
    state: str,
    grace_days: int,
    exceptions: Sequence[str],
    today: datetime.date,
) -> list[Row]:
    """A row for each entry. Whether those that change are right already, the panel says later.

    clients: those on the panel, by username. Raises WithoutId for one that is to change.
    """
    rows = []
    for entry in entries:
        client = clients.get(entry.username)
        until = _end_of_grace(entry.due, grace_days) if entry.due else None
        if fits(exceptions, entry.username):
            rows.append(Row(entry, EXCEPTED))
        elif client is None:
            rows.append(Row(entry, MISSING))
        elif state == SUSPENDED and until is not None and until > today:
            rows.append(Row(entry, WAITS, until=until))
        else:
            rows.append(Row(entry, CHANGES, id_of(client, f"clients {entry.username}")))
    return rows


def _end_of_grace(due: datetime.date, days: int) -> datetime.date:
    try:
        return due + datetime.timedelta(days=days)
    except OverflowError:
        return datetime.date.max  # lists say never with 31.12.9999


def left(rows: Iterable[Row]) -> list[Row]:
    """The rows where nothing was written, though something should have been."""
    return [replace(row, outcome=LEFT) if row.outcome == CHANGES else row for row in rows]


def settled(rows: Iterable[Row], changed: Iterable[str], failed: Mapping[str, str]) -> list[Row]:
    """The rows after the run. changed: the usernames whose client was not as wanted; failed: what went wrong with which of them."""
    to_change = set(changed)
    result = []
    for row in rows:
        name = row.entry.username
        if row.outcome != CHANGES:
            result.append(row)
        elif name in failed:
            result.append(replace(row, outcome=FAILED, why=failed[name]))
        else:
            result.append(row if name in to_change else replace(row, outcome=UNCHANGED))
    return result


def shown(row: Row, state: str) -> dict[str, Any]:
    """A row of the result."""
    outcome = {CHANGES: state}.get(row.outcome, row.outcome)
    members = {
        "username": row.entry.username,
        "outcome": outcome,
        "due": _day(row.entry.due),
        "reason": row.entry.reason,
    }
    if row.until is not None:
        members["until"] = _day(row.until)
    if row.why:
        members["msg"] = row.why
    return members


def table(rows: Sequence[Row], state: str, is_planned: bool) -> list[str]:
    """The rows for a person, in columns. is_planned: nothing was written."""
    if not rows:
        return ["No client is in the list."]
    cells = [
        ("client", "due", "outcome", "reason"),
        *((row.entry.username, _day(row.entry.due), _words(row, state, is_planned), row.entry.reason) for row in rows),
    ]
    short = [[cut(_printable(cell), _LONGEST) for cell in line] for line in cells]
    widths = [max(len(line[column]) for line in short) for column in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[3]]).rstrip() for line in short]


def _words(row: Row, state: str, is_planned: bool) -> str:
    if row.outcome == CHANGES:
        return f"to be {state}" if is_planned else state
    if row.outcome == UNCHANGED:
        return "suspended already" if state == SUSPENDED else "not suspended"
    if row.outcome == WAITS:
        return f"waits until {_day(row.until)}"
    return {EXCEPTED: "excepted", LEFT: "left as it was", MISSING: "not on this panel", FAILED: f"failed: {row.why}"}[
        row.outcome
    ]


def _day(day: datetime.date | None) -> str:
    return day.isoformat() if day else ""


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the rows, changes, mistakes and lines of a list of clients to suspend. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils._bulk.name_patterns import NamePatterns
from ...module_utils._secrets.redaction import escape_control_characters
from .decisions import CHANGE, Decision, Rules, decide
from .list_mistakes import (
    find_mistakes_in_exceptions,
    find_mistakes_in_grace_days,
    find_mistakes_in_limit,
    find_mistakes_in_list,
)

# Characters of a cell of the table.
_LONGEST = 60
_LONGEST_FAILURE = 600
_FIELDS = ("username", "due", "reason")


class Settings(NamedTuple):
    """What an operator says about a list.

    Attributes:
        today: YYYY-MM-DD.
        state: What the clients of the list should be, ``suspended`` or ``released``.
        grace_days: Days after the due date.
        excepted: Names and patterns of clients that stay as they are.
        limit: How many clients may change at most; None for any number.
    """

    today: str
    state: str = "suspended"
    grace_days: int = 0
    excepted: Sequence[str] = ()
    limit: Any = None


def make_rows(
    entries: Sequence[Mapping[str, Any]],
    clients: Iterable[Mapping[str, Any]],
    settings: Settings,
    done: Mapping[str, Any],
) -> dict[str, Any]:
    """Decide about each client of a list, and return rows, changes, mistakes and lines.

    Args:
        entries: The list.
        clients: Those of the panel.
        settings: What the operator says about the list.
        done: The result of panel_resources, after the change; empty before it.
    """
    try:
        date = datetime.date.fromisoformat(settings.today).isoformat()
    except ValueError:
        advice = "Use YYYY-MM-DD, or leave the variable out."
        mistake = f"suspend_today: {settings.today!r} is no date. {advice}"
        return {"rows": [], "changes": [], "mistakes": [mistake], "lines": []}

    exceptions = NamePatterns(settings.excepted)
    rules = Rules(settings.state == "suspended", date, settings.grace_days, exceptions)
    by_name = {str(client.get("username")): client for client in clients}
    decisions = [decide(entry, by_name.get(entry["username"]), rules) for entry in entries]
    rows = [_make_row(decision, settings.state, done) for decision in decisions]

    names = [*by_name, *(row["username"] for row in rows)]
    changes = [
        {"id": by_name[decision.username].get("id"), "is_suspended": rules.suspends}
        for decision in decisions
        if decision.outcome == CHANGE
    ]
    mistakes = [
        *find_mistakes_in_list(decisions, by_name),
        *find_mistakes_in_exceptions(settings.excepted, names, by_name),
        *find_mistakes_in_grace_days(settings.grace_days),
        *find_mistakes_in_limit(settings.limit, len(changes), settings.state),
    ]
    return {
        "rows": rows,
        "changes": changes,
        "mistakes": [escape_control_characters(mistake) for mistake in mistakes],
        "lines": format_table(rows),
    }


def _make_row(decision: Decision, state: str, done: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a client.

    Args:
        decision: What was decided about it.
        state: What the clients of the list should be.
        done: The result of panel_resources; empty before the change.
    """
    row = {field: decision.entry[field] for field in _FIELDS}
    if decision.outcome == CHANGE:
        row.update(_read_outcome_of_change(decision.username, state, done))
        return row

    row["outcome"] = decision.outcome
    if decision.outcome == "waits":
        row["until"] = decision.until
    return row


def _read_outcome_of_change(name: str, state: str, done: Mapping[str, Any]) -> dict[str, str]:
    """Return what a run of panel_resources reports about a client that was to change."""
    if "results" not in done:  # the run ended before it wrote anything
        return {"outcome": "left"}
    for result in done["results"]:
        if result.get("key") == name and result.get("result") in ("failed", "skipped"):
            return {"outcome": "failed", "msg": str(result.get("msg", ""))}
    is_changed = any(action.get("key") == name for action in done["plan"]["actions"])
    return {"outcome": state if is_changed else "unchanged"}


# The table for people.


def format_table(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a table with a head and a line for each client."""
    table = [["client", "due", "outcome", "reason"], *map(_format_cells, rows)]
    *aligned_columns, _last_column = zip(*table)
    widths = [max(map(len, column)) for column in aligned_columns]
    lines = []
    for *cells, last_cell in table:
        padded = [cell.ljust(width) for cell, width in zip(cells, widths)]
        lines.append("  ".join([*padded, last_cell]).rstrip())
    return lines


def _format_cells(row: Mapping[str, Any]) -> list[str]:
    outcome = row["outcome"]
    if "until" in row:
        outcome = f"waits until {row['until']}"
    # Why something failed is needed as a whole, and is the last in its line.
    reason = row.get("msg") or row["reason"][:_LONGEST]
    cells = (row["username"][:_LONGEST], row["due"], outcome, reason[:_LONGEST_FAILURE])
    return [escape_control_characters(cell) for cell in cells]

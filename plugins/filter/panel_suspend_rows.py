# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_suspend_rows
short_description: Decide which clients of a list are suspended or released, and what became of them
version_added: 1.0.0
description:
  - Compares a list of clients with those on a panel, and returns a row for each, what M(hosting.panel.panel_resources) has to do, and mistakes.
  - The filter changes nothing. The role P(hosting.panel.suspend#role) gives it the list, and afterwards the result.
author:
  - the hosting.panel contributors (!UNKNOWN)
positional: _input, clients
options:
  _input:
    description: The list, as P(hosting.panel.panel_suspend_list#lookup) returns it.
    type: list
    elements: dict
    required: true
  clients:
    description: The clients on the panel, as M(hosting.panel.panel_client_info) returns them.
    type: list
    elements: dict
    required: true
  today:
    description: The day that counts as today, V(YYYY-MM-DD).
    type: str
    required: true
  state:
    description: V(released) takes back a suspension. Due dates mean nothing then.
    type: str
    choices: [suspended, released]
    default: suspended
  grace_days:
    description: A client is suspended so many days after its due date, and not before.
    type: int
    default: 0
  excepted:
    description: Usernames that stay as they are, or shell patterns for them. One that fits no client of the panel and of the list is a mistake.
    type: list
    elements: str
    default: []
  done:
    description: The result of M(hosting.panel.panel_resources) with the items. Without it, clients that would change have the outcome V(left).
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Read the clients
  hosting.panel.panel_client_info:
  register: panel

- name: Suspend who has not paid for two weeks
  hosting.panel.panel_resources:
    resources:
      clients: "{{ (unpaid | hosting.panel.panel_suspend_rows(panel.clients, today='2026-11-21', grace_days=14)).changes }}"
  vars:
    unpaid: "{{ query('hosting.panel.panel_suspend_list', clients=[{'username': 'acme', 'due': '2026-11-01'}]) }}"
"""

RETURN = r"""
_value:
  description:
    - C(rows) has for each client C(username), C(outcome), C(due), C(reason), C(until) of one that waits, and C(msg) of one that failed. C(outcome)
      is V(suspended) or V(released), V(unchanged), V(excepted), V(waits), V(missing), V(failed) or V(left).
    - C(changes) has the clients that are to be as wanted, by id, for M(hosting.panel.panel_resources).
    - C(mistakes) has a sentence for clients that are not on the panel, and for each exception that fits nothing.
    - C(lines) is the table for people.
  type: dict
"""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Callable

from ..module_utils._bulk.deletion_guards import is_name_or_pattern
from ..module_utils._task.mistakes import first_of

_LONGEST = 60


def panel_suspend_rows(
    entries: Sequence[Mapping[str, Any]],
    clients: Iterable[Mapping[str, Any]],
    today: str,
    state: str = "suspended",
    grace_days: int = 0,
    excepted: Sequence[str] = (),
    done: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Rows, changes, mistakes and lines."""
    by_name = {str(client.get("username")): client for client in clients}
    rows = [_row(entry, by_name, today, state, int(grace_days), excepted) for entry in entries]
    names = [*by_name, *(entry["username"] for entry in entries)]
    due = [row["username"] for row in rows if row["outcome"] == state]
    changes = [{"id": by_name[name].get("id"), "is_suspended": state == "suspended"} for name in due]
    mistakes = [
        f"suspend_except: {name} fits no client of the panel and of the list{_hint(name, by_name)}"
        for name in excepted
        if not any(is_name_or_pattern(name, one) for one in names)
    ]
    missing = [f"{one['username']} ({one['place']})" for one, row in zip(entries, rows) if row["outcome"] == "missing"]
    if missing:
        mistakes.insert(0, f"Not on this panel: {first_of(missing, 30)}.")
    rows = [{**row, **_settled(row, state, done or {})} for row in rows]
    return {"rows": rows, "changes": changes, "mistakes": mistakes, "lines": _lines(rows)}


def _row(
    entry: Mapping[str, Any],
    clients: Mapping[str, Any],
    today: str,
    state: str,
    grace_days: int,
    excepted: Sequence[str],
) -> dict[str, Any]:
    row = {"username": entry["username"], "outcome": state, "due": entry["due"], "reason": entry["reason"]}
    if any(is_name_or_pattern(pattern, entry["username"]) for pattern in excepted):
        row["outcome"] = "excepted"
    elif entry["username"] not in clients:
        row["outcome"] = "missing"
    elif state == "suspended" and entry["due"]:
        until = _later(entry["due"], grace_days)
        if until > today:
            row.update(outcome="waits", until=until)
    return row


def _later(day: str, days: int) -> str:
    try:
        return (datetime.date.fromisoformat(day) + datetime.timedelta(days=days)).isoformat()
    except OverflowError:
        return datetime.date.max.isoformat()  # lists say never with 31.12.9999


def _settled(row: Mapping[str, Any], state: str, done: Mapping[str, Any]) -> dict[str, str]:
    """What a run of panel_resources says of a client that was to change."""
    if row["outcome"] != state:
        return {}
    if "plan" not in done:
        return {"outcome": "left"}
    result: Mapping[str, Any] = next(
        (one for one in done.get("results") or () if one.get("key") == row["username"]), {}
    )
    if result.get("result") in ("failed", "skipped"):
        return {"outcome": "failed", "msg": str(result.get("msg", ""))}
    changed = any(action.get("key") == row["username"] for action in done["plan"]["actions"])
    return {} if changed else {"outcome": "unchanged"}


def _hint(name: str, known: Iterable[str]) -> str:
    meant = get_close_matches(name, known, n=1, cutoff=0.45)
    return f"; did you mean {meant[0]}?" if meant else "."


def _lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    cells = [("client", "due", "outcome", "reason"), *(_cells(row) for row in rows)]
    short = [["".join(one if one.isprintable() else "?" for one in cell)[:_LONGEST] for cell in line] for line in cells]
    widths = [max(len(line[column]) for line in short) for column in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[3]]).rstrip() for line in short]


def _cells(row: Mapping[str, Any]) -> tuple[str, str, str, str]:
    words = f"waits until {row['until']}" if "until" in row else row["outcome"]
    return row["username"], row["due"], words, row.get("msg") or row["reason"]


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"panel_suspend_rows": panel_suspend_rows}

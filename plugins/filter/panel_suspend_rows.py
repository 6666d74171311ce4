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
  - The role P(hosting.panel.suspend#role) uses it before and after the change.
author:
  - the hosting.panel contributors (!UNKNOWN)
positional: _input, clients
options:
  _input: {description: "The list, as P(hosting.panel.panel_suspend_list#lookup) returns it.", type: list, elements: dict, required: true}
  clients: {description: "The clients on the panel, as M(hosting.panel.panel_client_info) returns them.", type: list, elements: dict, required: true}
  today: {description: "The day that counts as today, V(YYYY-MM-DD).", type: str, required: true}
  state: {description: "V(released) ends a suspension and ignores the dates.", type: str, choices: [suspended, released], default: suspended}
  grace_days:
    description:
      - Suspend a client this many days after its due date. An empty due date is then a mistake.
      - The grace period does not apply to a client whose entry has C(at_once).
    type: int
    default: 0
  excepted: {description: "Usernames, or shell patterns, of clients that stay as they are.", type: list, elements: str, default: []}
  limit: {description: "How many clients may change, a whole number. More are a mistake. Without it there is no limit.", type: raw}
  done:
    description: The result of M(hosting.panel.panel_resources) with the items. Without it, clients that would change have the outcome V(left).
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Read the clients
  hosting.panel.panel_client_info:
  register: panel

- name: Suspend clients two weeks after their due date
  hosting.panel.panel_resources:
    resources:
      clients: "{{ (unpaid | hosting.panel.panel_suspend_rows(panel.clients, today='2026-11-21', grace_days=14)).changes }}"
  vars:
    unpaid: "{{ query('hosting.panel.panel_suspend_list', clients=[{'username': 'acme', 'due': '2026-11-01'}]) }}"
"""

RETURN = r"""
_value:
  description:
    - C(rows) has for each client C(username), C(due), C(reason), C(outcome), C(until) of one that waits, and C(msg) of one that failed.
    - C(outcome) is V(suspended), V(released), V(unchanged), V(excepted), V(waits), V(missing), V(failed) or V(left).
    - C(changes) has the clients to change, by id.
    - C(mistakes) has a sentence for clients and exceptions that the panel does not have, and for too many changes. It also has one for
      empty due dates within a grace period.
    - C(lines) is the table for people.
  type: dict
"""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from ..plugin_utils._ansible.untrusted import handing_on

_LONGEST = 60
_LONGEST_FAILURE = 600


def panel_suspend_rows(
    entries: Sequence[Mapping[str, Any]],
    clients: Iterable[Mapping[str, Any]],
    today: str,
    state: str = "suspended",
    grace_days: int = 0,
    excepted: Sequence[str] = (),
    limit: Any = None,
    done: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Rows, changes, mistakes and lines."""
    from ..module_utils._bulk.deletions import NamePatterns
    from ..module_utils._problems import abbreviate

    has_grace = state == "suspended" and int(grace_days) > 0
    undated = []
    by_name = {str(client.get("username")): client for client in clients}
    rows, changes, missing = [], [], []
    try:
        today = datetime.date.fromisoformat(today).isoformat()
    except ValueError:
        wrong = f"suspend_today: {today!r} is no date. Use YYYY-MM-DD, or leave the variable out."
        return {"rows": [], "changes": [], "mistakes": [wrong], "lines": []}
    exceptions = NamePatterns(excepted)
    for entry in entries:
        name, row = entry["username"], {key: entry[key] for key in ("username", "due", "reason")}
        until = _later(entry["due"], int(grace_days)) if state == "suspended" and entry["due"] else ""
        if exceptions.fits(name):
            row["outcome"] = "excepted"
        elif name not in by_name:
            row["outcome"] = "missing"
            missing.append(f"{name} ({entry['place']})")
        elif has_grace and not entry["due"] and not entry.get("at_once"):
            row["outcome"] = "left"
            undated.append(f"{name} ({entry['place']})")
        elif until > today:
            row.update(outcome="waits", until=until)
        elif by_name[name].get("is_suspended") is (state == "suspended"):
            row["outcome"] = "unchanged"
        else:
            changes.append({"id": by_name[name].get("id"), "is_suspended": state == "suspended"})
            row.update(_settled(name, state, done or {}))
        rows.append(row)
    mistakes = [f"Not on this panel: {abbreviate(missing, 30)}."] if missing else []
    if undated:
        words = "With suspend_grace_days, give each client a due date. It is empty for"
        mistakes.append(f"{words} {abbreviate(undated, 30)}.")
    names = [*by_name, *(row["username"] for row in rows)]
    mistakes += _mistakes_in_exceptions(excepted, names, by_name)
    if int(grace_days) < 0:
        mistakes.append(f"suspend_grace_days: {grace_days} is invalid. Use a whole number, 0 or more.")
    mistakes += _mistakes_in_limit(limit, len(changes), state)
    return {"rows": rows, "changes": changes, "mistakes": mistakes, "lines": _lines(rows)}


def _mistakes_in_exceptions(excepted: Iterable[Any], names: Sequence[str], on_panel: Iterable[str]) -> Iterable[str]:
    from ..module_utils._bulk.deletions import NamePatterns
    from ..module_utils._values.value_types import problem_of_text

    excepted = list(excepted)
    unmatched = NamePatterns(excepted).unmatched(names)
    for pattern in excepted:
        if isinstance(pattern, (int, float, datetime.date)):
            yield f"suspend_except: {problem_of_text(pattern)}"
        elif pattern in unmatched:
            near = get_close_matches(str(pattern or ""), on_panel, n=1, cutoff=0.45)
            hint = f"; did you mean {near[0]}?" if near else "."
            yield f"suspend_except: {pattern or '(empty)'} fits no client of the panel and of the list{hint}"


def _mistakes_in_limit(limit: Any, count: int, state: str) -> list[str]:
    if limit is None:
        return []
    if isinstance(limit, bool) or not str(limit).isdecimal():
        return [f"suspend_max: {limit!r} is invalid. Use a whole number, 0 or more, or leave the variable out."]
    if count <= int(limit):
        return []
    return [f"suspend_max: {count} clients would be {state}, and the limit is {limit}."]


def _later(day: str, days: int) -> str:
    try:
        return (datetime.date.fromisoformat(day) + datetime.timedelta(days=days)).isoformat()
    except OverflowError:
        return datetime.date.max.isoformat()  # lists say never with 31.12.9999


def _settled(name: str, state: str, done: Mapping[str, Any]) -> dict[str, str]:
    """What a run of panel_resources reports about a client that was to change."""
    if "results" not in done:  # the run ended before it wrote anything
        return {"outcome": "left"}
    for result in done["results"]:
        if result.get("key") == name and result.get("result") in ("failed", "skipped"):
            return {"outcome": "failed", "msg": str(result.get("msg", ""))}
    changed = any(action.get("key") == name for action in done["plan"]["actions"])
    return {"outcome": state if changed else "unchanged"}


def _lines(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    cells = [("client", "due", "outcome", "reason")]
    for row in rows:
        outcome = f"waits until {row['until']}" if "until" in row else row["outcome"]
        # Why something failed is needed as a whole, and is the last in its line.
        why = row.get("msg") or row["reason"][:_LONGEST]
        cells.append((row["username"][:_LONGEST], row["due"], outcome, why[:_LONGEST_FAILURE]))
    short = [["".join(one if one.isprintable() else "?" for one in cell) for cell in line] for line in cells]
    widths = [max(len(line[column]) for line in short) for column in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[3]]).rstrip() for line in short]


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {"panel_suspend_rows": handing_on(panel_suspend_rows)}

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_suspend_rows
short_description:
  "Part of the role hosting.panel.suspend: decide which clients of a list are suspended or
  released, and what became of them"
version_added: 1.0.0
description:
  - Compares a list of clients with those on a panel, and returns a row for each, what
    M(hosting.panel.panel_resources) has to do, and mistakes.
  - The role P(hosting.panel.suspend#role) uses it before and after the change.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, clients
options:
  _input:
    description: The clients of the list, as P(hosting.panel.panel_suspend_list#lookup) returns
      them.
    type: list
    elements: dict
    required: true
  clients:
    description: The clients on the panel, as M(hosting.panel.panel_client_info) returns them.
    type: list
    elements: dict
    required: true
  today: {description: "The day that counts as today, V(YYYY-MM-DD).", type: str, required: true}
  state:
    description: V(released) ends a suspension and ignores the dates.
    type: str
    choices: [suspended, released]
    default: suspended
  grace_days:
    description:
      - Suspend a client this many days after its due date. An empty due date is then a mistake.
      - The grace period does not apply to a client whose entry has C(at_once).
    type: int
    default: 0
  excepted:
    description: Usernames, or shell patterns, of clients that stay as they are.
    type: list
    elements: str
    default: []
  limit:
    description: How many clients may change, a whole number. More are a mistake. Without it there
      is no limit.
    type: raw
  done:
    description: The result of M(hosting.panel.panel_resources) with the items. Without it, clients
      that would change have the outcome V(left).
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
      clients: >-
        {{ (unpaid.clients | hosting.panel.panel_suspend_rows(panel.clients, today='2026-11-21',
        grace_days=14)).changes }}
  vars:
    unpaid: >-
      {{ lookup('hosting.panel.panel_suspend_list',
      clients=[{'username': 'acme', 'due': '2026-11-01'}]) }}
"""

RETURN = r"""
_value:
  description:
    - C(rows) has for each client C(username), C(due), C(reason), C(outcome), C(until) of one that
      waits, and C(msg) of one that failed.
    - C(outcome) is V(suspended), V(released), V(unchanged), V(excepted), V(waits), V(missing),
      V(failed) or V(left).
    - C(changes) has the clients to change, by id.
    - C(mistakes) has a sentence for clients and exceptions that the panel does not have, and for
      too many changes. It also has one for empty due dates within a grace period.
    - C(lines) is the table for people.
  type: dict
  sample:
    rows:
      - {username: acme, due: "2026-11-01", reason: "", outcome: left}
    changes:
      - {id: 5, is_suspended: true}
    mistakes: []
    lines:
      - client  due         outcome  reason
      - acme    2026-11-01  left
"""

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

# Characters of a cell of the table.
_LONGEST = 60
_LONGEST_FAILURE = 600
_MOST_NAMED = 30
_FIELDS = ("username", "due", "reason")
# What is decided of a client that has to change; every other decision is its outcome.
_CHANGE = "change"


class _Rules(NamedTuple):
    """What decides about a client.

    Attributes:
        suspends: Whether clients are suspended, and not released.
        today: YYYY-MM-DD.
        grace_days: Days after the due date.
        exceptions: Patterns of names.
    """

    suspends: bool
    today: str
    grace_days: int
    exceptions: Any


class _Decision(NamedTuple):
    """What is decided about a client of the list.

    Attributes:
        entry: That of the list.
        until: The last day of grace; empty without one.
        outcome: The outcome of a client that is not changed; _CHANGE for the others.
    """

    entry: Mapping[str, Any]
    until: str
    outcome: str

    @property
    def username(self) -> str:
        """The name of the client."""
        return str(self.entry["username"])


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
    """Decide about each client of a list, and return rows, changes, mistakes and lines.

    Args:
        entries: The list.
        clients: Those of the panel.
        today: YYYY-MM-DD.
        state: What the clients of the list should be, ``suspended`` or ``released``.
        grace_days: Days after the due date.
        excepted: Names and patterns of clients that stay as they are.
        limit: How many clients may change at most; None for any number.
        done: The result of panel_resources, after the change.
    """
    from ..module_utils._bulk.name_patterns import NamePatterns
    from ..module_utils._secrets.redaction import escape_control_characters

    try:
        date = datetime.date.fromisoformat(today).isoformat()
    except ValueError:
        mistake = f"suspend_today: {today!r} is no date. Use YYYY-MM-DD, or leave the variable out."
        return {"rows": [], "changes": [], "mistakes": [mistake], "lines": []}

    rules = _Rules(state == "suspended", date, int(grace_days), NamePatterns(excepted))
    by_name = {str(client.get("username")): client for client in clients}
    decisions = [_decide(entry, by_name.get(entry["username"]), rules) for entry in entries]
    rows = [_make_row(decision, state, done or {}) for decision in decisions]

    names = [*by_name, *(row["username"] for row in rows)]
    changes = [
        {"id": by_name[decision.username].get("id"), "is_suspended": rules.suspends}
        for decision in decisions
        if decision.outcome == _CHANGE
    ]
    mistakes = [
        *_find_mistakes_in_list(decisions, by_name),
        *_find_mistakes_in_exceptions(excepted, names, by_name),
        *_find_mistakes_in_grace_days(grace_days),
        *_find_mistakes_in_limit(limit, len(changes), state),
    ]
    return {
        "rows": rows,
        "changes": changes,
        "mistakes": [escape_control_characters(mistake) for mistake in mistakes],
        "lines": _format_table(rows),
    }


def _make_row(decision: _Decision, state: str, done: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a client.

    Args:
        decision: What was decided about it.
        state: What the clients of the list should be.
        done: The result of panel_resources; empty before the change.
    """
    row = {field: decision.entry[field] for field in _FIELDS}
    if decision.outcome == _CHANGE:
        row.update(_read_outcome_of_change(decision.username, state, done))
        return row

    row["outcome"] = decision.outcome
    if decision.outcome == "waits":
        row["until"] = decision.until
    return row


def _decide(entry: Mapping[str, Any], client: Mapping[str, Any] | None, rules: _Rules) -> _Decision:
    """Decide about a client of the list.

    Args:
        entry: That of the list.
        client: The client on the panel; None if it has none.
        rules: What decides.
    """
    until = _find_end_of_grace(entry, rules)
    return _Decision(entry, until, _find_outcome(entry, client, until, rules))


def _find_outcome(
    entry: Mapping[str, Any], client: Mapping[str, Any] | None, until: str, rules: _Rules
) -> str:
    """Return the outcome for a client that is not changed, or that it is to change."""
    if rules.exceptions.fits(entry["username"]):
        return "excepted"
    if client is None:
        return "missing"
    if _lacks_due_date(entry, rules):
        return "left"
    if until > rules.today:
        return "waits"
    if client.get("is_suspended") is rules.suspends:
        return "unchanged"
    return _CHANGE


def _lacks_due_date(entry: Mapping[str, Any], rules: _Rules) -> bool:
    """Return whether days of grace cannot be counted, though there are some."""
    has_grace = rules.suspends and rules.grace_days > 0
    return has_grace and not entry["due"] and not entry.get("at_once")


def _find_end_of_grace(entry: Mapping[str, Any], rules: _Rules) -> str:
    """Return the last day on which a client is not suspended; empty if there is none."""
    if not rules.suspends or not entry["due"]:
        return ""
    try:
        end = datetime.date.fromisoformat(entry["due"]) + datetime.timedelta(days=rules.grace_days)
    except OverflowError:
        end = datetime.date.max  # lists say never with 31.12.9999
    return end.isoformat()


def _read_outcome_of_change(name: str, state: str, done: Mapping[str, Any]) -> dict[str, str]:
    """Return what a run of panel_resources reports about a client that was to change."""
    if "results" not in done:  # the run ended before it wrote anything
        return {"outcome": "left"}
    for result in done["results"]:
        if result.get("key") == name and result.get("result") in ("failed", "skipped"):
            return {"outcome": "failed", "msg": str(result.get("msg", ""))}
    is_changed = any(action.get("key") == name for action in done["plan"]["actions"])
    return {"outcome": state if is_changed else "unchanged"}


def _find_mistakes_in_list(
    decisions: Iterable[_Decision], on_panel: Iterable[str]
) -> Iterator[str]:
    """Yield which clients the panel lacks, and which have no due date.

    Each is named with its place in the list.

    Args:
        decisions: Those about all clients of the list.
        on_panel: The clients of the panel, one of which may be meant.
    """
    from ..module_utils._problems import abbreviate
    from ..module_utils._values.near_names import ask_for_near_names

    missing = []
    missing_names = []
    undated = []
    for decision in decisions:
        title = f"{decision.username} ({decision.entry['place']})"
        if decision.outcome == "missing":
            missing.append(title)
            missing_names.append(decision.username)
        elif decision.outcome == "left":
            undated.append(title)

    if missing:
        question = ask_for_near_names(missing_names, on_panel)
        yield f"Not on this panel: {abbreviate(missing, _MOST_NAMED)}. Correct the list{question}"
    if undated:
        names = abbreviate(undated, _MOST_NAMED)
        yield f"With suspend_grace_days, give each client a due date. It is empty for {names}."


def _find_mistakes_in_exceptions(
    excepted: Iterable[Any], names: Sequence[str], on_panel: Iterable[str]
) -> Iterator[str]:
    """Yield a sentence for each exception that fits nothing, or that YAML has read as a number.

    Args:
        excepted: The exceptions.
        names: The clients of the panel and of the list.
        on_panel: Those of the panel, one of which may be meant.
    """
    from ..module_utils._bulk.name_patterns import NamePatterns
    from ..module_utils._values.near_names import ask_for_like_word
    from ..module_utils._values.value_types import describe_name_problem

    patterns = list(excepted)
    unmatched = NamePatterns(patterns).list_unmatched(names)
    for pattern in patterns:
        problem = describe_name_problem(pattern) if pattern is not None else ""
        if problem:
            yield f"suspend_except: {problem}"
        elif pattern in unmatched:
            hint = ask_for_like_word(str(pattern or ""), [*on_panel])
            displayed = pattern or "(empty)"
            yield f"suspend_except: {displayed} fits no client of the panel and of the list{hint}"


def _find_mistakes_in_grace_days(grace_days: int) -> Iterator[str]:
    if int(grace_days) < 0:
        yield f"suspend_grace_days: {grace_days} is invalid. Use a whole number, 0 or more."


def _find_mistakes_in_limit(limit: Any, count: int, state: str) -> list[str]:
    """Return a sentence if the limit is no number, or if more clients would change."""
    if limit is None:
        return []
    if isinstance(limit, bool) or not str(limit).isdecimal():
        advice = "Use a whole number, 0 or more, or leave the variable out."
        return [f"suspend_max: {limit!r} is invalid. {advice}"]
    if count <= int(limit):
        return []
    from ..module_utils._problems import format_number_of

    clients = format_number_of(count, "client", "clients")
    return [f"suspend_max: {clients} would be {state}, and the limit is {limit}."]


# The table for people.


def _format_table(rows: Iterable[Mapping[str, Any]]) -> list[str]:
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
    from ..module_utils._secrets.redaction import escape_control_characters

    outcome = row["outcome"]
    if "until" in row:
        outcome = f"waits until {row['until']}"
    # Why something failed is needed as a whole, and is the last in its line.
    reason = row.get("msg") or row["reason"][:_LONGEST]
    cells = (row["username"][:_LONGEST], row["due"], outcome, reason[:_LONGEST_FAILURE])
    return [escape_control_characters(cell) for cell in cells]


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_suspend_rows": with_checked_arguments(
                with_marked_result(panel_suspend_rows), DOCUMENTATION
            )
        }

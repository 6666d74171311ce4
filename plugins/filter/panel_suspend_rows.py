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

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


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
    """Decide about each client of a list, and return rows, changes, mistakes and lines."""
    from ..plugin_utils._suspend.rows import Settings, make_rows

    settings = Settings(today, state, int(grace_days), excepted, limit)
    return make_rows(entries, clients, settings, done or {})


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_suspend_rows": with_checked_arguments(
                with_marked_result(panel_suspend_rows), DOCUMENTATION
            )
        }

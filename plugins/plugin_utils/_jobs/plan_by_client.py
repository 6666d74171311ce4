# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions of a plan in the order in which people look at them: by client, what goes first. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._kinds.registry import KINDS
from .plan_words import action_lines, counts_line

Action = Mapping[str, Any]

OF_PANEL = ""
"""In the place of the name of a client: what belongs to none."""
NAMES: Mapping[str | None, str] = {OF_PANEL: "of the panel itself", None: "of other clients"}

_VERBS = ("delete", "update", "create")
_ORDER = tuple(KINDS)
_HAVE_A_CLIENT = {kind for kind, table in KINDS.items() if table.owner is not None or kind in ("clients", "dns")}


def by_client(actions: Iterable[Action]) -> list[tuple[str | None, list[Action]]]:
    """The actions of each client, in the order of the clients' names.

    What belongs to no client comes first, since it is for all of them, and that of which the plan does not know whose it is (None) last. A client
    of which anything is deleted comes before the others, and its deletions before everything else of it.
    """
    groups: dict[str | None, list[Action]] = {}
    for action in sorted(actions, key=_in_group):
        client = action.get("client") or (None if action["kind"] in _HAVE_A_CLIENT else OF_PANEL)
        groups.setdefault(client, []).append(action)
    return sorted(groups.items(), key=lambda group: _place(*group))


def lines_by_client(plan: Mapping[str, Any], most: int, clients: int) -> list[str]:
    """The counts of objects and of customers, and under each client a line for each action, ``most`` of them at most, and how many are left out."""
    groups = by_client(plan["actions"])
    changing = sum(1 for client, _actions in groups if client)
    lines = [counts_line(plan["summary"]), f"{changing} of {clients} customers change"]
    room, left = most, len(groups)
    for client, actions in groups:
        if room <= 0:
            break
        lines.append(f"{NAMES.get(client, client)}:")
        lines += [f"  {line}" for line in action_lines(actions[:room], room)]
        if len(actions) > room:
            lines.append(f"  and {len(actions) - room} more")
        room, left = room - len(actions), left - 1
    if left:
        others = sum(len(actions) for _client, actions in groups[-left:])
        lines.append(f"and {others} more of {left} more client{'' if left == 1 else 's'}")
    return lines


def _in_group(action: Action) -> tuple[int, int, str]:
    return _VERBS.index(action["action"]), _ORDER.index(action["kind"]), str(action["key"])


def _place(client: str | None, actions: list[Action]) -> tuple[bool, int, str, str]:
    deletes = actions[0]["action"] == "delete"
    return not deletes, 2 if client is None else int(client != OF_PANEL), (client or "").casefold(), client or ""

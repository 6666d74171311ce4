# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan of panel_resources, what came of it, and its messages, in words for a person. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...module_utils._bulk.plan_lines import action_changes, counts_of, member_changes
from ...module_utils._kinds.registry import KINDS
from ...module_utils._task.mistakes import Mistake, first_lines

_LONGEST_LINE = 240
_INDEXED = re.compile(rf"\b(?:resources\.)?({'|'.join(KINDS)})\[(\d+)\]")


def plan_lines(plan: Mapping[str, Any], most: int) -> list[str]:
    """The counts, and a line for each action as of `action_lines`."""
    return [counts_line(plan["summary"]), *action_lines(plan["actions"], most)]


def action_lines(actions: Iterable[Mapping[str, Any]], most: int) -> list[str]:
    """A line for each action, ``most`` of them at most."""
    return first_lines([cut(_action_line(action), _LONGEST_LINE) for action in actions], most)


def failure_lines(results: Iterable[Mapping[str, Any]], most: int) -> list[str]:
    """A line for each object that failed or was skipped, the failed ones first."""
    wrong = [result for outcome in ("failed", "skipped") for result in results if result.get("result") == outcome]
    return first_lines([f"{one['result']:<7} {one['kind']} {one['key']}: {one.get('msg', '')}" for one in wrong], most)


counts_line = counts_of


def _action_line(action: Mapping[str, Any]) -> str:
    named = f"{action['action']:<6}  {action['kind']} {action['key']}"
    if action["action"] == "update":
        return f"{named}: {', '.join(action_changes(action))}"
    if action["action"] == "delete":
        also = ", ".join(KINDS[kind].numbered(len(keys)) for kind, keys in (action.get("also_deleted") or {}).items())
        return named + (f", and with it {also}" if also else "")
    return named


def changed_members(before: Mapping[str, Any], after: Mapping[str, Any], kind: str) -> Iterator[str]:
    """A text for each member that is another one afterwards: ``max_size 512M -> 1G``."""
    return (change.in_words() for change in member_changes(before, after, kind))


def cut(text: str, most: int) -> str:
    """A text of so many characters at most."""
    return text if len(text) <= most else text[: most - 1] + "…"


def in_places(message: str, places: Mapping[str, Sequence[str]]) -> str:
    """A message about ``emails[7]`` in the words of the place that this item is from; places: by kind, for each item in its order."""
    if isinstance(message, Mistake):
        place, sentence = in_places(message.place, places), in_places(message.sentence, places)
        return Mistake(place, sentence, message.between, message.most_alike)

    def named(match: re.Match[str]) -> str:
        known = places.get(match[1], ())
        index = int(match[2])
        return known[index] if index < len(known) else match[0]

    return _INDEXED.sub(named, message)

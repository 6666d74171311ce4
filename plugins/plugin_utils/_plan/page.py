# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan as a page of Markdown: headings, lists and code, what goes first, all of it by client. Pure. Private to the collection.

Names and values are texts of customers. Each is in code, where neither GitHub nor GitLab makes a link, a mention or a reference of it.
"""

from __future__ import annotations

import functools
import itertools
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...module_utils._bulk.plan_lines import (
    MOST_CHARACTERS,
    Action,
    action_changes,
    by_client,
    counts_of,
    in_parts,
    lost_records,
    titled,
)
from ...module_utils._kinds.registry import KINDS
from ...module_utils._problems import first_lines
from ...module_utils._secrets.redaction import on_one_line
from .._run.template import rendered

_LONGEST_NAME, _LONGEST_MESSAGE = 260, 5_000
_MOST_WARNINGS = 10
_LEAST_LINE = len("- create: ``")
_TICKS = re.compile("`+")
# Nothing of these is seen, and some stand for other characters or turn the direction of a line.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


class _Room(NamedTuple):
    """How much of an object a page shows: of a value and a change so many characters, so many changes, and so many names of what goes with it."""

    value: int = sys.maxsize
    change: int = sys.maxsize
    changes: int = sys.maxsize
    names: int = sys.maxsize


_SHORT = _Room(value=250, change=1_000, changes=40)


def markdown(result: Mapping[str, Any], panel: str = "", drift: bool = False) -> str:
    """Return the page, with as much as there is room for.

    What is deleted, and what goes with it, comes before everything else: for its names other changes are left out.

    Args:
        result: of panel_resources, or its plan alone.
        panel: the name for the title.
        drift: whether the page shows a comparison.
    """
    plan = result if "actions" in result else result.get("plan")
    page = _Page(result, plan, {"panel": panel, "drift": drift})
    for room in (_Room(), _SHORT):
        if page.fits(room, page.size):
            return page.text(room, page.size)

    room = _SHORT
    if not page.fits(room, page.deletions):
        names = _largest(1, page.most_names, lambda names: page.fits(_SHORT._replace(names=names), page.deletions))
        room = _SHORT._replace(names=names)
    most = _largest(0, page.size, lambda most: page.fits(room, most))
    return page.text(room, most)


class _Object(NamedTuple):
    """One object of a plan: the part of the page in which it is, its client, and what is done with it."""

    part: str
    client: str
    action: Action


class _Page:
    """A page about a plan, of which it shows as many objects as it is told to.

    size, deletions: how many objects there are, and how many of them go. most_names: how many of a kind go with one object at most.
    """

    def __init__(self, result: Mapping[str, Any], plan: Mapping[str, Any] | None, content: Mapping[str, Any]) -> None:
        actions = plan["actions"] if plan else ()
        parts = in_parts(actions)
        self.size, self.deletions = len(actions), len(parts[0])
        self._objects = [
            _Object(name, client, action)
            for name, part in zip(("delete", "change"), parts)
            for client, found in by_client(part)
            for action in found
        ]
        along = [len(keys) for action in actions for keys in (action.get("also_deleted") or {}).values()]
        self.most_names = max(along, default=1)
        warnings = [f"Warning: {code(str(one), 2 * _LONGEST_NAME)}" for one in result.get("warnings") or ()]
        self._content = {
            **content,
            "plan": plan,
            "counts": plan and counts_of(plan["summary"]),
            "along": sum(along),
            "lost": [count for count in map(lost_records, actions) if count],
            "warnings": first_lines(warnings, _MOST_WARNINGS),
            "message": str(result.get("msg", "")) if result.get("failed") or not plan else "",
        }
        # A page is tried with several numbers of objects.
        self._details = functools.cache(lambda number, room: _details(self._objects[number].action, room))

    def text(self, room: _Room, most: int) -> str:
        """Return the page with so many objects at most."""
        shown = {
            "parts": list(self._parts(room, most)),
            "more_deletions": max(0, self.deletions - most),
            "more_changes": self.size - max(self.deletions, most),
        }
        template = Path(__file__).with_name("page.md.j2")
        return rendered(template, {**self._content, **shown}, code=code, block=_block)

    def fits(self, room: _Room, most: int) -> bool:
        """Return whether the page with so many objects is no longer than it may be."""
        length = 0
        for number in range(most):
            # No more than what is surely in it, so that a page that is much too long is not made.
            length += sum(map(len, self._details(number, room)))
            length += min(len(str(self._objects[number].action["key"])), _LONGEST_NAME) + _LEAST_LINE
            if length > MOST_CHARACTERS:
                return False
        return len(self.text(room, most)) <= MOST_CHARACTERS

    def _parts(self, room: _Room, most: int) -> Iterator[dict[str, Any]]:
        """What goes, and what is created or changed: how many there are, and by client those that are shown."""
        counts = {"delete": self.deletions, "change": self.size - self.deletions}
        numbers = range(min(most, self.size))
        for part, of_part in itertools.groupby(numbers, lambda number: self._objects[number].part):
            clients = []
            for client, of_client in itertools.groupby(of_part, lambda number: self._objects[number].client):
                clients.append((client, [self._shown(number, room) for number in of_client]))
            yield {"what": part, "count": counts[part], "clients": clients}

    def _shown(self, number: int, room: _Room) -> dict[str, Any]:
        action = self._objects[number].action
        return {**action, "title": KINDS[action["kind"]].title, "details": self._details(number, room)}


def _largest(least: int, most: int, fits: Callable[[int], bool]) -> int:
    """The largest of the numbers that fits; the least one where none does."""
    while least < most:
        middle = (least + most + 1) // 2
        if fits(middle):
            least = middle
        else:
            most = middle - 1
    return least


def _details(action: Action, room: _Room) -> list[str]:
    """What changes of an object, or goes with it."""
    if action["action"] == "delete":
        along = action.get("also_deleted") or {}
        return [f"and with it {titled(kind, len(keys))}: {_names(keys, room.names)}" for kind, keys in along.items()]
    changes = [code(change, room.change) for change in action_changes(action, room.value)]
    return first_lines(changes, room.changes)


def _names(keys: Sequence[Any], most: int) -> str:
    names = ", ".join(code(str(key)) for key in keys[:most])
    left = len(keys) - most
    return f"{names}, and {left} more" if left > 0 else names


def code(text: str, longest: int = _LONGEST_NAME) -> str:
    """A text as code within a line, whatever is in it."""
    line = _visible(text, longest) or " "
    fence = _fence(line, 1)
    # One blank at each end is taken away where both are there, and sets ticks of the text apart from those around it.
    space = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{space}{line}{space}{fence}"


def _block(text: str) -> str:
    """A message of several sentences as a block of code."""
    line = _visible(text, _LONGEST_MESSAGE)
    fence = _fence(line, 3)
    return f"{fence}text\n{line}\n{fence}"


def _fence(line: str, least: int) -> str:
    return "`" * max(least, 1 + max((len(ticks) for ticks in _TICKS.findall(line)), default=0))


def _visible(text: str, longest: int) -> str:
    line = on_one_line(_UNSEEN.sub(lambda one: one[0].encode("unicode_escape").decode(), text[: longest + 1]))
    return line if len(line) <= longest else line[: longest - 1] + "…"

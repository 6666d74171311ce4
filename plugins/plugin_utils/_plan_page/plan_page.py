# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan as a page of Markdown: headings, lists and code, deletions first, all of it by client.

Pure. Names and values are texts of customers. Each is in code, where neither GitHub nor GitLab
makes a link, a mention or a reference of it.
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
    DisplayedAction,
    count_lost_records,
    describe_action_changes,
    format_change_counts,
    format_count,
    group_by_client,
    split_by_loss,
)
from ...module_utils._kinds.registry import KINDS
from ...module_utils._problems import limit_lines
from ...module_utils._secrets.redaction import escape_control_characters
from .._run.template import render_template

# Characters.
_LONGEST_NAME = 260
_LONGEST_MESSAGE = 5_000
_MOST_WARNINGS = 10
_LEAST_LINE = len("- create: ``")
_TICKS = re.compile("`+")


class _Limits(NamedTuple):
    """How much of an object a page shows.

    Attributes:
        value: Characters of a value.
        change: Characters of a change.
        changes: Changes of an object.
        names: Names of the objects of a kind that are deleted with another one.
    """

    value: int = sys.maxsize
    change: int = sys.maxsize
    changes: int = sys.maxsize
    names: int = sys.maxsize


_NO_LIMITS = _Limits()
_SHORT = _Limits(value=250, change=1_000, changes=40)


def make_plan_page(result: Mapping[str, Any], panel: str = "", drift: bool = False) -> str:
    """Return the page, with as much as it may have.

    What is deleted, and what is deleted with it, comes before everything else: for its names other
    changes are left out.

    Args:
        result: Of panel_resources, or its plan alone.
        panel: The name for the title.
        drift: Whether the page shows a comparison.
    """
    plan = result if "actions" in result else result.get("plan")
    page = _Page(result, plan, {"panel": panel, "drift": drift})
    for limits in (_NO_LIMITS, _SHORT):
        if page.fits(limits, page.size):
            return page.render(limits, page.size)

    limits = _SHORT
    if not page.fits(limits, page.deletions):
        names = _find_largest(1, page.most_names, page.fits_with_names)
        limits = _SHORT._replace(names=names)
    count = _find_largest(0, page.size, lambda count: page.fits(limits, count))
    return page.render(limits, count)


class _PlannedObject(NamedTuple):
    """One object of a plan.

    Attributes:
        section: The section of the page that it is in, ``delete`` or ``change``.
        client: Its owner.
        action: What is done with it.
    """

    section: str
    client: str
    action: DisplayedAction


class _Page:
    """A page about a plan, with the first so many of its objects.

    Attributes:
        size: How many objects the plan has.
        deletions: How many of them are deleted; these come first.
        most_names: How many objects of one kind are deleted with another one at most.
    """

    def __init__(
        self, result: Mapping[str, Any], plan: Mapping[str, Any] | None, title: Mapping[str, Any]
    ) -> None:
        actions = plan["actions"] if plan else ()

        self._objects = _sort_objects(actions)
        self.size = len(actions)
        self.deletions = sum(planned.section == "delete" for planned in self._objects)
        cascades: list[int] = []
        for action in actions:
            cascades += map(len, _get_deleted_with(action).values())
        self.most_names = max(cascades, default=1)

        message = ""
        if result.get("failed") or not plan:
            message = str(result.get("msg", ""))
        self._content = {
            **title,
            "plan": plan,
            "counts": format_change_counts(plan["summary"]) if plan else plan,
            "cascaded": sum(cascades),
            "lost": [count for count in map(count_lost_records, actions) if count],
            "not_compared": _list_uncompared(result),
            "warnings": _list_warnings(result),
            "message": message,
        }

        # A page is tried with several numbers of objects.
        self._details = functools.cache(self._describe)

    def render(self, limits: _Limits, count: int) -> str:
        """Return the page with the first so many objects."""
        content = {
            **self._content,
            "sections": list(self._list_sections(limits, count)),
            "more_deletions": max(0, self.deletions - count),
            "more_changes": self.size - max(self.deletions, count),
        }
        template = Path(__file__).with_name("plan_page.md.j2")
        return render_template(template, content, code=format_code, block=_format_block)

    def fits(self, limits: _Limits, count: int) -> bool:
        """Return whether the page with the first so many objects is no longer than it may be."""
        length = 0
        for number in range(count):
            # What is surely in it, so that a page that is much too long is not made.
            length += sum(map(len, self._details(number, limits)))
            key = str(self._objects[number].action["key"])
            length += min(len(key), _LONGEST_NAME) + _LEAST_LINE
            if length > MOST_CHARACTERS:
                return False
        return len(self.render(limits, count)) <= MOST_CHARACTERS

    def fits_with_names(self, names: int) -> bool:
        """Return whether all deletions fit, with so many names of what is deleted with another."""
        return self.fits(_SHORT._replace(names=names), self.deletions)

    def _list_sections(self, limits: _Limits, count: int) -> Iterator[dict[str, Any]]:
        """Yield the sections that are not empty.

        Each has the number of its objects, and by client those that are displayed.
        """
        totals = {"delete": self.deletions, "change": self.size - self.deletions}
        numbers = range(min(count, self.size))
        for section, numbers_of_section in itertools.groupby(numbers, self._get_section):
            clients = []
            by_owner = itertools.groupby(numbers_of_section, self._get_client)
            for client, numbers_of_client in by_owner:
                displayed = [self._display(number, limits) for number in numbers_of_client]
                clients.append((client, displayed))
            yield {"name": section, "count": totals[section], "clients": clients}

    def _get_section(self, number: int) -> str:
        return self._objects[number].section

    def _get_client(self, number: int) -> str:
        return self._objects[number].client

    def _display(self, number: int, limits: _Limits) -> dict[str, Any]:
        action = self._objects[number].action
        return {
            **action,
            "title": KINDS[action["kind"]].title,
            "details": self._details(number, limits),
        }

    def _describe(self, number: int, limits: _Limits) -> list[str]:
        return _describe_action(self._objects[number].action, limits)


def _sort_objects(actions: Sequence[DisplayedAction]) -> list[_PlannedObject]:
    """Return the objects as the page has them: deletions first, each section by client."""
    objects = []
    for section, actions_of_section in zip(("delete", "change"), split_by_loss(actions)):
        for client, actions_of_client in group_by_client(actions_of_section):
            objects += [_PlannedObject(section, client, action) for action in actions_of_client]
    return objects


def _list_uncompared(result: Mapping[str, Any]) -> list[str]:
    """Return what no file could keep, a line for each object, at most so many."""
    lines = []
    for omission in result.get("not_compared") or ():
        title = KINDS[omission["kind"]].title
        name = format_code(f"{omission['key']} (id {omission['id']})")
        lines.append(f"{title} {name}")
    return limit_lines(lines, _MOST_WARNINGS)


def _list_warnings(result: Mapping[str, Any]) -> list[str]:
    """Return the warnings of a result, a line for each, at most so many."""
    warnings = result.get("warnings") or ()
    lines = [f"Warning: {format_code(str(warning), 2 * _LONGEST_NAME)}" for warning in warnings]
    return limit_lines(lines, _MOST_WARNINGS)


def _get_deleted_with(action: DisplayedAction) -> Mapping[str, Sequence[Any]]:
    """Return by kind the names of objects that are deleted with another one."""
    return action.get("also_deleted") or {}


def _find_largest(least: int, most: int, fits: Callable[[int], bool]) -> int:
    """Return the largest of the numbers that fits; the least one if none does."""
    while least < most:
        middle = (least + most + 1) // 2
        if fits(middle):
            least = middle
        else:
            most = middle - 1
    return least


def _describe_action(action: DisplayedAction, limits: _Limits) -> list[str]:
    """Return what changes of an object, or what is deleted with it."""
    if action["action"] == "delete":
        lines = []
        for kind, keys in _get_deleted_with(action).items():
            names = _join_names(keys, limits.names)
            lines.append(f"and with it {format_count(kind, len(keys))}: {names}")
        return lines

    changes = [
        format_code(change, limits.change)
        for change in describe_action_changes(action, limits.value)
    ]
    return limit_lines(changes, limits.changes)


def _join_names(keys: Sequence[Any], most: int) -> str:
    """Return names as code, at most so many of them."""
    names = ", ".join(format_code(str(key)) for key in keys[:most])
    if len(keys) > most:
        return f"{names}, and {len(keys) - most} more"
    return names


# Texts of customers as code.


def format_code(text: str, longest: int = _LONGEST_NAME) -> str:
    """Return a text as code within a line, whatever is in it."""
    line = _format_visible_line(text, longest) or " "
    fence = _make_fence(line, 1)
    # One blank at each end is taken away where both are there, and sets ticks of the text apart
    # from those around it.
    needs_blanks = line[0] in "` " or line[-1] in "` "
    if needs_blanks:
        line = f" {line} "
    return f"{fence}{line}{fence}"


def _format_block(text: str) -> str:
    """Return a message of several sentences as a block of code."""
    line = _format_visible_line(text, _LONGEST_MESSAGE)
    fence = _make_fence(line, 3)
    return f"{fence}text\n{line}\n{fence}"


def _make_fence(line: str, least: int) -> str:
    """Return more ticks than the line has one after the other."""
    longest = max(map(len, _TICKS.findall(line)), default=0)
    return "`" * max(least, longest + 1)


def _format_visible_line(text: str, longest: int) -> str:
    """Return a text on one line, cut, with the invisible characters as escapes."""
    line = escape_control_characters(text[: longest + 1])
    if len(line) > longest:
        return f"{line[: longest - 1]}…"
    return line

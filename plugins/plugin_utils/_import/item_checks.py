# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks items by the collection's own tables, and takes out what they refuse."""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from ...module_utils._errors import PanelError
from ...module_utils._items.desired_items import get_item_reader
from ...module_utils._kinds.registry import KINDS
from ...module_utils._problems import OptionPath, Problem, format_cause
from ...module_utils._values.unsendable import find_unsendable
from .import_ledger import Ledger, RowName
from .mapped_source import Item, reveal

_REFUSED = "The collection does not take it: {}"
_TOO_MUCH = "More is wrong with it than can be left out."
_MOST_ROUNDS = 20
"""How often an item is checked again after something of it was taken out."""
# Without these, an object would be another one than the source's, or run at another time.
_NEEDED = frozenset({"client", "components", "schedule", "home_directory", "parent_domain"})


class CheckedItem(NamedTuple):
    """An item as the collection takes it.

    Attributes:
        item: The item; None where nothing of it can be taken.
        omitted: By path of a field why it is left out.
        reason: Why nothing can be taken.
    """

    item: Item | None
    omitted: dict[str, str]
    reason: str = ""


def check_item(plural: str, item: Item) -> CheckedItem:
    """Return an item without the fields that the collection refuses.

    Args:
        plural: The plural of its kind.
        item: The item, with its secrets.
    """
    checked = copy.deepcopy(item)
    omitted: dict[str, str] = {}
    needed = _list_needed(plural)
    for _round in range(_MOST_ROUNDS):
        problems = _find_problems(plural, checked)
        if not problems:
            return CheckedItem(checked, omitted)

        path, reason = problems[0]
        if not path or path[0] in needed or not _take_out(checked, path):
            return CheckedItem(None, {}, reason)
        names = [str(step) for step in path if isinstance(step, str)]
        omitted.setdefault(".".join(names), reason)
    return CheckedItem(None, {}, _TOO_MUCH)


def _list_needed(plural: str) -> Collection[str]:
    """Return the options without which no item of a kind is written."""
    table = KINDS[plural]
    required = {declared.option for declared in table.fields if declared.required}
    return {*table.key_options, *required, *_NEEDED}


def _find_problems(plural: str, item: Item) -> list[tuple[OptionPath, str]]:
    """Return the path and the reason of everything that is wrong with an item."""
    plain: Item = reveal(item)
    unsendable: list[tuple[OptionPath, str]] = [
        ((name,), reason) for name, value in plain.items() if (reason := explain_unsendable(value))
    ]
    if unsendable:
        return unsendable
    try:
        problems: Sequence[Problem] = get_item_reader(plural).find_mistakes(plain)
    except PanelError as error:
        problems = error.problems
    return [(problem.path, explain_refusal([problem])) for problem in problems]


def explain_refusal(problems: Sequence[Problem]) -> str:
    """Return why the collection does not take an item, in a sentence."""
    return _REFUSED.format(format_cause(problems))


def explain_unsendable(value: Any) -> str:
    """Return why no panel can be sent a value, in a sentence; empty where one can."""
    unsendable = find_unsendable(value)
    return "" if unsendable is None else f"It {unsendable.cause}."


def _take_out(item: Item, path: Sequence[str | int]) -> bool:
    """Remove what a path leads to; an option that is empty then goes with it. Tell whether
    something was removed.
    """
    holder: Any = item
    for step in path[:-1]:
        holder = _step_into(holder, step)
    last = path[-1]
    if not _has_step(holder, last):
        return item.pop(str(path[0]), None) is not None
    del holder[last]

    first = str(path[0])
    if item.get(first) in ({}, []):
        del item[first]
    return True


def _has_step(holder: Any, step: str | int) -> bool:
    if isinstance(holder, list):
        return isinstance(step, int) and step < len(holder)
    return isinstance(holder, dict) and step in holder


def _step_into(holder: Any, step: str | int) -> Any:
    if _has_step(holder, step):
        return holder[step]
    return None


def place_item(ledger: Ledger, rows: Sequence[RowName], item: Item, key: str) -> Item | None:
    """Add an item to the folder, as far as the collection takes it.

    Args:
        ledger: Gets the item, and what became of the rows.
        rows: The rows that the item stands for, the row of the object itself first.
        item: The item.
        key: Its key in the folder.

    Returns:
        The item as it was added; None where it was left out.
    """
    first = rows[0]
    checked = check_item(first.plural, item)
    if checked.item is None:
        for row in rows:
            ledger.leave_out(row, checked.reason)
        return None

    ledger.add_item(first.customer, first.plural, checked.item)
    for row in rows:
        ledger.carry(row, key)
    for name, reason in checked.omitted.items():
        ledger.leave_field(first, name, reason)
    return checked.item

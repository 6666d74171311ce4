# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells how deep lists and dictionaries lie in one another, and finds what lies in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

Value = TypeVar("Value")
DEEPEST = 64
"""How deep a value may be nested: many times deeper than any that a panel or a person writes, and
far from where Python ends."""


def is_deeper(data: Any, most: int) -> bool:
    """Tell whether lists and dictionaries lie in one another more than so many times.

    Level by level, since a recursion would end where Python does.
    """
    level = [data]
    for _number in range(most):
        inner: list[Any] = []
        for outer in level:
            values = outer.values() if isinstance(outer, dict) else outer
            inner += [value for value in values if isinstance(value, (dict, list))]
        if not inner:
            return False
        level = inner
    return True


def find_values(
    value: Any, wanted: type[Value], path: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Value]]:
    """Yield path and value of each value of a type, at any depth.

    Args:
        value: Where they are.
        wanted: Their type.
        path: Leads to the value.
    """
    if isinstance(value, wanted):
        yield path, value
        return

    entries: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, Mapping):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    for step, entry in entries:
        yield from find_values(entry, wanted, (*path, step))

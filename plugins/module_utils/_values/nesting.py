# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells how deep lists and dictionaries lie in one another."""

from __future__ import annotations

from typing import Any

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

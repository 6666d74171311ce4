# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what a template of ansible-core before 2.19 cannot hand on.

There a template writes a list or dictionary as a text of Python and reads it again. With one value
in it that has no such text, as an infinite number, the whole of it stays a text.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils._problems import cut_text
from ...module_utils._values.nesting import DEEPEST

LONGEST = 60
"""How much of a value or a name a mistake shows."""
_MOST_DIGITS = 1000
_FORMS = (bool, str, bytes, datetime.date, Mapping, list, tuple, set, type(None))
_TOO_DEEP = (
    f"lists and dictionaries lie in one another more than {DEEPEST} times. Use fewer levels."
)


def find_odd_value(value: Any) -> str:
    """Return what is wrong with a value; empty if it can be handed on.

    The text begins with where in the value that is, and is what follows the name of its variable.
    """
    return next(_find_problems(value, "", 0), "")


def cut_value(text: str) -> str:
    """Return the text of a value as a mistake shows it, or its beginning."""
    return cut_text(text, LONGEST)


def is_long_number(value: Any) -> bool:
    """Return whether Python may refuse to write a number, for its length."""
    return isinstance(value, int) and abs(value) >= 10**_MOST_DIGITS


def _find_problems(value: Any, path: str, depth: int) -> Iterator[str]:
    """Yield what is wrong with a value and those in it. depth: how many values it lies in."""
    if depth > DEEPEST:
        yield f": {_TOO_DEEP}"  # whose path nobody could read
        return
    problem = _describe_problem(value)
    if problem:
        yield f"{path}: {problem}"
        return
    for inner_path, inner_value in _list_parts(value, path):
        yield from _find_problems(inner_value, inner_path, depth + 1)


def _list_parts(value: Any, path: str) -> list[tuple[str, Any]]:
    """Return what lies in a value, each with its path. Of a dictionary, keys are parts too."""
    parts: list[tuple[str, Any]] = []
    if isinstance(value, Mapping):
        for key, field in value.items():
            parts.append((f"{path}: a key", key))
            parts.append((f"{path}.{cut_value(str(key))}", field))
    if isinstance(value, (list, tuple, set)):
        parts += [(f"{path}[{index}]", entry) for index, entry in enumerate(value)]
    return parts


def _describe_problem(value: Any) -> str:
    """Return what is wrong with a value, whatever lies in it."""
    if isinstance(value, float):
        if math.isfinite(value):
            return ""
        return "it is infinite, or no number at all (.inf, .nan). Use another number, or text."
    if is_long_number(value):
        return f"it is a number of more than {_MOST_DIGITS} digits. Put it in quotes."
    # Up to ansible-core 2.18 a value that is encrypted with !vault is no str.
    if isinstance(value, (int, *_FORMS)) or hasattr(value, "__ENCRYPTED__"):
        return ""
    return "it is no text, number, switch, date, list or dictionary. Use one of these."

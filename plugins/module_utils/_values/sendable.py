# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which values no request can hold. Pure. Private to the collection."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from .._secrets.redaction import MASK, is_masked

_LARGEST = 2**63 - 1
# Deeper than anything that the panel knows, and far from what Python's own functions can follow.
_DEEPEST = 50


def problem_of(value: Any) -> str:
    """Why no request can hold a value, or a part of it; empty where one can."""
    return next((problem for _place, problem in problems_in({"": value})), "")


def problems_in(given: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The places of such values in a dictionary, each as the names and numbers that lead there, and what is wrong with it."""
    waiting: list[tuple[tuple[Any, ...], Any]] = [((name,), value) for name, value in given.items()]
    while waiting:
        place, value = waiting.pop()
        problem = _problem(place, value)
        if problem:
            yield place, problem
        if isinstance(value, Mapping):
            yield from ((place, problem) for problem in map(_problem_of_name, value) if problem)
            waiting += [((*place, name), inner) for name, inner in value.items()]
        elif isinstance(value, (list, tuple)):
            waiting += [((*place, number), inner) for number, inner in enumerate(value)]


def _problem(place: tuple[Any, ...], value: Any) -> str:
    if isinstance(value, str):
        return _problem_of_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "holds a number that is infinite, or none at all (.inf, .nan), which no request can hold"
    if isinstance(value, int) and abs(value) > _LARGEST:
        return f"holds a number larger than {_LARGEST}, which the panel cannot keep"
    if len(place) > _DEEPEST and isinstance(value, (Mapping, list, tuple)):
        return f"is nested more than {_DEEPEST} levels deep"
    return ""


def _problem_of_text(text: str) -> str:
    if text.isprintable() and MASK not in text:  # as most texts of a long list are
        return ""
    if is_masked(text):
        return f"holds {MASK} in the place of a secret, as results show it; write the secret itself, or leave the option out"
    if "\0" in text:
        return "holds a NUL character, which the panel cannot keep; remove it"
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        return "holds half of a character (a lone surrogate), which is no Unicode; write the whole character"
    return ""


def _problem_of_name(name: Any) -> str:
    if isinstance(name, str):
        return _problem_of_text(name)
    # JSON makes a text of a number too, but of nothing else that a person would expect.
    if isinstance(name, int) and not isinstance(name, bool):
        return ""
    return "has a member whose name is no text; put the name in quotes"

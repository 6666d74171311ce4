# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes and goes as JSON: ids and numbers of answers in their own types, and what no request can hold. Private to the collection.

Ids become parts of paths and of bodies, so whatever else a panel shows in their place is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .._secrets.redaction import MASK, is_masked

EACH = "*"  # in a table of members: whatever their names are
_MOST_DIGITS = 18  # fewer than any number that a database cannot hold


def read_id(shown: Any, least: int = 1) -> int | None:
    """The id that a panel shows; None where it is none."""
    shown = read_number(shown)
    return shown if isinstance(shown, int) and not isinstance(shown, bool) and shown >= least else None


def read_number(shown: Any) -> Any:
    """The whole number that a panel shows (facts.md section 16: also as a text of digits); anything else as it is."""
    if not isinstance(shown, str):
        return shown
    is_number = shown == "-1" or (shown.isascii() and shown.isdecimal() and len(shown) <= _MOST_DIGITS)
    return int(shown) if is_number else shown


def take(item: dict[str, Any], members: Mapping[str, Any]) -> None:
    """Brings the members of an object of an answer into their own types; members: as in _kinds/registry.py."""
    for name in item.keys() if EACH in members else members.keys() & item.keys():
        value, how = item[name], members.get(name, members.get(EACH))
        if isinstance(how, Mapping):
            for inner in value if isinstance(value, list) else [value]:
                if isinstance(inner, dict):
                    take(inner, how)
        elif isinstance(value, str) or (isinstance(value, int) and how is not read_number):
            item[name] = how(value)


def contains(current: Any, wanted: Any) -> bool:
    """Whether ``current`` has all of ``wanted``: dictionaries member by member, everything else by equality."""
    if isinstance(wanted, dict) and isinstance(current, dict):
        return all(name in current and contains(current[name], value) for name, value in wanted.items())
    return type(wanted) is type(current) and bool(wanted == current)


def problem_of(value: Any) -> str:
    """Why no request can hold a value, or a part of it; empty where one can."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
        text.encode()
    except UnicodeEncodeError:
        return "holds half of a character (a lone surrogate), which is no Unicode; write the whole character"
    except ValueError:
        return "holds a number that is infinite, or none at all (.inf, .nan)"
    except TypeError:
        return "has a field whose name is no text; put the name in quotes"
    except RecursionError:
        return "is nested too deep"
    if "\\u0000" in text and any("\0" in one for one in _texts_in(value)):
        return "holds a NUL character, which the panel cannot keep; remove it"
    if MASK in text and any(map(is_masked, _texts_in(value))):
        return f"holds {MASK} instead of a secret, as results show it; write the secret itself, or leave the option out"
    return ""


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _texts_in(name)
            yield from _texts_in(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts_in(inner)


def problems_in(given: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The innermost place of such a value for each option, as the names and numbers that lead there, and what is wrong with it."""
    for name, value in given.items():
        place: tuple[Any, ...] = (name,)
        problem = found = problem_of(value)
        while found:
            problem = found
            inside = (
                value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
            )
            step, value, found = next(
                ((step, one, found) for step, one in inside if (found := problem_of(one))), ("", (), "")
            )
            place += (step,) if found else ()
        if problem:
            yield place, problem

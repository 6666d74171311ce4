# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of many names and mistakes a message says: the first ones, and a number. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .._errors import NOTHING_WRITTEN

MOST_TOLD = 50


def first_of(names: Sequence[str], most: int, between: str = ", ") -> str:
    """The first names in one text: ``a, b and 3 more``, and between semicolons ``a; b; and 3 more``."""
    more = len(names) - most
    ending = f"{'' if between == ', ' else between.strip()} and {more} more" if more > 0 else ""
    return between.join(names[:most]) + ending


def first_lines(lines: Sequence[str], most: int) -> list[str]:
    """The first lines, and one that counts the others."""
    return [*lines[:most], *([f"and {len(lines) - most} more"] if len(lines) > most else [])]


def mistake(place: str, sentence: str, between: str = " ") -> str:
    """A sentence about a mistake, which begins with its place, such as ``emails[7] (info@acme.example)``."""
    return f"{place}{between}{sentence}"


def told(mistakes: Iterable[str], member: str = "") -> str:
    """All mistakes in one text, each once. member: the field of the result that has those for which there is no room."""
    once = list(dict.fromkeys(mistakes))
    count = f"{len(once)} mistakes: " if len(once) > 1 else ""
    where = f" in {member}" if member else ""
    others = f" And {len(once) - MOST_TOLD} more{where}." if len(once) > MOST_TOLD else ""
    return f"{count}{' '.join(once[:MOST_TOLD])}{others} {NOTHING_WRITTEN}"


def without_ending(message: str) -> str:
    """The message of an error in a place that says itself what was written."""
    return message.replace(f" {NOTHING_WRITTEN}", "")

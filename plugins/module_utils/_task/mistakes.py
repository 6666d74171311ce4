# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of many names and mistakes is told: the first names, and each mistake once. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .._errors import NOTHING_WRITTEN

MOST_TOLD = 50
"""Of different mistakes in one message; a result need not have them once more where there are no more than these."""
_MOST_ALIKE = 4


def first_of(names: Sequence[str], most: int, between: str = ", ") -> str:
    """The first names in one text: ``a, b and 3 more``, and between semicolons ``a; b; and 3 more``."""
    more = len(names) - most
    ending = f"{'' if between == ', ' else between.strip()} and {more} more" if more > 0 else ""
    return between.join(names[:most]) + ending


def first_lines(lines: Sequence[str], most: int) -> list[str]:
    """The first lines, and one that counts the others."""
    return [*lines[:most], *([f"and {len(lines) - most} more"] if len(lines) > most else [])]


class Mistake(str):
    """A sentence about a mistake, which begins with its place, such as ``emails[7] (info@acme.example)``."""

    place: str
    sentence: str
    between: str
    most_alike: int

    def __new__(cls, place: str, sentence: str, between: str = " ", most_alike: int = _MOST_ALIKE) -> Mistake:
        """between: what stands between the two. most_alike: how many places are named with the same sentence."""
        made = super().__new__(cls, f"{place}{between}{sentence}")
        made.place, made.sentence, made.between = place, sentence, between
        made.most_alike = most_alike
        return made


def each_once(mistakes: Iterable[str]) -> list[str]:
    """The mistakes, but those that say the same of many places as one, with the first few of them."""
    given = list(mistakes)
    places: dict[str, list[str]] = {}
    for mistake in given:
        if isinstance(mistake, Mistake):
            places.setdefault(mistake.sentence, []).append(mistake.place)
    found = []
    for mistake in given:
        if not isinstance(mistake, Mistake) or len(alike := places[mistake.sentence]) <= mistake.most_alike:
            found.append(str(mistake))
        elif mistake.place == alike[0]:
            named = ", ".join(alike[1 : mistake.most_alike])
            more = f"{len(alike) - mistake.most_alike} more"
            found.append(f"{mistake} The same at {named} and {more}." if named else f"{mistake} The same at {more}.")
    return found


def without_ending(message: str) -> str:
    """The message of an error where something else says what was written."""
    for words in (" Nothing was written.", f" {NOTHING_WRITTEN}"):
        message = message.replace(words, "")
    return message


def told(mistakes: Sequence[str], member: str | None = None) -> str:
    """All mistakes in one text, as far as that can be read. member: which member of the result has the rest, if one has."""
    count = f"{len(mistakes)} mistakes: " if len(mistakes) > 1 else ""
    once = each_once(mistakes)
    more = len(once) - MOST_TOLD
    where = f", which {member} of this result has" if member else ""
    others = f" And {more} more{where}." if more > 0 else ""
    return f"{count}{' '.join(once[:MOST_TOLD])}{others} Nothing was written."

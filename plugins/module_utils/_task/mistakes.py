# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of many names and mistakes is told: the first names, and each mistake once. Pure. Private to the collection."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

from .._errors import NOTHING_WRITTEN

MOST_TOLD = 50
"""Of different mistakes in one message; a result need not have them once more where there are no more than these."""
MOST_LISTED = 200
"""Of different mistakes in a member of a result, which Ansible prints when the task failed."""
MOST_ALIKE = 4
_MOST_OF_A_FORM = 20
# What differs between sentences that are about the same mistake: values, names, and numbers of entries.
_VALUES = re.compile(
    r": [^:]*?(?= is not accepted;| stands there as )|there is no [^:]*?(?= on this panel\.)|\[\d+\]"
    r"""|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""",
    re.DOTALL,
)


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

    def __new__(cls, place: str, sentence: str, between: str = " ", most_alike: int = MOST_ALIKE) -> Mistake:
        """between: what stands between the two. most_alike: how many places are named with the same sentence."""
        made = super().__new__(cls, f"{place}{between}{sentence}")
        made.place, made.sentence, made.between = place, sentence, between
        made.most_alike = most_alike
        return made

    @functools.cached_property
    def form(self) -> str:
        """The sentence without the values in it."""
        return _VALUES.sub("…", self.sentence)


def each_once(mistakes: Iterable[str]) -> list[str]:
    """The mistakes, but those that say the same of many places as one, with the first few of them.

    Of more than a few that differ only in the value, the first is told and the places of the next ones.
    """
    given = list(mistakes)
    sentences: dict[str, set[str]] = {}
    for mistake in given:
        if isinstance(mistake, Mistake):
            sentences.setdefault(mistake.form, set()).add(mistake.sentence)
    forms = {form for form, found in sentences.items() if len(found) > _MOST_OF_A_FORM}

    def group_of(mistake: Mistake) -> str:
        return mistake.form if mistake.form in forms else mistake.sentence

    groups: dict[str, list[Mistake]] = {}
    for mistake in given:
        if isinstance(mistake, Mistake):
            groups.setdefault(group_of(mistake), []).append(mistake)
    found = []
    for mistake in given:
        if not isinstance(mistake, Mistake):
            found.append(mistake)
            continue
        is_of_form, alike = mistake.form in forms, groups[group_of(mistake)]
        most = _MOST_OF_A_FORM if is_of_form else mistake.most_alike
        if len(alike) <= most:
            found.append(str(mistake))
        elif mistake is alike[0]:
            words = "The same with other values at" if is_of_form else "The same at"
            named = ", ".join(one.place for one in alike[1:most])
            found.append(f"{mistake} {words} {named}{named and ' and '}{len(alike) - most} more.")
    return found


def without_ending(message: str) -> str:
    """The message of an error where something else says what was written."""
    for words in (" Nothing was written.", f" {NOTHING_WRITTEN}"):
        message = message.replace(words, "")
    return message


def told(mistakes: Sequence[str], member: str | None = None) -> str:
    """All mistakes in one text, as far as that can be read. member: which member of the result has the rest, if one has."""
    return told_of(each_once(mistakes), len(mistakes), member)


def told_of(once: Sequence[str], number: int, member: str | None = None) -> str:
    """The same of so many mistakes that are each told once already."""
    count = f"{number} mistakes: " if number > 1 else ""
    more = len(once) - MOST_TOLD
    where = f", which {member} of this result has" if member else ""
    others = f" And {more} more{where}." if more > 0 else ""
    return f"{count}{' '.join(once[:MOST_TOLD])}{others} Nothing was written."


def rest_of(once: Sequence[str]) -> list[str]:
    """Those that such a text has no room for."""
    return first_lines(once[MOST_TOLD:], MOST_LISTED)


def number_of(message: str) -> int:
    """How many mistakes such a text is about."""
    match = re.match(r"(\d+) mistakes: ", message)
    return int(match[1]) if match else 1

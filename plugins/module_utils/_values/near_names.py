# SPDX-License-Identifier: GPL-3.0-or-later
"""How far two names are from each other, to find the one that was meant.

There are two rules. The name of an object of the panel is meant if it is one mistake away, since a
panel has names that are much alike. A word of a list that people can read is meant if it is alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .._problems import abbreviate
from .names import decode_punycode

_MOST_NAMED = 5
# Of two words, as difflib counts it: from 0, no letter in common, to 1, the same.
_ALIKE = 0.6
# Of a column: a table of customers may have others, and only one that is surely misspelled is a
# mistake.
SURELY_MEANT = 0.8


def count_mistakes(written: str, meant: str) -> int:
    """Count the letters that are added, omitted, changed, or swapped with their neighbour."""
    # Of the beginnings of both names, the mistakes between them: a row for each letter written.
    row_before: list[int] = []
    last_row = list(range(len(meant) + 1))
    for row, letter in enumerate(written, start=1):
        current_row = [row]
        for column, meant_letter in enumerate(meant, start=1):
            is_changed = letter != meant_letter
            cost = min(
                last_row[column] + 1,
                current_row[-1] + 1,
                last_row[column - 1] + is_changed,
            )
            is_second = row > 1 and column > 1
            if is_second and (written[row - 2], letter) == (meant_letter, meant[column - 2]):
                cost = min(cost, row_before[column - 2] + 1)
            current_row.append(cost)
        row_before = last_row
        last_row = current_row
    return last_row[-1]


def find_near_name(written: str, names: Iterable[str]) -> str | None:
    """Return the first of the names, in alphabetical order, that is one mistake away, apart from
    case; a domain in letters. None if none is.
    """
    sought = decode_punycode(written.lower())
    for name in sorted(names):
        readable_name = decode_punycode(name)
        # In a long list, most names are not even as long.
        is_as_long = abs(len(readable_name) - len(sought)) <= 1
        if is_as_long and count_mistakes(sought, readable_name.lower()) <= 1:
            return readable_name
    return None


def find_like_word(written: str, words: Sequence[str], least_alike: float = _ALIKE) -> str | None:
    """Return the word of a list that is the most like what was written; None if none is."""
    import difflib  # noqa: PLC0415 - few tasks need it

    near_words = difflib.get_close_matches(written, words, 1, least_alike)
    return near_words[0] if near_words else None


def ask_for_like_word(written: str, words: Sequence[str]) -> str:
    """Return the end of a sentence: a question where a word is like what was written, else a dot."""
    word = find_like_word(written, words)
    return f"; did you mean {word}?" if word else "."


def ask_for_near_names(written: Iterable[str], names: Iterable[str]) -> str:
    """Return the end of an advice to correct what was written: a question where a name is near to
    it, else a dot.
    """
    candidates = list(names)
    near_names = [find_near_name(name, candidates) for name in written]
    readable_names = [name for name in near_names if name]
    if not readable_names:
        return "."
    return f": did you mean {abbreviate(readable_names, _MOST_NAMED)}?"

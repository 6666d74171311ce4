# SPDX-License-Identifier: GPL-3.0-or-later
"""How far two names are from each other, to find the one that was meant."""

from __future__ import annotations

from collections.abc import Iterable


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
    """Return the first of the names, in alphabetical order, that is one mistake away; None if none
    is.
    """
    # In a long list, most names are not even as long.
    candidates = sorted(name for name in names if abs(len(name) - len(written)) <= 1)
    for name in candidates:
        if count_mistakes(written, name) == 1:
            return name
    return None

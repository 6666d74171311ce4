# SPDX-License-Identifier: GPL-3.0-or-later
"""What an entry of a list of names and shell patterns is. Pure."""

from __future__ import annotations

import re
from enum import Enum

_RANGE = re.compile(r"(.)-(.)", re.DOTALL)


class EntryForm(Enum):
    """Says what an entry is.

    NAME: It has no wildcard, so it is the name of one object.
    PATTERN: It may match any number of names, also none.
    BROKEN: It has a wildcard, and a bracket that is not closed or in which no character fits.
    """

    NAME = "name"
    PATTERN = "pattern"
    BROKEN = "broken pattern"


def find_entry_form(entry: str) -> EntryForm:
    """Return what an entry is, as the module fnmatch of Python reads it."""
    has_wildcard = False
    is_broken = False
    last_closing = entry.rfind("]")
    position = 0
    while position < len(entry):
        sign = entry[position]
        position += 1
        if sign in "*?":
            has_wildcard = True
        if sign != "[":
            continue

        begin = position + entry.startswith("!", position)
        # A closing bracket at the beginning is one of the characters.
        if last_closing <= begin:
            is_broken = True
            continue
        end = entry.index("]", begin + 1)
        has_wildcard = True
        is_broken = is_broken or _has_empty_range(entry[begin:end])
        position = end + 1

    if not has_wildcard:
        return EntryForm.NAME
    return EntryForm.BROKEN if is_broken else EntryForm.PATTERN


def _has_empty_range(characters: str) -> bool:
    """Tell whether a range ends before it begins, such as z-a."""
    return any(first > last for first, last in _RANGE.findall(characters))

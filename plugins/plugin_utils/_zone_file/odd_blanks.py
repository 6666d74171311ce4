# SPDX-License-Identifier: GPL-3.0-or-later
"""Signs that look like a blank, or like nothing, and that a zone file does not take for one. Pure."""

from __future__ import annotations

import re
import unicodedata

# Blanks other than that of ASCII, the ends of lines and paragraphs, and signs that show nothing.
_CATEGORIES = ("Zs", "Zl", "Zp", "Cf")
# The last two join or part letters of Persian or Hindi, and the name of a domain may have them.
_USUAL = " \u200c\u200d"
# In quotes and in a comment they are text like any other. A quote that nobody closed ends with the
# line, since to look for its end from each quote would take long.
_QUOTED_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\(?s:.?))*(?:"|\Z)|;.*')


def find_odd_blank(line: str) -> str:
    """Return the first such sign between the fields of a line; empty where there is none."""
    for character in _QUOTED_OR_COMMENT.sub("", line):
        is_usual = character in _USUAL
        if not is_usual and unicodedata.category(character) in _CATEGORIES:
            return character
    return ""


def name_character(character: str) -> str:
    """Return what a message calls a sign that nobody sees: ``NO-BREAK SPACE (U+00A0)``."""
    name = unicodedata.name(character, "a sign without a name")
    return f"{name} (U+{ord(character):04X})"

# SPDX-License-Identifier: GPL-3.0-or-later
"""Halves of characters, which Ansible makes of each byte of a file that is not UTF-8. Pure."""

from __future__ import annotations

import re

HALF_CHARACTER = "half of a character (a lone surrogate)"
_HALF = re.compile("[\ud800-\udfff]")


def holds_half_character(text: str) -> bool:
    """Tell whether a text cannot be written in UTF-8."""
    return _HALF.search(text) is not None

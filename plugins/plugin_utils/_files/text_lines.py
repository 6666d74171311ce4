# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a file ceases to be a text. Pure. Private to the collection."""

from __future__ import annotations

import re

from .places import Place

_LINE_END = re.compile(rb"\r\n|\r|\n")


def place_of(error: UnicodeDecodeError) -> Place:
    """Where the first byte is that is no UTF-8."""
    lines = _LINE_END.split(error.object[: error.start])
    return Place(len(lines), len(lines[-1].decode("utf-8")) + 1)

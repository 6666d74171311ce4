# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The line of a file in which something is. Pure. Private to the collection."""

from __future__ import annotations

import re

_LINE_END = re.compile(rb"\r\n|\r|\n")


def line_of(error: UnicodeDecodeError) -> int:
    """Where the first byte is that is no UTF-8, counted from 1."""
    return len(_LINE_END.findall(error.object[: error.start])) + 1

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""By what a job tells the files that it writes from those of others, which it does not replace. Pure. Private to the collection."""

from __future__ import annotations

import re
from typing import NamedTuple

LENGTH = 4096
"""So many bytes of a file tell what it is."""


class OwnFiles(NamedTuple):
    """Files of one sort. noun: what one is, for a person. begins: how each of them begins, and no other file."""

    noun: str
    begins: re.Pattern[str]

    def may_replace(self, content: bytes) -> bool:
        """Whether a file that begins with this is one of them, or empty."""
        text = content.decode("utf-8", "replace")
        return not text.strip() or self.begins.match(text) is not None

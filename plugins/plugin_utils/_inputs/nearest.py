# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody who made a typing mistake may have meant. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

# How much names have to be alike, from 0 to 1.
ALIKE, VERY_MUCH_ALIKE = 0.45, 0.8


def nearest(name: str, known: Iterable[str], alike: float = ALIKE) -> str | None:
    """The name that is most like this one; None where none is."""
    by_comparable = {one.lower(): one for one in known}
    found = get_close_matches(name.lower(), by_comparable, n=1, cutoff=alike)
    return by_comparable[found[0]] if found else None

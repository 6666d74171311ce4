# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a typing mistake may have meant. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

# How much names have to be alike, from 0 to 1.
_ALIKE = 0.45


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The name that is most like this one; None where none is."""
    by_comparable = {one.lower(): one for one in known}
    found = get_close_matches(name.lower(), by_comparable, n=1, cutoff=_ALIKE)
    return by_comparable[found[0]] if found else None


def no_such_option(name: str, known: Iterable[str]) -> str:
    """What to say of an option that does not exist."""
    names = sorted(known)
    meant = nearest(name, names)
    return f"did you mean {meant}?" if meant else f"there is no such option; there are {', '.join(names)}."

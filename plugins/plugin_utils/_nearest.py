# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody who made a typing mistake may have meant. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` did you mean acme?`` with the name that is most like this one; empty where none is."""
    by_comparable = {one.lower(): one for one in known}
    alike = get_close_matches(name.lower(), by_comparable, n=1)
    return f" did you mean {by_comparable[alike[0]]}?" if alike else ""

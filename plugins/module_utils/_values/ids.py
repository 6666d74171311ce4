# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an id in an answer of the panel is: a whole number, or a text of its digits. Pure. Private to the collection.

Ids become parts of paths and of bodies, so whatever else a panel shows in their place is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_MOST_DIGITS = 18  # fewer than any number that a database cannot hold


def read_id(shown: Any, least: int = 1) -> int | None:
    """The id that a panel shows; None where it is none. Panels may write numbers as texts (facts.md section 16)."""
    if isinstance(shown, str) and shown.isascii() and shown.isdecimal() and len(shown) <= _MOST_DIGITS:
        shown = int(shown)
    return shown if isinstance(shown, int) and not isinstance(shown, bool) and shown >= least else None


def take_ids(item: dict[str, Any], references: Iterable[str]) -> bool:
    """Makes numbers of the ids of an object, as far as they are ids; whether its own is one, or is not shown.

    references: the members for other objects, of which 0 stands for none, or for the server itself.
    """
    for name in ("id", *references):
        if isinstance(item.get(name), str):
            identifier = read_id(item[name], int(name == "id"))
            if identifier is not None:
                item[name] = identifier
    return item.get("id") is None or read_id(item["id"]) is not None

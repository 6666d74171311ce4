# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ids and numbers in an answer of the panel are: whole numbers, or texts of their digits (facts.md section 16). Pure. Private to the collection.

Ids become parts of paths and of bodies, so whatever else a panel shows in their place is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

EACH = "*"  # in a table of members: whatever their names are
_MOST_DIGITS = 18  # fewer than any number that a database cannot hold


def read_id(shown: Any, least: int = 1) -> int | None:
    """The id that a panel shows; None where it is none."""
    shown = read_number(shown)
    return shown if isinstance(shown, int) and not isinstance(shown, bool) and shown >= least else None


def read_number(shown: Any) -> Any:
    """The whole number that a panel shows; anything else as it is."""
    if isinstance(shown, str) and (
        shown == "-1" or (shown.isascii() and shown.isdecimal() and len(shown) <= _MOST_DIGITS)
    ):
        return int(shown)
    return shown


def take(item: dict[str, Any], members: Mapping[str, Any]) -> None:
    """Brings the members of an object of an answer into their own types; members: as in _kinds/taken.py."""
    for name in item.keys() if EACH in members else members.keys() & item.keys():
        value, how = item[name], members.get(name, members.get(EACH))
        if callable(how):
            if isinstance(value, (str, int)):
                item[name] = how(value)
        else:
            for inner in value if isinstance(value, list) else [value]:
                if isinstance(inner, dict):
                    take(inner, how)

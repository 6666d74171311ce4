# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists that are sets, and members sent as they are. Private to the collection."""

from __future__ import annotations

from typing import Any

from .value_types import ValueType


class SetOf(ValueType):
    """A list whose order has no meaning, replaced as a whole; an empty list clears it."""

    option_type = "list"

    def __init__(self, item: ValueType) -> None:
        self.item = item
        self.form = f"a list; each entry must be {item.form}"

    def parse(self, value: Any) -> list[Any]:
        entries = _as_list(value)
        parsed: list[Any] = []
        for entry in entries:
            one = self.item.parse(entry)
            if one not in parsed:
                parsed.append(one)
        return parsed

    def comparable(self, value: Any) -> Any:
        if value is None:
            return []
        if not isinstance(value, list):
            return value
        return sorted({repr(self.item.comparable(entry)) for entry in value})

    def argument(self) -> dict[str, Any]:
        return {"type": "list", "elements": self.item.option_type}


def _as_list(value: Any) -> list[Any]:
    """What Ansible makes of an option that is a list, so that it means the same where Ansible has not seen it."""
    if isinstance(value, str):
        value = value.split(",")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        value = [str(value)]
    if not isinstance(value, list):
        raise ValueError
    # An empty text is one empty entry to Ansible, and here it clears the list.
    return [] if value == [""] else value


def contains(current: Any, wanted: Any) -> bool:
    """Whether ``current`` has all of ``wanted``: dictionaries member by member, everything else by equality."""
    if isinstance(wanted, dict) and isinstance(current, dict):
        return all(name in current and contains(current[name], value) for name, value in wanted.items())
    return type(wanted) is type(current) and bool(wanted == current)

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of nested dictionaries by their paths. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Path = tuple[str, ...]
"""Leads to a member of an object, through the groups that it is in."""


def has(holder: Any, path: Path) -> bool:
    """Whether there is a member at this path; a panel may show something else than a dictionary on the way."""
    for name in path:
        if not isinstance(holder, Mapping) or name not in holder:
            return False
        holder = holder[name]
    return True


def value_at(holder: Any, path: Path) -> Any:
    """The member at this path; None where there is none."""
    for name in path:
        holder = holder.get(name) if isinstance(holder, Mapping) else None
    return holder


def put(holder: dict[str, Any], path: Path, value: Any) -> None:
    for name in path[:-1]:
        holder = holder.setdefault(name, {})
    holder[path[-1]] = value


def merged(current: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """The object after a write of ``body``: dictionaries are merged, everything else is replaced."""
    result = dict(current)
    for name, value in body.items():
        old = result.get(name)
        result[name] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result

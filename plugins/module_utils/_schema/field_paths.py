# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths to the fields of an object, through the groups that they are in. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Path = tuple[str, ...]
_NO_VALUE = object()


def get_value(holder: Any, path: Path, default: Any = None) -> Any:
    """Return the value that a path leads to, or the default."""
    for name in path:
        if not isinstance(holder, Mapping) or name not in holder:
            return default
        holder = holder[name]
    return holder


def has_value(holder: Any, path: Path) -> bool:
    """Tell whether a path leads to a value."""
    return get_value(holder, path, _NO_VALUE) is not _NO_VALUE


def has_values(holder: Any, paths: Iterable[Path]) -> bool:
    """Tell whether all paths lead to values."""
    return all(has_value(holder, path) for path in paths)


def set_value(holder: dict[str, Any], path: Path, value: Any) -> None:
    """Set the value that a path leads to, and make the groups on its way."""
    for name in path[:-1]:
        holder = holder.setdefault(name, {})
    holder[path[-1]] = value

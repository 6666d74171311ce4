# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells whether kept values have the form in which a run keeps them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class KeptKind(NamedTuple):
    """Names the objects of one kind, and what runs keep of each.

    name: files, mailbox or database.
    forms: By the name of a value, what tells whether it has its form. It may be missing.
    """

    name: str
    forms: Mapping[str, Callable[[Any], bool]]


def is_text(value: Any) -> bool:
    """Return whether this is a text."""
    return isinstance(value, str)


def is_count(value: Any) -> bool:
    """Return whether this is a number of things."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_mapping(value: Any) -> bool:
    """Return whether this is a dictionary."""
    return isinstance(value, dict)


def is_list_of_texts(value: Any) -> bool:
    """Return whether this is a list of texts."""
    return isinstance(value, list) and all(map(is_text, value))


def is_pair(value: Any) -> bool:
    """Return whether this is a list of two texts."""
    return is_list_of_texts(value) and len(value) == 2


def is_list_of_pairs(value: Any) -> bool:
    """Return whether this is a list of such lists."""
    return isinstance(value, list) and all(map(is_pair, value))


def has_pairs(value: Any) -> bool:
    """Return whether this is a dictionary of lists of two texts."""
    return isinstance(value, dict) and all(map(is_pair, value.values()))


def has_lists_of_texts(value: Any) -> bool:
    """Return whether this is a dictionary of lists of texts."""
    return isinstance(value, dict) and all(map(is_list_of_texts, value.values()))

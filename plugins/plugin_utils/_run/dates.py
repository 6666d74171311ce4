# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds dates in the places of texts. A module would get them as texts that nobody wrote. Private to the collection."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils._errors import raise_collected
from ...module_utils._operation.validation import path_in_words
from ...module_utils._problems import option_problem

Path = tuple[Any, ...]


def check_dates(module: str, given: Mapping[str, Any]) -> None:
    """Refuses dates as YAML reads them, wherever an option takes texts alone.

    Args:
        module: The name of the module, without its collection.
        given: Its options, as the user wrote them.

    Raises:
        OptionError: which names each option that has a date in the place of a text.
    """
    if _is_plain(given):
        return
    from ...module_utils._items.wanted_items import problem_of_text_at  # noqa: PLC0415 - few tasks have dates

    problems = []
    for path, date in _dates_in(given, ()):
        kind, option = _option_at(module, path)
        cause = problem_of_text_at(kind, option, date) if kind else ""
        if cause:
            problems.append(option_problem(path_in_words(path), cause, "Nothing was sent."))
    raise_collected(problems)


def _is_plain(value: Any) -> bool:
    """Tells, faster than a look at each value, whether there is nothing but what JSON has too."""
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True


def _dates_in(value: Any, path: Path) -> Iterator[tuple[Path, datetime.date]]:
    if isinstance(value, datetime.date):
        yield path, value
    elif isinstance(value, (Mapping, list)):
        members = value.items() if isinstance(value, Mapping) else enumerate(value)
        for step, member in members:
            yield from _dates_in(member, (*path, step))


def _option_at(module: str, path: Path) -> tuple[str, Path]:
    """The plural of the kind that an option is of, empty where it is of none, and the path of the option in an item."""
    from ...module_utils._kinds.registry import KINDS  # noqa: PLC0415 - few tasks have dates

    if module == "panel_resources":
        is_of_item = path[0] == "resources" and len(path) > 3 and path[1] in KINDS
        return (path[1], path[3:]) if is_of_item else ("", path)
    managed = (plural for plural, kind in KINDS.items() if kind.module == module.removesuffix("_info"))
    return next(managed, ""), path

# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds dates in the places of texts. A module would get them as texts that nobody wrote."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from typing import Any

from ...module_utils._errors import raise_if_any
from ...module_utils._problems import Written, describe_option_problem
from ...module_utils._values.nesting import find_values
from ...module_utils._values.option_marks import is_text_only

Path = tuple[Any, ...]
Specification = Mapping[str, Mapping[str, Any]]


def check_dates(module: str, options: Mapping[str, Any]) -> None:
    """Refuse dates as YAML reads them, wherever an option takes texts alone.

    Args:
        module: The name of the module, without its collection.
        options: Its options, as the user wrote them.

    Raises:
        OptionError: An option has a date in the place of a text; it names each.
    """
    if _is_plain(options):
        return
    # Few tasks have dates.
    from ...module_utils._items.desired_items import describe_text_problem_at, name_item_of_problem  # noqa: PLC0415

    problems = []
    for path, date in find_values(options, datetime.date):
        plural, option = _find_option(module, path)
        if plural:
            cause = describe_text_problem_at(plural, option, date)
        else:
            cause = _describe_problem_of_module(module, path, date)
        if cause:
            problem = describe_option_problem(path, cause, Written.NOTHING_SENT)
            problems.append(name_item_of_problem(problem, options.get("resources")))
    raise_if_any(problems)


def check_dates_by_specification(specification: Specification, options: Mapping[str, Any]) -> None:
    """Refuse dates where a job's own options take texts alone.

    Args:
        specification: Its options.
        options: As the user wrote them.

    Raises:
        OptionError: An option has a date in the place of a text; it names each.
    """
    # Which the action of a module's process does without.
    from ...module_utils._values.value_types import describe_text_problem  # noqa: PLC0415

    problems = []
    for path, date in find_values(options, datetime.date):
        if is_text_only(_find_rules(specification, path)):
            cause = describe_text_problem(date)
            problems.append(describe_option_problem(path, cause))
    raise_if_any(problems)


def _describe_problem_of_module(module: str, path: Path, date: datetime.date) -> str:
    """Say why a module takes no date in an option that is of no kind; empty where it takes one.

    Args:
        module: The name of the module.
        path: Where the date is in the options of the task.
        date: The date.
    """
    from ...module_utils._values.value_types import describe_text_problem  # noqa: PLC0415
    from .in_process import load_operation  # noqa: PLC0415

    if not is_text_only(_find_rules(load_operation(module).options, path)):
        return ""
    return describe_text_problem(date)


def _find_rules(specification: Specification, path: Path) -> Mapping[str, Any]:
    """Return the rules of the option that a path leads to; none for one that there is not.

    What is in a list or dictionary without rules of its own has those of the whole.
    """
    rules: Mapping[str, Any] = {"options": specification}
    for step in path:
        if isinstance(step, str) and "options" in rules:
            rules = rules["options"].get(step, {})
    return rules


def _is_plain(value: Any) -> bool:
    """Return whether there is nothing but what JSON has too, faster than a look at each value."""
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True


def _find_option(module: str, path: Path) -> tuple[str, Path]:
    """Return the kind that an option is of, and the path of the option in an item.

    Args:
        module: The name of the module.
        path: Where the option is in the options of the task.

    Returns:
        The plural of the kind, empty if the option is of none, and the path.
    """
    from ...module_utils._kinds.registry import KINDS  # noqa: PLC0415

    if module == "panel_resources":
        is_of_item = path[0] == "resources" and len(path) > 3 and path[1] in KINDS
        return (path[1], path[3:]) if is_of_item else ("", path)

    for plural, kind in KINDS.items():
        if kind.module == module.removesuffix("_info"):
            return plural, path
    return "", path

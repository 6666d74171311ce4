# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what is wrong with a list of clients to suspend, once the panel is read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...module_utils._bulk.name_patterns import NamePatterns
from ...module_utils._problems import abbreviate, format_number_of
from ...module_utils._values.near_names import ask_for_like_word, ask_for_near_names
from ...module_utils._values.value_types import describe_name_problem
from .decisions import Decision

_MOST_NAMED = 30


def find_mistakes_in_list(decisions: Iterable[Decision], on_panel: Iterable[str]) -> Iterator[str]:
    """Yield which clients the panel lacks, and which have no due date.

    Each is named with its place in the list.

    Args:
        decisions: Those about all clients of the list.
        on_panel: The clients of the panel, one of which may be meant.
    """
    missing = []
    missing_names = []
    undated = []
    for decision in decisions:
        title = f"{decision.username} ({decision.entry['place']})"
        if decision.outcome == "missing":
            missing.append(title)
            missing_names.append(decision.username)
        elif decision.outcome == "left":
            undated.append(title)

    if missing:
        question = ask_for_near_names(missing_names, on_panel)
        yield f"Not on this panel: {abbreviate(missing, _MOST_NAMED)}. Correct the list{question}"
    if undated:
        names = abbreviate(undated, _MOST_NAMED)
        yield f"With suspend_grace_days, give each client a due date. It is empty for {names}."


def find_mistakes_in_exceptions(
    excepted: Iterable[Any], names: Sequence[str], on_panel: Iterable[str]
) -> Iterator[str]:
    """Yield a sentence for each exception that fits nothing, or that YAML has read as a number.

    Args:
        excepted: The exceptions.
        names: The clients of the panel and of the list.
        on_panel: Those of the panel, one of which may be meant.
    """
    patterns = list(excepted)
    unmatched = NamePatterns(patterns).list_unmatched(names)
    for pattern in patterns:
        problem = describe_name_problem(pattern) if pattern is not None else ""
        if problem:
            yield f"suspend_except: {problem}"
        elif pattern in unmatched:
            hint = ask_for_like_word(str(pattern or ""), [*on_panel])
            displayed = pattern or "(empty)"
            yield f"suspend_except: {displayed} fits no client of the panel and of the list{hint}"


def find_mistakes_in_grace_days(grace_days: int) -> Iterator[str]:
    """Yield a sentence if the days of grace are fewer than none."""
    if grace_days < 0:
        yield f"suspend_grace_days: {grace_days} is invalid. Use a whole number, 0 or more."


def find_mistakes_in_limit(limit: Any, count: int, state: str) -> list[str]:
    """Return a sentence if the limit is no number, or if more clients would change."""
    if limit is None:
        return []
    if isinstance(limit, bool) or not str(limit).isdecimal():
        advice = "Use a whole number, 0 or more, or leave the variable out."
        return [f"suspend_max: {limit!r} is invalid. {advice}"]
    if count <= int(limit):
        return []
    clients = format_number_of(count, "client", "clients")
    return [f"suspend_max: {clients} would be {state}, and the limit is {limit}."]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Defines one run of a module: what it gets, and what comes back. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

from ...module_utils._operation.operation import REPORTS

Result = dict[str, Any]


class ModuleResult(NamedTuple):
    """Holds what a module returned.

    result: What the user sees.
    report: What the front end asked for, as data.
    """

    result: Result
    report: Mapping[str, Any]


def split_report(returned: Mapping[str, Any]) -> ModuleResult:
    """Take apart what a module returned."""
    result = {name: value for name, value in returned.items() if name != REPORTS}
    return ModuleResult(result, returned.get(REPORTS) or {})


# Puts what a module reports into words that only the front end knows.
Wording = Callable[[ModuleResult], Result]


class ModuleCall(NamedTuple):
    """Describes one run of a module.

    module: The module, as a task names it.
    options: Its options, those of the connection included.
    handed_on: What it gets beside them, by the names of ``HANDED_ON``.
    wording: Makes the result of what it reports; None where it stays as it is.
    check_mode: Whether it only plans; None where it does what the user's task does.
    in_process: What it gets beside them in this process alone, by the names of Task; a call that
        has any runs in this process.
    """

    module: str
    options: Mapping[str, Any]
    handed_on: Mapping[str, Any] = {}
    wording: Wording | None = None
    check_mode: bool | None = None
    in_process: Mapping[str, Any] = {}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Defines one run of a module: what it gets, and what comes back. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

from ...module_utils._operation.handover import NOTHING, REPORTS, Handover, LocalHandover

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
    check_mode: Whether it only plans.
    handover: What it gets beside its options.
    local: What it gets in this process alone; None where it may run in another one.
    wording: Makes the result of what it reports; None where it stays as it is.
    """

    module: str
    options: Mapping[str, Any]
    check_mode: bool
    handover: Handover = NOTHING
    local: LocalHandover | None = None
    wording: Wording | None = None

    @property
    def needs_this_process(self) -> bool:
        """Whether it gets what no other process can get."""
        return self.local is not None

    @property
    def name(self) -> str:
        """The module without its collection."""
        return self.module.rpartition(".")[2]

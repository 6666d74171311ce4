# SPDX-License-Identifier: GPL-3.0-or-later
"""Says what became of a plan."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._errors import PanelError
from .._plan.object_plan import ObjectPlan
from .._problems import Problem


class Applied(NamedTuple):
    """Says what became of a plan.

    plan: What was carried out; another plan than the one that was asked for where the object exists
        by now.
    identifier: The id of the object.
    password: The password that the panel generated.
    existed: Whether someone else has made the object that was to be created.
    warnings: What the operator should know beside the warnings of the plan.
    error: Why it failed. Its ``reached`` may say what was reached.
    """

    plan: ObjectPlan
    identifier: Any = None
    password: str | None = None
    existed: bool = False
    warnings: tuple[str | Problem, ...] = ()
    error: PanelError | None = None

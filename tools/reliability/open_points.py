"""Panels that answer what the interface leaves open in each way that there is, one for each value of each point: a dimension of the experiments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from panel_simulator.settings import POINTS

USUAL = "as usual"
# Those on which every task can work, so that there is something to compare with, and a second run at once finds what the first one did.
PANELS: Mapping[str, Mapping[str, Any]] = {
    USUAL: {},
    **{
        f"{name}: {value if isinstance(value, str) else json.dumps(value)}": {name: value}
        for name, point in POINTS.items()
        for value in point.tried
        if not point.refusal(value)
    },
}


def panel_of(operation: int, turn: int, turns: int = 2, first: int = 0) -> str:
    """The panel of a case: so many by turns for each operation, since each needs an undisturbed run, and all of them over all operations.

    first: another number for each experiment, so that an operation does not meet the same panels in all of them.
    """
    return list(PANELS)[(first + operation + turn % turns * len(PANELS) // turns) % len(PANELS)]


def settings_of(name: str) -> dict[str, Any]:
    """The settings of one of these panels."""
    return dict(PANELS[name])

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels that answer what the interface leaves open in each way that there is, one for each value of each point: a dimension of the experiments."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from panel_simulator.open_points import POINTS

USUAL = "as usual"
# Values that no operation meets, or on which some cannot work, so that there is nothing to compare with; and why. None: every value of the point.
LEFT_OUT: Mapping[str, Sequence[tuple[Any, str]]] = {
    "api_disabled": [(None, "the API of every panel is switched on")],
    "wrong_key": [(None, "every key is right")],
    "missing_paths": [
        (
            [
                "(PUT|DELETE) /ftp-users/\\d+",
                "(PUT|DELETE) /directory-protections/\\d+",
                "(PUT|DELETE) /scheduled-tasks/\\d+",
            ],
            "what has no path cannot be changed",
        )
    ],
    "hidden_members": [({"domains": ["id_user"]}, "a mailbox gets its owner from its domain")],
    "renamed_members": [({"domains": {"id_user": "id_client"}}, "a domain is sent with its owner's usual name")],
    "list_lag": [(None, "a second run at once writes a change once more")],
    "statuses": [("stay", "a task that waits fails")],
    "domain_deletion": [("refused", "panel_domain only says what has to be deleted first")],
    "client_deletion": [("refused", "panel_client only says what has to be deleted first")],
}


def _is_left_out(point: str, value: Any) -> bool:
    return any(left_out in (None, value) for left_out, _reason in LEFT_OUT.get(point, ()))


def _panels() -> dict[str, dict[str, Any]]:
    panels: dict[str, dict[str, Any]] = {USUAL: {}}
    for point in POINTS.values():
        for value in point.tried:
            if not _is_left_out(point.name, value):
                panels[f"{point.name}: {value if isinstance(value, str) else json.dumps(value)}"] = {point.name: value}
    return panels


PANELS: Mapping[str, Mapping[str, Any]] = _panels()


def panel_of(operation: int, turn: int, turns: int = 2, first: int = 0) -> str:
    """The panel of a case: so many by turns for each operation, since each needs an undisturbed run, and all of them over all operations.

    first: another number for each experiment, so that an operation does not meet the same panels in all of them.
    """
    return list(PANELS)[(first + operation + turn % turns * len(PANELS) // turns) % len(PANELS)]


def settings_of(name: str) -> dict[str, Any]:
    """The settings of a panel of the table."""
    return dict(PANELS[name])

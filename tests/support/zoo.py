# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A panel for each value of each point that the interface leaves open."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from panel_simulator.open_points import POINTS

Profile = Mapping[str, Any]


def alone() -> dict[str, Profile]:
    """A profile for each value of each point, by its name."""
    return {_name(name, value): {name: value} for name, point in POINTS.items() for value in point.tried}


def refusals(profile: Profile) -> list[str]:
    """Words of what tasks say that cannot work there; none where everything works."""
    return [words for name, value in profile.items() if (words := POINTS[name].refusal(value))]


def _name(point: str, value: Any) -> str:
    return f"{point}: {value if isinstance(value, str) else json.dumps(value)}"

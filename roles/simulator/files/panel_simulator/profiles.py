# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles: files that say what one panel does where the interface leaves it open."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from panel_simulator.documents import read_yaml
from panel_simulator.errors import Invalid
from panel_simulator.forms import unknown
from panel_simulator.known import KNOWN
from panel_simulator.open_points import POINTS, normal
from panel_simulator.settings import Settings


def read_profile(path: Path) -> dict[str, Any]:
    """The points in which a panel differs from the defaults, in their normal form; raises Invalid."""
    try:
        document = read_yaml(path.read_bytes())
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}.") from error
    except Invalid as error:
        raise Invalid(f"{path}, {error.message}") from error
    profile = {} if document.value is None else document.value
    if not isinstance(profile, Mapping):
        raise Invalid(f"{path} must be a mapping of points to values.")
    panel = Settings(KNOWN)
    for name, value in profile.items():
        try:
            if name not in POINTS:
                raise Invalid(unknown(f"{name}: there is no such point", name, POINTS))
            panel.merge({name: value})
            if not POINTS[name].is_verified(value):
                raise Invalid(
                    f"{name}: a verify finds out no such point or value, so no profile has it; set it as a setting."
                )
        except Invalid as error:
            raise Invalid(f"{path}, line {document.lines[name]}: {error.message}") from error
    return normal(profile)

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles: files that say what one panel does where the interface leaves it open."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from panel_simulator.coverage import member_rows
from panel_simulator.errors import Invalid
from panel_simulator.open_points import POINTS, with_nearest

ZONE_MEMBERS = ("is_custom_dns", "is_dns_disabled", "dkim_record", "records")
# The forms of values that name kinds, and of those the ones that name members which there are.
_OF_KINDS = ("members", "defaults", "names by member")
_OF_MEMBERS = ("members", "names by member")


def read_profile(path: Path) -> dict[str, Any]:
    """The points of a profile, which is a mapping with what differs from the defaults; raises Invalid."""
    try:
        profile = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise Invalid(f"{path} is not YAML.") from error
    if profile is None:
        return {}
    if not isinstance(profile, Mapping):
        raise Invalid(f"{path} must be a mapping of points to values.")
    for name, value in profile.items():
        point = POINTS.get(name)
        if point is None:
            raise Invalid(with_nearest(f"{name}: there is no such point", name, POINTS))
        point.check(value)
    check_names(profile)
    return dict(profile)


def check_names(settings: Mapping[str, Any]) -> None:
    """Raises Invalid where a value names a kind or a member that there is not. settings: their forms are right."""
    known = members_by_kind()
    for name, value in settings.items():
        form = POINTS[name].form if name in POINTS else ""
        for kind, members in value.items() if form in _OF_KINDS else ():
            if kind not in known:
                raise Invalid(with_nearest(f"{name}: {kind} is no kind of objects", kind, known))
            for member in members if form in _OF_MEMBERS else ():
                if member not in known[kind]:
                    raise Invalid(with_nearest(f"{name}: {kind} have no member {member}", member, known[kind]))


def members_by_kind() -> dict[str, tuple[str, ...]]:
    """The members of the objects of each kind, and of zones; ``components.csr`` is one within another."""
    found: dict[str, tuple[str, ...]] = {}
    for row in member_rows():
        found[row["kind"]] = (*found.get(row["kind"], ("id", "status")), row["member"])
    return {**found, "dns": ZONE_MEMBERS}

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was found against what is taken for granted. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .evidence import Evidence, Untold
from .observations import OBSERVATIONS, OTHERWISE
from .points import Point

CONFIRMED, CONTRADICTED, UNKNOWN, SKIPPED = "confirmed", "contradicted", "unknown", "skipped"
HARMLESS = "Nothing changes"
# The worst first.
VERDICTS = (CONTRADICTED, UNKNOWN, CONFIRMED, SKIPPED)


def observed(seen: Evidence, points: Mapping[str, Point]) -> dict[str, Any]:
    """By point what was found, OTHERWISE where that is no value of it, and None, or why, where nothing was."""
    found = {**{name: look(seen) for name, look in OBSERVATIONS.items()}, **seen.tried}
    return {name: one if _is_nothing(one) or points[name].fits(one) else OTHERWISE for name, one in found.items()}


def _is_nothing(found: Any) -> bool:
    return found is None or isinstance(found, Untold)


def checks(found: Mapping[str, Any], points: Mapping[str, Point], tried: frozenset[str]) -> list[dict[str, Any]]:
    """The verdicts, the worst first. tried: of ``read``, ``write`` and ``asked`` what was done."""
    made = [_check(point, found.get(name), point.seen in tried) for name, point in points.items()]
    return sorted(made, key=_weight)


def _weight(check: Mapping[str, Any]) -> tuple[int, bool, bool]:
    """The smaller, the worse: what nobody knows before what matters, and that before what is harmless."""
    is_known = check["found"] != OTHERWISE
    return VERDICTS.index(check["verdict"]), is_known, check["means"].startswith(HARMLESS)


def _check(point: Point, found: Any, was_tried: bool) -> dict[str, Any]:
    verdict = _verdict(point, found, was_tried)
    reason = found.reason if isinstance(found, Untold) and verdict == UNKNOWN else ""
    means = point.meaning(found) if verdict == CONTRADICTED else reason
    if verdict == CONTRADICTED and found == OTHERWISE:
        means = "It is none of the ways that are known; please tell us."
    return {
        "id": point.name,
        "about": point.about,
        "expected": point.default,
        "found": None if _is_nothing(found) else found,
        "verdict": verdict,
        "affects": list(point.depends),
        "confidence": point.confidence,
        "means": means,
    }


def _verdict(point: Point, found: Any, was_tried: bool) -> str:
    if _is_nothing(found):
        return UNKNOWN if was_tried else SKIPPED
    return CONFIRMED if found == point.default else CONTRADICTED


def profile(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a simulator has to be told to be such a panel: by point what differs, in its normal form."""
    differs = {
        check["id"]: check["found"]
        for check in found
        if check["verdict"] == CONTRADICTED and check["found"] != OTHERWISE
    }
    ordered: dict[str, Any] = _in_order(differs)
    return ordered


def _in_order(value: Any) -> Any:
    """In alphabetical order, so that two profiles of one panel are equal."""
    if isinstance(value, Mapping):
        return {name: _in_order(value[name]) for name in sorted(value)}
    return sorted(value) if isinstance(value, list) else value

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes to the panel in one task, and part by part where a mistake in one of them would keep all from being written.

Private to the collection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...module_utils._task.mistakes import without_ending
from .._jobs.run_modules import ModuleRuns, error_type

Resources = Mapping[str, Sequence[Mapping[str, Any]]]
# By kind and key of what it is about.
Parts = Mapping[tuple[str, str], Resources]


def write_parts(panel: ModuleRuns, parts: Parts, planned: bool = False) -> dict[str, Any]:
    """What panel_resources did, or would do, with all of them; a part that it refused is among the results."""
    if not parts:
        return {"plan": {"actions": []}}
    done = _written(panel, list(parts.values()), planned)
    if error_type(done) != "WrongItems" or len(parts) == 1:
        return done
    return joined({key: _written(panel, [part], planned) for key, part in parts.items()})


def _written(panel: ModuleRuns, parts: Sequence[Resources], planned: bool) -> dict[str, Any]:
    resources: dict[str, list[Mapping[str, Any]]] = {}
    for part in parts:
        for kind, items in part.items():
            resources.setdefault(kind, []).extend(items)
    options = {"resources": resources}
    return panel.planned("panel_resources", options) if planned else panel.run("panel_resources", options)


def joined(done: Mapping[tuple[str, str], Mapping[str, Any]]) -> dict[str, Any]:
    """What panel_resources returned for each part, as one result."""
    actions: list[Any] = []
    results: list[Any] = []
    for (kind, key), one in done.items():
        actions += (one.get("plan") or {}).get("actions") or ()
        results += one.get("results") or ()
        if one.get("failed") and not one.get("results"):
            results.append({"kind": kind, "key": key, "result": "failed", "msg": without_ending(str(one.get("msg")))})
    failed = [str(one.get("msg")) for one in done.values() if one.get("failed")]
    return {
        "changed": any(one.get("changed") for one in done.values()),
        "failed": bool(failed),
        "msg": " ".join(failed),
        "plan": {"actions": actions},
        "results": results,
    }

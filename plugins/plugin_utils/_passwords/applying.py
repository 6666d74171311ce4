# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Applies resources with new passwords, which are in their files before the panel gets them. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._run.job import Job
from .._run.module_runs import ModuleRuns
from .ahead import PasswordsAhead


def planned_with(ahead: PasswordsAhead, job: Job, panel: ModuleRuns, options: Mapping[str, Any]) -> dict[str, Any]:
    """What panel_resources would do with the resources; those passwords are chosen that it would send. options: beside the resources."""
    planned = panel.run("panel_resources", {**options, "resources": ahead.resources()}, check_mode=True)
    ahead.choose(_actions(planned))
    job.warn(ahead.warnings())
    return planned


def is_to_write(planned: Mapping[str, Any], job: Job) -> bool:
    """Whether something is written as planned."""
    return bool(_actions(planned)) and not planned.get("failed") and not job.check_mode


def written_as_planned(
    planned: dict[str, Any], ahead: PasswordsAhead, job: Job, panel: ModuleRuns, options: Mapping[str, Any]
) -> dict[str, Any]:
    """What panel_resources did, or the plan where nothing is to be written. Raises CredentialsError before anything is written."""
    if not is_to_write(planned, job):
        if not planned.get("failed"):
            ahead.check()
        return planned
    own = {**options, "expected_checksum": planned["plan"]["checksum"]}
    return ahead.hand_over(lambda resources: panel.run("panel_resources", {**own, "resources": resources}))


def _actions(planned: Mapping[str, Any]) -> list[dict[str, Any]]:
    actions: list[dict[str, Any]] = (planned.get("plan") or {}).get("actions") or []
    return actions

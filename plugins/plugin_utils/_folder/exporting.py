# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes an export into its folder, or only says what it would write. Private to the collection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._run.job import Job
from .secrets import masked
from .writing import FolderPlan, plan_folder, refuse_unwritable, write


def write_export(job: Job) -> dict[str, Any]:
    """The result of the task; raises FolderError."""
    plan = plan_folder(Path(job.arguments["directory"]), job.arguments["resources"])
    if not job.arguments["compares_only"]:
        refuse_unwritable(plan)
        if not job.check_mode:
            write(plan)
    return {
        "changed": bool(plan.changes),
        "written": plan.written,
        "removed": plan.removed,
        "unchanged": plan.unchanged,
        **({"diff": _diff(plan)} if job.diff else {}),
    }


def _diff(plan: FolderPlan) -> list[dict[str, str]]:
    return [
        {
            "before_header": str(change.path),
            "after_header": str(change.path),
            "before": masked(change.before or ""),
            "after": masked(change.after or ""),
        }
        for change in plan.changes
    ]

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what panel_resources_info returned as files, one for each client."""

from __future__ import annotations

from typing import Any

from ..plugin_utils._folder.writing import FolderError, write_export
from ..plugin_utils._run.job import Job, JobAction

ARGUMENT_SPEC: dict[str, Any] = {
    "resources": {"type": "dict", "required": True},
    "directory": {"type": "path", "required": True},
    "compares_only": {"type": "bool", "default": False},
}


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_folder_write; it never talks to the panel."""

    _requires_connection = False
    specification = ARGUMENT_SPEC
    failures = {FolderError: "directory: {}"}

    def steps(self, job: Job) -> dict[str, Any]:
        return write_export(job)

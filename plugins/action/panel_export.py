# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a panel with panel_resources_info and writes it as files, one for each client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..module_utils._http.connection_settings import connection_argument_spec
from ..plugin_utils._folder.export import export
from ..plugin_utils._folder.resources_dir import FolderError
from ..plugin_utils._run.job import Job, JobAction


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_export."""

    specification = {
        "dir": {"type": "path", "required": True},
        "clients": {"type": "list", "elements": "str"},
        **connection_argument_spec(),
    }
    failures = {FolderError: "dir: {}"}

    def steps(self, job: Job) -> dict[str, Any]:
        clients = job.arguments["clients"]
        options = {} if clients is None else {"clients": clients}
        resources = job.read("panel_resources_info", "resources", options)
        return export(Path(job.arguments["dir"]), resources, job.vault, clients, job.check_mode, job.diff)

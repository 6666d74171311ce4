# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a panel with panel_resources_info and writes it as files, one for each client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..module_utils._http.connection_settings import build_connection_argument_spec
from ..module_utils._values.option_marks import CHOOSES_CLIENTS_MARK
from ..plugin_utils._folder.export import Choice, Panel, export
from ..plugin_utils._folder.files import FolderError
from ..plugin_utils._run.job import Job, JobAction


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_export."""

    specification = {
        "dir": {"type": "path", "required": True},
        "clients": {"type": "list", "elements": "str", **CHOOSES_CLIENTS_MARK},
        "rebuild": {"type": "bool", "default": False},
        "credentials_file": {"type": "path"},
        **build_connection_argument_spec(),
    }
    failures = {FolderError: "{names[dir]}: {0}"}

    def do_job(self, job: Job) -> dict[str, Any]:
        """Read the panel and write its files."""
        clients = job.arguments["clients"]
        options = {} if clients is None else {"clients": clients}
        result = job.read_result("panel_resources_info", options)

        panel = Panel(job.get_panel_name(), result["resources"], result["left_out"])
        choice = Choice(
            clients,
            job.arguments["rebuild"],
            job.check_mode,
            job.diff,
            job.arguments["credentials_file"],
            job.name_option,
        )
        return export(Path(job.arguments["dir"]), panel, job.vault, choice)

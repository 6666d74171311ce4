# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a panel with panel_resources_info and writes it as files, one for each client."""

from __future__ import annotations

from ..module_utils._http.connection_settings import connection_argument_spec
from ..plugin_utils._files.folder_files import FolderError
from ..plugin_utils._folder.plan_file import OPTION
from ..plugin_utils._folder.write_export import write_export
from ..plugin_utils._jobs.job import JobAction


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_folder_write."""

    specification = {
        "directory": {"type": "path", "required": True},
        "compares_only": {"type": "bool", "default": False},
        **OPTION,
        **connection_argument_spec(),
    }
    failures = {FolderError: "directory: {}"}
    steps = staticmethod(write_export)

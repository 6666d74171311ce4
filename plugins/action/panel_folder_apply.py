# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the objects in a folder of files to panel_resources, and keeps the passwords of new ones in an encrypted file.

These passwords are made here and are in the file before the panel gets them. They and the secrets in the folder are in no result.
"""

from __future__ import annotations

from ..module_utils._http.connection_settings import connection_argument_spec
from ..plugin_utils._files.folder_files import FolderError
from ..plugin_utils._folder.apply_folder import HANDED_ON, apply_folder
from ..plugin_utils._folder.plan_file import OPTION
from ..plugin_utils._jobs.job import JobAction
from ..plugin_utils._passwords.credentials_file import CredentialsError


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_folder_apply."""

    specification = {
        "directory": {"type": "path", "required": True},
        "credentials_file": {"type": "path"},
        "most_lines": {"type": "int", "default": 200},
        **OPTION,
        **HANDED_ON,
        **connection_argument_spec(),
    }
    failures = {FolderError: "directory: {}", CredentialsError: "credentials_file: {} Nothing was written."}
    steps = staticmethod(apply_folder)

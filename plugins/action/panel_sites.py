# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives everything of many customers to panel_resources, and keeps the passwords of each in a file of its own.

A new object gets its password here and not from the panel, so that it can be in the file before the panel has it: a run that is killed
at any moment loses none. Passwords are in no result.
"""

from __future__ import annotations

from ..module_utils._http.connection_settings import connection_argument_spec
from ..plugin_utils._jobs.job import JobAction
from ..plugin_utils._passwords.credentials_file import CredentialsError
from ..plugin_utils._sites.bring_sites import HANDED_ON, bring


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_sites."""

    specification = {
        "sites": {"type": "list", "elements": "dict"},
        "sites_from": {"type": "path"},
        "credentials_dir": {"type": "path"},
        "most_lines": {"type": "int", "default": 200},
        **HANDED_ON,
        **connection_argument_spec(),
    }
    failures = {CredentialsError: "credentials_file: {} Nothing was written to the panel."}
    steps = staticmethod(bring)

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives a group of objects new passwords, each of which is in an encrypted file before the panel gets it."""

from __future__ import annotations

from ..module_utils._http.connection_settings import connection_argument_spec
from ..plugin_utils._jobs.job import JobAction
from ..plugin_utils._passwords.credentials_file import CredentialsError
from ..plugin_utils._passwords.new_password import USUAL
from ..plugin_utils._passwords.rotate_passwords import rotate
from ..plugin_utils._passwords.rotate_selection import ROTATED


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_rotate."""

    role = "rotate"
    specification = {
        "id": {"type": "str", "required": True},
        "kinds": {"type": "list", "elements": "str", "choices": list(ROTATED), "default": []},
        "clients": {"type": "list", "elements": "str", "default": []},
        "plans": {"type": "list", "elements": "str", "default": []},
        "objects": {"type": "dict", "default": {}},
        "except": {"type": "list", "elements": "str", "default": []},
        "max": {"type": "int", "default": 100},
        "length": {"type": "int", "default": USUAL},
        "credentials_file": {"type": "path", "required": True},
        **connection_argument_spec(),
    }
    failures = {CredentialsError: "credentials_file: {} Nothing was written to the panel."}
    steps = staticmethod(rotate)

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the module of a kind with options from a dictionary, and keeps the password of a new object in an encrypted file."""

from __future__ import annotations

from ..module_utils._http.connection_settings import connection_argument_spec
from ..module_utils._kinds.registry import KINDS
from ..plugin_utils._jobs.job import JobAction
from ..plugin_utils._passwords.credentials_file import CredentialsError
from ..plugin_utils._sites.bring_object import bring_object


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_object."""

    specification = {
        "kind": {"type": "str", "required": True, "choices": list(KINDS)},
        "options": {"type": "dict", "required": True},
        "credentials_file": {"type": "path"},
        **connection_argument_spec(),
    }
    failures = {CredentialsError: "credentials_file: {} Nothing was written."}
    steps = staticmethod(bring_object)

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the module of a kind with options from a dictionary, and keeps the password of a new object in an encrypted file."""

from __future__ import annotations

from typing import Any

from ..module_utils._http.connection import connection_argument_spec
from ..module_utils._kinds.registry import KINDS
from ..plugin_utils._passwords.file import CredentialsError
from ..plugin_utils._run.job import Job, JobAction
from ..plugin_utils._sites.single import bring_object

ARGUMENT_SPEC: dict[str, Any] = {
    "kind": {"type": "str", "required": True, "choices": list(KINDS)},
    "options": {"type": "dict", "required": True},
    "credentials_file": {"type": "path"},
    **connection_argument_spec(),
}


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_object."""

    specification = ARGUMENT_SPEC
    failures = {CredentialsError: "credentials_file: {} Nothing was written."}

    def steps(self, job: Job) -> dict[str, Any]:
        return bring_object(job)

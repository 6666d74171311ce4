# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes on one panel what a client has on another, of which only the times to live are changed, in a step of its own before."""

from __future__ import annotations

from typing import Any

from ..plugin_utils._jobs.job import Job, JobAction
from ..plugin_utils._jobs.job_failed import WithoutId
from ..plugin_utils._jobs.run_modules import ModuleFailed
from ..plugin_utils._move.copy_client import copy_client
from ..plugin_utils._move.lower_ttls import lower_ttls
from ..plugin_utils._move.mapping import CannotMove
from ..plugin_utils._move.move_options import MAPPING, OF_FILES
from ..plugin_utils._passwords.credentials_file import CredentialsError


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_client_copy."""

    role = "move"
    variables = OF_FILES
    specification = {
        **MAPPING,
        "step": {"type": "str", "choices": ["prepare", "copy"], "default": "copy"},
        "ttl": {"type": "int", "default": 300},
        "update": {"type": "bool", "default": False},
        "page": {"type": "path"},
    }
    failures = {
        CannotMove: "{} Nothing was written.",
        CredentialsError: "credentials_file: {} Nothing was written.",
        ModuleFailed: "{} Nothing was written before that.",
        WithoutId: "On the source: {}",
    }

    def steps(self, job: Job) -> dict[str, Any]:
        return lower_ttls(job) if job.arguments["step"] == "prepare" else copy_client(job)

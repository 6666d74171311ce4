# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Suspends or releases a list of clients, which may come from a file of comma-separated values."""

from __future__ import annotations

from ..module_utils._http.connection_settings import connection_argument_spec
from ..plugin_utils._jobs.job import JobAction
from ..plugin_utils._suspend.outcomes import RELEASED, SUSPENDED
from ..plugin_utils._suspend.suspend_or_release import suspend_or_release


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_suspend."""

    role = "suspend"
    specification = {
        "clients": {"type": "list", "elements": "raw"},
        "csv_file": {"type": "path"},
        "csv_username": {"type": "str", "default": "username"},
        "csv_due": {"type": "str"},
        "csv_reason": {"type": "str"},
        "state": {"type": "str", "choices": [SUSPENDED, RELEASED], "default": SUSPENDED},
        "grace_days": {"type": "int", "default": 0},
        "except": {"type": "list", "elements": "str", "default": []},
        "max": {"type": "int"},
        "today": {"type": "str"},
        "despite_missing": {"type": "bool", "default": False},
        **connection_argument_spec(),
    }
    steps = staticmethod(suspend_or_release)

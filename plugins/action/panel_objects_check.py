# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the options of many objects, and that generated passwords could be kept, before the first of them is written."""

from __future__ import annotations

from ..plugin_utils._jobs.job import JobAction
from ..plugin_utils._sites.check_objects import check_objects


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_objects_check; it never talks to the panel."""

    _requires_connection = False
    specification = {
        "resources": {"type": "dict", "required": True},
        "credentials_file": {"type": "path"},
    }
    steps = staticmethod(check_objects)

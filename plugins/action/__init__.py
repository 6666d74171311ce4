# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads what every task needs when Ansible looks for the action plugin.

That is in the controller, whose copies the workers of the tasks are.
"""

from __future__ import annotations

from ..plugin_utils._run.panel_action import is_switched_on

if is_switched_on():
    from ..module_utils._object import info, object_task  # noqa: F401
    from ..plugin_utils._run import in_process  # noqa: F401

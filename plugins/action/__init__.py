# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads what every task needs when Ansible looks for the action plugin: in the controller, whose copies the workers of the tasks are."""

from __future__ import annotations

import gc
import importlib

from ..plugin_utils._run.module_action import is_switched_on

if is_switched_on():
    for _name in (
        "plugin_utils._run.in_process",
        "module_utils._object.creation",
        "module_utils._http.failed_attempts",
        "module_utils._object.info",
        "module_utils._object.managing",
    ):
        importlib.import_module(f"ansible_collections.hosting.panel.plugins.{_name}")

# A worker's collector would walk through all variables of the play again and again, and copy them by that.
gc.freeze()

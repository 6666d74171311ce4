# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin of all modules, named for each of them in meta/runtime.yml: see plugin_utils/_module_run/module_action.py."""

from __future__ import annotations

from ..plugin_utils._module_run.module_action import ModuleAction as ActionModule

__all__ = ["ActionModule"]

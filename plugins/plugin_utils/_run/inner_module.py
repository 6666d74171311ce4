# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module of the collection in place of the task of another action. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.plugins.action import ActionBase

from ...module_utils._http.connection import ENVIRONMENT
from .module_action import ModuleAction, module_action


def given_connection(action: ActionBase) -> dict[str, Any]:
    """The connection options of the action's own task, module_defaults included."""
    return {name: action._task.args[name] for name in ENVIRONMENT if name in action._task.args}


def inner_module(
    action: ActionBase,
    module: str,
    options: Mapping[str, Any],
    check_mode: bool | None = None,
    diff: bool | None = None,
) -> ModuleAction:
    """The action that runs ``hosting.panel.<module>`` in place of the task of ``action``; check_mode, diff: None for those of the task."""
    task = action._task.copy()
    task.action = f"hosting.panel.{module}"
    task.args = dict(options)
    if check_mode is not None:
        task.check_mode = check_mode
    if diff is not None:
        task.diff = diff
    return module_action(action, task)


def error_type(result: Mapping[str, Any]) -> str:
    """The name of the error that a module ended with, a class of ``_errors.py``; empty where it ended with none."""
    error = result.get("error")
    return str(error.get("type")) if isinstance(error, dict) else ""


def of_own_plan(result: dict[str, Any]) -> dict[str, Any]:
    """The result of a module that was to apply a plan of this same task: nobody has seen that plan, so there is none to approve."""
    if error_type(result) == "PlanChanged":
        result["msg"] = "The panel changed while this was planned. Nothing was written to it; run again."
    return result

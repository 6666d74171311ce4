# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs modules of the collection in the place of a task, for actions that are made of several. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.kind import OWNER
from .._run.module_action import ModuleAction, module_action
from .._run.panel_action import PanelAction
from .._run.panel_name import panel_host
from .._run.task_arguments import plain
from .job_failed import JobFailed, id_of
from .vaulted import marks_in, with_masked_members

# The members of a result that say what became of the task, and nothing of single objects.
_OF_TASK = ("failed", "changed", "msg", "error", "diff", "exception")

Item = Mapping[str, Any]


class ModuleFailed(JobFailed):
    """A module failed. ``result`` is all that it returned; the text is its message, which holds no secret.

    place: words before the message, where more than one panel is in play.
    """

    def __init__(self, result: Mapping[str, Any], place: str = "") -> None:
        members = {name: result[name] for name in ("error", "exception") if name in result}
        super().__init__(place + str(result.get("msg", "The module failed without a message.")), **members)
        self.result = dict(result)

    @property
    def option(self) -> str:
        """The option that the module complains about; empty where it names none."""
        error = self.result.get("error")
        return str(error.get("option") or "") if isinstance(error, dict) else ""


class ModuleRuns:
    """Modules on one panel. ``warnings`` gathers what they warned of, each once."""

    def __init__(
        self,
        action: PanelAction,
        task_vars: Mapping[str, Any] | None,
        connection: Mapping[str, Any],
        place: str = "",
        warnings: list[str] | None = None,
    ) -> None:
        """action: the plugin of the task; connection: the connection options as the task has them; place: as in ``ModuleFailed``."""
        self._action, self._task_vars, self._connection, self._place = action, task_vars, dict(connection), place
        self.warnings: list[str] = [] if warnings is None else warnings

    def run(
        self, module: str, options: Mapping[str, Any], check_mode: bool | None = None, diff: bool | None = None
    ) -> dict[str, Any]:
        """What the module returned, whether it failed or not. check_mode, diff: None for those of the task."""
        result = self._ran(module, options, check_mode, diff)
        if not check_mode and error_type(result) == "PlanChanged":
            # Nobody has seen the plan, which the same task has made, so there is none to approve.
            result["msg"] = "The panel changed while this was planned. Nothing was written to it; run again."
        self.warnings[:] = dict.fromkeys([*self.warnings, *(result.get("warnings") or ())])
        return result

    def planned(self, module: str, options: Mapping[str, Any], diff: bool | None = None) -> dict[str, Any]:
        """What the module would do. Its warnings are in the result alone, since what is done as planned has its own."""
        return self._ran(module, options, True, diff)

    def _ran(
        self, module: str, options: Mapping[str, Any], check_mode: bool | None, diff: bool | None
    ) -> dict[str, Any]:
        marks = marks_in(options.get("resources") or {}) if module == "panel_resources" else {}
        given = {**options, "resources": plain(options["resources"])} if marks else options
        inner = inner_module(self._action, module, {**self._connection, **given}, check_mode, diff)
        result: dict[str, Any] = inner.run(task_vars=self._task_vars)
        return with_masked_members(result, marks) if marks else result

    def name(self, options: Mapping[str, Any] | None = None) -> str:
        """By which name the panel is known in files; options: those of a module that may have a connection of its own."""
        return panel_host({**self._connection, **(options or {})}, self._action._task_environment())

    def read(self, module: str, member: str, options: Mapping[str, Any]) -> Any:
        """A member of what an info module returned; raises ModuleFailed."""
        return self.succeed(module, options)[member]

    def succeed(self, module: str, options: Mapping[str, Any], check_mode: bool | None = None) -> dict[str, Any]:
        """As ``run``, but raises ModuleFailed where the module failed."""
        return self.checked(self.run(module, options, check_mode))

    def checked(self, result: dict[str, Any]) -> dict[str, Any]:
        """What a module returned; raises ModuleFailed where it failed."""
        if result.get("failed"):
            raise ModuleFailed(result, self._place)
        return result


def read_objects(panel: ModuleRuns, kind: str, **options: Any) -> list[dict[str, Any]]:
    """The objects of a kind, or those that the options of its info module name; raises ModuleFailed."""
    found: list[dict[str, Any]] = panel.read(f"{KINDS[kind].module}_info", kind, options)
    return found


def with_owners(panel: ModuleRuns, kind: str, listed: Sequence[Item]) -> list[Item]:
    """The objects of a list, which may leave out whose they are: each of those is read by its id. Raises WithoutId and ModuleFailed."""
    return [item if OWNER in item else _whole(panel, kind, item) for item in listed]


def _whole(panel: ModuleRuns, kind: str, item: Item) -> Item:
    found = read_objects(panel, kind, id=id_of(item, f"{kind} {KINDS[kind].key_of(item)}"))
    return {**item, **(found[0] if found else {})}


def inner_module(
    action: PanelAction, module: str, options: Mapping[str, Any], check_mode: bool | None, diff: bool | None
) -> ModuleAction:
    """The action that runs ``hosting.panel.<module>`` in place of the task of ``action``."""
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


def of_task(result: Mapping[str, Any]) -> dict[str, Any]:
    """What of a result says what became of the task."""
    return {name: result[name] for name in _OF_TASK if name in result}

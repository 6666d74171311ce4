# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs every module of the collection, in the controller's own process where that is the same as running the module.

Starting a module costs about 0.25 s of processor time, the work itself a few milliseconds. With a local connection, without async and
without become, the module would run on this machine as this user anyway, so the same core runs here, with one kept-alive session for
all items of a loop. In every other case the module runs as usual. PANEL_IN_PROCESS=0 forces the module.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator, Mapping
from typing import Any, Callable

from ansible import constants
from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase

from ...module_utils._errors import PanelError
from ...module_utils._task.operation import PLANNED
from ...module_utils._task.validation import check_values
from .panel_action import PanelAction
from .panel_connections import panel_of_another


def is_switched_on() -> bool:
    """Whether modules run in process wherever that is the same."""
    return os.environ.get("PANEL_IN_PROCESS", "1") != "0"


class ModuleAction(PanelAction):
    """The one action plugin of all modules, named for each of them in meta/runtime.yml."""

    _supports_async = True
    # As of Task in ``_task/operation.py``.
    planned = ""

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        return self.reported(result, lambda: self._done(task_vars))

    def reported(self, result: dict[str, Any], work: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
        """The result of the work, or of its failure. result: what Ansible begins every result with."""
        try:
            result.update(work())
        except PanelError as error:
            failure = {"type": type(error).__name__, **error.details}
            result.update({"failed": True, "changed": False, "msg": error.message, "error": failure})
        return result

    def _done(self, task_vars: Any) -> dict[str, Any]:
        check_values(self._task.args)
        environment = self._task_environment()
        with _environment(environment), _no_collector():
            if self._runs_in_process():
                result = self._run_in_process()
                if not _shows_invocation(task_vars):
                    result.pop("invocation", None)
            else:
                result = self._execute(task_vars)
            address = self._templar.template((task_vars or {}).get("panel_api_url"))
            if warning := panel_of_another(address, self._task.args, environment):
                result["warnings"] = [*(result.get("warnings") or ()), warning]
            return result

    def _runs_in_process(self) -> bool:
        if not is_switched_on() or not self._runs_here():
            return False
        # Both of these are loaded by __init__.py, but not where each module is a process: 0.1 s, a tenth of a play of one task.
        from ...module_utils._http.session import HAS_REQUESTS  # noqa: PLC0415

        return HAS_REQUESTS

    def _runs_here(self) -> bool:
        """Whether the module would run on this machine, as this user, and with the task waiting for it."""
        return (
            not self._task.async_val
            and not self._task.become
            # An inventory switches it on by a variable, which the task does not show.
            and getattr(self._connection, "become", None) is None
            and self._connection.transport == "local"
        )

    def _run_in_process(self) -> dict[str, Any]:
        from .in_process import run_in_process  # noqa: PLC0415

        return run_in_process(self._task, self.say, self.planned)

    def _execute(self, task_vars: Any) -> dict[str, Any]:
        """What the module returns."""
        if self._runs_here() and "PYTHONUNBUFFERED" not in os.environ:
            # Saves a temporary file and three processes. With that variable Python would read its input byte by byte.
            # A connection that has no such option does it in its own way.
            with contextlib.suppress(AnsibleError, AttributeError, KeyError):
                self._connection.set_option("pipelining", True)
        wrap_async = bool(self._task.async_val) and not self._connection.has_native_async
        more: dict[str, Any] = {"module_args": {**self._task.args, PLANNED: self.planned}} if self.planned else {}
        result: dict[str, Any] = self._execute_module(task_vars=task_vars, wrap_async=wrap_async, **more)
        if not wrap_async:
            self._remove_tmp_path(self._connection._shell.tmpdir)
        return result


def module_action(action: ActionBase, task: Any) -> ModuleAction:
    """The action that runs a task for a module where another action runs its own."""
    return ModuleAction(
        task=task,
        connection=action._connection,
        play_context=action._play_context,
        loader=action._loader,
        templar=action._templar,
        shared_loader_obj=action._shared_loader_obj,
    )


def _shows_invocation(task_vars: Any) -> bool:
    """Whether results say how the module was called, which ansible-core leaves out by default from 2.21 on."""
    try:
        return bool(constants.config.get_config_value("INJECT_INVOCATION", variables=task_vars))
    except AnsibleError:
        return True


@contextlib.contextmanager
def _environment(additional: dict[str, str]) -> Iterator[None]:
    """Sets variables for the time of a task; a worker is a process of its own, so nobody else sees them."""
    before = {name: os.environ[name] for name in additional if name in os.environ}
    os.environ.update(additional)
    try:
        yield
    finally:
        for name in additional:
            os.environ.pop(name, None)
        os.environ.update(before)


@contextlib.contextmanager
def _no_collector() -> Iterator[None]:
    """The time of a task: with the collector, 5,000 items take 7 % longer."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
